package grammar

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sextant/backend/agent/pilot/commandtable"
	"sextant/backend/agent/pilot/grammar/token"
	"sextant/backend/agent/pilot/grammar/value"
)

// Parser parses one message. Tools names the tools that can be called; it, DemoURL and Window affect the result.
type Parser struct {
	*Rules
	Tools   []string
	DemoURL func() string
	Window  WindowState
	// targets allows a Target in place of an annotation's number.
	targets bool
	// inAnyOrder allows the words of a form in any order and in other words.
	inAnyOrder bool
	// partial is the unfinished last word, for completion.
	partial string
}

type match struct {
	form  *compiledForm
	args  map[string]any
	texts map[string]string
	score int
	// open is set if the match ends with unquoted text.
	open bool
}

// nearMiss is a form whose first done parts matched the tokens before at. why says why the next part did not match,
// "" if that is obvious.
type nearMiss struct {
	form     *compiledForm
	done, at int
	left     int
	literals int
	why      string
	certain  bool
}

type matcher struct {
	g       *Parser
	src     string
	ts      []token.Token
	whole   bool
	found   []match
	miss    nearMiss
	certain bool
}

func (parser *Parser) fit(src string, ts []token.Token, whole bool) ([]match, nearMiss) {
	m := &matcher{g: parser, src: src, ts: ts, whole: whole, miss: nearMiss{at: -1}}
	if !ts[0].Quoted {
		for k := 0; k < len(ts); k++ {
			for _, f := range parser.byWord[ts[k].Word] {
				m.tryForm(f)
			}
			if !token.IsOneOf(ts[k], token.Articles) {
				break
			}
		}
	}
	for _, f := range parser.open {
		m.tryForm(f)
	}
	if parser.inAnyOrder {
		m.found = slices.DeleteFunc(m.found, parser.misses)
	}
	if parser.inAnyOrder && len(m.found) == 0 {
		m.anyOrder(false)
	}
	slices.SortStableFunc(m.found, func(a, b match) int { return b.score - a.score })
	return m.found, m.miss
}

func (m *matcher) tryForm(f *compiledForm) {
	if f.usesSiteSearch() && !m.g.Window.hasSearch() {
		return
	}
	m.walk(f, 0, 0, 0, match{form: f, args: map[string]any{}, texts: map[string]string{}})
}

// walk matches the parts of f from e on with the tokens from t on. soFar contains the values already read. It
// stops at the first match.
func (m *matcher) walk(f *compiledForm, e, t, lits int, soFar match) bool {
	if e == len(f.parts) {
		if t != len(m.ts) {
			m.recordMiss(f, e, t, lits, "")
			return false
		}
		soFar.score += 4 * lits
		if f.usesSiteSearch() {
			soFar.score++ // the site's own search is meant first
		}
		soFar.args, soFar.texts = maps.Clone(soFar.args), maps.Clone(soFar.texts)
		m.found = append(m.found, soFar)
		return true
	}
	p := f.parts[e]
	if p.kind == nil {
		for _, words := range p.words {
			if n := matchWords(m.ts[t:], words); n > 0 && m.walk(f, e+1, t+n, lits+len(words), soFar) {
				return true
			}
		}
		if p.optional {
			return m.walk(f, e+1, t, lits, soFar)
		}
		m.recordMiss(f, e, t, lits, "")
		return false
	}
	readings, why := m.slot(p.kind, t)
	m.certain = why != "" && p.kind.certain
	for _, r := range readings {
		next := soFar
		if _, byWords := r.Arg.(Target); byWords {
			next.score++
		} else if !p.kind.freeText {
			next.score += 3
		}
		next.open = p.kind.freeText && e == len(f.parts)-1 && !(r.N == 1 && m.ts[t].Quoted)
		next.args, next.texts = maps.Clone(soFar.args), maps.Clone(soFar.texts)
		next.args[p.arg], next.texts[p.arg] = r.Arg, r.Text
		if m.walk(f, e+1, t+r.N, lits, next) {
			return true
		}
	}
	m.recordMiss(f, e, t, lits, why)
	return false
}

