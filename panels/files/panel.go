// Package files is the backend of the files panel. Its tools are executed by the file tools (panels.FileHandler), so
// that the panel cannot reach, overwrite or lose more than they could. The window reads the tree and the previews
// directly.
package files

import (
	"context"
	"fmt"
	"strings"

	"sextant/panels"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Files contains the methods of the file tools that the panel needs.
type Files interface {
	panels.Files
	// TrashItems returns the content of the trash, the latest first.
	TrashItems() []wire.TrashItem
}

// New returns the handler of the files panel.
func New(files Files) *panels.FileHandler {
	return panels.NewFileHandler(
		files,
		panels.FileAction{Tool: "files_tree", Endpoint: "GET /api/files/tree", Translate: forward("list_directory")},
		panels.FileAction{Tool: "files_info", Endpoint: "GET /api/files/info", Translate: forward("file_info")},
		panels.FileAction{Tool: "files_rename", Endpoint: "POST /api/files/rename", Translate: forward("hand_move")},
		panels.FileAction{
			Tool: "files_new_folder", Endpoint: "POST /api/files/folder",
			Translate: forward("hand_folder"),
		},
		panels.FileAction{Tool: "files_new_file", Endpoint: "POST /api/files/file", Translate: newFile},
		panels.FileAction{Tool: "files_trash", Endpoint: "POST /api/files/trash", Translate: forward("hand_trash")},
		panels.FileAction{
			Tool: "files_restore", Endpoint: "POST /api/files/restore",
			Translate: forward("hand_restore"),
		},
		panels.FileAction{
			Tool: "files_trashed", Endpoint: "GET /api/files/trashed",
			Run: func(context.Context, toolspec.Call) toolspec.Result { return list(files.TrashItems()) },
		},
	)
}

func forward(tool string) func(toolspec.Call) (string, any, *toolspec.Result) {
	return func(call toolspec.Call) (string, any, *toolspec.Result) {
		if len(call.Args) == 0 {
			return tool, struct{}{}, nil
		}
		return tool, call.Args, nil
	}
}

// newFile translates the call so that the file tool does not overwrite an existing file (version "").
func newFile(call toolspec.Call) (tool string, args any, bad *toolspec.Result) {
	var a struct {
		Path    string `json:"path"`
		Content string `json:"content"`
	}
	bad = panels.DecodeArgs(call, &a)
	return "hand_save", map[string]any{"path": a.Path, "content": a.Content, "version": ""}, bad
}

func list(items []wire.TrashItem) toolspec.Result {
	r := toolspec.OK(wire.TrashList{Items: items})
	var b strings.Builder
	for _, item := range items {
		fmt.Fprintf(&b, "%s  %s  %s\n", item.ID, item.Time.Format("2006-01-02 15:04"), item.Path)
	}
	r.Text = b.String()
	if len(items) == 0 {
		r.Text = "The trash is empty."
	}
	return r
}
