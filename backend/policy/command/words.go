package command

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// maxAlternatives bounds what one word may stand for.
const maxAlternatives = 64

// value is one word of a command as far as it is known before it runs.
type value struct {
	// text is the word without its quotes; of one that is not known, its known beginning.
	text string
	// shown is the word as it was written.
	shown string
	// unknown words are decided when they run; loose ones may then be several words or none.
	unknown, loose bool
	// glob says that text holds * or ? or [ that bash would match against files.
	glob bool
	// others are further texts the word may have.
	others []string
}

// sure reports whether the word is exactly its text.
func (v value) sure() bool { return !v.unknown && !v.glob && len(v.others) == 0 }

// option reports whether the word may begin with a dash.
func (v value) option() bool {
	if v.unknown || v.glob {
		return v.text == "" || v.text[0] == '-' || v.text[0] == '*' || v.text[0] == '?' || v.text[0] == '['
	}
	return strings.HasPrefix(v.text, "-") || slices.ContainsFunc(v.others,
		func(s string) bool { return strings.HasPrefix(s, "-") })
}

// could reports whether the word may be this text, as far as its values are known.
func (v value) could(text string) bool { return v.text == text || slices.Contains(v.others, text) }

// several reports whether the word may be several words when it runs.
func (v value) several() bool { return v.loose || v.glob }

func literal(s string) value { return value{text: s, shown: s} }

func unknown(shown string) value { return value{shown: shown, unknown: true} }

// words are all words of args as bash would hand them over, braces spread out.
func (r *reader) words(args []*syntax.Word) []value {
	var all []value
	for _, w := range args {
		all = append(all, r.spread(w)...)
	}
	return all
}

// spread is one written word, which braces may make several.
func (r *reader) spread(w *syntax.Word) []value {
	shown := r.source(w)
	split := *w
	split.Parts = slices.Clone(w.Parts)
	lists, ok := alternatives(&split)
	if !ok {
		return []value{{shown: shown, unknown: true, loose: true}}
	}
	all := make([]value, 0, len(lists))
	for _, parts := range lists {
		if v, there := r.value(parts, shown); there {
			all = append(all, v)
		}
	}
	return all
}

// one is a written word where bash does not spread braces: the target of a redirection.
func (r *reader) one(w *syntax.Word) value {
	if w == nil {
		return literal("")
	}
	v, _ := r.value(w.Parts, r.source(w))
	return v
}

// alternatives are the parts of each word that braces make of w; false for too many and for
// counted ones.
func alternatives(w *syntax.Word) ([][]syntax.WordPart, bool) {
	syntax.SplitBraces(w)
	lists := [][]syntax.WordPart{nil}
	for _, part := range w.Parts {
		brace, is := part.(*syntax.BraceExp)
		if !is {
			for i := range lists {
				lists[i] = append(slices.Clip(lists[i]), part)
			}
			continue
		}
		if brace.Sequence {
			return nil, false
		}
		var next [][]syntax.WordPart
		for _, elem := range brace.Elems {
			inner, ok := alternatives(elem)
			if !ok || len(lists)*len(inner) > maxAlternatives {
				return nil, false
			}
			for _, before := range lists {
				for _, after := range inner {
					next = append(next, slices.Concat(before, after))
				}
			}
		}
		if len(next) > maxAlternatives {
			return nil, false
		}
		lists = next
	}
	return lists, true
}

// builder puts a value together, part by part.
type builder struct {
	r     *reader
	v     value
	texts []string
	empty bool
}

// value reads the parts of one word; false when bash would drop it as empty.
func (r *reader) value(parts []syntax.WordPart, shown string) (value, bool) {
	if len(parts) == 1 && shown == "[" {
		return literal(shown), true // the command, and no pattern
	}
	b := builder{r: r, v: value{shown: shown}, texts: []string{""}, empty: true}
	for i, part := range parts {
		b.part(part, false, i == 0)
	}
	v := b.v
	v.text = b.texts[0]
	if len(b.texts) > 1 {
		v.others = b.texts[1:]
	}
	if strings.ContainsRune(strings.Join(b.texts, ""), 0) {
		v.unknown = true
	}
	return v, !b.empty || v.unknown || v.text != "" || len(v.others) > 0
}

