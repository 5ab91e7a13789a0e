package app

import (
	"context"
	"fmt"
	"strings"

	"sextant/app/config"
	"sextant/backend/sandbox/secrets"
	"sextant/shared/event"
	"sextant/shared/wire"
)

// snapshot returns the state with which the window starts. It reads the sequence number first: changes while it reads
// the rest reach the window a second time as events, which is harmless.
func (s *System) snapshot(ctx context.Context) (wire.Snapshot, error) {
	seq := s.Events.LastSeq()
	conversations, err := s.Store.Conversations(ctx)
	if err != nil {
		return wire.Snapshot{}, fmt.Errorf("reading conversations: %w", err)
	}
	stored, err := s.Store.Settings(ctx)
	if err != nil {
		return wire.Snapshot{}, fmt.Errorf("reading settings: %w", err)
	}
	settings := s.Settings.All()
	for key, value := range stored {
		if strings.HasPrefix(key, config.DraftPrefix) || strings.HasPrefix(key, config.ViewPrefix) {
			settings = append(settings, event.Setting{Key: key, Value: value, Source: config.SourceWindow})
		}
	}
	return wire.Snapshot{
		Seq: seq, Version: Version,
		Panels: nonNil(s.Panels.Panels()), ActivePanel: s.Workspace.ActivePanel(),
		ActivityBar: s.Workspace.ActivityBar(),
		Browser:     secrets.MaskValue(s.Secrets, s.Browser.State()),
		Marks:       secrets.MaskValue(s.Secrets, s.Browser.Marks()),
		Approvals:   nonNil(s.Approvals.WaitingApprovals()), Conversations: nonNil(conversations),
		MCP:    nonNil(s.MCP.List()),
		Models: nonNil(s.Models.List(ctx)), Mode: s.Settings.Get("mode"), Workspace: s.WorkspaceFolder(),
		Settings: settings, Banners: s.banners(), PanelsFolder: s.PanelsFolder(), Disk: s.DiskSpace.State(),
	}, nil
}

func (s *System) banners() []wire.Banner {
	out := []wire.Banner{}
	for _, p := range s.Config.Problems {
		out = append(out, wire.Banner{
			Kind: "config", Text: p, Hint: "Correct " + s.Config.File() + ", then restart Sextant.",
		})
	}
	if p := s.databaseProblem.Load(); p != nil {
		out = append(out, wire.Banner{
			Kind: "data", Text: *p,
			Hint: "Export what you need, then quit and run: sextant doctor --fresh. It keeps the damaged file.",
		})
	}
	if p := s.MCP.Problem(); p != "" {
		out = append(out, wire.Banner{Kind: "mcp", Text: p})
	}
	return out
}

// nonNil replaces nil by an empty list, because the JSON of nil is null.
func nonNil[T any](list []T) []T { return append([]T{}, list...) }
