package pilot

import (
	"fmt"
	"slices"
	"strings"
)

// A form is one way of saying a command. What is said is written in a small notation: a word,
// words to choose from (a|b), a choice of several words ((go to|visit)), a question mark behind
// what may be left out, and {argument:kind} where a value stands. Of a choice the first is the
// one that is shown and printed.
type form struct {
	say     string
	example string
	// means is one sentence without its full stop; empty is the one of the form before it.
	means string
	// fixed are arguments that these words alone give.
	fixed map[string]any
	// quiet forms are understood, but neither listed nor offered.
	quiet bool
	// first is one of the few that a beginner is shown.
	first bool
}

// command are the forms that call one tool. The tool "open_*_panel" stands for one of each panel,
// the tool "" for what the pilot answers itself, and "*" for the tool that the words name.
type command struct {
	tool  string
	group string
	// local is what the pilot answers itself: help or tools.
	local string
	forms []form
}

func say(pattern, example, means string) form {
	return form{say: pattern, example: example, means: means}
}

// also is one more way that is understood; example shows it to the tests.
func also(pattern, example string) form { return form{say: pattern, example: example, quiet: true} }

// early makes the form one of the few that a beginner is shown.
func (f form) early() form {
	f.first = true
	return f
}

// with gives the form fixed arguments: name, value, name, value.
func (f form) with(pairs ...any) form {
	f.fixed = map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		f.fixed[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return f
}

// element is a part of a form: words to choose from, or a slot.
type element struct {
	words    [][]string
	optional bool
	arg      string
	kind     *kind
}

// compiled is a form that can be matched.
type compiled struct {
	form
	command *command
	parts   []element
	// order is the place in the table.
	order int
}

// rules are the compiled table. They never change, so that all may read them at once.
type rules struct {
	forms []*compiled
	// byWord lists the forms that can begin with a word, open those that begin with a value.
	byWord map[string][]*compiled
	open   []*compiled
	// verbs are the words that forms begin with, each once, words all that stand in forms.
	verbs, words []string
}

// compile reads the table. An error names the form that cannot be read.
func compile(table []command) (*rules, error) {
	r := &rules{byWord: map[string][]*compiled{}}
	for i := range table {
		c := &table[i]
		means := ""
		for _, f := range c.forms {
			parts, err := parts(f.say)
			if err != nil {
				return nil, fmt.Errorf("form %q: %w", f.say, err)
			}
			if f.means == "" {
				f.means = means
			}
			means = f.means
			r.add(&compiled{form: f, command: c, parts: parts, order: len(r.forms)})
		}
	}
	return r, nil
}

func (r *rules) add(f *compiled) {
	r.forms = append(r.forms, f)
	for _, p := range f.parts {
		if p.kind != nil {
			r.open = append(r.open, f)
			break
		}
		for _, w := range p.words {
			if !slices.Contains(r.byWord[w[0]], f) {
				r.byWord[w[0]] = append(r.byWord[w[0]], f)
			}
			if !slices.Contains(r.verbs, w[0]) {
				r.verbs = append(r.verbs, w[0])
			}
		}
		if !p.optional {
			break
		}
	}
	for _, p := range f.parts {
		for _, w := range slices.Concat(p.words...) {
			if !slices.Contains(r.words, w) {
				r.words = append(r.words, w)
			}
		}
	}
}

// parts reads the notation of a form.
func parts(pattern string) ([]element, error) {
	var out []element
	for rest := strings.TrimSpace(pattern); rest != ""; rest = strings.TrimSpace(rest) {
		var e element
		end := strings.IndexByte(rest, ' ')
		switch rest[0] {
		case '(':
			end = strings.IndexByte(rest, ')')
			if end < 0 {
				return nil, fmt.Errorf("a bracket is not closed")
			}
			for alternative := range strings.SplitSeq(rest[1:end], "|") {
				e.words = append(e.words, strings.Fields(alternative))
			}
			end++
		case '{':
			end = strings.IndexByte(rest, '}')
			name, kind, ok := strings.Cut(rest[1:max(1, end)], ":")
			if end < 0 || !ok || kinds[kind] == nil {
				return nil, fmt.Errorf("there is no slot %q", rest)
			}
			e.arg, e.kind = name, kinds[kind]
			end++
		default:
			if end < 0 {
				end = len(rest)
			}
			word := strings.TrimSuffix(rest[:end], "?")
			e.optional = len(word) < end
			for alternative := range strings.SplitSeq(word, "|") {
				e.words = append(e.words, []string{alternative})
			}
		}
		rest = rest[end:]
		if strings.HasPrefix(rest, "?") && !e.optional {
			e.optional, rest = true, rest[1:]
		}
		out = append(out, e)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("it is empty")
	}
	return out, nil
}

// shown is the form as a person reads it: "type TEXT into NUMBER".
func (f *compiled) shown() string {
	var out []string
	for _, p := range f.parts {
		switch {
		case p.kind != nil:
			out = append(out, p.kind.shown)
		case !p.optional:
			out = append(out, strings.Join(p.words[0], " "))
		}
	}
	return strings.Join(out, " ")
}

// slots are the arguments the form takes, in order.
func (f *compiled) slots() []element {
	return slices.DeleteFunc(slices.Clone(f.parts), func(p element) bool { return p.kind == nil })
}

// verbatim reports whether the form takes the rest of its line as it stands.
func (f *compiled) verbatim() bool {
	last := f.parts[len(f.parts)-1].kind
	return last != nil && last.rest
}