func (b *builder) add(s string) {
	if b.v.unknown {
		return
	}
	for i := range b.texts {
		b.texts[i] += s
	}
}

func (b *builder) lost(loose bool) {
	if len(b.texts) > 1 {
		b.texts = []string{""}
	}
	b.v.unknown = true
	b.v.loose = b.v.loose || loose
}

func (b *builder) part(part syntax.WordPart, quoted, first bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		b.literal(p.Value, quoted, first)
	case *syntax.SglQuoted:
		b.empty = false
		if !p.Dollar {
			b.add(p.Value)
			return
		}
		text, err := expand.Literal(nil, &syntax.Word{Parts: []syntax.WordPart{p}})
		if err != nil || strings.Contains(p.Value, `\x00`) || strings.Contains(p.Value, `\0`) ||
			strings.Contains(p.Value, `\u0`) || strings.Contains(p.Value, `\U0`) {
			b.lost(false)
			return
		}
		b.add(text)
	case *syntax.DblQuoted:
		b.empty = false
		for _, inner := range p.Parts {
			b.part(inner, true, false)
		}
	case *syntax.ParamExp:
		b.param(p, quoted)
	case *syntax.ArithmExp:
		// A number, whatever it is: it can be a descriptor or a count, and no path.
		b.empty = false
		b.lost(false)
	case *syntax.ExtGlob:
		b.empty = false
		b.v.glob = true
		b.add("*")
	case *syntax.ProcSubst:
		// A pipe of our own making; the commands in it are judged where they stand.
		b.empty = false
		b.add("/dev/fd/63")
	default:
		b.lost(!quoted)
	}
}

// literal takes the backslashes away as bash does.
func (b *builder) literal(s string, quoted, first bool) {
	b.empty = false
	if first && !quoted && strings.HasPrefix(s, "~") {
		user, rest, slash := strings.Cut(s[1:], "/")
		if user != "" || b.r.at.Home == "" || b.r.assigned("HOME") {
			b.lost(false)
			return
		}
		b.add(b.r.at.Home)
		if s = rest; slash {
			b.add("/")
		}
	}
	var out strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '\\' && i+1 < len(s):
			next := s[i+1]
			if quoted && !strings.ContainsRune("$`\"\\\n", rune(next)) {
				out.WriteByte(c)
				continue
			}
			i++
			if next != '\n' {
				out.WriteByte(next)
			}
		case !quoted && (c == '*' || c == '?' || c == '['):
			b.v.glob = true
			out.WriteByte(c)
		default:
			out.WriteByte(c)
		}
	}
	b.add(out.String())
}

// param reads a variable that is known.
func (b *builder) param(p *syntax.ParamExp, quoted bool) {
	plain := p.Param != nil && !p.Excl && !p.Length && !p.Width && p.Index == nil && p.Slice == nil && p.Repl == nil &&
		p.Names == 0 && p.Exp == nil
	if p.Length || plain && strings.Contains("#?$!", p.Param.Value) {
		b.empty = false
		b.lost(false) // a number
		return
	}
	if !plain {
		b.lost(!quoted)
		return
	}
	texts, globs, ok := b.r.lookup(p.Param.Value, int(p.Pos().Offset()))
	if !ok || len(texts)*len(b.texts) > maxAlternatives {
		b.lost(!quoted)
		return
	}
	if !quoted {
		for _, text := range texts {
			if text == "" || strings.ContainsAny(text, " \t\n*?[") && !globs {
				b.lost(true)
				return
			}
		}
	}
	b.empty = b.empty && !quoted
	b.v.glob = b.v.glob || globs
	if b.v.unknown {
		return
	}
	var next []string
	for _, before := range b.texts {
		for _, text := range texts {
			next = append(next, before+text)
		}
	}
	b.texts = next
}

// source is a node as it was written.
func (r *reader) source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from < 0 || to > len(r.text) || from > to {
		return ""
	}
	return r.text[from:to]
}
