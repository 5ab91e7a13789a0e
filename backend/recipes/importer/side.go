package importer

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"sextant/backend/recipes"
)

// sideTest is a test of a project of Selenium IDE.
type sideTest struct {
	Name     string
	Commands []sideCommand
}

type sideCommand struct {
	Command, Target, Value string
	// Targets are other selectors of the element, each with its kind.
	Targets [][]string
}

func readSide(base string, tests []sideTest) ([]Result, error) {
	var all []Result
	for _, test := range tests {
		var r reader
		for i, c := range test.Commands {
			if slices.Contains(stopCommands, c.Command) {
				r.note(i+1, "%s and everything after it is left out", c.Command)
				break
			}
			if !strings.HasPrefix(c.Command, "//") { // a command that is switched off
				r.command(i+1, base, c)
			}
		}
		one, err := r.result(test.Name)
		if errors.Is(err, recipes.ErrNothingToRepeat) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("test %s: %w", test.Name, err)
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		return nil, recipes.ErrNothingToRepeat
	}
	return all, nil
}

// stopCommands are commands after which a test acts in another document, or not in the order in which it is written.
var stopCommands = []string{
	"selectFrame", "selectWindow", "if", "else if", "else", "end", "while", "do", "repeat if", "times", "forEach",
	"run",
}

func (r *reader) command(n int, base string, c sideCommand) {
	key, isKey := sideKeys[c.Value]
	if strings.Contains(c.Target, "${") || (strings.Contains(c.Value, "${") && !(isKey && c.Command == "sendKeys")) {
		r.note(n, "%s is left out, it has a variable", c.Command)
		return
	}
	selectors := []string{c.Target}
	for _, other := range c.Targets {
		if len(other) > 0 && other[0] != c.Target {
			selectors = append(selectors, other[0])
		}
	}
	defer func() { r.focus = c.Target }()
	switch c.Command {
	case "open":
		r.open(n, resolveURL(base, c.Target))
	case "click", "clickAt":
		r.on(n, selectors, "click_element", nil)
	case "doubleClick", "doubleClickAt":
		r.on(n, selectors, "click_element", map[string]any{"count": 2})
	case "mouseOver":
		r.on(n, selectors, "hover_element", nil)
	case "type":
		r.typeInto(n, selectors, c.Value, false)
	case "select", "addSelection":
		label, ok := strings.CutPrefix(c.Value, "label=")
		if !ok || strings.HasPrefix(label, "regexp:") || strings.HasPrefix(label, "glob:") {
			r.note(n, "%s is left out, it does not name an option", c.Command)
			return
		}
		r.on(n, selectors, "select_option", map[string]any{"values": []any{label}})
	case "sendKeys":
		if !isKey {
			r.typeInto(n, selectors, c.Value, true)
			return
		}
		if r.focus != c.Target {
			r.on(n, selectors, "click_element", nil)
		}
		r.add(n, recipes.Action{Tool: "press_key", Args: map[string]any{"key": key}})
	case "setWindowSize", "mouseOut", "mouseMove", "pause": // a run waits for effects, not for a time
	case "waitForText":
		r.add(n, recipes.Action{Tool: "wait_for", Args: map[string]any{"text": c.Value}})
	default:
		r.note(n, "%s is left out", c.Command)
	}
}

func resolveURL(base, target string) string {
	b, err := url.Parse(base)
	if err != nil {
		return target
	}
	u, err := b.Parse(target)
	if err != nil {
		return target
	}
	return u.String()
}

var sideKeys = map[string]string{
	"${KEY_ENTER}": "Enter", "${KEY_RETURN}": "Enter", "${KEY_TAB}": "Tab", "${KEY_ESC}": "Escape",
	"${KEY_ESCAPE}": "Escape", "${KEY_SPACE}": "Space", "${KEY_UP}": "ArrowUp", "${KEY_DOWN}": "ArrowDown",
	"${KEY_LEFT}": "ArrowLeft", "${KEY_RIGHT}": "ArrowRight", "${KEY_BACKSPACE}": "Backspace",
	"${KEY_DELETE}": "Delete", "${KEY_HOME}": "Home", "${KEY_END}": "End",
}
