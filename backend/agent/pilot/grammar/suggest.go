package grammar

import (
	"slices"
	"strings"

	"sextant/backend/agent/pilot/grammar/slash"
	"sextant/backend/agent/pilot/grammar/token"
	"sextant/shared/chat"
)

// MaxOffers limits how many commands are offered at once, and MaxChoices how many elements of the same name.
const (
	MaxOffers  = 3
	MaxChoices = 9
)

// Suggest returns up to MaxOffers commands that text was probably meant to be.
func (parser *Parser) Suggest(text string) []chat.Offer {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if name, ok := strings.CutPrefix(text, "/"); ok {
		if near := token.Closest(name[:slash.NameLength(name)], parser.Tools); near != "" {
			return []chat.Offer{{Command: "/" + near + " " + strings.TrimSpace(name[slash.NameLength(name):])}}
		}
		return nil
	}
	ts := token.Split(text)
	if len(ts) == 0 || len(ts) > 40 {
		return nil
	}
	var offers []chat.Offer
	add := func(o chat.Offer) {
		same := func(old chat.Offer) bool { return old.Command == o.Command }
		if o.Command != text && len(offers) < MaxOffers && !slices.ContainsFunc(offers, same) {
			offers = append(offers, o)
		}
	}
	for _, o := range parser.byName(text) {
		add(o)
	}
	for _, corrected := range parser.corrected(text, minOffered) {
		if f, ok := parser.reads(corrected); ok {
			add(chat.Offer{Command: corrected, Effect: f.form.Description})
			continue
		}
		for _, o := range parser.byName(corrected) {
			add(o)
		}
		if plan, problem := parser.Plan(corrected); len(offers) == 0 && problem == nil && parser.allInView(plan) {
			add(chat.Offer{Command: joinSteps(plan)})
		}
	}
	if len(offers) == 0 {
		for _, o := range parser.nearly(text) {
			add(o)
		}
	}
	if len(offers) == 0 {
		for _, o := range parser.byName("click " + text) {
			add(o)
		}
	}
	if f := parser.formOf(ts[0].Text, nil); f != nil && len(ts) == 1 {
		add(chat.Offer{Command: f.Example, Effect: f.Description})
	}
	if name := token.SoleName(ts); len(offers) == 0 && name != "" {
		add(chat.Offer{Command: "open " + name + ".com", Effect: "Opens an address"})
		add(chat.Offer{Command: "search web for " + token.Quote(name), Effect: "Searches the web"})
	}
	return offers
}

func (parser *Parser) corrected(text string, minLength int) []string {
	return token.Corrected(text, minLength, parser.verbs, slices.Concat(parser.words, parser.Window.nameWords()))
}

// effect says what a match does, as the form that is shown for it does.
func (parser *Parser) effect(m match) string { return parser.shownForm(m.form, true).Description }

// nearly offers the commands that have most words of text, in any order.
func (parser *Parser) nearly(text string) []chat.Offer {
	by := *parser
	by.targets = true
	text = token.Plain(text)
	m := &matcher{g: &by, src: text, ts: token.Split(text)}
	if len(m.ts) == 0 {
		return nil
	}
	m.anyOrder(true)
	slices.SortStableFunc(m.found, func(a, b match) int { return b.score - a.score })
	var offers []chat.Offer
	for _, found := range m.found {
		if s := parser.step(found); s.NamesElement() {
			for name := range s.targets {
				offers = append(offers, by.choices(s, name)...)
			}
			continue
		}
		offers = append(offers, chat.Offer{Command: by.canonical(found), Effect: by.effect(found)})
	}
	return offers
}

func (parser *Parser) reads(text string) (match, bool) {
	ts := token.Split(text)
	if len(ts) == 0 {
		return match{}, false
	}
	found, _ := parser.fit(text, ts, true)
	if len(found) == 0 {
		return match{}, false
	}
	return found[0], true
}

// byName offers the numbers of elements that text names: "click the add button".
func (parser *Parser) byName(text string) []chat.Offer {
	by := *parser
	by.targets = true
	plan, problem := by.plan(text)
	if problem != nil || len(plan) != 1 || len(plan[0].targets) != 1 {
		return nil
	}
	for name := range plan[0].targets {
		return parser.choices(plan[0], name)
	}
	return nil
}

func (parser *Parser) formOf(tool string, with map[string]string) *compiledForm {
	best, most := (*compiledForm)(nil), -1
	for _, f := range parser.Forms {
		if f.command.Tool != tool || f.Hidden {
			continue
		}
		fits := 0
		for name, v := range with {
			fixed, hasFixed := f.Fixed[name].(string)
			hasSlot := slices.ContainsFunc(f.parts, func(p formPart) bool { return p.kind != nil && p.arg == name })
			switch {
			case hasFixed && fixed == v || hasSlot && v == "", f.Fixed[name] == true && v == "":
				fits += 2
			case hasSlot || hasFixed && v == "":
				fits++
			}
		}
		if fits > most {
			best, most = f, fits
		}
	}
	if most == 0 && len(with) > 0 {
		return nil
	}
	return best
}
