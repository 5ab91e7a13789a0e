// Package files is the Go side of the files panel. Each tool is executed by one of the file tools
// (panels.FileHandler), so nothing here can reach, overwrite or lose what those could not. The window
// itself reads the tree and the previews.
package files

import (
	"context"
	"fmt"
	"strings"

	"sextant/panels"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Files is the part of the file tools that the panel needs.
type Files interface {
	panels.Files
	// Trash lists the trash, the newest first.
	Trash() []wire.TrashItem
}

// New returns the handler of the files panel.
func New(files Files) *panels.FileHandler {
	return panels.NewFileHandler(
		files,
		panels.FileAction{Tool: "files_tree", Endpoint: "GET /api/files/tree", As: same("list_directory")},
		panels.FileAction{Tool: "files_info", Endpoint: "GET /api/files/info", As: same("file_info")},
		panels.FileAction{Tool: "files_rename", Endpoint: "POST /api/files/rename", As: same("hand_move")},
		panels.FileAction{Tool: "files_new_folder", Endpoint: "POST /api/files/folder", As: same("hand_folder")},
		panels.FileAction{Tool: "files_new_file", Endpoint: "POST /api/files/file", As: newFile},
		panels.FileAction{Tool: "files_trash", Endpoint: "POST /api/files/trash", As: same("hand_trash")},
		panels.FileAction{Tool: "files_restore", Endpoint: "POST /api/files/restore", As: same("hand_restore")},
		panels.FileAction{
			Tool: "files_trashed", Endpoint: "GET /api/files/trashed",
			Do: func(context.Context, toolspec.Call) toolspec.Result { return list(files.Trash()) },
		},
	)
}

// same passes the arguments on unchanged.
func same(tool string) func(toolspec.Call) (string, any, *toolspec.Result) {
	return func(call toolspec.Call) (string, any, *toolspec.Result) {
		if len(call.Args) == 0 {
			return tool, struct{}{}, nil
		}
		return tool, call.Args, nil
	}
}

// newFile never overwrites.
func newFile(call toolspec.Call) (tool string, args any, bad *toolspec.Result) {
	var a struct {
		Path    string `json:"path"`
		Content string `json:"content"`
	}
	bad = panels.Args(call, &a)
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
