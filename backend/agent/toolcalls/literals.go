package toolcalls

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"unicode"
	"unicode/utf8"

	"sextant/shared/excerpt"
)

const maxDepth = 64

// reader reads literals: JSON, and what JavaScript and careless models write instead. It appends what it
// reads to out as compact JSON.
type reader struct {
	src   []byte
	at    int
	depth int
	out   *bytes.Buffer
}

func (r *reader) fail(at int, want string) *syntaxError {
	return &syntaxError{at: at, want: want, found: r.found(at)}
}

func (r *reader) found(at int) string {
	if at >= len(r.src) {
		return "the end of the call"
	}
	rest := r.src[at:]
	n := 0
	for n < len(rest) && n < 16 {
		_, size := utf8.DecodeRune(rest[n:])
		if n > 0 && (rest[n] <= ' ' || strings.IndexByte("{}[](),:;", rest[n]) >= 0) {
			break
		}
		n += size
		if strings.IndexByte("{}[](),:;", rest[0]) >= 0 {
			break
		}
	}
	if rest[0] == '\n' {
		return "the end of the line"
	}
	return fmt.Sprintf("%q", strings.ToValidUTF8(string(rest[:n]), "\uFFFD"))
}

func (r *reader) space() *syntaxError {
	for r.at < len(r.src) {
		switch b := r.src[r.at]; {
		case b == ' ' || b == '\t' || b == '\n' || b == '\r':
			r.at++
		case bytes.HasPrefix(r.src[r.at:], []byte("\u00a0")) || bytes.HasPrefix(r.src[r.at:], []byte("\ufeff")):
			_, n := utf8.DecodeRune(r.src[r.at:])
			r.at += n
		case bytes.HasPrefix(r.src[r.at:], []byte("//")):
			n := bytes.IndexByte(r.src[r.at:], '\n')
			if n < 0 {
				n = len(r.src) - r.at
			}
			r.at += n
		case bytes.HasPrefix(r.src[r.at:], []byte("/*")):
			n := bytes.Index(r.src[r.at+2:], []byte("*/"))
			if n < 0 {
				return &syntaxError{at: r.at, want: "*/ at the end of this comment", found: "the end of the call"}
			}
			r.at += n + 4
		default:
			return nil
		}
	}
	return nil
}

func (r *reader) peek() byte {
	if r.at < len(r.src) {
		return r.src[r.at]
	}
	return 0
}

func (r *reader) take(b byte) (bool, *syntaxError) {
	if f := r.space(); f != nil {
		return false, f
	}
	if r.at < len(r.src) && r.src[r.at] == b {
		r.at++
		return true, nil
	}
	return false, nil
}

func (r *reader) value() *syntaxError {
	if f := r.space(); f != nil {
		return f
	}
	if r.depth++; r.depth > maxDepth {
		return &syntaxError{at: r.at, found: fmt.Sprintf("values nest deeper than %d", maxDepth)}
	}
	defer func() { r.depth-- }()
	switch b := r.peek(); {
	case b == '{':
		r.out.WriteByte('{')
		first := true
		f := r.members(func(key string, _ int) *syntaxError {
			if !first {
				r.out.WriteByte(',')
			}
			first = false
			writeString(r.out, key)
			r.out.WriteByte(':')
			return r.value()
		})
		r.out.WriteByte('}')
		return f
	case b == '[':
		return r.array()
	case r.quoted() != 0:
		s, f := r.text()
		if f != nil {
			return f
		}
		writeString(r.out, s)
		return nil
	case b == '+' || b == '-' || b == '.' || b >= '0' && b <= '9':
		return r.number()
	}
	return r.word()
}

func (r *reader) word() *syntaxError {
	at := r.at
	switch w := r.ident(); w {
	case "true", "True":
		r.out.WriteString("true")
	case "false", "False":
		r.out.WriteString("false")
	case "null", "None":
		r.out.WriteString("null")
	case "":
		return r.fail(at, "a value")
	default:
		return &syntaxError{
			at:   at,
			want: "a value",
			found: fmt.Sprintf(
				"the name %q; variables, calls and expressions are not evaluated, write the value itself",
				excerpt.TruncateBytes(w, 40),
			),
		}
	}
	return nil
}

func (r *reader) ident() string {
	at := r.at
	for r.at < len(r.src) {
		c, n := utf8.DecodeRune(r.src[r.at:])
		if c != '_' && c != '$' && !unicode.IsLetter(c) && (r.at == at || !unicode.IsDigit(c)) {
			break
		}
		r.at += n
	}
	return string(r.src[at:r.at])
}

