package importer

import (
	"fmt"
	"net/url"
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

func readSide(base string, tests []sideTest) ([]Imported, error) {
	var all []Imported
	for _, test := range tests {
		var r reader
		for i, c := range test.Commands {
			if !strings.HasPrefix(c.Command, "//") { // a command that is switched off
				r.command(i+1, base, c)
			}
		}
		one, err := r.imported(test.Name)
		if err != nil {
			return nil, fmt.Errorf("test %s: %w", test.Name, err)
		}
		all = append(all, one)
	}
	return all, nil
}

func (r *reader) command(n int, base string, c sideCommand) {
	selectors := []string{c.Target}
	for _, other := range c.Targets {
		if len(other) > 0 && other[0] != c.Target {
			selectors = append(selectors, other[0])
		}
	}
	switch c.Command {
	case "open":
		r.add(recipes.Action{Tool: "navigate_page", Args: map[string]any{"url": resolved(base, c.Target)}})
	case "click", "clickAt", "check", "uncheck":
		r.on(n, selectors, "click_element", nil)
	case "doubleClick", "doubleClickAt":
		r.on(n, selectors, "click_element", map[string]any{"count": 2})
	case "mouseOver":
		r.on(n, selectors, "hover_element", nil)
	case "type":
		r.typeInto(n, selectors, c.Value)
	case "select", "addSelection":
		_, label, found := strings.Cut(c.Value, "=")
		if !found {
			label = c.Value
		}
		r.on(n, selectors, "select_option", map[string]any{"values": []any{label}})
	case "sendKeys":
		if key, ok := sideKeys[c.Value]; ok {
			r.add(recipes.Action{Tool: "press_key", Args: map[string]any{"key": key}})
			return
		}
		r.typeInto(n, selectors, c.Value)
	case "setWindowSize", "mouseOut", "mouseMove", "pause": // every wait has a cause of its own
	case "waitForText":
		r.add(recipes.Action{Tool: "wait_for", Args: map[string]any{"text": c.Value}})
	default:
		r.note(n, "%s is left out", c.Command)
	}
}

func resolved(base, target string) string {
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
