// Package making is how panels come to be: small ones that work from a template (New), archives
// of finished ones (Pack, Open), and the assistant's own (Panels, the tool create_panel).
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
	return folder, put(dir, id, files)
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

// put writes files into the folder dir/id in one step: whoever watches dir sees all of them or
// none. A folder that is there is replaced; what it holds beside files stays in the new one.
func put(dir, id string, files map[string][]byte) error {
	made, err := os.MkdirTemp(dir, ".making-")
	if err != nil {
		return fmt.Errorf("making panel folder: %w", err)
	}
	defer os.RemoveAll(made)
	folder := filepath.Join(dir, id)
	if _, err := os.Stat(folder); err == nil {
		if err := os.CopyFS(made, os.DirFS(folder)); err != nil {
			return fmt.Errorf("keeping what the panel holds: %w", err)
		}
	}
	for name, text := range files {
		path := filepath.Join(made, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return fmt.Errorf("writing panel: %w", err)
		}
		// A file that was kept may be read only; it is replaced, not opened.
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("writing panel: %w", err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			return fmt.Errorf("writing panel: %w", err)
		}
	}
	return swap(made, folder)
}

// swap puts the folder made in the place of folder.
func swap(made, folder string) error {
	old := made + ".old"
	if err := os.Rename(folder, old); err != nil && !os.IsNotExist(err) {
		return fmt.Errorf("replacing panel: %w", err)
	}
	if err := os.Rename(made, folder); err != nil {
		// What was there comes back; nothing can be done if even that fails.
		_ = os.Rename(old, folder)
		return fmt.Errorf("writing panel: %w", err)
	}
	return os.RemoveAll(old)
}
