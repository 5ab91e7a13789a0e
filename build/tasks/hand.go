package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sextant/backend/recipes"
	"sextant/backend/store/eventlog"
	"sextant/backend/surface"
	"sextant/backend/tools/page/observation"
	"sextant/shared/annotation"
	"sextant/shared/event"
	"sextant/shared/recipe"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// hand does a task as a person does in the window: with the mouse and the keyboard, in the window's own tabs.
type hand struct {
	env     *environment
	pickers *eventlog.Subscription
}

var asPerson = toolspec.Provenance{Caller: toolspec.CallerPerson}

// pause is how long the hand waits after each act, for the page.
const pause = 500 * time.Millisecond

// byHand does a task by hand, makes a recipe of what was recorded, and runs it on a fresh copy of the site.
func (env *environment) byHand(ctx context.Context, t *task) (replayed, error) {
	if err := env.setUp(t); err != nil {
		return replayed{}, err
	}
	h := hand{env: env, pickers: env.sys.Events.Subscribe(
		eventlog.Filter{Kinds: []event.Kind{event.PickerOpened}}, eventlog.FromNow)}
	defer h.pickers.Close()
	since := env.sys.Events.LastSeq()
	for _, call := range t.Script {
		if err := h.do(ctx, call.tool, t.fillHosts(call.args)); err != nil {
			return replayed{Problem: fmt.Sprintf("by hand, %s: %v", call.tool, err)}, nil
		}
	}
	if wrong, err := env.check(ctx, t); wrong != "" || err != nil {
		return replayed{Problem: "by hand: " + wrong}, err
	}
	rec, err := env.sys.Recipes.Draft(ctx, recipes.Source{Since: since})
	if err != nil {
		return replayed{Problem: err.Error()}, nil
	}
	rec.Name = t.Name
	if err := env.sys.Recipes.Save(rec); err != nil {
		return replayed{}, err
	}
	defer func() { _ = env.sys.Recipes.Delete(t.Name) }()
	values, err := hiddenValues(t, rec)
	if err != nil {
		return replayed{}, err
	}
	if err := env.setUp(t); err != nil {
		return replayed{}, err
	}
	began := time.Now()
	res := env.sys.Pipeline.Do(ctx, toolspec.Call{Tool: recipes.ToolName(t.Name), Args: values, From: asPerson})
	r := replayed{Steps: len(rec.Steps), Seconds: time.Since(began).Seconds()}
	run, _ := res.Value.(recipe.Run)
	for _, s := range run.Steps {
		if s.Proved {
			r.Proved++
		}
	}
	if !res.Success {
		r.Problem = res.Error + "\n" + res.Text
		return r, nil
	}
	r.Problem, err = env.check(ctx, t)
	r.OK = r.Problem == ""
	return r, err
}

func (h *hand) do(ctx context.Context, tool, args string) error {
	var in struct {
		URL, Text, Key, Tool, AnnotationID string
		Submit                             bool
		Count                              int
		Values                             []string
		Steps                              []json.RawMessage
	}
	if err := json.Unmarshal([]byte(args), &in); err != nil {
		return err
	}
	switch tool {
	case "annotate_page":
		return nil
	case "run_steps":
		for _, step := range in.Steps {
			var name struct{ Tool string }
			if err := json.Unmarshal(step, &name); err != nil {
				return err
			}
			if err := h.do(ctx, name.Tool, string(step)); err != nil {
				return fmt.Errorf("%s: %w", step, err)
			}
		}
		return nil
	case "navigate_page":
		r := h.env.sys.Pipeline.Do(ctx, toolspec.Call{Tool: tool, Args: json.RawMessage(args), From: asPerson})
		if !r.Success {
			return errors.New(r.Error)
		}
		return nil
	case "press_key":
		return h.press(ctx, in.Key)
	case "click_element", "type_text", "select_option":
	default:
		return errors.New("a hand cannot do this")
	}
	e, err := h.find(ctx, in.AnnotationID)
	if err != nil {
		return err
	}
	if err := h.click(ctx, e, max(in.Count, 1)); err != nil || tool == "click_element" {
		return err
	}
	if tool == "select_option" {
		return h.pick(ctx, in.Values[0])
	}
	if slices.Contains([]string{"date", "time", "color", "month"}, e.Role) {
		return h.pick(ctx, in.Text)
	}
	if e.Value != "" {
		selectAll := wire.Input{Type: "keydown", Key: "a", Modifiers: 2}
		if err := h.env.sys.Browser.DispatchInput(ctx, "", selectAll); err != nil {
			return err
		}
	}
	for _, key := range strings.Split(in.Text, "") {
		if err := h.press(ctx, key); err != nil {
			return err
		}
	}
	if in.Submit {
		err = h.press(ctx, "Enter")
	}
	time.Sleep(pause)
	return err
}

