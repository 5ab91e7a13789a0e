package httpapi

import (
	"context"
	"net/http"

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

// programRoutes registers the routes of programs connected over MCP. Only a window may use them, because their
// answers contain the token.
func (s *Server) programRoutes() {
	const path = "/api/programs"
	list := func(ctx context.Context, _ *route.Empty) (*route.Body[wire.Programs], error) {
		if err := access.RequireWindow(ctx); err != nil {
			return nil, err
		}
		return route.Answer(s.services.Programs.Programs()), nil
	}
	route.Add(s.api, http.MethodGet, path, "How other programs reach this Sextant over MCP, and which are connected",
		http.StatusOK, list)
	route.Add(s.api, http.MethodDelete, path+"/{id}", "Disconnect a program and close its tabs", http.StatusOK,
		func(ctx context.Context, in *route.ByID) (*route.Body[wire.Programs], error) {
			if err := access.RequireWindow(ctx); err != nil {
				return nil, err
			}
			if !s.services.Programs.Disconnect(in.ID) {
				return nil, route.NotFound("This program is no longer connected.")
			}
			return list(ctx, nil)
		})
}
