package importer

import (
	"encoding/json"
	"slices"
	"strings"

	"sextant/backend/recipes"
)

// recorderStep is a step of a recording of DevTools, as @puppeteer/replay defines it.
type recorderStep struct {
	Type, Target, URL, Value, Key, Button string
	Frame                                 []int
	Selectors                             []recorderSelector
	AssertedEvents                        []struct{ Type, URL string }
}

// recorderSelector is a selector, or the selectors of the elements that contain one another. Only the last counts.
type recorderSelector []string

// UnmarshalJSON implements json.Unmarshaler.
func (s *recorderSelector) UnmarshalJSON(text []byte) error {
	var one string
	if json.Unmarshal(text, &one) == nil {
		*s = recorderSelector{one}
		return nil
	}
	return json.Unmarshal(text, (*[]string)(s))
}

var modifierKeys = []string{"Control", "Shift", "Alt", "Meta"}

func readRecorder(title string, steps []recorderStep) (Result, error) {
	var r reader
	var held []string
	for i, s := range steps {
		n := i + 1
		if len(s.Frame) > 0 || (s.Target != "" && s.Target != "main") {
			r.note(n, "left out, it is in a frame or another tab")
			continue
		}
		var selectors []string
		for _, part := range s.Selectors {
			if len(part) > 0 {
				selectors = append(selectors, part[len(part)-1])
			}
		}
		added := false
		switch s.Type {
		case "navigate":
			if s.URL != "about:blank" && !strings.HasPrefix(s.URL, "chrome") {
				r.open(n, s.URL)
			}
		case "click", "doubleClick":
			args := map[string]any{}
			if s.Type == "doubleClick" {
				args["count"] = 2
			}
			if button := map[string]string{"secondary": "right", "auxiliary": "middle"}[s.Button]; button != "" {
				args["button"] = button
			}
			added = r.on(n, selectors, "click_element", args)
		case "change":
			added = r.typeInto(n, selectors, s.Value, false)
		case "hover":
			added = r.on(n, selectors, "hover_element", nil)
		case "keyDown":
			if slices.Contains(modifierKeys, s.Key) {
				held = append(held, s.Key)
				break
			}
			chord := strings.Join(append(slices.Clone(held), s.Key), "+")
			added = r.add(n, recipes.Action{Tool: "press_key", Args: map[string]any{"key": chord}})
		case "keyUp":
			held = slices.DeleteFunc(held, func(key string) bool { return key == s.Key })
		case "waitForElement":
			if name := nameOf(selectors); name != "" {
				added = r.add(n, recipes.Action{Tool: "wait_for", Args: map[string]any{"text": name}})
			}
		case "setViewport", "scroll": // every element is scrolled into view when it is used
		default:
			r.note(n, "%s is left out", s.Type)
		}
		if added && len(s.AssertedEvents) > 0 {
			last := &r.actions[len(r.actions)-1]
			last.Navigates, last.LeadsTo = true, s.AssertedEvents[0].URL
		}
	}
	return r.result(title)
}
