package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/api/access"
	"sextant/backend/api/route"
	"sextant/backend/tools/files"
	"sextant/shared/wire"
)

// Editor stores the state of the code editor: its open files and unsaved text.
type Editor interface {
	Session() wire.EditorSession
	SaveState(state wire.EditorState) error
	SaveDraft(d wire.EditorDraft) error
	DeleteDraft(path string) error
}

type pathQuery struct {
	Path string `query:"path" required:"true" minLength:"1" maxLength:"4096" doc:"In the workspace, or absolute"`
}

func fileAnswer[T any](v T, err error) (*route.Body[T], error) {
	switch {
	case err == nil:
		return route.Answer(v), nil
	case files.IsSecurityError(err):
		return nil, huma.NewError(http.StatusForbidden, sentence(err))
	case files.IsCallError(err):
		return nil, route.NotFound(sentence(err))
	}
	return nil, route.InternalError("It could not be read. Nothing changed.", err)
}

func sentence(err error) string { return err.Error() + "." }

func (s *Server) builtinPanelRoutes() {
	route.Add(s.api, http.MethodGet, "/api/workspace/text", "A file as the code editor opens it", http.StatusOK,
		access.WindowOnly(func(ctx context.Context, in *pathQuery) (*route.Body[wire.FileText], error) {
			return fileAnswer(s.services.FileTools.ReadText(ctx, in.Path))
		}))
	route.Add(s.api, http.MethodGet, "/api/workspace/folder", "The content of a folder", http.StatusOK,
		access.WindowOnly(func(ctx context.Context, in *struct {
			Path string `query:"path" maxLength:"4096" doc:"The workspace when absent"`
		},
		) (*route.Body[wire.Folder], error) {
			return fileAnswer(s.services.FileTools.ListFolder(ctx, in.Path))
		}))
	route.Add(s.api, http.MethodPost, "/api/workspace/folder", "Work in another folder", http.StatusNoContent,
		access.WindowOnly(func(ctx context.Context, in *struct {
			Body struct {
				Path string `json:"path" minLength:"1" maxLength:"4096" doc:"Absolute, or in the home folder with ~"`
			}
		},
		) (*route.Empty, error) {
			switch err := s.services.OpenFolder(ctx, in.Body.Path); {
			case err == nil:
				return nil, nil
			case files.IsCallError(err):
				return nil, route.BadRequest(sentence(err))
			default:
				return nil, route.InternalError("The folder was not changed.", err)
			}
		}))
	route.Add(s.api, http.MethodPost, "/api/workspace/stamps", "Whether files and folders changed", http.StatusOK,
		access.WindowOnly(func(_ context.Context, in *struct {
			Body struct {
				Paths []string `json:"paths" maxItems:"300"`
			}
		},
		) (*route.Body[wire.PathStamps], error) {
			return route.Answer(s.services.FileTools.Stamps(in.Body.Paths)), nil
		}))
	route.Add(
		s.api,
		http.MethodGet,
		"/api/workspace/paths",
		"Files of the workspace by words of their path",
		http.StatusOK,
		access.WindowOnly(func(ctx context.Context, in *struct {
			Words string `query:"words" maxLength:"200"`
		},
		) (*route.Body[wire.FoundPaths], error) {
			return fileAnswer(s.services.FileTools.FindPaths(ctx, in.Words))
		}),
	)
	route.Add(s.api, http.MethodGet, "/api/workspace/picture", "The bytes of a picture", http.StatusOK,
		access.WindowOnly(s.servePicture))
	route.Add(s.api, http.MethodGet, "/api/workspace/trash", "The content of the trash", http.StatusOK,
		access.WindowOnly(func(context.Context, *route.Empty) (*route.Body[wire.TrashList], error) {
			return route.Answer(wire.TrashList{Items: s.services.FileTools.TrashItems()}), nil
		}))
	route.Add(
		s.api,
		http.MethodGet,
		"/api/workspace/notes",
		"Notes that contain words, the newest first",
		http.StatusOK,
		access.WindowOnly(func(_ context.Context, in *struct {
			Words string `query:"words" maxLength:"200"`
		},
		) (*route.Body[wire.NoteList], error) {
			list, err := s.services.Notes.Notes(in.Words)
			return fileAnswer(wire.NoteList{Notes: list}, err)
		}),
	)
	route.Add(s.api, http.MethodGet, "/api/workspace/bookmarks", "Bookmarks, the newest first", http.StatusOK,
		access.WindowOnly(func(ctx context.Context, _ *route.Empty) (*route.Body[wire.BookmarkList], error) {
			list, err := s.services.Store.Bookmarks(ctx)
			if err != nil {
				return nil, route.InternalError("The bookmarks could not be read. They are still there.", err)
			}
			return route.Answer(wire.BookmarkList{Bookmarks: list}), nil
		}))
	s.editorRoutes()
}

func (s *Server) editorRoutes() {
	route.Add(s.api, http.MethodGet, "/api/workspace/editor", "What is open in the code editor, and unsaved text",
		http.StatusOK, access.WindowOnly(func(context.Context, *route.Empty) (*route.Body[wire.EditorSession], error) {
			return route.Answer(s.services.Editor.Session()), nil
		}))
	route.Add(
		s.api,
		http.MethodPut,
		"/api/workspace/editor",
		"Store what is open in the code editor",
		http.StatusNoContent,
		access.WindowOnly(func(_ context.Context, in *struct{ Body wire.EditorState }) (*route.Empty, error) {
			return nil, saveProblem(s.services.Editor.SaveState(in.Body))
		}),
	)
	route.Add(s.api, http.MethodPut, "/api/workspace/editor/draft", "Store unsaved text", http.StatusNoContent,
		access.WindowOnly(func(_ context.Context, in *struct{ Body wire.EditorDraft }) (*route.Empty, error) {
			return nil, saveProblem(s.services.Editor.SaveDraft(in.Body))
		}))
	route.Add(s.api, http.MethodDelete, "/api/workspace/editor/draft", "Delete unsaved text",
		http.StatusNoContent, access.WindowOnly(func(_ context.Context, in *pathQuery) (*route.Empty, error) {
			return nil, saveProblem(s.services.Editor.DeleteDraft(in.Path))
		}))
}

func saveProblem(err error) error {
	if err == nil {
		return nil
	}
	return route.RequestError(err)
}

// servePicture answers only with content types that browsers never render as a page.
func (s *Server) servePicture(_ context.Context, in *pathQuery) (*huma.StreamResponse, error) {
	file, kind, err := s.services.FileTools.OpenPicture(in.Path)
	if err != nil {
		_, err = fileAnswer(struct{}{}, err)
		return nil, err
	}
	return streamFile(file, kind, "no-store"), nil
}
