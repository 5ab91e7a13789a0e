package bash

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

const maxAlternatives = 64

// Expander expands the words of one script without running it. Changing a copy does not affect the original.
type Expander struct {
	// Text is the script that was parsed. The offsets in the syntax tree refer to it.
	Text string
	// Home is the value of ~ and $HOME, "" if it is unknown.
	Home string
	// Folders are the possible working directories, empty if they are unknown.
	Folders []string

	variables map[string]*variable
}

// Words returns the words that bash would pass to a program for args, with braces expanded.
func (e *Expander) Words(args []*syntax.Word) []Word {
	var all []Word
	for _, w := range args {
		all = append(all, e.expandBraces(w)...)
	}
	return all
}

func (e *Expander) expandBraces(w *syntax.Word) []Word {
	source := e.Source(w)
	split := *w
	split.Parts = slices.Clone(w.Parts)
	lists, ok := braceAlternatives(&split)
	if !ok {
		return []Word{{Display: source, Unknown: true, Splittable: true}}
	}
	all := make([]Word, 0, len(lists))
	for _, parts := range lists {
		if v, exists := e.readParts(parts, source); exists {
			all = append(all, v)
		}
	}
	return all
}

// Word expands w where bash does not expand braces, such as in the target of a redirection.
func (e *Expander) Word(w *syntax.Word) Word {
	if w == nil {
		return LiteralWord("")
	}
	v, _ := e.readParts(w.Parts, e.Source(w))
	return v
}

// braceAlternatives returns false if there are too many, or for a sequence such as {1..9}.
func braceAlternatives(w *syntax.Word) ([][]syntax.WordPart, bool) {
	syntax.SplitBraces(w)
	lists := [][]syntax.WordPart{nil}
	for _, part := range w.Parts {
		brace, isBrace := part.(*syntax.BraceExp)
		if !isBrace {
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
			inner, ok := braceAlternatives(elem)
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

type wordBuilder struct {
	e     *Expander
	word  Word
	texts []string
	// empty is true while bash would drop the word, such as an unquoted variable with an empty value.
	empty bool
}

func (e *Expander) readParts(parts []syntax.WordPart, source string) (Word, bool) {
	if len(parts) == 1 && source == "[" {
		return LiteralWord(source), true // the command [, not a pattern
	}
	b := wordBuilder{e: e, word: Word{Display: source}, texts: []string{""}, empty: true}
	for i, part := range parts {
		b.addPart(part, false, i == 0)
	}
	v := b.word
	v.Text = b.texts[0]
	if len(b.texts) > 1 {
		v.Alternatives = b.texts[1:]
	}
	if strings.ContainsRune(strings.Join(b.texts, ""), 0) {
		v.Unknown = true
	}
	return v, !b.empty || v.Unknown || v.Text != "" || len(v.Alternatives) > 0
}

func (b *wordBuilder) addText(s string) {
	if b.word.Unknown {
		return
	}
	for i := range b.texts {
		b.texts[i] += s
	}
}

func (b *wordBuilder) addUnknown(splittable bool) {
	if len(b.texts) > 1 {
		b.texts = []string{""}
	}
	b.word.Unknown = true
	b.word.Splittable = b.word.Splittable || splittable
}

func (b *wordBuilder) addPart(part syntax.WordPart, quoted, first bool) {
	switch p := part.(type) {
	case *syntax.Lit:
		b.addLiteral(p.Value, quoted, first)
	case *syntax.SglQuoted:
		b.empty = false
		if !p.Dollar {
			b.addText(p.Value)
			return
		}
		text, err := expand.Literal(nil, &syntax.Word{Parts: []syntax.WordPart{p}})
		if err != nil || strings.Contains(p.Value, `\x00`) || strings.Contains(p.Value, `\0`) ||
			strings.Contains(p.Value, `\u0`) || strings.Contains(p.Value, `\U0`) {
			b.addUnknown(false)
			return
		}
		b.addText(text)
	case *syntax.DblQuoted:
		b.empty = false
		for _, inner := range p.Parts {
			b.addPart(inner, true, false)
		}
	case *syntax.ParamExp:
		b.addParameter(p, quoted)
	case *syntax.ArithmExp:
		// The value is a number. It may be a file descriptor or a count, but not a path.
		b.empty = false
		b.addUnknown(false)
	case *syntax.ExtGlob:
		b.empty = false
		b.word.HasGlob = true
		b.addText("*")
	case *syntax.ProcSubst:
		// Bash replaces it by the path of a pipe. The caller reads the commands in it.
		b.empty = false
		b.addText("/dev/fd/63")
	default:
		b.addUnknown(!quoted)
	}
}

func (b *wordBuilder) addLiteral(s string, quoted, first bool) {
	b.empty = false
	if first && !quoted && strings.HasPrefix(s, "~") {
		user, rest, slash := strings.Cut(s[1:], "/")
		if user != "" || b.e.Home == "" || b.e.isAssigned("HOME") {
			b.addUnknown(false)
			return
		}
		b.addText(b.e.Home)
		if s = rest; slash {
			b.addText("/")
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
			b.word.HasGlob = true
			out.WriteByte(c)
		default:
			out.WriteByte(c)
		}
	}
	b.addText(out.String())
}

func isPlain(p *syntax.ParamExp) bool {
	return p.Param != nil && !p.Excl && !p.Length && !p.Width && p.Index == nil && p.Slice == nil && p.Repl == nil &&
		p.Names == 0 && p.Exp == nil
}

func (b *wordBuilder) addParameter(p *syntax.ParamExp, quoted bool) {
	plain := isPlain(p)
	if p.Length || plain && strings.Contains("#?$!", p.Param.Value) {
		b.empty = false
		b.addUnknown(false)
		return
	}
	if !plain {
		b.addUnknown(!quoted)
		return
	}
	texts, globs, ok := b.e.lookup(p.Param.Value, int(p.Pos().Offset()))
	if !ok || len(texts)*len(b.texts) > maxAlternatives {
		b.addUnknown(!quoted)
		return
	}
	if !quoted {
		for _, text := range texts {
			if text == "" || strings.ContainsAny(text, " \t\n*?[") && !globs {
				b.addUnknown(true)
				return
			}
		}
	}
	b.empty = b.empty && !quoted
	b.word.HasGlob = b.word.HasGlob || globs
	if b.word.Unknown {
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

// Source returns the text of a node as it was written.
func (e *Expander) Source(n syntax.Node) string {
	from, to := int(n.Pos().Offset()), int(n.End().Offset())
	if from < 0 || to > len(e.Text) || from > to {
		return ""
	}
	return e.Text[from:to]
}
