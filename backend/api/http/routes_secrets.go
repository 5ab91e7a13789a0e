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

// SecretList is what may be told of the person's secrets: all but their values.
type SecretList struct {
	Secrets []secrets.Secret `json:"secrets"`
	// Where new values are kept.
	Where secrets.StorageInfo `json:"where"`
}

// secretInput is a secret to keep. Its value is read here and told nowhere.
type secretInput struct {
	Name string `path:"name" maxLength:"64"`
	Body struct {
		Host   string          `json:"host,omitempty" doc:"Host or host:port it is bound to, or mcp: and the name of an MCP server that is a program"`
		Places []secrets.Place `json:"places,omitempty" doc:"header, query, body, field; all of them when left out"`
		Value  string          `json:"value,omitempty" writeOnly:"true" doc:"6 bytes to 64 KB"`
	}
}

// secretRoutes are the person's secrets: named by anybody who has the token, changed in a window.
func (s *Server) secretRoutes() {
	const path = "/api/secrets"
	route.Add(s.api, http.MethodGet, path, "The person's secrets, without their values", http.StatusOK,
		func(context.Context, *route.Empty) (*route.Body[SecretList], error) {
			return s.secrets(), nil
		})
	route.Add(s.api, http.MethodPut, path+"/{name}", "Keep a secret, or replace the one of that name", http.StatusOK,
		func(ctx context.Context, in *secretInput) (*route.Body[SecretList], error) {
			if err := access.WindowOnly(ctx); err != nil {
				return nil, err
			}
			one := secrets.Secret{Name: in.Name, Host: in.Body.Host, Places: in.Body.Places}
			if server, is := secrets.ServerName(one.Host); is {
				one.Command = s.rooms.Command(server)
			}
			_, err := s.rooms.Secrets.Put(one, in.Body.Value)
			if errors.Is(err, secrets.ErrInvalid) {
				return nil, route.BadRequest(strings.TrimPrefix(err.Error(), secrets.ErrInvalid.Error()+": "))
			}
			if err != nil {
				return nil, route.Failed("The secret was not kept.", err)
			}
			return s.secrets(), nil
		})
	route.Add(s.api, http.MethodDelete, path+"/{name}", "Forget a secret and its value", http.StatusOK,
		func(ctx context.Context, in *struct {
			Name string `path:"name" maxLength:"64"`
		},
		) (*route.Body[SecretList], error) {
			if err := access.WindowOnly(ctx); err != nil {
				return nil, err
			}
			err := s.rooms.Secrets.Delete(in.Name)
			if errors.Is(err, secrets.ErrNotFound) {
				return nil, route.NotFound("There is no secret of this name any more.")
			}
			if err != nil {
				return nil, route.Failed("The secret was not deleted.", err)
			}
			return s.secrets(), nil
		})
}

func (s *Server) secrets() *route.Body[SecretList] {
	return route.Answer(SecretList{Secrets: s.rooms.Secrets.List(), Where: s.rooms.Secrets.StorageInfo()})
}
