package workspace

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"

	"sextant/backend/toolkit"
	"sextant/shared/event"
	"sextant/shared/navigation"
	"sextant/shared/toolspec"
)

//go:embed close_panel.md
var closePanelDoc string

// An empty Panel is the active panel.
type closePanelParams struct {
	Panel string `json:"panel"`
}

func closePanel(nav *navigation.Map) tool {
	const name = "close_panel"
	return tool{
		def: define(name, "navigation", closePanelDoc,
			`{"type":"object","properties":{"panel":{"type":"string","description":"Id of the panel; default: the active one."}},"additionalProperties":false}`,
			toolspec.Hints{Idempotent: true}, `{}`, fmt.Sprintf(`{"panel":%q}`, nav.Panels[len(nav.Panels)-1]),
			fmt.Sprintf(`{"panel":%q}`, nav.SurfacePanel)),
		run: func(t *Tools, ctx context.Context, args json.RawMessage) (toolspec.Result, error) {
			var p closePanelParams
			if bad := toolkit.Decode(args, &p); bad != nil {
				return *bad, nil
			}
			return t.closePanel(ctx, p.Panel)
		},
		describe: func(args json.RawMessage) toolspec.Description {
			var p closePanelParams
			if json.Unmarshal(args, &p) != nil || p.Panel == "" {
				return toolspec.Description{Sentence: "Closing the panel"}
			}
			return toolspec.Description{Sentence: "Closing the " + p.Panel + " panel", Target: p.Panel}
		},
	}
}

func (t *Tools) closePanel(ctx context.Context, id string) (toolspec.Result, error) {
	open := t.OpenPanels()
	home := t.cfg.Nav.Panels[0]
	if id == "" {
		id = open[len(open)-1]
	}
	switch {
	case id == home && len(open) == 1:
		return toolspec.Fail(toolspec.UserError,
			fmt.Sprintf("close_panel(panel=%q): it is the only open panel and cannot be closed", id),
			"Open another panel first."), nil
	case !slices.Contains(open, id):
		return toolspec.Fail(toolspec.UserError, fmt.Sprintf("close_panel(panel=%q): no such panel is open", id),
			fmt.Sprintf("Open panels: %v.", open)), nil
	}
	var front string
	err := t.update(ctx, func(s *state) []event.Event {
		s.Open = slices.DeleteFunc(t.open(), func(o string) bool { return o == id })
		if len(s.Open) == 0 {
			s.Open = []string{home}
		}
		front = s.Open[len(s.Open)-1]
		events := []event.Event{event.New(event.PanelClosed, event.PanelRef{Panel: id})}
		if front != t.active() {
			events = append(events, t.show(s, front)...)
		}
		s.Active = front
		return events
	})
	if err != nil {
		return toolspec.Result{}, err
	}
	title := id
	if p, ok := t.panel(id); ok {
		title = p.Title
	}
	return ok(map[string]any{"closed": id, "active_panel": front},
		fmt.Sprintf("Closed the %s panel. Active now: %s.", title, front), "Closed the "+title+" panel"), nil
}
