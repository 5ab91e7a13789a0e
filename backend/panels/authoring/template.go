// Package authoring creates panels: from a template (CreatePanel) and from an archive (ReadPackage, Package.Install),
// which Pack makes. For the assistant, Tools creates, reads and changes panels with the tools create_panel, read_panel
// and change_panel.
//
// A panel is checked as by the running program before it is written. A folder is written completely or not at all.
package authoring

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sextant/backend/panels/manifest"
)

//go:embed templates
var templates embed.FS

func kinds() []string { return []string{"process", "declarative", "webview", "script"} }

// CreatePanel writes a small working panel into the new folder dir/id and returns the folder. The kind "process" (or
// "") is a program for Node, "declarative" a page in JSON, "webview" an HTML page, and "script" JavaScript that Sextant
// runs. CreatePanel returns an error if the id is not allowed, the kind is unknown or the folder exists.
func CreatePanel(dir, id, kind string) (string, error) {
	kind = cmp.Or(kind, "process")
	if err := manifest.CheckID(id); err != nil {
		return "", err
	}
	if !slices.Contains(kinds(), kind) {
		return "", fmt.Errorf("unknown kind %q; kinds are %s", kind, strings.Join(kinds(), ", "))
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("making folder: %w", err)
	}
	files, err := template(id, kind)
	if err != nil {
		return "", err
	}
	folder := filepath.Join(dir, id)
	if _, err := os.Lstat(folder); err == nil {
		return "", fmt.Errorf("%s exists already; nothing was changed", folder)
	}
	return folder, writePanel(dir, id, content{files: files}, keepAll)
}

func template(id, kind string) (map[string][]byte, error) {
	words := strings.ReplaceAll(id, "-", " ")
	fill := strings.NewReplacer("panel-id", id, "tool_prefix", strings.ReplaceAll(id, "-", "_"), "Panel title",
		strings.ToUpper(words[:1])+words[1:])
	parts, err := fs.Sub(templates, "templates/"+kind)
	if err != nil {
		return nil, fmt.Errorf("reading templates: %w", err)
	}
	files := map[string][]byte{}
	err = fs.WalkDir(parts, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(parts, path)
		files[path] = []byte(fill.Replace(string(text)))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading templates: %w", err)
	}
	return files, nil
}
