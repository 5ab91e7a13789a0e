package toolcalls

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// quoted returns the closing quote for the opening quote at the current offset, 0 if there is none.
func (r *reader) quoted() rune {
	c, _ := utf8.DecodeRune(r.src[min(r.at, len(r.src)):])
	switch c {
	case '"', '\'', '`':
		return c
	case '“', '”':
		return '”'
	case '‘', '’':
		return '’'
	}
	return 0
}

func (r *reader) text() (string, *syntaxError) {
	open, end := r.at, r.quoted()
	_, n := utf8.DecodeRune(r.src[r.at:])
	r.at += n
	var b strings.Builder
	for r.at < len(r.src) {
		c, n := utf8.DecodeRune(r.src[r.at:])
		switch {
		case c == utf8.RuneError && n == 1:
			return "", &syntaxError{at: r.at, want: "text in UTF-8", found: fmt.Sprintf("the byte %#x", r.src[r.at])}
		case c == end:
			r.at += n
			return b.String(), nil
		case c == '\\':
			if f := r.escape(&b, end); f != nil {
				return "", f
			}
		case end == '`' && c == '$' && r.at+1 < len(r.src) && r.src[r.at+1] == '{':
			return "", &syntaxError{
				at:    r.at,
				want:  "plain text",
				found: "${…}, which is not evaluated; write the text itself, or \\${ for these characters",
			}
		default:
			b.WriteRune(c)
			r.at += n
		}
	}
	return "", &syntaxError{
		at:    open,
		want:  fmt.Sprintf("a closing %c for the string that begins here", end),
		found: "the end of the call",
	}
}

const plainEscapes = "\"\"\\\\//''``$$n\nt\tr\rb\bf\fv\v"

// escape reads an escape sequence. An unknown one is an error: dropping the backslash would change a path or
// a pattern.
func (r *reader) escape(b *strings.Builder, end rune) *syntaxError {
	at := r.at
	r.at++
	c, n := utf8.DecodeRune(r.src[r.at:])
	switch {
	case n == 0:
		return &syntaxError{at: at, want: "a character after \\", found: "the end of the call"}
	case c == end:
		b.WriteRune(c)
		r.at += n
		return nil
	case c == '\n':
		r.at++ // a line continuation
		return nil
	case c == '0' && (r.at+1 >= len(r.src) || !isDigit(r.src[r.at+1])):
		b.WriteByte(0)
		r.at++
		return nil
	case c == 'x':
		return r.hex(b, at, r.at+1, 2)
	case c == 'u' && r.at+1 < len(r.src) && r.src[r.at+1] == '{':
		n := bytes.IndexByte(clipBytes(r.src[r.at:], 10), '}')
		if n < 0 {
			return r.badEscape(at)
		}
		f := r.hex(b, at, r.at+2, n-2)
		r.at++
		return f
	case c == 'u':
		return r.unit(b, at)
	}
	for i := 0; i < len(plainEscapes); i += 2 {
		if rune(plainEscapes[i]) == c {
			b.WriteByte(plainEscapes[i+1])
			r.at++
			return nil
		}
	}
	return r.badEscape(at)
}

func (r *reader) badEscape(at int) *syntaxError {
	c, _ := utf8.DecodeRune(r.src[min(at+1, len(r.src)):])
	return &syntaxError{
		at: at, want: "a known escape",
		found: fmt.Sprintf("\\%c; for a backslash itself write %s", c, `\\`),
	}
}

func (r *reader) hex(b *strings.Builder, at, from, n int) *syntaxError {
	c, ok := hexDigits(r.src, from, n)
	if !ok || c > unicode.MaxRune || utf16.IsSurrogate(c) {
		return r.badEscape(at)
	}
	b.WriteRune(c)
	r.at = from + n
	return nil
}

// unit reads \uXXXX, and its second half if it starts a surrogate pair.
func (r *reader) unit(b *strings.Builder, at int) *syntaxError {
	c, ok := hexDigits(r.src, r.at+1, 4)
	if !ok {
		return r.badEscape(at)
	}
	r.at += 5
	if !utf16.IsSurrogate(c) {
		b.WriteRune(c)
		return nil
	}
	if low, ok := hexDigits(r.src, r.at+2, 4); ok && bytes.HasPrefix(r.src[r.at:], []byte(`\u`)) {
		if whole := utf16.DecodeRune(c, low); whole != unicode.ReplacementChar {
			b.WriteRune(whole)
			r.at += 6
			return nil
		}
	}
	return &syntaxError{at: at, want: "both halves of a character", found: fmt.Sprintf("only %s", r.src[at:at+6])}
}

func hexDigits(src []byte, from, n int) (rune, bool) {
	if n < 1 || n > 6 || from+n > len(src) {
		return 0, false
	}
	var c rune
	for _, b := range src[from : from+n] {
		i := strings.IndexByte("0123456789abcdef", b|0x20)
		if b < '0' || i < 0 {
			return 0, false
		}
		c = c<<4 | rune(i)
	}
	return c, true
}
