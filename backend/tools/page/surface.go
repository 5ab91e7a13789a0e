package page

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"sextant/shared/toolspec"
)

// docs/architecture.md has the rules, in the section "Which surface a call means".

func onPanels(tool string) bool {
	switch tool {
	case "annotate_page", "click_element", "type_text", "select_option", "press_key", "scroll_page", "get_page_content",
		"take_screenshot",
		"wait_for", "run_steps", "get_annotations", "hover_element", "get_selection":
		return true
	}
	return false
}

func inWindow(from toolspec.Provenance) bool {
	switch from.Caller {
	case toolspec.CallerPerson, toolspec.CallerPilot, toolspec.CallerModel, toolspec.CallerCreatedTool:
		return from.Session == ""
	}
	return false
}

// Surface returns the surface that call acts on.
func (t *Tools) Surface(call toolspec.Call) *toolspec.Surface {
	target := &toolspec.Surface{Session: call.From.Session}
	if t.opts.PanelPages == nil || call.From.InBrowser || !inWindow(call.From) {
		return target
	}
	if numbers := numbersIn(call); len(numbers) > 0 {
		if page := t.opts.PanelPages.PageOf(numbers[0]); page != nil {
			target.Panel = page.Panel()
		}
		return target
	}
	if onPanels(call.Tool) {
		target.Panel = t.panelOf(call.From.Turn)
	}
	return target
}

func (t *Tools) surfaceOf(call toolspec.Call) (session, error) {
	target := call.Surface
	if target == nil {
		target = t.Surface(call)
	}
	s := t.sessions(target.Session)
	switch {
	case target.Panel == "":
		return s, nil
	case !onPanels(call.Tool):
		return s, &argumentError{
			fmt.Sprintf("%v is on the page of a panel, where %s does not work", numbersIn(call)[:1], call.Tool),
			"use click_element, type_text, select_option, press_key or scroll_page there, or the panel's own tools",
		}
	}
	return s.onPanel(t.opts.PanelPages.Page(target.Panel)), nil
}

func numbersIn(call toolspec.Call) []int {
	var fields map[string]json.RawMessage
	if json.Unmarshal(call.Args, &fields) != nil {
		return nil
	}
	if call.Tool != "run_steps" {
		return elementIDs(fields)
	}
	var steps []map[string]json.RawMessage
	if json.Unmarshal(fields["steps"], &steps) != nil {
		return nil
	}
	for _, st := range steps {
		if ids := elementIDs(st); len(ids) > 0 {
			return ids
		}
	}
	return nil
}

// A turn keeps its first panel until it opens something itself, so that a person who switches panels meanwhile does not
// redirect the turn.
func (t *Tools) panelOf(turn string) string {
	if panel, known := t.turns.at(turn); known {
		return panel
	}
	if !t.opts.PanelPages.HasWindow() {
		return ""
	}
	panel := t.shows(t.opts.ActivePanel())
	t.turns.set(turn, panel)
	return panel
}

func (t *Tools) shows(panel string) string {
	if slices.Contains(t.browserPanels, panel) {
		return ""
	}
	return panel
}

// CountOperable returns the number of operable elements on the page of a panel. ok is false if calls on that panel act
// on the browser, or if its page cannot be observed.
func (t *Tools) CountOperable(ctx context.Context, panel string) (n int, ok bool) {
	if t.opts.PanelPages == nil || t.shows(panel) == "" || !t.opts.PanelPages.HasWindow() {
		return 0, false
	}
	n, err := t.opts.PanelPages.Page(panel).CountUsable(ctx)
	return n, err == nil
}

// RecordPanelOpened records that a turn opened a panel, or the browser if panel is "". The turn's later calls without
// an element number act there. An empty turn changes nothing.
func (t *Tools) RecordPanelOpened(turn, panel string) { t.turns.set(turn, t.shows(panel)) }

type turns struct {
	mu    sync.Mutex
	order []string
	panel map[string]string
}

const maxTurns = 200

func (t *turns) at(turn string) (panel string, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	panel, known = t.panel[turn]
	return panel, known
}

func (t *turns) set(turn, panel string) {
	if turn == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.panel == nil {
		t.panel = map[string]string{}
	}
	if _, again := t.panel[turn]; !again {
		if len(t.order) >= maxTurns {
			delete(t.panel, t.order[0])
			t.order = t.order[1:]
		}
		t.order = append(t.order, turn)
	}
	t.panel[turn] = panel
}
