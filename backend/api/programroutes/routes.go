// Package programroutes contains the routes of programs that are connected over MCP.
package programroutes

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/shared/wire"
)

// Programs lists and disconnects the programs that are connected over MCP.
type Programs interface {
	Programs() wire.Programs
	// Disconnect returns false if the program is not connected.
	Disconnect(id string) bool
}

// Routes are the routes with what they call.
type Routes struct {
	API      huma.API
	Programs Programs
}

// Register adds the routes to the API. Only a window may use them, because their answers contain the token.
func (r Routes) Register() {
	const path = "/api/programs"
	list := func(ctx context.Context, _ *route.Empty) (*route.Body[wire.Programs], error) {
		if err := access.RequireWindow(ctx); err != nil {
			return nil, err
		}
		return route.Answer(r.Programs.Programs()), nil
	}
	route.Add(r.API, http.MethodGet, path, "How other programs reach this Sextant over MCP, and which are connected",
		http.StatusOK, list)
	route.Add(r.API, http.MethodDelete, path+"/{id}", "Disconnect a program and close its tabs", http.StatusOK,
		func(ctx context.Context, in *route.ByID) (*route.Body[wire.Programs], error) {
			if err := access.RequireWindow(ctx); err != nil {
				return nil, err
			}
			if !r.Programs.Disconnect(in.ID) {
				return nil, route.NotFound("This program is no longer connected.")
			}
			return list(ctx, nil)
		})
}
