package grammar

import (
	"maps"
	"slices"
	"strings"

	"sextant/backend/agent/pilot/commandtable"
	"sextant/backend/agent/pilot/grammar/token"
	"sextant/backend/agent/pilot/grammar/value"
	"sextant/shared/annotation"
)

// Matching in any order is for messages that are no command as they are written. A form matches if each word of the
// message that means something is a word of the form, by meaning, or part of one of its values. Nothing may be left
// over, so a message that says more than a command does matches none.

// maxAnyOrder is the most words of a message that is matched in any order.
const maxAnyOrder = 24

// literalKinds are the kinds of values that any words can be, so that they have to stand in their place.
const literalKinds = "word tool made part json script query rest removal anykey phrase content rename move copy " +
	"newfolder program"

// wordMeaning is a token with the meaning of its word: "" for a word that adds nothing.
type wordMeaning struct {
	token.Token
	meaning string
	weak    bool
	used    bool
}

// anyOrder adds the forms whose words and values are those of the message in any order. If nearly is set, it adds those
// that have most of them, for offers.
func (m *matcher) anyOrder(nearly bool) {
	if len(m.ts) > maxAnyOrder || !nearly && token.Negates(m.ts) {
		return
	}
	said := make([]wordMeaning, len(m.ts))
	for i, t := range m.ts {
		said[i] = wordMeaning{Token: t, meaning: t.Text}
		if !t.Quoted {
			said[i].meaning = token.Meaning(t.Word)
			said[i].weak = token.IsWeak(said[i].meaning)
		}
	}
	says := func(meaning string) bool {
		return slices.ContainsFunc(said, func(t wordMeaning) bool { return t.meaning == meaning })
	}
	if says("close") && says("all") {
		return // nothing closes more than one thing
	}
	asks := !nearly && isQuestion(m.src, m.ts)
	for _, f := range m.g.Forms {
		if f.usesSiteSearch() && !m.g.Window.hasSearch() || f.fixedOrder() ||
			asks && !f.answers() && f.command.Tool != clickTool {
			continue
		}
		a := &unorderedMatcher{m: m, form: f, said: slices.Clone(said), nearly: nearly, asks: asks}
		a.walk(0, match{form: f, args: map[string]any{}, texts: map[string]string{}})
	}
}

// readingTools are tools that answer a question without changing anything.
const readingTools = "downloads git_read get_selection list_directory find_files search_files browser_history " +
	"browser_bookmarks console_messages system_info select_text file_info read_file annotate_page page_outline " +
	"get_page_content " + commandtable.PanelTool

// isQuestion reports whether a message asks something, rather than asks for something.
func isQuestion(src string, ts []token.Token) bool {
	if all := token.Split(src); len(all) > 0 && token.IsOneOf(all[0], "can could would will please may") {
		return false
	}
	return token.IsOneOf(ts[0], questionWords) || strings.HasSuffix(strings.TrimSpace(src), "?")
}

const questionWords = "is are was were have has did does do am what what's whats which where where's who how"

// answers reports whether a form only reads.
func (f *compiledForm) answers() bool {
	return f.command.Builtin != "" || f.Fixed["action"] == "list" ||
		slices.Contains(strings.Fields(readingTools), f.command.Tool)
}

// fixedOrder reports whether the order of the words matters in f: it has values that any words can be, or it is only
// meant by those who know its words.
func (f *compiledForm) fixedOrder() bool {
	free, families := 0, map[string]bool{}
	if slices.Contains(strings.Fields(orderedTools), f.command.Tool) {
		return true
	}
	for _, p := range f.Slots() {
		if slices.Contains(strings.Fields(literalKinds), p.kind.name) || families[p.kind.family()] {
			return true
		}
		families[p.kind.family()] = true
		if p.kind.freeText {
			free++
		}
	}
	return free > 1
}

// orderedTools are tools whose commands are taken only as they are written.
const orderedTools = "http_request press_key write_file edit_file handle_dialog enhance_baseline_prompt"

const clickTool = "click_element"

