package panels

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sextant/backend/tools/panels/manifest"
)

//go:embed scaffold
var scaffold embed.FS

// Scaffold writes a small panel that works as it is into the new folder dir/id: a
// manifest and a program for Node. It returns the folder, and an error when the id is not
// allowed or the folder is already there; nothing that exists is touched.
func Scaffold(dir, id string) (string, error) {
	if err := manifest.CheckID(id); err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("making folder: %w", err)
	}
	folder := filepath.Join(dir, id)
	if err := os.Mkdir(folder, 0o700); err != nil {
		return "", fmt.Errorf("making panel folder: %w", err)
	}
	words := strings.ReplaceAll(id, "-", " ")
	fill := strings.NewReplacer("panel-id", id, "tool_prefix", strings.ReplaceAll(id, "-", "_"), "Panel title", strings.ToUpper(words[:1])+words[1:])
	files, err := fs.Sub(scaffold, "scaffold")
	if err != nil {
		return "", fmt.Errorf("reading templates: %w", err)
	}
	err = fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(folder, path), []byte(fill.Replace(string(text))), 0o600)
	})
	if err != nil {
		return "", fmt.Errorf("writing panel: %w", err)
	}
	return folder, nil
}