func (m *matcher) recordMiss(f *compiledForm, e, t, lits int, why string) {
	now := nearMiss{form: f, done: e, at: t, left: len(m.ts) - t, literals: lits, why: why, certain: m.certain &&
		why != ""}
	old := m.miss
	better := func() bool {
		if lits == 0 {
			return false
		}
		if now.certain != old.certain {
			return now.certain
		}
		if (why != "") != (old.why != "") {
			return why != ""
		}
		if t != old.at {
			return t > old.at
		}
		return f.order < old.form.order
	}
	if old.form == nil && lits > 0 || old.form != nil && better() {
		m.miss = now
	}
}

// matchWords returns how many tokens at the start of ts match words, including token.Articles; 0 for no match.
func matchWords(ts []token.Token, words []string) int {
	n := 0
	for _, w := range words {
		for n < len(ts) && ts[n].Word != w && token.IsOneOf(ts[n], token.Articles) {
			n++
		}
		if n == len(ts) || ts[n].Quoted || ts[n].Word != w {
			return 0
		}
		n++
	}
	return n
}

func (m *matcher) slot(k *valueKind, t int) ([]value.Parsed, string) {
	ts := m.ts[t:]
	switch {
	case len(ts) == 0:
		return nil, ""
	case k.restOfLine:
		if !m.whole || t == 0 {
			return nil, ""
		}
		return m.rest(k, strings.TrimSpace(m.src[m.ts[t-1].End:]), len(ts))
	case !k.freeText:
		all, why := k.read(m.g, ts)
		rest := token.Skip(ts, token.Articles)
		if n := len(ts) - len(rest); len(all) == 0 && n > 0 && len(rest) > 0 {
			if all, why = k.read(m.g, rest); len(all) > 0 {
				for i := range all {
					all[i].N += n
				}
			}
		}
		return all, why
	}
	var all []value.Parsed
	for n := len(ts); n > 0; n-- {
		if k.name == "values" {
			list := values(m.src, ts[:n])
			words := make([]string, len(list))
			for i, v := range list {
				words[i] = token.Quote(v)
			}
			all = append(all, value.Parsed{N: n, Arg: list, Text: strings.Join(words, " and ")})
			continue
		}
		what := text(m.src, token.WithoutNoun(ts[:n]))
		if n == len(ts) && !(n == 1 && ts[0].Quoted) {
			what = strings.TrimRight(what, ",;")
		}
		if (what != "" || n == 1) && (k.accepts == nil || k.accepts(ts[:n])) {
			all = append(all, value.Parsed{N: n, Arg: what, Text: token.Quote(what)})
		}
	}
	return all, ""
}

// inTerminal matches what is said after a command line but is no part of it.
var inTerminal = regexp.MustCompile(`(?i) in (the |a )?(terminal|shell|console)( please)?[.!]?$`)

func (m *matcher) rest(k *valueKind, what string, n int) ([]value.Parsed, string) {
	if line := inTerminal.ReplaceAllString(what, ""); k.name == "rest" && line != what {
		what = line
		if ts := token.Split(line); len(ts) == 1 && ts[0].Quoted {
			what = ts[0].Text
		}
	}
	if what == "" || k.name == "rest" && strings.HasPrefix(what, "the ") {
		return nil, "" // "run the tests" names no command
	}
	if k.name != "json" {
		return []value.Parsed{{N: n, Arg: what, Text: what}}, ""
	}
	var flat bytes.Buffer
	if what[0] != '{' || json.Compact(&flat, []byte(what)) != nil {
		return nil, "The arguments are one JSON object, for example {\"name\": \"value\"}."
	}
	return []value.Parsed{{N: n, Arg: json.RawMessage(flat.Bytes()), Text: flat.String()}}, ""
}

// text returns the tokens as written, without the quotes if they are one quoted text.
func text(src string, part []token.Token) string {
	if len(part) == 1 && part[0].Quoted {
		return part[0].Text
	}
	return strings.TrimSpace(src[part[0].Start:part[len(part)-1].End])
}

