package loose

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// value reads the value at pos, nil only once the reader is dead.
func (r *reader) value(depth int) *Node {
	if r.dead {
		return nil
	}
	if depth > maxDepth {
		return r.give(r.pos, fmt.Sprintf("at most %d levels", maxDepth), "a value nested deeper than that")
	}
	if r.values++; r.values > maxValues {
		return r.give(r.pos, fmt.Sprintf("at most %d values", maxValues), "more than that")
	}
	start := r.pos
	var n *Node
	switch c := r.peek(); {
	case r.end(), c == ',', c == '}', c == ']', c == ':':
		r.mend(start, "a value", r.nothing(), r.last, r.last, "null")
		return &Node{Kind: Null, Start: start, End: start, Text: "null"}
	case c == '{':
		r.pos++
		r.last = r.pos
		return r.object(start)
	case c == '[':
		r.pos++
		r.last = r.pos
		return r.array(start)
	case c == '"' || r.quote() != "":
		n = r.joined(r.str(false))
	case c >= '0' && c <= '9', c == '-', c == '+', c == '.':
		n = r.number()
	default:
		n = r.word()
	}
	r.last = r.pos
	return n
}

func (r *reader) nothing() string {
	if r.end() {
		return EndOfFile
	}
	return "nothing"
}

// joined reads on over "a" + "b", which programs write.
func (r *reader) joined(n *Node) *Node {
	for !r.dead {
		after := bytes.TrimLeft(r.text[r.pos:], " \t\r\n")
		if len(after) == 0 || after[0] != '+' {
			return n
		}
		next := bytes.TrimLeft(after[1:], " \t\r\n")
		if len(next) == 0 || next[0] != '"' {
			return n
		}
		plus := len(r.text) - len(after)
		r.pos = len(r.text) - len(next)
		more := r.str(false)
		n.Text += more.Text
		n.End = r.pos
		r.mend(plus, "one string", "strings joined by +", n.Start, n.End, Quote(n.Text))
	}
	return n
}

var (
	ruleNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?`)
	ruleLoose  = regexp.MustCompile(`^[+-]?(?i:0x[0-9a-f_]+|[0-9][0-9_]*\.?[0-9_]*(e[+-]?[0-9]+)?|\.[0-9]+(e[+-]?[0-9]+)?|inf(inity)?|nan)`)
)

// delimited reports whether a token may end before offset at.
func (r *reader) delimited(at int) bool {
	return at >= len(r.text) || bytes.IndexByte([]byte(" \t\r\n,}]:/#;"), r.text[at]) >= 0
}

func (r *reader) number() *Node {
	start := r.pos
	if m := ruleNumber.Find(r.text[start:min(len(r.text), start+400)]); m != nil && r.delimited(start+len(m)) {
		r.pos += len(m)
		return &Node{Kind: Number, Start: start, End: r.pos, Text: string(m)}
	}
	m := ruleLoose.Find(r.text[start:min(len(r.text), start+400)])
	if m == nil || !r.delimited(start+len(m)) {
		return r.bare()
	}
	r.pos += len(m)
	text := tidy(string(m))
	r.mend(start, "a number as JSON writes it", string(m), start, r.pos, text)
	if text == "null" {
		return &Node{Kind: Null, Start: start, End: r.pos, Text: text}
	}
	return &Node{Kind: Number, Start: start, End: r.pos, Text: text}
}

// tidy writes a number of JavaScript or Python as JSON does; null stands for no number.
func tidy(text string) string {
	text = strings.TrimPrefix(strings.ReplaceAll(text, "_", ""), "+")
	if v, err := strconv.ParseInt(text, 0, 64); err == nil && strings.ContainsAny(text, "xX") {
		return strconv.FormatInt(v, 10)
	}
	v, err := strconv.ParseFloat(text, 64)
	b, bad := json.Marshal(v)
	if err != nil || bad != nil {
		return "null"
	}
	return string(b)
}

// word reads true, false, null, what other languages call them, or bare text.
func (r *reader) word() *Node {
	start, end := r.pos, r.pos
	for end < len(r.text) && isWordStart(r.text[end]) {
		end++
	}
	word := string(r.text[start:end])
	if !r.delimited(end) {
		return r.bare()
	}
	n := &Node{Start: start, End: end, Text: word}
	switch word {
	case "true", "false":
		n.Kind = Bool
	case "null":
	default:
		switch strings.ToLower(word) {
		case "true", "yes", "on":
			n.Kind, n.Text = Bool, "true"
		case "false", "no", "off":
			n.Kind, n.Text = Bool, "false"
		case "none", "null", "nil", "undefined", "nan", "infinity":
			n.Text = "null"
		default:
			return r.bare()
		}
		r.mend(start, "a value as JSON writes it", word, start, end, n.Text)
	}
	r.pos = end
	return n
}

// bare reads text without quotes, up to what ends a value, as the string it was meant to be.
func (r *reader) bare() *Node {
	start := r.pos
	for !r.end() && bytes.IndexByte([]byte(",\n\r}]"), r.peek()) < 0 && !r.has(" //") && !r.has(" #") {
		r.pos++
	}
	text := string(bytes.TrimRight(r.text[start:r.pos], " \t\""))
	if text == "" {
		text = string(r.text[start:r.pos])
	}
	r.pos = start + len(bytes.TrimRight(r.text[start:r.pos], " \t"))
	if r.pos == start {
		r.pos++
	}
	r.mend(start, "a string in double quotes", "bare text: "+r.show(start), start, r.pos, Quote(text))
	return &Node{Kind: String, Start: start, End: r.pos, Text: text}
}

// quote is the closing mark for the opening mark at pos that is not JSON's, "" for none.
func (r *reader) quote() string {
	c, _ := utf8.DecodeRune(r.text[r.pos:])
	switch c {
	case '\'', '`':
		return string(c)
	case '“', '”', '„':
		return "”“"
	case '‘', '’':
		return "’‘"
	case '«':
		return "»"
	}
	return ""
}

// str reads a string in whatever quotes; key is true for a name.
func (r *reader) str(key bool) *Node {
	s := &stringReader{r: r, start: r.pos, key: key, closers: `"`}
	if q := r.quote(); q != "" {
		s.closers = q
		s.wrong("a string in double quotes", "other quotes")
	}
	_, n := utf8.DecodeRune(r.text[r.pos:])
	r.pos += n
	text := s.read()
	if s.expected != "" {
		r.mend(s.at, s.expected, s.found, s.start, r.pos, Quote(text))
	} else if !plain(r.text[s.start+1:r.pos-1]) && json.Unmarshal(r.text[s.start:r.pos], &text) != nil {
		r.mend(s.start, "a string", "one that cannot be read", s.start, r.pos, Quote(text))
	}
	return &Node{Kind: String, Start: s.start, End: r.pos, Text: text}
}

// plain reports whether text between quotes means what stands there.
func plain(text []byte) bool {
	for _, b := range text {
		if b < ' ' || b == '\\' || b >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
