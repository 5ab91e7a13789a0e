package page

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/pipeline/nearest"
	"sextant/backend/surface"
	"sextant/shared/annotation"
	"sextant/shared/navigation"
	"sextant/shared/toolspec"
)

const maxSteps = 20

type step struct {
	tool           string
	args           json.RawMessage
	expect, unless *guard
	navigates      bool
	elementIDs     []int
}

type guard struct {
	surface.Condition
	event string
}

func (g *guard) onPage() bool { return g.Condition != surface.Condition{} }

// parseSteps decodes all steps before the first one runs, so that a mistake in a later step leaves nothing half done.
func (t *Tools) parseSteps(p stepsParams) ([]step, error) {
	if len(p.Steps) == 0 || len(p.Steps) > maxSteps {
		return nil, &argumentError{
			fmt.Sprintf("there are %d steps; send 1 to %d", len(p.Steps), maxSteps), "send the others in a second call",
		}
	}
	steps := make([]step, len(p.Steps))
	for i, raw := range p.Steps {
		st, err := t.parseStep(raw)
		if err != nil {
			return nil, &argumentError{
				fmt.Sprintf("step %d: %s; nothing was done", i+1, err),
				`a step is e.g. {"tool":"click_element","annotationId":9,"expect":{"text":"Saved"}}`,
			}
		}
		steps[i] = st
	}
	return steps, nil
}

func (t *Tools) parseStep(raw json.RawMessage) (step, error) {
	var st step
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return st, fmt.Errorf("it cannot be read: %w", err)
	}
	if err := takeField(fields, "tool", &st.tool); err != nil {
		return st, err
	}
	if err := takeField(fields, "navigates", &st.navigates); err != nil {
		return st, err
	}
	if !slices.Contains(t.stepTools, st.tool) {
		return st, t.noSuchStep(st.tool)
	}
	var err error
	if st.expect, err = takeGuard(fields, "expect"); err != nil {
		return st, err
	}
	if st.unless, err = takeGuard(fields, "unless"); err != nil {
		return st, err
	}
	if st.unless != nil && !st.unless.onPage() {
		return st, errors.New("unless takes text, gone, url, role and name")
	}
	// Some models nest a step's arguments in an object.
	for _, name := range []string{"args", "arguments"} {
		var inner map[string]json.RawMessage
		if v, ok := fields[name]; ok && json.Unmarshal(v, &inner) == nil {
			delete(fields, name)
			for k, v := range inner {
				fields[k] = v
			}
		}
	}
	if st.args, err = json.Marshal(fields); err != nil {
		return st, fmt.Errorf("it cannot be read: %w", err)
	}
	st.elementIDs = elementIDs(fields)
	return st, nil
}

func (t *Tools) noSuchStep(name string) error {
	names := strings.Join(t.stepTools, ", ")
	if _, known := t.byName[name]; known {
		return fmt.Errorf("%s cannot be a step; a step is one of %s", name, names)
	}
	if near := nearest.Names(name, t.stepTools, 1); len(near) > 0 {
		return fmt.Errorf("there is no tool %q, the nearest is %s; a step is one of %s", annotation.Clean(name, 60),
			near[0], names)
	}
	return fmt.Errorf("there is no tool %q; a step is one of %s", annotation.Clean(name, 60), names)
}

// stepTools leaves out tools that always ask the person, so that the question covers only that call.
func stepTools(nav *navigation.Map, built map[string]tool) []string {
	more := []string{"hover_element", "drag_element", "click_at", "move_path", "select_text", "get_selection"}
	var names []string
	for _, c := range nav.Environment {
		if (c.Core || slices.Contains(more, c.Tool)) && c.Tool != "run_steps" && !built[c.Tool].hints.Confirm {
			names = append(names, c.Tool)
		}
	}
	return names
}

func takeField(fields map[string]json.RawMessage, name string, into any) error {
	raw, ok := fields[name]
	if !ok {
		return nil
	}
	delete(fields, name)
	if err := json.Unmarshal(raw, into); err != nil {
		return fmt.Errorf("%s cannot be read: %w", name, err)
	}
	return nil
}

