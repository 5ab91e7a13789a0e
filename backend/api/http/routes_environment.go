package httpapi

import (
	"context"
	"encoding/json"
	"net/http"

	"sextant/backend/api/route"
	"sextant/shared/toolspec"
)

type argsInput struct {
	Client string          `header:"X-Client-Name" maxLength:"80"`
	Body   json.RawMessage `required:"false"`
}

func (s *Server) toolRoute(method, path, tool string) {
	route.Add(s.api, method, path, "Runs "+tool, http.StatusOK,
		func(ctx context.Context, in *argsInput) (*route.Body[toolspec.Result], error) {
			panel, args := withoutPanel(in.Body)
			return s.runTool(ctx, in.Client, tool, panel, args), nil
		})
}

// withoutPanel returns a body that is not an object unchanged, because the pipeline reports the error.
func withoutPanel(raw json.RawMessage) (panel string, args json.RawMessage) {
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil || members["panelId"] == nil {
		return "", raw
	}
	_ = json.Unmarshal(members["panelId"], &panel) // if it is not a string, the active panel is used
	delete(members, "panelId")
	args, err := json.Marshal(members)
	if err != nil {
		return panel, raw
	}
	return panel, args
}

func (s *Server) environmentRoutes() {
	for _, c := range s.services.Nav.Environment {
		s.toolRoute(http.MethodPost, s.services.Nav.EnvironmentPath(c.Command), c.Tool)
	}
}
