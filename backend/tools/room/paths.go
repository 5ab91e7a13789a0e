package room

import (
	"fmt"
	"path/filepath"
	"strings"

	"sextant/backend/guard/places"
	"sextant/shared/toolspec"
)

// Paths knows where the paths of calls lead.
type Paths struct {
	// Folder is the workspace folder, absolute; it is asked for every call.
	Folder func() string
	// Home is the person's home, for paths that begin with ~/; "" knows none.
	Home   string
	Places *places.Places
	// Downloads is where the browser puts files; what is read there comes from outside.
	Downloads string
}

// Found is where a path leads.
type Found struct {
	// Real is absolute and clean, links followed as far as it exists; Folder the workspace
	// folder, its links followed.
	Real, Folder string
	Place        places.Place
}

// Locate follows a path of a call and judges the place, by the names it is reached by too. A path
// that is not absolute starts at the workspace folder. It refuses what no tool may touch with a
// security_error; the error is our own fault.
func (p Paths) Locate(path string) (Found, *toolspec.Result, error) {
	folder, err := places.Resolve(p.Folder())
	if err != nil {
		return Found{}, nil, fmt.Errorf("finding the workspace folder: %w", err)
	}
	abs := path
	switch {
	case path == "" || strings.ContainsRune(path, 0):
		return Found{}, Fail(toolspec.ValidationError, "the path is empty or not a path", "Send a path in the workspace, or an absolute one."), nil
	case path == "~" || strings.HasPrefix(path, "~/"):
		if p.Home == "" {
			return Found{}, Fail(toolspec.UserError, "there is no home folder to find "+path+" in", "Send an absolute path."), nil
		}
		abs = p.Home + strings.TrimPrefix(path, "~")
	case !filepath.IsAbs(path):
		if !filepath.IsLocal(path) {
			return Found{}, Fail(toolspec.SecurityError, path+" leads out of the workspace folder", "Send a path in the workspace, or an absolute one."), nil
		}
		// Not cleaned: what a .. means is known only once the links before it were followed.
		abs = folder + string(filepath.Separator) + path
	}
	place := p.Places.Judge(abs)
	if place.Kind == places.Secret {
		return Found{}, Secret(path, place), nil
	}
	real, err := places.Resolve(abs)
	if err != nil {
		return Found{}, Fail(toolspec.UserError, err.Error(), "Send the path of the file itself."), nil
	}
	// A link can be swapped between the judgement and the following of it: what is opened later
	// is checked to be real, so real is what has to be judged.
	if now := p.Places.Named(real); now.Kind > place.Kind {
		place = now
	}
	if place.Kind == places.Secret {
		return Found{}, Secret(path, place), nil
	}
	return Found{Real: real, Folder: folder, Place: place}, nil, nil
}

// Secret is the refusal of a secret place.
func Secret(path string, place places.Place) *toolspec.Result {
	return Fail(toolspec.SecurityError, path+" is closed to every tool: it is "+place.What,
		"Go on without it. If the person wants it, they can open it themselves.")
}

// From says where what stands at a real path came from: the browser's downloads are outside text,
// "" is the person's own.
func (p Paths) From(real string) string {
	if folder := p.DownloadsFolder(); folder != "" && Within(real, folder) {
		return "download:" + filepath.Base(real)
	}
	return ""
}

// DownloadsFolder is where the folder of downloads leads to, "" when there is none.
func (p Paths) DownloadsFolder() string {
	if p.Downloads == "" {
		return ""
	}
	folder, err := places.Resolve(p.Downloads)
	if err != nil {
		return p.Downloads
	}
	return folder
}

// Within reports whether path is dir or lies below it; both are absolute.
func Within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
