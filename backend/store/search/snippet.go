package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"sextant/shared/wire"
)

// token is a word in a text, without case and diacritics, with its bytes.
type token struct {
	folded     string
	start, end int
}

// isWordRune reports whether r belongs to a word for FTS5's tokenizer unicode61.
func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.Is(unicode.Co, r)
}

// tokenize returns the words of text as FTS5's tokenizer does, nearly: rare letters may fold differently.
func tokenize(text string) []token {
	var out []token
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		if !isWordRune(r) {
			i += n
			continue
		}
		start := i
		for i < len(text) {
			r, n = utf8.DecodeRuneInString(text[i:])
			if !isWordRune(r) && !unicode.Is(unicode.Mn, r) {
				break
			}
			i += n
		}
		out = append(out, token{fold(text[start:i]), start, i})
	}
	return out
}

func fold(word string) string {
	isASCII := true
	for i := range len(word) {
		isASCII = isASCII && word[i] < utf8.RuneSelf
	}
	if isASCII {
		return strings.ToLower(word)
	}
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(word))
}

// span is a match: the bytes of a text, and which term matches there.
type span struct{ start, end, term int }

// matchesIn returns where terms occur in text, in order.
func matchesIn(text string, terms []term) []span {
	tokens := tokenize(text)
	var found []span
	for i := range tokens {
		for n, t := range terms {
			if t.matches(tokens[i:]) {
				found = append(found, span{tokens[i].start, tokens[i+len(t.tokens)-1].end, n})
			}
		}
	}
	return found
}

// matches reports whether tokens begin with t.
func (t term) matches(tokens []token) bool {
	if len(tokens) < len(t.tokens) {
		return false
	}
	for i, want := range t.tokens {
		got := tokens[i].folded
		if got == want || (t.isPrefix && i == len(t.tokens)-1 && strings.HasPrefix(got, want)) {
			continue
		}
		return false
	}
	return true
}

// The length of a snippet in bytes: in all, and before its first match.
const (
	snippetLength = 180
	snippetBefore = 40
)

// snippet returns the part of a message where most of terms occur together, and the call that the part belongs to.
func snippet(parts []part, terms []term) (pieces []wire.SnippetPart, call string) {
	var text string
	var spans []span
	best := 0
	for _, p := range parts {
		found := matchesIn(p.text, terms)
		for i, first := range found {
			in := found[i:]
			last := first.start + snippetLength - snippetBefore
			if n := slices.IndexFunc(in, func(s span) bool { return s.end > last }); n >= 0 {
				in = in[:max(1, n)]
			}
			distinct := map[int]bool{}
			for _, s := range in {
				distinct[s.term] = true
			}
			if len(distinct) > best {
				best, text, spans, call = len(distinct), p.text, in, p.call
			}
		}
	}
	if best == 0 && len(parts) > 0 {
		text, call = parts[0].text, parts[0].call
	}
	return cut(text, spans), call
}

// cut returns the text around spans in pieces.
func cut(text string, spans []span) []wire.SnippetPart {
	from := 0
	if len(spans) > 0 && spans[0].start > snippetBefore {
		from = wordStart(text, spans[0].start-snippetBefore)
	}
	until := len(text)
	if until > from+snippetLength {
		until = wordStart(text, from+snippetLength)
		if len(spans) > 0 {
			until = max(until, spans[0].end)
		}
	}
	var pieces []wire.SnippetPart
	add := func(s string, isMatch bool) {
		if s != "" {
			pieces = append(pieces, wire.SnippetPart{Text: s, IsMatch: isMatch})
		}
	}
	if from > 0 {
		add("…", false)
	}
	at := from
	for _, s := range spans {
		if s.start < at || s.end > until {
			continue
		}
		add(oneLine(text[at:s.start]), false)
		add(oneLine(text[s.start:s.end]), true)
		at = s.end
	}
	add(oneLine(text[at:until]), false)
	if until < len(text) {
		add("…", false)
	}
	return pieces
}

// wordStart returns the beginning of the next word at or after i, or of the next character in a very long word.
func wordStart(text string, i int) int {
	for i < len(text) && !utf8.RuneStart(text[i]) {
		i++
	}
	for n, r := range text[i:min(len(text), i+30)] {
		if unicode.IsSpace(r) {
			return i + n + utf8.RuneLen(r)
		}
	}
	return i
}

// oneLine replaces white space and control characters by single spaces.
func oneLine(s string) string {
	var b strings.Builder
	isSpace := false
	for _, r := range s {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			isSpace = true
			continue
		}
		if isSpace {
			b.WriteByte(' ')
		}
		isSpace = false
		b.WriteRune(r)
	}
	if isSpace {
		b.WriteByte(' ')
	}
	return b.String()
}
