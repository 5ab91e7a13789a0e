package grammar

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sextant/backend/agent/pilot/commandtable"
	"sextant/backend/agent/pilot/grammar/token"
	"sextant/backend/agent/pilot/grammar/value"
	"sextant/shared/annotation"
	"sextant/shared/chat"
	"sextant/shared/event"
)

// Target is an element that a command names by words instead of its number. It is looked up when the command runs,
// because the commands before it may change the page.
type Target struct {
	text  string
	words []string
	// roles are the roles that fit, all if empty.
	roles []string
	// ordinal is which of several equal elements is meant, from 1; -1 is the last, 0 any.
	ordinal int
}

// Words that describe an element but are not part of its name.
const targetFiller = token.Articles + " " + numberFiller + " please page section icon menu option called named"

// Parts of a page that may follow a name: "in the menu".
const pageParts = "menu header footer page navigation sidebar list top bottom"

// readTarget reads a name of 1 to 8 words, the longest first. The words may say which of several is meant.
func readTarget(ts []token.Token, roles string) []value.Parsed {
	var all []value.Parsed
	for n := min(8, len(ts)); n > 0; n-- {
		t := Target{text: token.JoinText(ts[:n]), roles: strings.Fields(roles)}
		for _, one := range withoutPlace(ts[:n]) {
			switch {
			case one.Quoted:
				t.words = append(t.words, token.OfName(one.Text)...)
			case token.IsOneOf(one, "first"):
				t.ordinal = 1
			case token.IsOneOf(one, "second"):
				t.ordinal = 2
			case token.IsOneOf(one, "third"):
				t.ordinal = 3
			case token.IsOneOf(one, "last"):
				t.ordinal = -1
			case token.IsOneOf(one, targetFiller) && !token.IsOneOf(one, "in no"):
			default:
				t.words = append(t.words, token.OfName(one.Text)...)
			}
		}
		if role := token.RolesOf(ts[n-1]); t.ordinal != 0 && len(t.words) == 0 && len(t.roles) == 0 && role != "" {
			t.roles = strings.Fields(role)
			all = append(all, value.Parsed{N: n, Arg: t, Text: t.text})
			continue
		}
		if slices.ContainsFunc(t.words, func(w string) bool { return !token.IsNumber(w) }) {
			text := token.Quote(strings.Join(t.words, " "))
			if t.ordinal != 0 {
				text = map[int]string{1: "first", 2: "second", 3: "third", -1: "last"}[t.ordinal] + " " + text
			}
			all = append(all, value.Parsed{N: n, Arg: t, Text: text})
		}
	}
	return all
}

// withoutPlace returns ts without "in the menu" and the like at the end.
func withoutPlace(ts []token.Token) []token.Token {
	rest := token.SkipEnd(ts, pageParts)
	rest = token.SkipEnd(rest, token.Articles)
	if n := len(rest); n > 1 && n < len(ts) && token.IsOneOf(rest[n-1], "in on at of from") {
		return rest[:n-1]
	}
	return ts
}

// find returns the elements that a target names: those with exactly these words, else those that begin with them, else
// those that contain them. Words that only say what the page is about, such as "lamp" on a page of lamps, are left out
// if nothing has all words.
func (w WindowState) find(t Target) []annotation.Element {
	found := w.withWords(t, t.words)
	if len(found) == 0 && w.Marks != nil && w.Marks() != nil {
		title := token.OfName(w.Marks().Page.Title)
		rest := slices.DeleteFunc(slices.Clone(t.words), func(word string) bool { return slices.Contains(title, word) })
		if len(rest) > 0 && len(rest) < len(t.words) {
			found = w.withWords(t, rest)
		}
	}
	switch n := t.ordinal; {
	case n > 0 && n <= len(found):
		return found[n-1 : n]
	case n < 0 && len(found) > 0:
		return found[len(found)-1:]
	case n != 0:
		return nil
	}
	return found
}

