// Package commandtable is the table of the pilot's commands: the forms of each command with examples, and the tool it
// calls.
package commandtable

import "fmt"

// Form is one way to write a command. Pattern consists of words, alternative words a|b, alternative phrases (go
// to|visit) and values {argument:kind}; a question mark after a part makes it optional. The first alternative is the
// one that is shown.
type Form struct {
	Pattern string
	Example string
	// Description is one sentence without its full stop; empty means the same as the form before.
	Description string
	// Fixed contains arguments that this form sets without a slot.
	Fixed map[string]any
	// Hidden means that the form is understood, but neither listed nor offered.
	Hidden bool
	// Loose means that a name in the form may mean something else, so that it must be in view.
	Loose bool
	// State is the state of the element that the command asks for: "checked" or "unchecked", "" for none. An element
	// that has it is left alone.
	State string
	// Featured marks the few forms that beginners are shown.
	Featured bool
}

// Command groups the forms that call one tool. Tool is a tool's name, PanelTool, NamedTool, or "" if the pilot
// answers itself.
type Command struct {
	Tool  string
	Group string
	// Panel is the panel whose tool it is, "" for none. The pilot opens it first.
	Panel string
	// Builtin is the command that the pilot answers itself: "help" or "tools".
	Builtin string
	Forms   []Form
}

func visibleForm(pattern, example, means string) Form {
	return Form{Pattern: pattern, Example: example, Description: means}
}

// hiddenForm returns another way that is understood but not shown; the tests use example.
func hiddenForm(pattern, example string) Form {
	return Form{Pattern: pattern, Example: example, Hidden: true}
}

func (f Form) loose() Form {
	f.Loose = true
	return f
}

func (f Form) unless(state string) Form {
	f.State = state
	return f
}

func (f Form) featured() Form {
	f.Featured = true
	return f
}

// withArgs returns f with fixed arguments: name, value, name, value.
func (f Form) withArgs(pairs ...any) Form {
	f.Fixed = map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		f.Fixed[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return f
}
