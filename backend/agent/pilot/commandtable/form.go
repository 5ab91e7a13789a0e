// Package commandtable is the table of the pilot's commands: the ways to say each, an example, and the tool
// it calls. The grammar, the help, suggestions and completion all come from it. It reads nothing itself.
package commandtable

import "fmt"

// A form is one way of saying a command. What is said is written in a small notation: a word,
// words to choose from (a|b), a choice of several words ((go to|visit)), a question mark behind
// what may be left out, and {argument:kind} where a value stands. Of a choice the first is the
// one that is shown and printed.
type Form struct {
	Pattern string
	Example string
	// means is one sentence without its full stop; empty is the one of the form before it.
	Means string
	// fixed are arguments that these words alone give.
	Fixed map[string]any
	// quiet forms are understood, but neither listed nor offered.
	Hidden bool
	// first is one of the few that a beginner is shown.
	Featured bool
}

// command are the forms that call one tool. The tool "open_*_panel" stands for one of each panel,
// the tool "" for what the pilot answers itself, and "*" for the tool that the words name.
type Command struct {
	Tool  string
	Group string
	// local is what the pilot answers itself: help or tools.
	Builtin string
	Forms   []Form
}

func say(pattern, example, means string) Form {
	return Form{Pattern: pattern, Example: example, Means: means}
}

// also is one more way that is understood; example shows it to the tests.
func also(pattern, example string) Form {
	return Form{Pattern: pattern, Example: example, Hidden: true}
}

// early makes the form one of the few that a beginner is shown.
func (f Form) early() Form {
	f.Featured = true
	return f
}

// with gives the form fixed arguments: name, value, name, value.
func (f Form) with(pairs ...any) Form {
	f.Fixed = map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		f.Fixed[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return f
}
