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

// undoInput says what is taken back: a turn or a call, and which files of it.
type undoInput struct {
	Client string `header:"X-Client-Name" maxLength:"80"`
	Body   struct {
		Turn  string   `json:"turn,omitempty" maxLength:"128"`
		Call  string   `json:"call,omitempty" maxLength:"128"`
		Paths []string `json:"paths,omitempty" maxItems:"200" doc:"Only these files of it, absolute"`
	}
}

// changeRoutes are what tools did to files, and the way back.
func (s *Server) changeRoutes() {
	route.Add(s.api, http.MethodGet, "/api/changes", "What a turn did to files, and whether it can be undone",
		http.StatusOK, func(ctx context.Context, in *struct {
			Turn string `query:"turn" required:"true" minLength:"1" maxLength:"128"`
		},
		) (*route.Body[wire.Changes], error) {
			// It shows what files hold.
			if err := access.WindowOnly(ctx); err != nil {
				return nil, err
			}
			changed, err := s.rooms.FileTools.Changes(ctx, in.Turn)
			if err != nil {
				return nil, route.Failed("The changes could not be read. The files are as they are.", err)
			}
			calls, err := s.rooms.Panels.Undoable(ctx, "", "", in.Turn, "")
			if err != nil {
				return nil, route.Failed("The changes could not be read. What panels did is as it is.", err)
			}
			all := wire.Changes{Files: changed, Calls: []wire.UndoableCall{}}
			for _, u := range calls {
				all.Calls = append(all.Calls, files.Undoable(u))
			}
			return route.Answer(all), nil
		})
	route.Add(s.api, http.MethodPost, "/api/changes/undo", "Take back what a turn or a call did to files",
		http.StatusOK, func(ctx context.Context, in *undoInput) (*route.Body[toolspec.Result], error) {
			args, err := json.Marshal(in.Body)
			if err != nil {
				return nil, route.Refused(err)
			}
			return s.run(ctx, in.Client, files.Undo, "", args), nil
		})
}
