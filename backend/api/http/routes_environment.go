package httpapi

import (
	"context"
	"encoding/json"
	"net/http"

	"sextant/backend/api/route"
	"sextant/shared/toolspec"
)

// argsInput is a route whose whole body is a tool's arguments.
type argsInput struct {
	Client string          `header:"X-Client-Name" maxLength:"80"`
	Body   json.RawMessage `required:"false"`
}

// toolRoute registers a route that runs one tool; the body is its arguments.
func (s *Server) toolRoute(method, path, tool string) {
	route.Add(s.api, method, path, "Runs "+tool, http.StatusOK,
		func(ctx context.Context, in *argsInput) (*route.Body[toolspec.Result], error) {
			panel, args := withoutPanel(in.Body)
			return s.runTool(ctx, in.Client, tool, panel, args), nil
		})
}

// withoutPanel removes panelId, the panel whose tools are in scope, from a body of arguments. A body that is no object
// is returned unchanged: the pipeline reports what is wrong with it.
func withoutPanel(raw json.RawMessage) (panel string, args json.RawMessage) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members["panelId"] == nil {
		return "", raw
	}
	_ = json.Unmarshal(members["panelId"], &panel) // not a string means the active panel
	delete(members, "panelId")
	args, err := json.Marshal(members)
	if err != nil {
		return panel, raw
	}
	return panel, args
}

// environmentRoutes registers a route for every environment command of the navigation map.
func (s *Server) environmentRoutes() {
	for _, c := range s.services.Nav.Environment {
		s.toolRoute(http.MethodPost, s.services.Nav.EnvironmentPath(c.Command), c.Tool)
	}
}
