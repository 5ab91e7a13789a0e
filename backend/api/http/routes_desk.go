package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

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
func looked[T any](v T, err error) (*body[T], error) {
	switch {
	case err == nil:
		return answer(v), nil
	case files.Closed(err):
		return nil, huma.NewError(http.StatusForbidden, sentence(err))
	case files.Mendable(err):
		return nil, notFound(sentence(err))
	}
	return nil, failed("It could not be read. Nothing was changed.", err)
}

func sentence(err error) string { return err.Error() + "." }

// deskRoutes are what the pages of the code editor, files, notes and browser look at, for the person
// alone: what they do to files goes through the Pipeline.
func (s *Server) deskRoutes() {
	add(s, http.MethodGet, "/api/desk/text", "A file as the code editor opens it", http.StatusOK, person(func(ctx context.Context, in *pathQuery) (*body[wire.FileText], error) {
		return looked(s.rooms.FileTools.Text(ctx, in.Path))
	}))
	add(s, http.MethodGet, "/api/desk/folder", "What lies in a folder", http.StatusOK, person(func(ctx context.Context, in *struct {
		Path string `query:"path" maxLength:"4096" doc:"The workspace when left out"`
	},
	) (*body[wire.Folder], error) {
		return looked(s.rooms.FileTools.Folder(ctx, in.Path))
	}))
	add(s, http.MethodPost, "/api/desk/stamps", "Whether files and folders changed", http.StatusOK, person(func(_ context.Context, in *struct {
		Body struct {
			Paths []string `json:"paths" maxItems:"300"`
		}
	},
	) (*body[wire.PathStamps], error) {
		return answer(s.rooms.FileTools.Stamps(in.Body.Paths)), nil
	}))
	add(s, http.MethodGet, "/api/desk/paths", "Files of the workspace by words of their path", http.StatusOK, person(func(ctx context.Context, in *struct {
		Words string `query:"words" maxLength:"200"`
	},
	) (*body[wire.FoundPaths], error) {
		return looked(s.rooms.FileTools.Paths(ctx, in.Words))
	}))
	add(s, http.MethodGet, "/api/desk/picture", "The bytes of a picture", http.StatusOK, person(s.picture))
	add(s, http.MethodGet, "/api/desk/trash", "What was thrown away", http.StatusOK, person(func(context.Context, *nothing) (*body[wire.TrashList], error) {
		return answer(wire.TrashList{Items: s.rooms.FileTools.Trash()}), nil
	}))
	add(s, http.MethodGet, "/api/desk/notes", "Notes by the words they hold, the newest first", http.StatusOK, person(func(_ context.Context, in *struct {
		Words string `query:"words" maxLength:"200"`
	},
	) (*body[wire.NoteList], error) {
		list, err := s.rooms.Notes.Notes(in.Words)
		return looked(wire.NoteList{Notes: list}, err)
	}))
	add(s, http.MethodGet, "/api/desk/bookmarks", "Kept pages, the newest first", http.StatusOK, person(func(ctx context.Context, _ *nothing) (*body[wire.BookmarkList], error) {
		list, err := s.rooms.Store.Bookmarks(ctx)
		if err != nil {
			return nil, failed("The bookmarks could not be read. They are still there.", err)
		}
		return answer(wire.BookmarkList{Bookmarks: list}), nil
	}))
	s.editorRoutes()
}

// person lets only a window in.
func person[I, O any](h func(context.Context, *I) (*O, error)) func(context.Context, *I) (*O, error) {
	return func(ctx context.Context, in *I) (*O, error) {
		if err := personOnly(ctx); err != nil {
			return nil, err
		}
		return h(ctx, in)
	}
}

func (s *Server) editorRoutes() {
	add(s, http.MethodGet, "/api/desk/editor", "What is open in the code editor, and what is not saved", http.StatusOK, person(func(context.Context, *nothing) (*body[wire.EditorKept], error) {
		return answer(s.rooms.Editor.All()), nil
	}))
	add(s, http.MethodPut, "/api/desk/editor", "Keep what is open in the code editor", http.StatusNoContent, person(func(_ context.Context, in *struct{ Body wire.EditorState }) (*nothing, error) {
		return nil, keeping(s.rooms.Editor.Keep(in.Body))
	}))
	add(s, http.MethodPut, "/api/desk/editor/draft", "Keep text that is not saved yet", http.StatusNoContent, person(func(_ context.Context, in *struct{ Body wire.EditorDraft }) (*nothing, error) {
		return nil, keeping(s.rooms.Editor.KeepDraft(in.Body))
	}))
	add(s, http.MethodDelete, "/api/desk/editor/draft", "Forget text that was saved or given up", http.StatusNoContent, person(func(_ context.Context, in *pathQuery) (*nothing, error) {
		return nil, keeping(s.rooms.Editor.DropDraft(in.Path))
	}))
}

// keeping is the problem of what could not be kept.
func keeping(err error) error {
	if err == nil {
		return nil
	}
	return refused(err)
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
