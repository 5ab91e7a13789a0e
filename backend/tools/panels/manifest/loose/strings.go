package loose

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// stringReader reads one string. The first thing wrong in it is its fault; the edit makes
// the whole string right.
type stringReader struct {
	r       *reader
	start   int
	key     bool
	closers string

	at              int
	expected, found string
}

func (s *stringReader) wrong(expected, found string) {
	if s.expected == "" {
		s.at, s.expected, s.found = s.r.pos, expected, found
	}
}

// read returns the content and leaves pos behind the closing quote.
func (s *stringReader) read() string {
	r := s.r
	var b strings.Builder
	for {
		if r.end() {
			s.at = s.start
			s.expected = ""
			s.wrong("a closing quote", EndOfFile)
			s.at = s.start
			return strings.TrimRight(b.String(), " \t\r\n")
		}
		c, n := utf8.DecodeRune(r.text[r.pos:])
		switch {
		case strings.ContainsRune(s.closers, c) && s.closes(n):
			r.pos += n
			return b.String()
		case c == '\n':
			if s.broken() {
				s.at, s.expected, s.found = s.start, "a closing quote", "the end of the line"
				return s.back(b.String())
			}
			s.wrong(`\n inside a string`, "a line break")
			b.WriteByte('\n')
			r.pos++
		case c == '\\':
			s.escape(&b)
		case c < ' ':
			s.wrong(fmt.Sprintf(`\u%04x inside a string`, c), "a control character")
			b.WriteRune(c)
			r.pos++
		case c == utf8.RuneError && n == 1:
			b.WriteRune(c)
			r.pos++
		default:
			if strings.ContainsRune(s.closers, c) {
				s.wrong(`\" inside a string`, "a quote")
			}
			b.WriteRune(c)
			r.pos += n
		}
	}
}

var (
	// ruleNext is what follows a closing quote: a separator, a comment or the end of the line.
	ruleNext = regexp.MustCompile(`^[ \t\r]*([,:}\];]|//|/\*|#|\n|$|=|\+[ \t\r\n]*")`)
	// ruleMember is the next member or item on the same line, its comma forgotten.
	ruleMember = regexp.MustCompile(`^[ \t]*"[A-Za-z0-9_$-]*"[ \t]*:|^[ \t]+["{\[0-9]`)
	// ruleLine is a line that goes on with the manifest, not with a string.
	ruleLine = regexp.MustCompile(`^\s*("[^"\n]*"\s*[:,\]\n]|[}\]])`)
)

// closes reports whether the quote at pos, n bytes long, ends the string.
func (s *stringReader) closes(n int) bool {
	rest := s.r.text[s.r.pos+n:]
	rest = rest[:min(len(rest), 200)]
	return s.key || s.closers != `"` && s.closers != "'" || ruleNext.Match(rest) || ruleMember.Match(rest)
}

// broken tells a line break after a forgotten quote from one inside the text: then the next
// line begins as a line of the manifest does.
func (s *stringReader) broken() bool {
	rest := s.r.text[s.r.pos+1:]
	return s.key || ruleLine.Match(rest[:min(len(rest), 300)])
}

// back ends a string whose quote was forgotten before the comma or bracket that ends its
// line.
func (s *stringReader) back(text string) string {
	r := s.r
	line := r.text[s.start+1 : r.pos]
	kept := bytes.TrimRight(line, " \t\r")
	if s.key {
		// The name ends where its colon is.
		if i := bytes.IndexByte(kept, ':'); i >= 0 {
			kept = kept[:i]
		}
	} else {
		kept = bytes.TrimSuffix(kept, []byte(","))
		kept = bytes.TrimRight(kept, " \t\r")
	}
	if len(kept) == len(line) || bytes.IndexByte(line, '\n') >= 0 {
		return text
	}
	cut := len(line) - len(kept)
	r.pos -= cut
	return strings.TrimRight(text[:max(0, len(text)-cut)], " \t\r")
}

// escape reads a backslash and what follows.
func (s *stringReader) escape(b *strings.Builder) {
	r := s.r
	rest := r.text[r.pos:]
	if len(rest) >= 6 && rest[1] == 'u' && hex(rest[2:6]) {
		// A pair of surrogates is one character; encoding/json reads them where the string
		// has no fault, and here half a pair becomes a mark of its own.
		var c rune
		if _, err := fmt.Sscanf(string(rest[2:6]), "%x", &c); err != nil {
			c = utf8.RuneError
		}
		if c >= 0xd800 && c < 0xe000 {
			c = utf8.RuneError
		}
		b.WriteRune(c)
		r.pos += 6
		return
	}
	if len(rest) < 2 {
		r.pos++
		return
	}
	if at := strings.IndexByte(`"\/bfnrt`, rest[1]); at >= 0 {
		b.WriteByte("\"\\/\b\f\n\r\t"[at])
		r.pos += 2
		return
	}
	if rest[1] == '\'' || rest[1] == '`' {
		s.wrong("a quote without a backslash", "\\"+string(rest[1]))
		r.pos++
		return
	}
	s.wrong(`\\ for a backslash inside a string`, "a backslash before "+r.show(r.pos + 1)[:min(1, len(r.show(r.pos+1)))])
	b.WriteByte('\\')
	r.pos++
}

func hex(text []byte) bool {
	for _, c := range text {
		if !(c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F') {
			return false
		}
	}
	return true
}
