package app

import (
	"context"
	"os"
	"path/filepath"

	"sextant/backend/guard/places"
	"sextant/backend/guard/policy"
	"sextant/backend/tools/files"
	"sextant/backend/tools/look"
	"sextant/backend/tools/room"
)

// openFiles opens the tools for files, and those that only look.
func (s *System) openFiles() {
	home, err := os.UserHomeDir()
	if err != nil {
		s.Log.Warn("the home folder is not known, so its secret places are found by name only", "error", err)
	}
	downloads := filepath.Join(s.Config.DataDir, "downloads")
	s.Places = places.New(places.Own{Home: home, Data: s.Config.DataDir, Config: s.Config.ConfigDir})
	forbidden := func(ctx context.Context, tool string) ([]string, error) {
		grants, err := s.Store.Grants(ctx)
		return policy.Forbidden(grants, tool, s.Workspace()), err
	}
	paths := room.Paths{Folder: s.Workspace, Home: home, Places: s.Places, Downloads: downloads}
	s.Files = files.New(files.Config{
		Paths: paths, Forbidden: forbidden,
		Blobs: s.Blobs, Changes: s.Store, Log: s.Log,
	})
	s.onClose("files", s.Files.Close)
	s.Look = look.New(look.Config{Paths: paths, Forbidden: forbidden, Confine: s.Confine})
}