// unorderedMatcher matches the words of one form.
type unorderedMatcher struct {
	m    *matcher
	form *compiledForm
	said []wordMeaning
	// nearly allows words that are left over. asks allows only what changes nothing.
	nearly, asks bool
	// words counts the words that matched, without weak ones, fillers those that add nothing, and values the values
	// that are no free text.
	words, fillers, values int
}

func (b *unorderedMatcher) walk(e int, soFar match) bool {
	if e == len(b.form.parts) {
		return b.end(soFar)
	}
	p := b.form.parts[e]
	switch {
	case p.kind == nil:
		return b.literals(e, soFar)
	case p.kind.freeText:
		return b.walk(e+1, soFar)
	}
	for _, r := range b.readings(p.kind) {
		next := soFar
		next.score += 3
		if _, byName := r.Arg.(Target); byName {
			next.score -= 2
		}
		next.args, next.texts = maps.Clone(soFar.args), maps.Clone(soFar.texts)
		next.args[p.arg], next.texts[p.arg] = r.Arg, r.Text
		b.use(r.at, r.at+r.N, true)
		b.values++
		found := b.walk(e+1, next)
		b.use(r.at, r.at+r.N, false)
		b.values--
		if found {
			return true
		}
	}
	return p.optional && b.walk(e+1, soFar)
}

// placedValue is a value that begins at a word.
type placedValue struct {
	value.Parsed
	at int
}

