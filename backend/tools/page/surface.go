package page

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"sextant/shared/toolspec"
)

// Which surface a call means (docs/architecture.md, "Which surface a call means"): an element's number names its own.
// Without a number it is the page of the active panel, for callers in the window. The browser is meant when that
// panel shows it, on the start panel, while no window is open, and by every other caller.

// onPanels are the tools that work on the page of a panel too.
func onPanels(tool string) bool {
	switch tool {
	case "annotate_page", "click_element", "type_text", "select_option", "press_key", "scroll_page", "get_page_content",
		"take_screenshot",
		"wait_for", "run_steps", "get_annotations", "hover_element", "get_selection":
		return true
	}
	return false
}

// inWindow reports whether the caller is in the window: a person at it, or the assistant of its conversation.
func inWindow(from toolspec.Provenance) bool {
	switch from.Caller {
	case toolspec.CallerPerson, toolspec.CallerPilot, toolspec.CallerModel, toolspec.CallerCreated:
		return from.Session == ""
	}
	return false
}

// Surface resolves what call acts on. The pipeline asks it once, before the call is described.
func (t *Tools) Surface(call toolspec.Call) *toolspec.Surface {
	target := &toolspec.Surface{Session: call.From.Session}
	if t.opts.Window == nil || !inWindow(call.From) {
		return target
	}
	if numbers := numbersIn(call); len(numbers) > 0 {
		if page := t.opts.Window.PageOf(numbers[0]); page != nil {
			target.Panel = page.Panel()
		}
		return target
	}
	if onPanels(call.Tool) {
		target.Panel = t.panelOf(call.From.Turn)
	}
	return target
}

// surfaceOf returns the surface of a call. The error is a wrong argument.
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
	return s.onPanel(t.opts.Window.Page(target.Panel)), nil
}

// numbersIn are the numbers of elements that a call names; those of run_steps' first step that names one.
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

// panelOf is the panel with the page that a turn means, "" for the browser. A turn keeps the page it meant first until
// it opens something itself, so that a person who switches panels meanwhile does not redirect it.
func (t *Tools) panelOf(turn string) string {
	if panel, known := t.turns.at(turn); known {
		return panel
	}
	if !t.opts.Window.HasWindow() {
		return ""
	}
	panel := t.shows(t.opts.Active())
	t.turns.set(turn, panel)
	return panel
}

// shows returns the panel itself, or "" for one without a page of its own.
func (t *Tools) shows(panel string) string {
	if slices.Contains(t.browserPanels, panel) {
		return ""
	}
	return panel
}

// Operable counts what can be used on the page of a panel that a window shows; false where the panel means
// the browser, or its page cannot be observed.
func (t *Tools) Operable(ctx context.Context, panel string) (n int, ok bool) {
	if t.opts.Window == nil || t.shows(panel) == "" || !t.opts.Window.HasWindow() {
		return 0, false
	}
	n, err := t.opts.Window.Page(panel).CountOperable(ctx)
	return n, err == nil
}

// Opened notes that a turn opened a panel: its calls without a number mean that panel from now on.
func (t *Tools) Opened(turn, panel string) { t.turns.set(turn, t.shows(panel)) }

// turns remembers which panel each turn means. It is safe for concurrent use.
type turns struct {
	mu    sync.Mutex
	order []string
	panel map[string]string
}

// maxTurns bounds the turns that are remembered.
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
