package environment

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"sextant/shared/toolspec"
)

// Which surface a call means (docs/architecture.md, "Which page a call means"): a number names its own;
// without one it is the page of the active panel, for those who act in the window. The browser is meant
// where that panel shows it, on the start panel, where no window is open, and by every other door.

// onPanels are the tools that work on the page of a panel too.
func onPanels(tool string) bool {
	switch tool {
	case "annotate_page", "click_element", "type_text", "select_option", "press_key", "scroll_page", "get_page_content", "take_screenshot",
		"wait_for", "run_steps", "get_annotations", "hover_element", "get_selection":
		return true
	}
	return false
}

// inWindow reports whether who calls acts in the window: a person at it, or the assistant they talk to.
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
			fmt.Sprintf("%v stands on the page of a panel, where %s does not work", numbersIn(call)[:1], call.Tool),
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
		return idsIn(fields)
	}
	var steps []map[string]json.RawMessage
	if json.Unmarshal(fields["steps"], &steps) != nil {
		return nil
	}
	for _, st := range steps {
		if ids := idsIn(st); len(ids) > 0 {
			return ids
		}
	}
	return nil
}

// panelOf is the panel whose page a turn means, "" for the browser. A turn keeps what it meant first until
// it opens something itself, so that a person who looks elsewhere meanwhile does not move its hands.
func (t *Tools) panelOf(turn string) string {
	if panel, known := t.turns.at(turn); known {
		return panel
	}
	if !t.opts.Window.Watched() {
		return ""
	}
	panel := t.shows(t.opts.Active())
	t.turns.set(turn, panel)
	return panel
}

// shows is the panel itself, or "" for one whose page is not its own surface.
func (t *Tools) shows(panel string) string {
	if slices.Contains(t.browserPanels, panel) {
		return ""
	}
	return panel
}

// Operable counts what can be used on the page of a panel that a window shows; false where the panel means
// the browser, or its page cannot be looked at.
func (t *Tools) Operable(ctx context.Context, panel string) (n int, ok bool) {
	if t.opts.Window == nil || t.shows(panel) == "" || !t.opts.Window.Watched() {
		return 0, false
	}
	n, err := t.opts.Window.Page(panel).Operable(ctx)
	return n, err == nil
}

// Opened tells that a turn opened a panel: what it does without a number is meant for that from now on.
func (t *Tools) Opened(turn, panel string) { t.turns.set(turn, t.shows(panel)) }

// turns remembers which surface each turn means. It is safe for concurrent use.
type turns struct {
	mu    sync.Mutex
	order []string
	panel map[string]string
}

// maxTurns bounds the turns that are remembered.
const maxTurns = 200

func (m *turns) at(turn string) (panel string, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	panel, known = m.panel[turn]
	return panel, known
}

func (m *turns) set(turn, panel string) {
	if turn == "" {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.panel == nil {
		m.panel = map[string]string{}
	}
	if _, again := m.panel[turn]; !again {
		if len(m.order) >= maxTurns {
			delete(m.panel, m.order[0])
			m.order = m.order[1:]
		}
		m.order = append(m.order, turn)
	}
	m.panel[turn] = panel
}