func (w WindowState) withWords(t Target, words []string) []annotation.Element {
	if w.names == nil {
		w = w.Remembering()
	}
	key := strings.Join(t.roles, " ") + ": " + strings.Join(words, " ")
	found, known := w.found[key]
	if !known {
		found = w.lookUp(t, words)
		w.found[key] = found
	}
	return found
}

// lookUp returns the elements with a target's roles whose names fit the words best.
func (w WindowState) lookUp(t Target, words []string) []annotation.Element {
	var best []annotation.Element
	rank := 3
	for _, e := range w.names() {
		if !e.Usable || len(t.roles) > 0 && !slices.Contains(t.roles, e.Role) {
			continue
		}
		now := 3
		switch {
		case slices.Equal(e.words, words), slices.Equal(e.letters, words):
			now = 0
		case len(e.words) >= len(words) && slices.Equal(e.words[:len(words)], words):
			now = 1
		case !slices.ContainsFunc(words, func(word string) bool { return !slices.Contains(e.words, word) }):
			now = 2
		}
		switch {
		case now < rank:
			best, rank = []annotation.Element{e.Element}, now
		case now == rank && now < 3:
			best = append(best, e.Element)
		}
	}
	return best
}

// siteSearch is the first search field of the page.
var siteSearch = Target{text: "search", roles: []string{"searchbox"}, ordinal: 1}

func (f *compiledForm) usesSiteSearch() bool {
	return f.Fixed["annotationId"] == commandtable.SiteSearch
}

// hasSearch reports whether the page in front has a search field.
func (w WindowState) hasSearch() bool {
	if w.PageInFront == nil || !w.PageInFront() {
		return false
	}
	return len(w.find(siteSearch)) > 0
}

// readOffer reads what is put into a basket: "the Fen lamp to my basket" is the button with Fen and basket in its name.
func readOffer(g *Parser, ts []token.Token) ([]value.Parsed, string) {
	if !g.targets {
		return nil, ""
	}
	for i := range ts {
		place := token.Skip(ts[i:], "to in into "+token.Articles)
		if n := len(ts) - len(place); n > i && len(place) > 0 && token.IsOneOf(place[0], "basket cart bag trolley") {
			t := Target{text: token.JoinText(ts[:n+1]), roles: []string{"button"}}
			for _, one := range ts[:i] {
				if token.IsOneOf(one, "is are was were have has had do does did no not if in") {
					return nil, ""
				}
				if token.Meaning(one.Word) != "" {
					t.words = append(t.words, token.OfName(one.Text)...)
				}
			}
			// The page may have another word for it.
			offered := t.words
			for _, basket := range []string{place[0].Word, "basket", "cart", "bag"} {
				t.words = append(slices.Clone(offered), basket)
				if len(offered) > 0 && len(g.Window.find(t)) > 0 {
					break
				}
			}
			return []value.Parsed{{N: n + 1, Arg: t, Text: t.text}}, ""
		}
	}
	return nil, ""
}

// readTabName reads words of a tab's title or host, the most that name one tab.
func readTabName(g *Parser, ts []token.Token) ([]value.Parsed, string) {
	for n := min(8, len(ts)); n > 0; n-- {
		text := token.JoinText(token.SkipEnd(token.Skip(ts[:n], token.Articles+" tab"), "tab"))
		if strings.Contains(text, ".") {
			continue // an address
		}
		words := token.OfName(text)
		var found []int
		for _, t := range g.Window.tabs() {
			name := token.OfName(t.Title + " " + t.URL)
			active := g.Window.ActiveTab != nil && g.Window.ActiveTab() == t.ID
			missing := func(w string) bool { return !slices.Contains(name, w) }
			if len(words) > 0 && !active && !slices.ContainsFunc(words, missing) {
				found = append(found, t.ID)
			}
		}
		if len(found) == 1 {
			return []value.Parsed{{N: n, Arg: found[0], Text: strconv.Itoa(found[0])}}, ""
		}
	}
	return nil, ""
}