// find returns the element that a script names, in view.
func (h *hand) find(ctx context.Context, wanted string) (annotation.Element, error) {
	for range 20 {
		r := h.env.sys.Pipeline.Do(ctx, toolspec.Call{
			Tool: "annotate_page", Args: json.RawMessage(`{"scope":"page"}`), From: asPerson,
		})
		if !r.Success {
			return annotation.Element{}, errors.New(r.Error)
		}
		o, _ := observation.FullObservation(r.Value)
		id, err := findElementID([]string{r.Text}, strings.TrimPrefix(wanted, "@"))
		if err != nil {
			return annotation.Element{}, err
		}
		at := slices.IndexFunc(o.Elements, func(e annotation.Element) bool { return e.ID == id })
		if at < 0 {
			return annotation.Element{}, fmt.Errorf("%s has no box", wanted)
		}
		e := o.Elements[at]
		if e.InView {
			return e, nil
		}
		const wheel = 300
		by := float64(wheel)
		if e.Box.Y < 0 {
			by = -by
		}
		err = h.env.sys.Browser.DispatchInput(ctx, "", wire.Input{Type: "wheel", X: 300, Y: 300, DY: by})
		if err != nil {
			return annotation.Element{}, err
		}
		time.Sleep(pause)
	}
	return annotation.Element{}, fmt.Errorf("%s does not come into view", wanted)
}

func (h *hand) click(ctx context.Context, e annotation.Element, times int) error {
	x, y := e.Box.X+e.Box.Width/2, e.Box.Y+e.Box.Height/2
	for n := range times {
		for _, kind := range []string{"move", "down", "up"} {
			in := wire.Input{Type: kind, X: x, Y: y}
			if kind != "move" {
				in.Button, in.Count = "left", n+1
			}
			if err := h.env.sys.Browser.DispatchInput(ctx, "", in); err != nil {
				return err
			}
		}
	}
	time.Sleep(pause)
	return nil
}

func (h *hand) press(ctx context.Context, key string) error {
	if key == "Space" {
		key = " "
	}
	for _, kind := range []string{"keydown", "keyup"} {
		err := h.env.sys.Browser.DispatchInput(ctx, "", wire.Input{Type: kind, Key: key})
		var fault *surface.Fault
		if errors.As(err, &fault) && fault.Kind == surface.FaultDialog { // the window shows the dialog itself
			r := h.env.sys.Pipeline.Do(ctx, toolspec.Call{
				Tool: "handle_dialog", Args: fmt.Appendf(nil, `{"accept":%v}`, key == "Enter"), From: asPerson,
			})
			if !r.Success {
				return errors.New(r.Error)
			}
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// pick chooses a value from the picker that a click has opened.
func (h *hand) pick(ctx context.Context, value string) error {
	select {
	case e := <-h.pickers.C():
		var p event.Picker
		if err := json.Unmarshal(e.Data, &p); err != nil {
			return err
		}
		selected := slices.IndexFunc(p.Options, func(o event.PickerOption) bool { return o.Label == value })
		if err := h.env.sys.Browser.Pick(ctx, p.ID, selected, value); err != nil {
			return err
		}
		time.Sleep(pause)
		return nil
	case <-time.After(3 * time.Second):
		return errors.New("no picker was opened")
	}
}
