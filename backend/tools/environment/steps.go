package environment

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/browser/page"
	"sextant/backend/calls/nearest"
	"sextant/backend/surface"
	"sextant/shared/annotator"
	"sextant/shared/navigation"
)

// maxSteps bounds one run_steps.
const maxSteps = 20

// step is one step of run_steps, read.
type step struct {
	tool           string
	args           json.RawMessage
	expect, unless *guard
	navigates      bool
	// ids are the numbers it acts on.
	ids []int
}

// guard is what a step expects after it, or is left out for.
type guard struct {
	surface.Condition
	// event is a kind of event that the step must bring about.
	event string
}

// asks reports whether the guard asks anything of the page.
func (g *guard) asks() bool { return g.Condition != surface.Condition{} }

// parseSteps reads all steps before the first one runs, so that a mistake in the last one
// does not leave half of them done.
func (t *Tools) parseSteps(p stepsParams) ([]step, error) {
	if len(p.Steps) == 0 || len(p.Steps) > maxSteps {
		return nil, &argumentError{fmt.Sprintf("there are %d steps; 1 to %d are taken", len(p.Steps), maxSteps), "send more of them in a second call"}
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
	if err := pick(fields, "tool", &st.tool); err != nil {
		return st, err
	}
	if err := pick(fields, "navigates", &st.navigates); err != nil {
		return st, err
	}
	if !slices.Contains(t.stepTools, st.tool) {
		return st, t.noSuchStep(st.tool)
	}
	var err error
	if st.expect, err = guardOf(fields, "expect"); err != nil {
		return st, err
	}
	if st.unless, err = guardOf(fields, "unless"); err != nil {
		return st, err
	}
	if st.unless != nil && !st.unless.asks() {
		return st, errors.New("unless takes text, gone, url, role and name")
	}
	// Some write a step's arguments into an object of their own.
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
	st.ids = idsIn(fields)
	return st, nil
}

func (t *Tools) noSuchStep(name string) error {
	names := strings.Join(t.stepTools, ", ")
	if _, known := t.byName[name]; known {
		return fmt.Errorf("%s is no step; a step is one of %s", name, names)
	}
	if near := nearest.Names(name, t.stepTools, 1); len(near) > 0 {
		return fmt.Errorf("there is no tool %q, the nearest is %s; a step is one of %s", annotator.Clean(name, 60), near[0], names)
	}
	return fmt.Errorf("there is no tool %q; a step is one of %s", annotator.Clean(name, 60), names)
}

// stepsOf are the tools that may be a step: those that every caller is offered, and the page's
// further hands. What asks a person for its own sake is called by itself, so that the question is
// about it alone.
func stepsOf(nav *navigation.Map, built map[string]tool) []string {
	hands := []string{"hover_element", "drag_element", "click_at", "move_path", "select_text", "get_selection"}
	var names []string
	for _, c := range nav.Environment {
		if (c.Core || slices.Contains(hands, c.Tool)) && c.Tool != "run_steps" && !built[c.Tool].hints.Confirm {
			names = append(names, c.Tool)
		}
	}
	return names
}

// pick moves a field of ours out of what the tool gets.
func pick(fields map[string]json.RawMessage, name string, into any) error {
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

func guardOf(fields map[string]json.RawMessage, name string) (*guard, error) {
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
	out := &guard{surface.Condition{Text: g.Text, Gone: g.Gone, URL: g.URL, Role: g.Role, Name: g.Name}, g.Event}
	if !out.asks() && out.event == "" {
		return nil, fmt.Errorf("%s names nothing; it takes text, gone, url, role, name and event", name)
	}
	return out, nil
}

// idsIn are the numbers that a step's arguments name.
func idsIn(fields map[string]json.RawMessage) []int {
	var ids []int
	for _, name := range []string{"annotationId", "target", "from", "to"} {
		var id int
		if json.Unmarshal(fields[name], &id) == nil && id > 0 {
			ids = append(ids, id)
		}
	}
	return ids
}

// surprise is why the steps behind step i should not run after what came of it, "" when
// nothing speaks against it.
func (r *stepRun) surprise(i int, before string, a annotator.Answer, looked bool) string {
	st := r.steps[i]
	next := step{}
	if i+1 < len(r.steps) {
		next = r.steps[i+1]
	}
	kinds := map[string]annotator.Event{}
	for _, e := range a.Events {
		if _, twice := kinds[e.Kind]; !twice {
			kinds[e.Kind] = e
		}
	}
	if st.expect != nil && st.expect.event != "" {
		if _, came := kinds[st.expect.event]; !came {
			return "it expects the event " + st.expect.event + ", which did not come"
		}
		delete(kinds, st.expect.event)
	}
	if next.tool == "" || !looked {
		return ""
	}
	for _, kind := range []string{"crashed", "dialog", "download", "opened_tab", "closed_tab"} {
		if e, came := kinds[kind]; came && !awaited(kind, st.tool, next.tool) {
			return e.String() + ", which no step expects"
		}
	}
	moves := st.tool == "navigate_page" || st.tool == "browser_tabs" || st.navigates ||
		(st.expect != nil && (st.expect.URL != "" || st.expect.event == "navigated"))
	_, went := kinds["navigated"]
	if went && !moves && (!a.Changes || withoutFragment(before) != withoutFragment(a.Page.URL)) {
		return "the page went to " + a.Page.URL + "; a step that may do that says navigates"
	}
	return r.lost(i, a)
}

// lost is which id of the steps behind step i is not what it was any more, "" for none.
func (r *stepRun) lost(i int, a annotator.Answer) string {
	for n, later := range r.steps[i+1:] {
		for _, id := range later.ids {
			if slices.Contains(a.Gone, id) {
				return fmt.Sprintf("[%d], which step %d is for, is gone", id, i+2+n)
			}
			// Who asked for the steps has not read what it became.
			for _, e := range a.Elements {
				was := r.called[id]
				if e.ID == id && was[0] != "" && (e.Role != was[0] || e.Name != was[1]) {
					if r.turned(i, e) {
						r.called[id] = [2]string{e.Role, e.Name}
						continue
					}
					return fmt.Sprintf("[%d], which step %d is for, was %s %q and is %s %q now", id, i+2+n, was[0], was[1], e.Role, e.Name)
				}
			}
		}
	}
	return ""
}

// awaited reports whether an event is what the step is there for, or what the next one deals with.
func awaited(kind, tool, next string) bool {
	switch kind {
	case "dialog":
		return next == "press_key"
	case "opened_tab", "closed_tab":
		return tool == "browser_tabs" || next == "browser_tabs"
	}
	return false
}

func withoutFragment(address string) string {
	before, _, _ := strings.Cut(address, "#")
	return before
}

// sum joins the answers of steps into one: what changed between the first and the last.
type sum struct {
	page     annotator.Page
	last     annotator.Answer
	events   []annotator.Event
	elements []annotator.Element
	gone     []int
	notes    []string
	// whole is true once an answer listed all of a page and not only changes.
	whole bool
}

func (s *sum) add(a annotator.Answer) {
	s.page, s.last = a.Page, a
	s.events = append(s.events, a.Events...)
	s.notes = slices.DeleteFunc(s.notes, page.IsTransientNote)
	if a.Note != "" && !slices.Contains(s.notes, a.Note) {
		s.notes = append(s.notes, a.Note)
	}
	if !a.Changes {
		s.whole, s.gone = true, nil
		s.elements = slices.Clone(a.Elements)
		return
	}
	at := make(map[int]int, len(s.elements))
	for i, e := range s.elements {
		at[e.ID] = i
	}
	for _, e := range a.Elements {
		if i, known := at[e.ID]; known {
			// What a step before found new was not told yet.
			e.Familiar = e.Familiar && s.elements[i].Familiar
			s.elements[i] = e
			continue
		}
		s.elements = append(s.elements, e)
	}
	s.elements = slices.DeleteFunc(s.elements, func(e annotator.Element) bool { return slices.Contains(a.Gone, e.ID) })
	s.gone = append(slices.DeleteFunc(s.gone, func(id int) bool {
		return slices.ContainsFunc(a.Elements, func(e annotator.Element) bool { return e.ID == id })
	}), a.Gone...)
}

func (s *sum) answer() annotator.Answer {
	a := s.last
	a.Page, a.Events, a.Elements = s.page, s.events, s.elements
	a.Gone, a.Changes, a.Note = sortedIDs(s.gone), !s.whole, strings.Join(s.notes, " ")
	a.SettledMS, a.SettledBy = 0, ""
	return a
}

func sortedIDs(list []int) []int {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}
