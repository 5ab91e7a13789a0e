package workspace

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/toolkit"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

//go:embed focus_surface.md
var focusSurfaceDoc string

type focusSurfaceParams struct {
	Surface string `json:"surface"`
}

func focusSurface() tool {
	const name = "focus_surface"
	return tool{
		def: define(name, "workspace", focusSurfaceDoc,
			`{"type":"object","properties":{"surface":{"type":"string","minLength":1,"description":"\"assistant\", \"page\", or the id of an open panel."}},"required":["surface"],"additionalProperties":false}`,
			toolspec.Hints{Idempotent: true}, `{"surface":"assistant"}`, `{"surface":"page"}`,
			`{"surface":"notes"}`),
		run: func(t *Tools, ctx context.Context, args json.RawMessage) (toolspec.Result, error) {
			var p focusSurfaceParams
			if bad := toolkit.Decode(args, &p); bad != nil {
				return *bad, nil
			}
			return t.focusOn(ctx, p.Surface)
		},
		describe: func(args json.RawMessage) toolspec.Description {
			var p focusSurfaceParams
			if json.Unmarshal(args, &p) != nil || p.Surface == "" {
				return toolspec.Description{Sentence: "Moving the focus"}
			}
			return toolspec.Description{Sentence: "Moving the focus to " + p.Surface, Target: p.Surface}
		},
	}
}

func (t *Tools) focusOn(ctx context.Context, surface string) (toolspec.Result, error) {
	open := t.OpenPanels()
	if surface != surfaceAssistant && surface != surfacePage && !slices.Contains(open, surface) {
		hint := fmt.Sprintf("Surfaces now: %s, %s, %s.", surfaceAssistant, surfacePage, strings.Join(open, ", "))
		if _, known := t.panel(surface); known {
			hint = "Call " + t.cfg.Nav.OpenTool(surface) + "."
		}
		return toolspec.Fail(toolspec.UserError,
			fmt.Sprintf("focus_surface(surface=%q): no such surface is open", surface), hint), nil
	}
	err := t.update(ctx, func(s *state) []event.Event {
		var events []event.Event
		if slices.Contains(open, surface) && surface != t.active() {
			events = t.show(s, surface)
		}
		s.Focus = surface
		return append(events, event.New(event.SurfaceFocused, event.SurfaceRef{Surface: surface}))
	})
	if err != nil {
		return toolspec.Result{}, err
	}
	return ok(map[string]any{"focus": surface, "active_panel": t.ActivePanel()}, "The focus is on "+surface+".",
		"Moved the focus to "+surface), nil
}