func takeGuard(fields map[string]json.RawMessage, name string) (*guard, error) {
	raw, ok := fields[name]
	if !ok {
		return nil, nil
	}
	delete(fields, name)
	var g struct{ Text, Gone, URL, Role, Name, Event string }
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&g); err != nil {
		return nil, fmt.Errorf("%s takes text, gone, url, role, name and event: %w", name, err)
	}
	kinds := []string{"", "navigated", "opened_tab", "closed_tab", "dialog", "download"}
	if !slices.Contains(kinds, g.Event) {
		return nil, fmt.Errorf("%s: event is one of %s", name, strings.Join(kinds[1:], ", "))
	}
	out := &guard{surface.Condition{Text: g.Text, AbsentText: g.Gone, URL: g.URL, Role: g.Role, Name: g.Name}, g.Event}
	if !out.onPage() && out.event == "" {
		return nil, fmt.Errorf("%s is empty; it takes text, gone, url, role, name and event", name)
	}
	return out, nil
}

// elementArgs are the arguments that take the number of an element.
var elementArgs = []string{"annotationId", "target", "from", "to"}

func elementIDs(fields map[string]json.RawMessage) []int {
	var ids []int
	for _, name := range elementArgs {
		var id int
		if json.Unmarshal(fields[name], &id) == nil && id > 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// elementsOf describes the elements that call acts on, by the argument that names each.
func elementsOf(s session, call toolspec.Call) map[string]annotation.Reference {
	var fields map[string]json.RawMessage
	if json.Unmarshal(call.Args, &fields) != nil {
		return nil
	}
	found := map[string]annotation.Reference{}
	for _, name := range elementArgs {
		var id int
		if json.Unmarshal(fields[name], &id) == nil && id > 0 {
			if e, ok := s.Element(id); ok {
				found[name] = e.ReferenceAmong(s.Annotations())
			} else if role, label := s.RoleAndName(id); role != "" {
				found[name] = annotation.Reference{Role: role, Name: label, InOtherTab: true}
			}
		}
	}
	return found
}

func (r *stepRun) stopReason(i int, before string, a annotation.Observation, observed bool) string {
	st := r.steps[i]
	next := step{}
	if i+1 < len(r.steps) {
		next = r.steps[i+1]
	}
	kinds := map[string]annotation.Event{}
	for _, e := range a.Events {
		if _, twice := kinds[e.Kind]; !twice {
			kinds[e.Kind] = e
		}
	}
	if st.expect != nil && st.expect.event != "" {
		if _, came := kinds[st.expect.event]; !came {
			return "it expects the event " + st.expect.event + ", which did not happen"
		}
		delete(kinds, st.expect.event)
	}
	if next.tool == "" || !observed {
		return ""
	}
	for _, kind := range []string{"crashed", "dialog", "download", "opened_tab", "closed_tab"} {
		if e, came := kinds[kind]; came && !isExpected(kind, st.tool, next.tool) {
			return e.String() + ", which no step expects"
		}
	}
	moves := st.tool == "navigate_page" || st.tool == "browser_tabs" || st.navigates ||
		(st.expect != nil && (st.expect.URL != "" || st.expect.event == "navigated"))
	_, went := kinds["navigated"]
	if went && !moves && (!a.OnlyChanges || surface.WithoutFragment(before) != surface.WithoutFragment(a.Page.URL)) {
		return "the page went to " + a.Page.URL + "; a step that may do that needs \"navigates\": true"
	}
	return r.lostElement(i, a)
}

func (r *stepRun) lostElement(i int, a annotation.Observation) string {
	for n, later := range r.steps[i+1:] {
		for _, id := range later.elementIDs {
			if slices.Contains(a.Gone, id) {
				return fmt.Sprintf("[%d], which step %d uses, is gone", id, i+2+n)
			}
			// A changed element may no longer be the one that the caller chose.
			for _, e := range a.Elements {
				was := r.namesBefore[id]
				if e.ID == id && was[0] != "" && (e.Role != was[0] || e.Name != was[1]) {
					if r.turned(i, e) {
						r.namesBefore[id] = [2]string{e.Role, e.Name}
						continue
					}
					return fmt.Sprintf("[%d], which step %d uses, was %s %q and is now %s %q",
						id, i+2+n, was[0], was[1], e.Role, e.Name)
				}
			}
		}
	}
	return ""
}

func isExpected(kind, tool, next string) bool {
	switch kind {
	case "dialog":
		return next == "press_key"
	case "opened_tab", "closed_tab":
		return tool == "browser_tabs" || next == "browser_tabs"
	}
	return false
}
