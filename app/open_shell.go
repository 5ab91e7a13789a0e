package app

import (
	"context"
	"os"
	"path/filepath"

	"sextant/backend/sandbox/confine"
	"sextant/backend/tools/shell"
	"sextant/shared/toolspec"
)

// openConfine opens the sandbox that commands and git run in: floor 2.
func (s *System) openConfine() {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then no place is known as the person's
	}
	s.Confine = confine.New(confine.Config{
		Home: home, SecretPaths: []string{s.Config.DataDir, s.Config.ConfigDir},
		BlockedPorts: func() []uint16 { return append(s.Guard.BlockedPorts(), s.mcpGuard.BlockedPorts()...) },
	})
}

// openShell opens the tools that run commands: floor 4.
func (s *System) openShell() {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // then no place is known as the person's
	}
	s.Shell = shell.New(shell.Config{
		Egress: s.Guard, AllowHost: s.contact, Forbidden: func(ctx context.Context) ([]string, error) {
			return s.hiddenFrom(ctx, "bash", followed(s.Workspace()))
		},
		Folder: s.Workspace, Home: home, Places: s.Places, Confine: s.Confine,
		Cache:    filepath.Join(s.Config.DataDir, "commands"),
		NewDraft: s.Results.Draft, Log: s.Log,
		Snapshots: s.Snapshot,
	})
}

// contact judges a host that a command has come to, and opens it for the dialer where a person opened it.
func (s *System) contact(ctx context.Context, call toolspec.Call, host string) error {
	if err := s.Pipeline.CheckHost(ctx, call, host); err != nil {
		return err
	}
	if s.Pipeline.IsHostAllowed(call.From.Session, host) {
		s.Guard.AllowTyped(host)
	}
	return nil
}
