package httpapi

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/backend/sandbox/secrets"
)

// SecretList lists the person's secrets, without their values.
type SecretList struct {
	Secrets []secrets.Secret    `json:"secrets"`
	Storage secrets.StorageInfo `json:"where"`
}

type secretInput struct {
	Name string `path:"name" maxLength:"64"`
	Body struct {
		Host   string          `json:"host,omitempty" doc:"Host or host:port it is bound to, or mcp: and the name of an MCP server that is a program"`
		Places []secrets.Place `json:"places,omitempty" doc:"header, query, body, field; all of them when absent"`
		Value  string          `json:"value,omitempty" writeOnly:"true" doc:"6 bytes to 64 KB"`
	}
}

func (s *Server) secretRoutes() {
	const path = "/api/secrets"
	route.Add(s.api, http.MethodGet, path, "The person's secrets, without their values", http.StatusOK,
		func(context.Context, *route.Empty) (*route.Body[SecretList], error) {
			return s.secretList(), nil
		})
	route.Add(s.api, http.MethodPut, path+"/{name}", "Store a secret, or replace the one with that name", http.StatusOK,
		func(ctx context.Context, in *secretInput) (*route.Body[SecretList], error) {
			if err := access.RequireWindow(ctx); err != nil {
				return nil, err
			}
			one := secrets.Secret{Name: in.Name, Host: in.Body.Host, Places: in.Body.Places}
			if server, isServer := secrets.ServerName(one.Host); isServer {
				one.Command = s.services.ServerCommand(server)
			}
			_, err := s.services.Secrets.Put(one, in.Body.Value)
			if errors.Is(err, secrets.ErrInvalid) {
				return nil, route.BadRequest(strings.TrimPrefix(err.Error(), secrets.ErrInvalid.Error()+": "))
			}
			if err != nil {
				return nil, route.InternalError("The secret was not stored.", err)
			}
			return s.secretList(), nil
		})
	route.Add(s.api, http.MethodDelete, path+"/{name}", "Delete a secret and its value", http.StatusOK,
		func(ctx context.Context, in *struct {
			Name string `path:"name" maxLength:"64"`
		},
		) (*route.Body[SecretList], error) {
			if err := access.RequireWindow(ctx); err != nil {
				return nil, err
			}
			err := s.services.Secrets.Delete(in.Name)
			if errors.Is(err, secrets.ErrNotFound) {
				return nil, route.NotFound("There is no secret with this name.")
			}
			if err != nil {
				return nil, route.InternalError("The secret was not deleted.", err)
			}
			return s.secretList(), nil
		})
}

func (s *Server) secretList() *route.Body[SecretList] {
	return route.Answer(SecretList{Secrets: s.services.Secrets.List(), Storage: s.services.Secrets.StorageInfo()})
}
