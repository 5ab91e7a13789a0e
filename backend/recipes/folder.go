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
	r.reloading.Lock()
	defer r.reloading.Unlock()
	list, broken, err := readFolder(r.cfg.Folder, os.DirFS(r.cfg.Folder))
	if err != nil {
		return nil, nil, fmt.Errorf("reading the recipes: %w", err)
	}
	ofPanel := map[string]string{}
	for _, p := range r.cfg.PanelFolders() {
		more, bad := readPanelFolder(p.Path)
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

// readPanelFolder returns the recipes of a panel. Links that lead out of its folder are not followed, and pipes and
// devices are not read.
func readPanelFolder(path string) ([]recipe.Recipe, []Broken) {
	folder := filepath.Join(path, "recipes")
	panel, err := os.OpenRoot(path)
	if err != nil {
		return nil, []Broken{{path, err.Error()}}
	}
	defer panel.Close()
	info, err := panel.Lstat("recipes")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && !info.IsDir():
		return nil, []Broken{{folder, "it is not a folder"}}
	}
	root, err := panel.OpenRoot("recipes")
	if err != nil {
		return nil, []Broken{{folder, err.Error()}}
	}
	defer root.Close()
	list, broken, err := readFolder(folder, root.FS())
	if err != nil {
		broken = append(broken, Broken{folder, err.Error()})
	}
	return list, broken
}

// readFolder returns the recipes in the folders of a folder, which need not exist. path is for reports.
func readFolder(path string, folder fs.FS) (list []recipe.Recipe, broken []Broken, err error) {
	list, broken = []recipe.Recipe{}, []Broken{}
	entries, err := fs.ReadDir(folder, ".")
	if errors.Is(err, fs.ErrNotExist) {
		return list, broken, nil
	}
	if err != nil {
		return list, broken, err
	}
	for _, entry := range entries {
		text, err := readFile(folder, entry.Name()+"/"+FileName)
		if errors.Is(err, fs.ErrNotExist) || (err != nil && entry.Type().IsRegular()) {
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
func readFile(folder fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(folder, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("it is not a file")
	}
	file, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxBytes+1))
}