// values returns several quoted texts, or all tokens as one text.
func values(src string, part []token.Token) []string {
	var several []string
	for _, t := range part {
		switch {
		case t.Quoted:
			several = append(several, t.Text)
		case !token.IsOneOf(t, "and or"):
			return []string{text(src, part)}
		}
	}
	if len(several) == 0 {
		return []string{text(src, part)}
	}
	return several
}

func (parser *Parser) step(m match) Step {
	c := m.form.command
	if c.Builtin != "" {
		about, _ := m.args["about"].(string)
		return Step{Builtin: c.Builtin, About: about, canonical: parser.canonical(m)}
	}
	args := map[string]any{}
	for name, v := range m.form.Fixed {
		args[name] = v
	}
	for name, v := range m.args {
		if at, ok := v.(map[string]any); ok && name == "" {
			for k, v := range at {
				args[k] = v
			}
			continue
		}
		args[name] = v
	}
	tool := c.Tool
	switch tool {
	case commandtable.PanelTool:
		tool = fmt.Sprint(args["panel"])
		if !strings.HasPrefix(tool, "open_") {
			tool = "open_" + tool + "_panel"
		}
		delete(args, "panel")
	case commandtable.NamedTool:
		tool = fmt.Sprint(args["tool"])
		raw, ok := args["args"].(json.RawMessage)
		if !ok {
			raw = json.RawMessage("{}")
		}
		return Step{Tool: tool, Args: raw, canonical: parser.canonical(m)}
	}
	targets := map[string]Target{}
	for name, v := range args {
		if v == commandtable.SiteSearch {
			v = siteSearch
		}
		if t, ok := v.(Target); ok {
			targets[name] = t
			delete(args, name)
		}
	}
	s := call(tool, args)
	s.canonical, s.open, s.Panel, s.state = parser.canonical(m), m.open, c.Panel, m.form.State
	if len(targets) > 0 {
		s.targets, s.args, s.named = targets, args, m
	}
	return s
}

// withNumber returns the command of a match with a number in place of its target.
func (parser *Parser) withNumber(m match, target string, id int) string {
	m.texts = maps.Clone(m.texts)
	m.texts[target] = strconv.Itoa(id)
	return m.format(parser.shownForm(m.form, true))
}

// canonical returns the match in the words of the first form with the same arguments that is not hidden, or else of
// its own form. It parses back to the same call.
func (parser *Parser) canonical(m match) string { return m.format(parser.shownForm(m.form, false)) }

func (parser *Parser) shownForm(f *compiledForm, anyKind bool) *compiledForm {
	for _, other := range parser.Forms {
		if other.command.Tool == f.command.Tool && other.command.Builtin == f.command.Builtin && !other.Hidden &&
			sameArgs(other, f, anyKind) {
			return other
		}
	}
	return f
}

// format returns the match in the words of f, a form with the same arguments.
func (m match) format(f *compiledForm) string {
	var out []string
	for _, p := range f.parts {
		switch {
		case p.kind != nil:
			out = append(out, m.texts[p.arg])
		case !p.optional:
			out = append(out, strings.Join(p.words[0], " "))
		}
	}
	return strings.Join(out, " ")
}

// sameArgs reports whether two forms have the same state and fixed arguments, and slots that read the same printed
// values for the same arguments. With anyKind, the slots may read different values.
func sameArgs(a, b *compiledForm, anyKind bool) bool {
	if a.State != b.State || len(a.Fixed) != len(b.Fixed) || len(a.Slots()) != len(b.Slots()) {
		return false
	}
	for k, v := range a.Fixed {
		if fmt.Sprint(b.Fixed[k]) != fmt.Sprint(v) {
			return false
		}
	}
	for _, p := range a.Slots() {
		same := func(q formPart) bool {
			return q.arg == p.arg && (anyKind || q.kind == p.kind || !q.kind.distinct && !p.kind.distinct)
		}
		if !slices.ContainsFunc(b.Slots(), same) {
			return false
		}
	}
	return true
}