// readings returns the values that unused words can be, the longest first.
func (b *unorderedMatcher) readings(k *valueKind) []placedValue {
	var all []placedValue
	for i, t := range b.said {
		if t.used || t.meaning == "" {
			continue
		}
		end := i
		for end < len(b.said) && !b.said[end].used {
			end++
		}
		readings, _ := k.read(b.m.g, b.m.ts[i:end])
		for _, r := range readings {
			target, byName := r.Arg.(Target)
			if byName && len(b.m.g.Window.find(target)) > 0 || !byName && b.m.g.looksTyped(k, r, b.m.ts[i:]) {
				all = append(all, placedValue{r, i})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b placedValue) int { return b.N - a.N })
	return all
}

func (b *unorderedMatcher) use(from, to int, used bool) {
	for i := from; i < to; i++ {
		b.said[i].used = used
	}
}

// looksTyped reports whether a value is of its kind also where its place in the sentence does not say so.
func (parser *Parser) looksTyped(k *valueKind, r value.Parsed, ts []token.Token) bool {
	last := ts[r.N-1]
	switch k.name {
	case "path":
		return strings.Contains(last.Text[strings.LastIndexByte(last.Text, '/')+1:], ".")
	case "folder":
		return strings.ContainsAny(last.Text, "./\\~")
	case "ending":
		return value.IsEnding(strings.TrimPrefix(last.Word, "."))
	case "key":
		return len(r.Text) > 1
	case "mark", "field", "textfield", "list":
		id, isNumber := r.Arg.(int)
		return isNumber && parser.Window.hasElement(id)
	}
	return true
}

// literals matches a part of words, by their meanings and anywhere in the message.
func (b *unorderedMatcher) literals(e int, soFar match) bool {
	p := b.form.parts[e]
	for _, words := range p.words {
		var at []int
		ok, weak := true, true
		for _, w := range words {
			meaning := token.Meaning(w)
			if meaning == "" && !b.form.hasFreeText() {
				continue
			}
			i := slices.IndexFunc(b.said, func(t wordMeaning) bool {
				return !t.used && !t.Quoted && (t.meaning == meaning && meaning != "" || t.Word == w)
			})
			switch {
			case i >= 0:
				at = append(at, i)
				b.said[i].used = true
				weak = weak && (b.said[i].weak || meaning == "")
			case meaning != "page":
				ok = false
			}
		}
		next := soFar
		next.score += 4 * len(at)
		if !weak {
			b.words++
		}
		b.fillers += len(at)
		found := ok && b.walk(e+1, next)
		b.fillers -= len(at)
		for _, i := range at {
			b.said[i].used = false
		}
		if !weak {
			b.words--
		}
		if found {
			return true
		}
	}
	return p.optional && b.walk(e+1, soFar)
}

// end gives what is left over to the free text of the form, and accepts the match if nothing else is left.
func (b *unorderedMatcher) end(soFar match) bool {
	if b.words == 0 && (b.values == 0 || b.form.hasFreeText() && b.fillers == 0) {
		return false
	}
	if b.nearly {
		return b.endNearly(soFar)
	}
	first, left := b.leftOver()
	if left > 0 && b.words == 0 || !b.isCertain(soFar) {
		return false
	}
	soFar.score -= left
	for _, p := range b.form.parts {
		if p.kind == nil || !p.kind.freeText {
			continue
		}
		used := func(t wordMeaning) bool { return t.used }
		before := slices.IndexFunc(b.said, used)
		if first < 0 || before > first || slices.ContainsFunc(b.said[first:], used) {
			return false
		}
		first = b.textStart(first)
		if p.kind.accepts != nil && !p.kind.accepts(b.m.ts[first:]) {
			return false
		}
		what := text(b.m.src, b.m.ts[first:])
		what = strings.TrimRight(what, ",;?!.")
		soFar.args, soFar.texts = maps.Clone(soFar.args), maps.Clone(soFar.texts)
		soFar.args[p.arg], soFar.texts[p.arg] = what, token.Quote(what)
		if p.kind.name == "values" {
			soFar.args[p.arg] = []string{what}
		}
		first = -1
	}
	if first >= 0 {
		return false
	}
	b.m.found = append(b.m.found, soFar)
	return true
}

// leftOver returns the first word that is left over, -1 for none, and how many weak words are.
func (b *unorderedMatcher) leftOver() (first, weak int) {
	first = -1
	for i, t := range b.said {
		switch {
		case t.used || t.meaning == "":
		case t.weak && !b.form.hasFreeText():
			weak++
		case first < 0:
			first = i
		}
	}
	return first, weak
}

// isCertain reports whether the values of a match can be nothing else.
func (b *unorderedMatcher) isCertain(m match) bool {
	for _, v := range m.args {
		if t, ok := v.(Target); ok && !b.isCertainTarget(t) {
			return false
		}
		if _, isNumber := v.(int); isNumber && (b.words == 0 || b.asks) {
			return false
		}
	}
	return true
}

// isCertainTarget reports whether a name that is said without its place in a sentence means an element. Without a verb,
// all words of its name are needed. An element that has a state, such as a check box, needs a verb that says what to do
// with it. A question only follows links.
func (b *unorderedMatcher) isCertainTarget(t Target) bool {
	found := b.m.g.Window.find(t)
	return len(found) > 0 && !slices.ContainsFunc(found, func(e annotation.Element) bool {
		whole := slices.Equal(token.OfName(e.Name), t.words) && t.ordinal == 0
		hasState := len(e.States) > 0
		return b.asks && e.Role != "link" || b.words == 0 && !whole ||
			hasState && b.form.Loose || !hasState && b.form.State != ""
	})
}

// endNearly accepts a match if hardly more words are left over than matched.
func (b *unorderedMatcher) endNearly(soFar match) bool {
	matched, left := 0, 0
	for _, t := range b.said {
		switch {
		case t.meaning == "" || t.weak:
		case t.used:
			matched++
		default:
			left++
		}
	}
	if left > matched+1 || matched == 0 || b.form.hasFreeText() {
		return false
	}
	soFar.score -= 3 * left
	b.m.found = append(b.m.found, soFar)
	return true
}

// textStart returns where a text begins whose first word that means something is at first: after the words of the
// form, without those that only lead to it.
func (b *unorderedMatcher) textStart(first int) int {
	for first > 0 && !b.said[first-1].used &&
		!token.IsOneOf(b.said[first-1].Token, "for to about me the a an some my") {
		first--
	}
	return first
}

func (f *compiledForm) hasFreeText() bool {
	return slices.ContainsFunc(f.parts, func(p formPart) bool { return p.kind != nil && p.kind.freeText })
}
