package httpapi

import (
	"context"
	"encoding/json"
	"net/http"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/backend/tools/files"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

type undoInput struct {
	Client string `header:"X-Client-Name" maxLength:"80"`
	Body   struct {
		Turn  string   `json:"turn,omitempty" maxLength:"128"`
		Call  string   `json:"call,omitempty" maxLength:"128"`
		Paths []string `json:"paths,omitempty" maxItems:"200" doc:"Only these files of it, absolute"`
	}
}

func (s *Server) changeRoutes() {
	route.Add(s.api, http.MethodGet, "/api/changes", "What a turn did to files, and whether it can be undone",
		http.StatusOK, func(ctx context.Context, in *struct {
			Turn string `query:"turn" required:"true" minLength:"1" maxLength:"128"`
		},
		) (*route.Body[wire.Changes], error) {
			// The answer contains the text of files.
			if err := access.RequireWindow(ctx); err != nil {
				return nil, err
			}
			changed, err := s.services.FileTools.Changes(ctx, in.Turn)
			if err != nil {
				return nil, route.InternalError("The changes could not be read. The files did not change.", err)
			}
			calls, err := s.services.Panels.PanelUndos(ctx, "", "", in.Turn, "")
			if err != nil {
				return nil, route.InternalError("The changes could not be read. Nothing was undone.", err)
			}
			all := wire.Changes{Files: changed, Calls: []wire.UndoableCall{}}
			for _, u := range calls {
				all.Calls = append(all.Calls, files.ToUndoableCall(u))
			}
			return route.Answer(all), nil
		})
	route.Add(s.api, http.MethodPost, "/api/changes/undo", "Undo what a turn or a call did to files",
		http.StatusOK, func(ctx context.Context, in *undoInput) (*route.Body[toolspec.Result], error) {
			args, err := json.Marshal(in.Body)
			if err != nil {
				return nil, route.RequestError(err)
			}
			return s.runTool(ctx, in.Client, files.UndoTool, "", args), nil
		})
}
