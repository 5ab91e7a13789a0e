package recipes

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"syscall"

	"sextant/shared/recipe"
)

// PanelFolder is the folder of a panel. It may contain a folder "recipes" with recipes.
type PanelFolder struct{ Panel, Path string }

// Broken is a file that is no valid recipe.
type Broken struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Reload reads the folders again, for changes by hand. Files that are no valid recipe are left out and returned. A
// recipe of a panel is left out if there is one of its name already.
func (r *Recipes) Reload() ([]recipe.Recipe, []Broken, error) {
	list, broken, err := readFolder(r.cfg.Folder)
	if err != nil {
		return nil, nil, fmt.Errorf("reading the recipes: %w", err)
	}
	ofPanel := map[string]string{}
	for _, p := range r.cfg.PanelFolders() {
		more, bad, err := readFolder(filepath.Join(p.Path, "recipes"))
		if err != nil {
			bad = append(bad, Broken{filepath.Join(p.Path, "recipes"), err.Error()})
		}
		broken = append(broken, bad...)
		for _, rec := range more {
			if !slices.ContainsFunc(list, func(other recipe.Recipe) bool { return other.Name == rec.Name }) {
				list, ofPanel[rec.Name] = append(list, rec), p.Panel
			}
		}
	}
	r.mu.Lock()
	changed := !reflect.DeepEqual(r.list, list)
	r.list, r.ofPanel = list, ofPanel
	r.mu.Unlock()
	if changed {
		r.cfg.OnChange()
	}
	return list, broken, nil
}

// Panel returns the id of the panel whose folder contains the recipe, "" for the person's own.
func (r *Recipes) Panel(name string) string {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.ofPanel[name]
}

// readFolder returns the recipes in the folders of a folder, which need not exist.
func readFolder(path string) (list []recipe.Recipe, broken []Broken, err error) {
	list, broken = []recipe.Recipe{}, []Broken{}
	root, err := os.OpenRoot(path)
	if errors.Is(err, fs.ErrNotExist) {
		return list, broken, nil
	}
	if err != nil {
		return list, broken, err
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return list, broken, err
	}
	for _, entry := range entries {
		text, err := readFile(root, filepath.Join(entry.Name(), FileName))
		if errors.Is(err, fs.ErrNotExist) || (err != nil && !entry.IsDir()) {
			continue
		}
		var rec recipe.Recipe
		if err == nil {
			rec, err = Parse(text)
		}
		if err == nil && rec.Name != entry.Name() {
			err = fmt.Errorf("its name is %q, but its folder is %q", rec.Name, entry.Name())
		}
		if err != nil {
			broken = append(broken, Broken{filepath.Join(path, entry.Name(), FileName), err.Error()})
			continue
		}
		list = append(list, rec)
	}
	return list, broken, nil
}

// readFile reads a file that is no pipe or device.
func readFile(root *os.Root, name string) ([]byte, error) {
	file, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.New("it is not a file")
	}
	return io.ReadAll(io.LimitReader(file, maxBytes+1))
}