// readTabBeside reads the "next" or "previous" tab, or the "other" one of two.
func readTabBeside(g *Parser, ts []token.Token) ([]value.Parsed, string) {
	tabs := g.Window.tabs()
	if len(ts) == 0 || g.Window.ActiveTab == nil {
		return nil, ""
	}
	by := map[string]int{"next": 1, "previous": -1, "other": 1}[ts[0].Word]
	at := slices.IndexFunc(tabs, func(t event.Tab) bool { return t.ID == g.Window.ActiveTab() })
	if at < 0 || by == 0 || len(tabs) < 2 || ts[0].Word == "other" && len(tabs) > 2 {
		return nil, ""
	}
	id := tabs[(at+by+len(tabs))%len(tabs)].ID
	return []value.Parsed{{N: 1, Arg: id, Text: strconv.Itoa(id)}}, ""
}

// choices offers the command of a step with each element that its target can be.
func (parser *Parser) choices(s Step, target string) []chat.Offer {
	found := parser.Window.find(s.targets[target])
	var offers []chat.Offer
	for _, e := range found[:min(MaxChoices, len(found))] {
		offers = append(offers, chat.Offer{
			Command: parser.withNumber(s.named, target, e.ID), Effect: parser.effect(s.named),
			TargetName: token.EscapeLinks(markName(e)),
		})
	}
	return offers
}

// maxLookup is the most words of a name that is looked for on the whole page. More are rather a sentence.
const maxLookup = 3

// mayBeOutOfView reports whether the names in a step are worth looking for on the whole page.
func (s Step) mayBeOutOfView() bool {
	for _, t := range s.targets {
		if s.named.form.Loose || len(t.words) > maxLookup || strings.ContainsAny(t.text, "./") {
			return false
		}
	}
	return len(s.targets) > 0
}

// Lookup returns the call that numbers what a step names on the whole page. It returns false if the step names nothing,
// or what it names is numbered already.
func (parser *Parser) Lookup(s Step) (Step, bool) {
	for _, t := range s.targets {
		if len(parser.Window.find(t)) == 0 && s.mayBeOutOfView() {
			return call(LookupTool, map[string]any{"scope": "page", "query": strings.Join(t.words, " ")}), true
		}
	}
	return Step{}, false
}

// LookupTool is the tool of Lookup.
const LookupTool = "annotate_page"

// NamesElement reports whether a step names an element by words.
func (s Step) NamesElement() bool { return len(s.targets) > 0 }

// Resolve returns a step whose targets are replaced by the numbers of elements. If a target names none or several
// elements, the Problem says so and offers what comes close.
func (parser *Parser) Resolve(s Step) (Step, *Problem) {
	for _, name := range slices.Sorted(maps.Keys(s.targets)) {
		t := s.targets[name]
		found := parser.Window.find(t)
		switch {
		case len(found) == 1:
			s.args[name] = found[0].ID
			continue
		case len(found) == 0:
			return s, &Problem{
				Text: s.Text,
				Hint: fmt.Sprintf("Nothing on the page is called “%s”. Say \"annotate\" for what can be used.",
					token.Abbreviate(t.text)),
			}
		}
		p := &Problem{Text: s.Text, Ambiguous: true, Offers: parser.choices(s, name)}
		p.Hint = fmt.Sprintf("%d things are called “%s”", len(found), token.Abbreviate(t.text))
		if len(found) > 2 {
			p.Hint += ". Which one?" // the offers are listed below
		} else {
			p.Hint += ": " + JoinOffers(p.Offers, " or ") + "."
		}
		return s, p
	}
	if len(s.targets) > 0 {
		resolved := call(s.Tool, s.args)
		s.Args, s.targets = resolved.Args, nil
	}
	return s, parser.alreadyDone(s)
}

// alreadyDone returns a Problem if the element of a step has the state that the step asks for.
func (parser *Parser) alreadyDone(s Step) *Problem {
	var args struct{ AnnotationID int }
	if s.state == "" || json.Unmarshal(s.Args, &args) != nil {
		return nil
	}
	for _, e := range parser.Window.Elements() {
		if e.ID == args.AnnotationID && slices.Contains(e.States, s.state) {
			return &Problem{
				Text: s.Text, Ambiguous: true,
				Hint: "That is " + s.state + " already.",
			}
		}
	}
	return nil
}
