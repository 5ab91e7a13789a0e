package grammar

import (
	"fmt"
	"slices"
	"strings"

	"sextant/backend/agent/pilot/commandtable"
	"sextant/backend/agent/pilot/grammar/token"
	"sextant/shared/chat"
)

// command parses ts, which is not empty, as exactly one command. If two different commands fit, the Problem asks
// which one is meant.
func (parser *Parser) command(src string, ts []token.Token, whole bool) (Step, *Problem) {
	if ts[0].Quoted {
		return Step{}, &Problem{Hint: "A command does not begin with quotes. Say it without them."}
	}
	if len(ts) == 1 && ts[0].Text == "?" {
		return Step{Builtin: commandtable.BuiltinHelp, canonical: commandtable.BuiltinHelp}, nil
	}
	found, missed := parser.fit(src, ts, whole)
	if len(found) == 0 {
		return Step{}, parser.missingPart(missed)
	}
	found = parser.withTargets(found)
	s := parser.step(found[0])
	offers := []chat.Offer{{Command: parser.unambiguous(found[0]), Effect: found[0].form.Description}}
	for _, m := range found[1:] {
		if m.score < found[0].score {
			break
		}
		other := parser.step(m)
		text := parser.unambiguous(m)
		same := func(o chat.Offer) bool { return o.Command == text }
		if (other.Tool != s.Tool || string(other.Args) != string(s.Args) || other.Builtin != s.Builtin) &&
			!slices.ContainsFunc(offers, same) {
			offers = append(offers, chat.Offer{Command: text, Effect: m.form.Description})
		}
	}
	if len(offers) > 1 {
		return Step{}, &Problem{
			Hint:      "That can be meant in two ways: " + JoinOffers(offers, " or ") + ".",
			Offers:    offers,
			Ambiguous: true,
		}
	}
	return s, nil
}

// withTargets returns the matches whose targets are on the page, all of them if none is.
func (parser *Parser) withTargets(found []match) []match {
	if there := slices.DeleteFunc(slices.Clone(found), parser.misses); len(there) > 0 {
		return there
	}
	return found
}

// misses reports whether a match names something that is not on the page.
func (parser *Parser) misses(m match) bool {
	for _, v := range m.args {
		if t, ok := v.(Target); ok && len(parser.Window.find(t)) == 0 {
			return true
		}
	}
	return false
}

func (parser *Parser) unambiguous(m match) string {
	for _, f := range parser.Forms {
		if f.command != m.form.command || !sameArgs(f, m.form, false) {
			continue
		}
		text := m.format(f)
		found, _ := parser.fit(text, token.Split(text), true)
		if len(found) == 1 || len(found) > 1 && found[1].score < found[0].score {
			return text
		}
	}
	return parser.canonical(m)
}

func (parser *Parser) missingPart(m nearMiss) *Problem {
	if m.form == nil {
		return &Problem{}
	}
	if m.why != "" {
		return &Problem{Hint: m.why}
	}
	// One matching word is not enough.
	if m.literals < 2 && (len(m.form.Slots()) == 0 || m.left > 3) {
		return &Problem{}
	}
	if m.done >= len(m.form.parts) {
		return &Problem{Hint: fmt.Sprintf("That says more than a command does; the nearest is %q.", m.form.Usage())}
	}
	var verb, nouns []string
	number := false
	for _, p := range m.form.parts {
		switch {
		case p.kind == nil && len(nouns) == 0 && !p.optional:
			verb = append(verb, p.words[0]...)
		case p.kind != nil:
			nouns = append(nouns, p.kind.noun)
			number = number || p.kind.family() == "mark"
		}
	}
	if len(nouns) == 0 || len(verb) == 0 {
		return &Problem{Hint: fmt.Sprintf("That is not a whole command; the nearest is %q.", m.form.Usage())}
	}
	hint := fmt.Sprintf(
		"%s takes %s, for example %s.",
		strings.Join(verb, " "),
		strings.Join(nouns, " and "),
		m.form.Example,
	)
	if number {
		hint += " Say \"annotate\" for the numbers."
	}
	return &Problem{Hint: hint}
}

// family returns the name of k, or "mark" for every kind that reads an annotation's number.
func (k *valueKind) family() string {
	if k.name == "field" || k.name == "list" {
		return "mark"
	}
	return k.name
}

// JoinOffers quotes offers in a sentence, with joint between them.
func JoinOffers(offers []chat.Offer, joint string) string {
	words := make([]string, len(offers))
	for i, o := range offers {
		words[i] = fmt.Sprintf("“%s”", o.Command)
		if o.TargetName != "" {
			words[i] += " (" + o.TargetName + ")"
		}
	}
	return strings.Join(words, joint)
}
