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

// Editor keeps what is open in the code editor and what is not saved there.
type Editor interface {
	All() wire.EditorKept
	Keep(state wire.EditorState) error
	KeepDraft(d wire.EditorDraft) error
	DropDraft(path string) error
}

// pathQuery is a route about one place of the disk.
type pathQuery struct {
	Path string `query:"path" required:"true" minLength:"1" maxLength:"4096" doc:"In the workspace, or absolute"`
}

// looked is the answer of a room that looked at the disk for the person.
func looked[T any](v T, err error) (*route.Body[T], error) {
	switch {
	case err == nil:
		return route.Answer(v), nil
	case files.IsClosedPlace(err):
		return nil, huma.NewError(http.StatusForbidden, sentence(err))
	case files.IsCallError(err):
		return nil, route.NotFound(sentence(err))
	}
	return nil, route.Failed("It could not be read. Nothing was changed.", err)
}

func sentence(err error) string { return err.Error() + "." }

// deskRoutes are what the pages of the code editor, files, notes and browser look at, for the person
// alone: what they do to files goes through the Pipeline.
func (s *Server) deskRoutes() {
	route.Add(s.api, http.MethodGet, "/api/desk/text", "A file as the code editor opens it", http.StatusOK,
		person(func(ctx context.Context, in *pathQuery) (*route.Body[wire.FileText], error) {
			return looked(s.rooms.FileTools.Text(ctx, in.Path))
		}))
	route.Add(s.api, http.MethodGet, "/api/desk/folder", "What lies in a folder", http.StatusOK,
		person(func(ctx context.Context, in *struct {
			Path string `query:"path" maxLength:"4096" doc:"The workspace when left out"`
		},
		) (*route.Body[wire.Folder], error) {
			return looked(s.rooms.FileTools.Folder(ctx, in.Path))
		}))
	route.Add(s.api, http.MethodPost, "/api/desk/stamps", "Whether files and folders changed", http.StatusOK,
		person(func(_ context.Context, in *struct {
			Body struct {
				Paths []string `json:"paths" maxItems:"300"`
			}
		},
		) (*route.Body[wire.PathStamps], error) {
			return route.Answer(s.rooms.FileTools.Stamps(in.Body.Paths)), nil
		}))
	route.Add(s.api, http.MethodGet, "/api/desk/paths", "Files of the workspace by words of their path", http.StatusOK,
		person(func(ctx context.Context, in *struct {
			Words string `query:"words" maxLength:"200"`
		},
		) (*route.Body[wire.FoundPaths], error) {
			return looked(s.rooms.FileTools.FindPaths(ctx, in.Words))
		}))
	route.Add(s.api, http.MethodGet, "/api/desk/picture", "The bytes of a picture", http.StatusOK, person(s.picture))
	route.Add(s.api, http.MethodGet, "/api/desk/trash", "What was thrown away", http.StatusOK,
		person(func(context.Context, *route.Empty) (*route.Body[wire.TrashList], error) {
			return route.Answer(wire.TrashList{Items: s.rooms.FileTools.Trash()}), nil
		}))
	route.Add(s.api, http.MethodGet, "/api/desk/notes", "Notes by the words they hold, the newest first", http.StatusOK,
		person(func(_ context.Context, in *struct {
			Words string `query:"words" maxLength:"200"`
		},
		) (*route.Body[wire.NoteList], error) {
			list, err := s.rooms.Notes.Notes(in.Words)
			return looked(wire.NoteList{Notes: list}, err)
		}))
	route.Add(s.api, http.MethodGet, "/api/desk/bookmarks", "Kept pages, the newest first", http.StatusOK,
		person(func(ctx context.Context, _ *route.Empty) (*route.Body[wire.BookmarkList], error) {
			list, err := s.rooms.Store.Bookmarks(ctx)
			if err != nil {
				return nil, route.Failed("The bookmarks could not be read. They are still there.", err)
			}
			return route.Answer(wire.BookmarkList{Bookmarks: list}), nil
		}))
	s.editorRoutes()
}

// person lets only a window in.
func person[I, O any](h func(context.Context, *I) (*O, error)) func(context.Context, *I) (*O, error) {
	return func(ctx context.Context, in *I) (*O, error) {
		if err := access.WindowOnly(ctx); err != nil {
			return nil, err
		}
		return h(ctx, in)
	}
}

func (s *Server) editorRoutes() {
	route.Add(s.api, http.MethodGet, "/api/desk/editor", "What is open in the code editor, and what is not saved",
		http.StatusOK, person(func(context.Context, *route.Empty) (*route.Body[wire.EditorKept], error) {
			return route.Answer(s.rooms.Editor.All()), nil
		}))
	route.Add(s.api, http.MethodPut, "/api/desk/editor", "Keep what is open in the code editor", http.StatusNoContent,
		person(func(_ context.Context, in *struct{ Body wire.EditorState }) (*route.Empty, error) {
			return nil, keeping(s.rooms.Editor.Keep(in.Body))
		}))
	route.Add(s.api, http.MethodPut, "/api/desk/editor/draft", "Keep text that is not saved yet", http.StatusNoContent,
		person(func(_ context.Context, in *struct{ Body wire.EditorDraft }) (*route.Empty, error) {
			return nil, keeping(s.rooms.Editor.KeepDraft(in.Body))
		}))
	route.Add(s.api, http.MethodDelete, "/api/desk/editor/draft", "Forget text that was saved or given up",
		http.StatusNoContent, person(func(_ context.Context, in *pathQuery) (*route.Empty, error) {
			return nil, keeping(s.rooms.Editor.DropDraft(in.Path))
		}))
}

// keeping is the problem of what could not be kept.
func keeping(err error) error {
	if err == nil {
		return nil
	}
	return route.Refused(err)
}

// picture serves a picture for an <img> of our own pages; it is never rendered as a page.
func (s *Server) picture(_ context.Context, in *pathQuery) (*huma.StreamResponse, error) {
	file, kind, err := s.rooms.FileTools.Picture(in.Path)
	if err != nil {
		_, err = looked(struct{}{}, err)
		return nil, err
	}
	return streamed(file, kind, "no-store"), nil
}
