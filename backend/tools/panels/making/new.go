// Package making is how panels come to be: small ones that work from a template (New), archives
// of finished ones (Pack, Open, Package.Install), and the assistant's own (Panels, the tool create_panel).
//
// Nothing is written before all of it was judged as the running program will judge it, and a
// folder appears under its name in one step.
package making

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sextant/backend/tools/panels/manifest"
)

//go:embed templates
var templates embed.FS

// Kinds are the kinds of panels that New makes.
func Kinds() []string { return []string{"process", "declarative", "webview", "script"} }

// New writes a small panel that works as it is into the new folder dir/id: of kind process a
// program for Node, declarative with a page from a JSON file, webview with an HTML page of its
// own, script answered by JavaScript inside Sextant; "" is process. It returns the folder, and an error when the id is not allowed or the
// folder is already there; nothing that exists is touched.
func New(dir, id, kind string) (string, error) {
	kind = cmp.Or(kind, "process")
	if err := manifest.CheckID(id); err != nil {
		return "", err
	}
	if !slices.Contains(Kinds(), kind) {
		return "", fmt.Errorf("there is no kind %q; it is %s", kind, strings.Join(Kinds(), ", "))
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
		return "", fmt.Errorf("%s is already there; nothing was changed", folder)
	}
	return folder, put(dir, id, content{files: files}, everything)
}

// template is what a panel of this kind is made of, by file name.
func template(id, kind string) (map[string][]byte, error) {
	words := strings.ReplaceAll(id, "-", " ")
	fill := strings.NewReplacer("panel-id", id, "tool_prefix", strings.ReplaceAll(id, "-", "_"), "Panel title", strings.ToUpper(words[:1])+words[1:])
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
