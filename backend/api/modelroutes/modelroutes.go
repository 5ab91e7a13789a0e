// Package modelroutes contains the routes that list models and try model services.
package modelroutes

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/agent/llm/providers"
	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/shared/wire"
)

// Models lists the models that can be chosen.
type Models struct {
	Models []wire.Model `json:"models"`
}

// Routes are the routes with what they call.
type Routes struct {
	API    huma.API
	Models *providers.Registry
}

// Register adds the routes to the API.
func (r Routes) Register() {
	route.Add(r.API, http.MethodGet, "/api/models", "Models that can be chosen, after asking the local servers again",
		http.StatusOK, func(ctx context.Context, _ *route.Empty) (*route.Body[Models], error) {
			return route.Answer(Models{Models: r.Models.List(ctx)}), nil
		})
	route.Add(r.API, http.MethodPost, "/api/models/try",
		"The models of a service, with an address and a key that are not saved", http.StatusOK, r.try)
}

func (r Routes) try(ctx context.Context, in *struct {
	Body struct {
		Provider string `json:"provider" maxLength:"40"`
		BaseURL  string `json:"base_url" maxLength:"2000" doc:"Empty for the provider's own address"`
		Key      string `json:"key" maxLength:"10000" doc:"Empty for the saved key"`
	}
},
) (*route.Body[Models], error) {
	if err := access.RequireWindow(ctx); err != nil {
		return nil, err
	}
	models, err := r.Models.Try(ctx, in.Body.Provider, providers.Service{BaseURL: in.Body.BaseURL, Key: in.Body.Key})
	if err != nil {
		return nil, route.BadRequest(err.Error())
	}
	return route.Answer(Models{Models: models}), nil
}
