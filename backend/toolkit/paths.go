package toolkit

import (
	"fmt"
	"path/filepath"
	"strings"

	"sextant/backend/policy/protectedpaths"
	"sextant/shared/toolspec"
)

// Paths resolves the paths in calls.
type Paths struct {
	// Folder returns the absolute path of the workspace folder. Resolve calls it each time, because it may change.
	Folder func() string
	// Home is the person's home folder for paths that start with ~/, or "" for none.
	Home   string
	Places *protectedpaths.Classifier
	// Downloads is the folder where the browser saves files. Its files count as outside text.
	Downloads string
}

// ResolvedPath is the result of Paths.Resolve.
type ResolvedPath struct {
	// Real is the absolute, clean path, with links followed as far as the path exists. Folder is the workspace folder
	// with links followed.
	Real, Folder string
	Place        protectedpaths.Classification
}

// Resolve resolves a path in a call and classifies it, both as written and with links followed. A relative path starts
// at the workspace folder. A non-nil Result refuses the path. The error is an unexpected failure.
func (p Paths) Resolve(path string) (ResolvedPath, *toolspec.Result, error) {
	folder, err := protectedpaths.Resolve(p.Folder())
	if err != nil {
		return ResolvedPath{}, nil, fmt.Errorf("finding the workspace folder: %w", err)
	}
	abs := path
	const otherPath = "Send a path in the workspace, or an absolute one."
	switch {
	case path == "" || strings.ContainsRune(path, 0):
		return ResolvedPath{}, Fail(toolspec.ValidationError, "the path is empty or not a path", otherPath), nil
	case path == "~" || strings.HasPrefix(path, "~/"):
		if p.Home == "" {
			return ResolvedPath{}, Fail(toolspec.UserError, path+" cannot be resolved: there is no home folder",
				"Send an absolute path."), nil
		}
		abs = p.Home + strings.TrimPrefix(path, "~")
	case !filepath.IsAbs(path):
		if !filepath.IsLocal(path) {
			return ResolvedPath{}, Fail(toolspec.SecurityError, path+" leads out of the workspace folder", otherPath),
				nil
		}
		// The path is not cleaned, because the meaning of .. depends on the links before it.
		abs = folder + string(filepath.Separator) + path
	}
	place := p.Places.Classify(abs)
	if place.Kind == protectedpaths.KindSecret {
		return ResolvedPath{}, RefuseSecret(path, place), nil
	}
	real, err := protectedpaths.Resolve(abs)
	if err != nil {
		return ResolvedPath{}, Fail(toolspec.UserError, err.Error(), "Send the path of the file itself."), nil
	}
	// A link can be swapped after it was classified. The path that is opened is later checked against real, so real
	// must be classified as well.
	if now := p.Places.ClassifyByName(real); now.Kind > place.Kind {
		place = now
	}
	if place.Kind == protectedpaths.KindSecret {
		return ResolvedPath{}, RefuseSecret(path, place), nil
	}
	return ResolvedPath{Real: real, Folder: folder, Place: place}, nil, nil
}

// RefuseSecret returns the failed Result for a secret place.
func RefuseSecret(path string, place protectedpaths.Classification) *toolspec.Result {
	return Fail(toolspec.SecurityError, path+" is closed to every tool: it is "+place.Description,
		"Go on without it. If the person wants it, they can open it themselves.")
}

// Source returns the source of the text of a file: "download:<name>" for the browser's downloads, "" for any other
// file. real is a resolved path.
func (p Paths) Source(real string) string {
	if folder := p.DownloadsFolder(); folder != "" && IsWithin(real, folder) {
		return "download:" + filepath.Base(real)
	}
	return ""
}

// DownloadsFolder returns the downloads folder, with links followed if possible, or "" if there is none.
func (p Paths) DownloadsFolder() string {
	if p.Downloads == "" {
		return ""
	}
	folder, err := protectedpaths.Resolve(p.Downloads)
	if err != nil {
		return p.Downloads
	}
	return folder
}

// IsWithin reports whether path is dir or is below it. Both are absolute.
func IsWithin(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
