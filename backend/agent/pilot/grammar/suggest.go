package grammar

import (
	"slices"
	"strings"

	"sextant/shared/chat"
)

// MaxOffers limits how many commands are offered at once.
const MaxOffers = 3

// Suggest returns up to MaxOffers commands that text was probably meant to be.
func (parser *Parser) Suggest(text string) []chat.Offer {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if name, ok := strings.CutPrefix(text, "/"); ok {
		if near := Closest(name[:toolName(name)], parser.Tools); near != "" {
			return []chat.Offer{{Command: "/" + near + " " + strings.TrimSpace(name[toolName(name):])}}
		}
		return nil
	}
	ts := tokens(text)
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
	for _, o := range parser.byName(text, ts) {
		add(o)
	}
	for i, t := range ts[:min(6, len(ts))] {
		known := parser.words
		if i == 0 {
			known = parser.verbs
		}
		if t.quoted || len(t.word) < 3 || slices.Contains(known, t.word) {
			continue
		}
		near := Closest(t.word, known)
		if near == "" {
			continue
		}
		corrected := text[:t.start] + near + text[t.end:]
		if f, ok := parser.reads(corrected); ok {
			add(chat.Offer{Command: corrected, Effect: f.form.Description})
			continue
		}
		named := parser.byName(corrected, tokens(corrected))
		for _, o := range named {
			add(o)
		}
		if i == 0 && len(named) == 0 {
			add(chat.Offer{Command: corrected})
		}
	}
	if f := parser.formOf(ts[0].text, nil); f != nil && len(ts) == 1 {
		add(chat.Offer{Command: f.Example, Effect: f.Description})
	}
	return offers
}

func (parser *Parser) reads(text string) (match, bool) {
	ts := tokens(text)
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
func (parser *Parser) byName(text string, ts []token) []chat.Offer {
	by := *parser
	by.naming = true
	found, _ := by.fit(text, ts, true)
	var offers []chat.Offer
	for _, m := range found {
		for _, p := range m.form.Slots() {
			id, ok := m.args[p.arg].(int)
			if e, known := parser.Window.mark(id); ok && known && p.kind.family() == "mark" {
				offers = append(
					offers,
					chat.Offer{
						Command: parser.canonical(m), Effect: m.form.Description,
						TargetName: EscapeLinks(markName(e)),
					},
				)
				break
			}
		}
	}
	return offers
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

// Closest returns the name with the smallest edit distance to word, "" if no name is close.
func Closest(word string, names []string) string {
	if len(word) > 64 {
		return ""
	}
	best, most := "", min(3, max(1, len(word)/3))
	for _, n := range names {
		if len(word) < 3 {
			break
		}
		if d := distance(word, n); d <= most {
			best, most = n, d-1
		}
	}
	return best
}

// distance counts insertions, deletions, substitutions and transpositions of bytes (optimal string alignment).
func distance(a, b string) int {
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
