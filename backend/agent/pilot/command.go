package pilot

import (
	"fmt"
	"slices"
	"strings"
)

// command reads ts, which is not empty, as exactly one command. What fits in two ways that differ
// is asked back.
func (g *grammar) command(src string, ts []token, whole bool) (step, *trouble) {
	if ts[0].quoted {
		return step{}, &trouble{hint: "A command does not begin with quotes. Say it without them."}
	}
	if len(ts) == 1 && ts[0].text == "?" {
		return step{local: localHelp, canon: localHelp}, nil
	}
	found, missed := g.fit(src, ts, whole)
	if len(found) == 0 {
		return step{}, g.wanting(missed)
	}
	s := g.step(found[0])
	offers := []Offer{{Say: g.plainly(found[0]), Means: found[0].form.means}}
	for _, m := range found[1:] {
		if m.score < found[0].score {
			break
		}
		other := g.step(m)
		said := g.plainly(m)
		same := func(o Offer) bool { return o.Say == said }
		if (other.tool != s.tool || string(other.args) != string(s.args) || other.local != s.local) && !slices.ContainsFunc(offers, same) {
			offers = append(offers, Offer{Say: said, Means: m.form.means})
		}
	}
	if len(offers) > 1 {
		return step{}, &trouble{hint: "That can be meant in two ways: " + listed(offers, " or ") + ".", offers: offers, asks: true}
	}
	return s, nil
}

// plainly is the match in words that can be read in no other way, where there are any.
func (g *grammar) plainly(m match) string {
	for _, f := range g.forms {
		if f.command != m.form.command || !sameArgs(f, m.form) {
			continue
		}
		said := m.in(f)
		found, _ := g.fit(said, tokens(said), true)
		if len(found) == 1 || len(found) > 1 && found[1].score < found[0].score {
			return said
		}
	}
	return g.print(m)
}

// wanting says what the form needs that came farthest; nothing when none began.
func (g *grammar) wanting(m miss) *trouble {
	if m.form == nil {
		return &trouble{}
	}
	if m.why != "" {
		return &trouble{hint: m.why}
	}
	// One word in common with a command is not the command.
	if m.lits < 2 && (len(m.form.slots()) == 0 || m.left > 3) {
		return &trouble{}
	}
	if m.done >= len(m.form.parts) {
		return &trouble{hint: fmt.Sprintf("That says more than a command does; the nearest is %q.", m.form.shown())}
	}
	var verb, nouns []string
	number := false
	for _, p := range m.form.parts {
		switch {
		case p.kind == nil && len(nouns) == 0 && !p.optional:
			verb = append(verb, p.words[0]...)
		case p.kind != nil:
			nouns = append(nouns, p.kind.noun)
			number = number || p.kind.arg() == "mark"
		}
	}
	if len(nouns) == 0 || len(verb) == 0 {
		return &trouble{hint: fmt.Sprintf("That is not a whole command; the nearest is %q.", m.form.shown())}
	}
	hint := fmt.Sprintf("%s takes %s, for example %s.", strings.Join(verb, " "), strings.Join(nouns, " and "), m.form.example)
	if number {
		hint += " Say \"annotate\" for the numbers."
	}
	return &trouble{hint: hint}
}

// arg is the family of a kind: all that read a number of the page are one.
func (k *kind) arg() string {
	if k.name == "field" || k.name == "list" {
		return "mark"
	}
	return k.name
}

// listed puts offers into a sentence.
func listed(offers []Offer, joint string) string {
	said := make([]string, len(offers))
	for i, o := range offers {
		said[i] = fmt.Sprintf("“%s”", o.Say)
		if o.Name != "" {
			said[i] += " (" + o.Name + ")"
		}
	}
	return strings.Join(said, joint)
}
