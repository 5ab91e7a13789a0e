// Package grammar parses messages to the pilot: it splits them into commands, matches each command with the forms of
// the command table, and reads the values in it. It also suggests commands on a near miss, completes a message that is
// being typed, and explains commands. It runs nothing.
package grammar

import (
	"fmt"
	"slices"
	"strings"

	"sextant/backend/agent/pilot/commandtable"
)

type formPart struct {
	words    [][]string
	optional bool
	arg      string
	kind     *valueKind
}

type compiledForm struct {
	commandtable.Form
	command *commandtable.Command
	parts   []formPart
	order   int
}

// Rules is the compiled table. It is immutable and safe for concurrent use.
type Rules struct {
	Forms []*compiledForm
	// byWord lists the forms that can start with a word, open those that start with a value.
	byWord       map[string][]*compiledForm
	open         []*compiledForm
	verbs, words []string
}

// Compile compiles the table. The error names the invalid form.
func Compile(table []commandtable.Command) (*Rules, error) {
	r := &Rules{byWord: map[string][]*compiledForm{}}
	for i := range table {
		c := &table[i]
		means := ""
		for _, f := range c.Forms {
			parts, err := parsePattern(f.Pattern)
			if err != nil {
				return nil, fmt.Errorf("form %q: %w", f.Pattern, err)
			}
			if f.Description == "" {
				f.Description = means
			}
			means = f.Description
			r.add(&compiledForm{Form: f, command: c, parts: parts, order: len(r.Forms)})
		}
	}
	return r, nil
}

func (r *Rules) add(f *compiledForm) {
	r.Forms = append(r.Forms, f)
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

func parsePattern(pattern string) ([]formPart, error) {
	var out []formPart
	for rest := strings.TrimSpace(pattern); rest != ""; rest = strings.TrimSpace(rest) {
		var e formPart
		end := strings.IndexByte(rest, ' ')
		switch rest[0] {
		case '(':
			end = strings.IndexByte(rest, ')')
			if end < 0 {
				return nil, fmt.Errorf("a parenthesis is not closed")
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

// Usage returns the form as people read it: "type TEXT into NUMBER".
func (f *compiledForm) Usage() string {
	var out []string
	for _, p := range f.parts {
		switch {
		case p.kind != nil:
			out = append(out, p.kind.placeholder)
		case !p.optional:
			out = append(out, strings.Join(p.words[0], " "))
		}
	}
	return strings.Join(out, " ")
}

// Slots returns the slots of the form, in order.
func (f *compiledForm) Slots() []formPart {
	return slices.DeleteFunc(slices.Clone(f.parts), func(p formPart) bool { return p.kind == nil })
}

func (f *compiledForm) verbatim() bool {
	last := f.parts[len(f.parts)-1].kind
	return last != nil && last.restOfLine
}
