package httpapi

import (
	"context"
	"encoding/json"
	"net/http"

	"sextant/shared/toolspec"
)

// panelCall is what a panel's page asks for; the window relays it, and its token is no reason to
// take it for the person's.
type panelCall struct {
	ID   string `path:"id" maxLength:"64"`
	Body struct {
		Tool string          `json:"tool" doc:"A tool of the panel, or one that its manifest names in permissions.call_tools." maxLength:"128"`
		Args json.RawMessage `json:"args,omitempty" doc:"The tool's arguments, an object."`
	}
}

// panelOwnRoutes are what the pages of panels need.
func (s *Server) panelOwnRoutes() {
	add(s, http.MethodPost, "/api/panels/{id}/call", "Run a tool as a panel's page", http.StatusOK, s.callAsPanel)
}

// callAsPanel runs a tool as the panel's own call; one that failed is still 200, in the result form.
func (s *Server) callAsPanel(ctx context.Context, in *panelCall) (*body[toolspec.Result], error) {
	if _, known := s.rooms.Panels.CallTools(in.ID); !known {
		return nil, notFound("There is no panel " + in.ID + " that can be used. GET /api/panels lists the panels.")
	}
	return answer(s.rooms.AsPanel(ctx, in.ID, in.Body.Tool, in.Body.Args)), nil
}
