package app

import (
	"context"
	"os"
	"path/filepath"

	"sextant/backend/policy"
	"sextant/backend/policy/protectedpaths"
	"sextant/backend/tools/files"
	"sextant/backend/tools/inspect"
	"sextant/backend/tools/snapshot"
	"sextant/backend/tools/toolkit"
)

// hiddenFrom are the paths that rules of the person keep from a tool in a workspace folder, its links
// followed, as the policy compares it.
func (s *System) hiddenFrom(ctx context.Context, tool, folder string) ([]string, error) {
	grants, err := s.Store.Grants(ctx)
	return policy.ForbiddenPaths(grants, tool, folder), err
}

// openFiles opens the tools for files, and those that only look.
func (s *System) openFiles(ctx context.Context) {
	home, err := os.UserHomeDir()
	if err != nil {
		s.Log.Warn("the home folder is not known, so its secret places are found by name only", "error", err)
	}
	downloads := filepath.Join(s.Config.DataDir, "downloads")
	own := protectedpaths.OwnFolders{Home: home, Data: s.Config.DataDir, Config: s.Config.ConfigDir}
	s.Places = protectedpaths.New(own)
	forbidden := func(ctx context.Context, tool string) ([]string, error) {
		return s.hiddenFrom(ctx, tool, followed(s.Workspace()))
	}
	paths := toolkit.Paths{Folder: s.Workspace, Home: home, Places: s.Places, Downloads: downloads}
	s.Snapshot = snapshot.New(snapshot.Config{
		Dir: filepath.Join(s.Config.DataDir, "before"), Places: s.Places, Blobs: s.Blobs, Log: s.Store, Logger: s.Log,
		Forbidden: func(ctx context.Context, folder string) ([]string,
			error,
		) {
			return s.hiddenFrom(ctx, "bash", folder)
		},
	})
	s.OnClose("snapshots", s.Snapshot.Close)
	if err := s.Snapshot.Recover(ctx); err != nil {
		s.Log.Warn("what commands changed before Sextant ended was not found out", "err", err)
	}
	s.sweepFiles(ctx)
	s.Files = files.New(files.Config{
		Paths: paths, Forbidden: forbidden,
		Blobs: s.Blobs, Changes: s.Store, Watcher: s.Snapshot, Panels: takingBack{s},
		Trash: filepath.Join(s.Config.DataDir, "trash"),
	})
	s.OnClose("files", s.Files.Close)
	s.Look = inspect.New(inspect.Config{Paths: paths, Forbidden: forbidden, Confine: s.Confine})
}

// sweptChanges is how many of the newest changes are looked at for what a kill left of a write.
const sweptChanges = 50

// sweepFiles removes what a write that was killed left beside the file it was for.
func (s *System) sweepFiles(ctx context.Context) {
	paths, err := s.Store.RecentlyChangedPaths(ctx, sweptChanges)
	if err == nil {
		err = files.Sweep(paths)
	}
	if err != nil {
		s.Log.Warn("an unfinished file may be left", "error", err)
	}
}
