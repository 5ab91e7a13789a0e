package app

import (
	"context"
	"fmt"
	"strings"

	"sextant/app/config"
	"sextant/shared/event"
	"sextant/shared/wire"
)

// snapshot is everything the window starts from. The sequence number is read first: what
// happens while the rest is read reaches the window again as events, which is harmless.
func (s *System) snapshot(ctx context.Context) (wire.Snapshot, error) {
	seq := s.Events.Last()
	conversations, err := s.Store.Conversations(ctx)
	if err != nil {
		return wire.Snapshot{}, fmt.Errorf("reading conversations: %w", err)
	}
	kept, err := s.Store.Settings(ctx)
	if err != nil {
		return wire.Snapshot{}, fmt.Errorf("reading settings: %w", err)
	}
	settings := s.Settings.All()
	for key, value := range kept {
		if strings.HasPrefix(key, config.DraftPrefix) || strings.HasPrefix(key, config.ViewPrefix) {
			settings = append(settings, event.Setting{Key: key, Value: value, Source: config.SourceWindow})
		}
	}
	return wire.Snapshot{
		Seq: seq, Version: Version,
		Panels: NonNil(s.Panels.Panels()), ActivePanel: s.Baseline.ActivePanel(), ActivityBar: s.Baseline.ActivityBar(),
		Browser: masked(s.Secrets, s.Browser.State()), Marks: masked(s.Secrets, s.Browser.Marks()),
		Approvals:     NonNil(s.Desk.Waiting()),
		Conversations: NonNil(conversations), MCP: NonNil(s.MCP.List()), Models: NonNil(s.Models.List(ctx)),
		Mode: s.Settings.Get("mode"), Workspace: s.Workspace(), Settings: settings, Banners: s.banners(),
		PanelsFolder: s.PanelsFolder(), Disk: s.Space.State(),
	}, nil
}

// banners are lasting conditions that the window shows until their cause is gone.
func (s *System) banners() []wire.Banner {
	out := []wire.Banner{}
	for _, p := range s.Config.Problems {
		out = append(out, wire.Banner{Kind: "config", Text: p, Hint: "Mend " + s.Config.File() +
			", then start Sextant again."})
	}
	if p := s.MCP.Problem(); p != "" {
		out = append(out, wire.Banner{Kind: "mcp", Text: p})
	}
	return out
}