// members reads an object. It calls each for every key, and each must read the value.
func (r *reader) members(each func(key string, at int) *syntaxError) *syntaxError {
	open := r.at
	r.at++
	seen := map[string]bool{}
	for {
		if closed, f := r.take('}'); closed || f != nil {
			return f
		}
		at := r.at
		key, f := r.key(open)
		if f != nil {
			return f
		}
		if seen[key] {
			return &syntaxError{
				at: at,
				found: fmt.Sprintf(
					"the key %q appears twice in one object, so its value is ambiguous",
					excerpt.TruncateBytes(key, 40),
				),
			}
		}
		seen[key] = true
		colon, f := r.take(':')
		if f == nil && !colon {
			f = r.fail(r.at, fmt.Sprintf("\":\" after the key %q", excerpt.TruncateBytes(key, 40)))
		}
		if f == nil {
			f = each(key, at)
		}
		if f != nil {
			return f
		}
		comma, f := r.take(',')
		if f != nil {
			return f
		}
		if !comma && r.peek() != '}' {
			return r.fail(r.at, "\",\" or \"}\" after a value")
		}
	}
}

func (r *reader) key(open int) (string, *syntaxError) {
	if r.at >= len(r.src) {
		return "", r.unclosed(open, "{", "}")
	}
	if r.quoted() != 0 {
		return r.text()
	}
	at := r.at
	if key := r.ident(); key != "" {
		return key, nil
	}
	return "", r.fail(at, "a key or \"}\"")
}

func (r *reader) unclosed(open int, opened, closed string) *syntaxError {
	return &syntaxError{
		at:   len(r.src),
		want: fmt.Sprintf("%q", closed),
		found: fmt.Sprintf(
			"the end of the call; the %q that starts with %s is not closed",
			opened,
			string(bytes.ToValidUTF8(clipBytes(r.src[open:], 20), []byte("\uFFFD"))),
		),
	}
}

func (r *reader) array() *syntaxError {
	open := r.at
	r.at++
	r.out.WriteByte('[')
	for first := true; ; first = false {
		closed, f := r.take(']')
		if f != nil {
			return f
		}
		if closed {
			r.out.WriteByte(']')
			return nil
		}
		if r.at >= len(r.src) {
			return r.unclosed(open, "[", "]")
		}
		if !first {
			r.out.WriteByte(',')
		}
		if f = r.value(); f != nil {
			return f
		}
		comma, f := r.take(',')
		if f != nil {
			return f
		}
		if !comma && r.peek() != ']' {
			return r.fail(r.at, "\",\" or \"]\" after a value")
		}
	}
}

func (r *reader) number() *syntaxError {
	at := r.at
	for r.at < len(r.src) {
		b := r.src[r.at]
		sign := (b == '+' || b == '-') && (r.at == at || r.src[r.at-1] == 'e' || r.src[r.at-1] == 'E')
		if !sign && b != '.' && b != '_' && (b < '0' || b > '9') && (b|0x20 < 'a' || b|0x20 > 'z') {
			break
		}
		r.at++
	}
	text := string(r.src[at:r.at])
	if n, ok := plainNumber(text); ok {
		r.out.WriteString(n)
		return nil
	}
	r.at = at
	return &syntaxError{at: at, want: "a number", found: fmt.Sprintf("%q", excerpt.TruncateBytes(text, 40))}
}

func plainNumber(s string) (string, bool) {
	sign := ""
	s = strings.TrimPrefix(s, "+")
	if rest, ok := strings.CutPrefix(s, "-"); ok {
		sign, s = "-", rest
	}
	if s == "" || strings.HasPrefix(s, "_") || strings.HasSuffix(s, "_") || strings.Contains(s, "__") ||
		strings.ContainsAny(s[:1], "+-") {
		return "", false
	}
	if strings.Contains(s, "_") {
		for i := range s {
			if s[i] == '_' && !(isDigit(s[i-1]) && isDigit(s[i+1])) {
				return "", false
			}
		}
		s = strings.ReplaceAll(s, "_", "")
	}
	if len(s) > 2 && len(s) < 64 && (strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0X")) {
		n, ok := new(big.Int).SetString(s[2:], 16)
		if !ok || strings.ContainsAny(s[2:], "+-_") {
			return "", false
		}
		return sign + n.String(), true
	}
	if strings.HasPrefix(s, ".") {
		s = "0" + s
	}
	s = sign + strings.TrimSuffix(s, ".")
	return s, s != "" && s != "-" && json.Valid([]byte(s))
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// writeString appends s as a JSON string with as few escapes as possible.
func writeString(out *bytes.Buffer, s string) {
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // encoding a string cannot fail
	out.Truncate(out.Len() - 1)
}

func clipBytes(b []byte, n int) []byte { return b[:min(n, len(b))] }
