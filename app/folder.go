package app

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sextant/app/config"
	"sextant/backend/toolkit"
	"sextant/shared/event"
)

// The window reads the recent folders, newest first, from this setting.
const (
	recentFoldersKey = config.ViewPrefix + "folders"
	maxRecentFolders = 8
)

// chooseFolder chooses the folder to work in: the configured one, or the one that Sextant was started in. A window that
// was started from a desktop's menu, so in the home folder or in /, gets the folder that was open last.
func (s *System) chooseFolder(ctx context.Context, options OpenOptions) error {
	folder, err := filepath.Abs(s.Settings.Get("workspace"))
	if err != nil {
		return fmt.Errorf("finding the folder to work in: %w", err)
	}
	if s.Settings.Get("workspace") == "" && options.Serve && (folder == s.home || folder == "/") {
		if s.home != "" {
			folder = s.home
		}
		if recent := s.recentFolders(ctx); len(recent) > 0 {
			folder = recent[0]
		}
	}
	s.folder.Store(&folder)
	return nil
}

// WorkspaceFolder returns the absolute path of the folder in which the assistant works.
func (s *System) WorkspaceFolder() string { return *s.folder.Load() }

// OpenFolder makes a folder the one in which the assistant works, from the next call on. Terminals and MCP servers that
// run stay where they are. It returns a toolkit.CallError for a folder that cannot be opened now.
func (s *System) OpenFolder(ctx context.Context, path string) error {
	if rest, ok := strings.CutPrefix(path, "~"); ok && s.home != "" && (rest == "" || rest[0] == '/') {
		path = s.home + rest
	}
	if !filepath.IsAbs(path) {
		return toolkit.UserError(path+" is no full path", "Begin it with / or ~")
	}
	path = filepath.Clean(path)
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return toolkit.UserError("There is no folder "+path, "Check the spelling")
	}
	for _, own := range []string{s.Config.DataDir, s.Config.ConfigDir} {
		if toolkit.IsWithin(path, own) {
			return toolkit.UserError("Sextant keeps its own data in "+own, "Open another folder")
		}
	}
	now := s.WorkspaceFolder()
	if s.Loop.IsBusy() {
		return toolkit.UserError("The assistant is working in "+now, "Stop it first")
	}
	others := func(other string) bool { return other == path || other == now }
	recent := append([]string{path, now}, slices.DeleteFunc(s.recentFolders(ctx), others)...)
	if path == now {
		recent = recent[1:]
	}
	recent = recent[:min(len(recent), maxRecentFolders)]
	text, err := json.Marshal(recent)
	if err != nil {
		return err
	}
	if _, err := s.Settings.Set(ctx, recentFoldersKey, string(text)); err != nil {
		return err
	}
	s.folder.Store(&path)
	s.publish(event.New(event.FolderOpened, event.OpenedFolder{Path: path, Recent: recent}))
	return nil
}

// recentFolders returns the folders that were opened last and still exist.
func (s *System) recentFolders(ctx context.Context) []string {
	text, _, err := s.Store.Setting(ctx, recentFoldersKey)
	var recent []string
	if err != nil || json.Unmarshal([]byte(text), &recent) != nil {
		return nil
	}
	return slices.DeleteFunc(recent, func(path string) bool {
		info, err := os.Stat(path)
		return err != nil || !info.IsDir()
	})
}
