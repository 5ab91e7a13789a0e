// Package commandtable is the table of the pilot's commands: the ways to say each, an example, and the tool
// it calls. The grammar, the help, suggestions and completion all come from it. It reads nothing itself.
package commandtable

import "fmt"

// A Form is one way to say a command. Pattern is written in a small notation: a word, a choice of words
// (a|b), a choice of phrases ((go to|visit)), a question mark after what is optional, and {argument:kind} for
// a value. The first of a choice is the one that is shown and printed.
type Form struct {
	Pattern string
	Example string
	// Means is one sentence without its full stop; empty repeats that of the form before.
	Means string
	// Fixed are arguments that this form sets without a placeholder.
	Fixed map[string]any
	// Hidden forms are understood, but neither listed nor offered.
	Hidden bool
	// Featured marks the few that beginners are shown.
	Featured bool
}

// Command is the forms that call one tool. The tool "open_*_panel" stands for one tool per panel, "" for what
// the pilot answers itself, and "*" for the tool named in the words.
type Command struct {
	Tool  string
	Group string
	// Builtin is what the pilot answers itself: help or tools.
	Builtin string
	Forms   []Form
}

func visibleForm(pattern, example, means string) Form {
	return Form{Pattern: pattern, Example: example, Means: means}
}

// hiddenForm is another way that is understood; the tests use example.
func hiddenForm(pattern, example string) Form {
	return Form{Pattern: pattern, Example: example, Hidden: true}
}

// featured marks the form as one that beginners are shown.
func (f Form) featured() Form {
	f.Featured = true
	return f
}

// withArgs sets fixed arguments: name, value, name, value.
func (f Form) withArgs(pairs ...any) Form {
	f.Fixed = map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		f.Fixed[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return f
}
