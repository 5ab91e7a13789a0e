package loose

import (
	"bytes"
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// reader goes through a text once.
type reader struct {
	text   []byte
	pos    int
	faults []Fault
	edits  []Edit
	// open are the brackets around pos; last is the end of the last token, where something
	// that is missing belongs.
	open   []byte
	last   int
	values int
	// dead is true once nothing more can be made of the text.
	dead bool
}

// decode makes UTF-8 of what is UTF-16 or an 8-bit code. Offsets are in the result.
func (r *reader) decode(raw []byte) {
	switch {
	case bytes.HasPrefix(raw, []byte{0xff, 0xfe}), bytes.HasPrefix(raw, []byte{0xfe, 0xff}):
		big := raw[0] == 0xfe
		var units []uint16
		for i := 2; i+1 < len(raw); i += 2 {
			low, high := raw[i], raw[i+1]
			if big {
				low, high = high, low
			}
			units = append(units, uint16(low)|uint16(high)<<8)
		}
		r.text = []byte(string(utf16.Decode(units)))
		r.fault(0, "text in UTF-8", "text in UTF-16", Edit{})
	case utf8.Valid(raw):
		r.text = raw
	default:
		first := -1
		for i := 0; i < len(raw); {
			c, n := utf8.DecodeRune(raw[i:])
			if c == utf8.RuneError && n == 1 {
				if first < 0 {
					first = len(r.text)
				}
				c = rune(raw[i])
			}
			r.text = utf8.AppendRune(r.text, c)
			i += n
		}
		r.fault(first, "text in UTF-8", "a byte of another encoding", Edit{Start: first, End: first})
	}
}

func (r *reader) fault(offset int, expected, found string, e Edit) {
	if r.dead {
		return
	}
	r.faults = append(r.faults, Fault{Offset: offset, Expected: expected, Found: found, Edit: e})
	if len(r.faults) >= maxFaults {
		r.dead = true
	}
}

// mend notes a fault and its edit. Edits inside the new one are superseded by it.
func (r *reader) mend(offset int, expected, found string, start, end int, text string) {
	e := Edit{Start: start, End: end, Text: text}
	r.fault(offset, expected, found, e)
	kept := r.edits[:0]
	for _, old := range r.edits {
		if old.Start < start || old.End > end || start == end || old.End == start {
			kept = append(kept, old)
		}
	}
	r.edits = append(kept, e)
}

func (r *reader) give(offset int, expected, found string) *Node {
	r.fault(offset, expected, found, Edit{Start: offset, End: offset})
	r.dead = true
	return nil
}

func (r *reader) peek() byte {
	if r.pos < len(r.text) {
		return r.text[r.pos]
	}
	return 0
}

func (r *reader) end() bool { return r.pos >= len(r.text) }

func (r *reader) has(prefix string) bool { return bytes.HasPrefix(r.text[r.pos:], []byte(prefix)) }

// document is the whole text: what stands before and after the value is no part of it.
func (r *reader) document() *Node {
	r.prelude()
	r.skip()
	if r.end() {
		return r.give(0, "an object: { … }", "an empty file")
	}
	start := r.pos
	bare := isWordStart(r.peek()) && !r.has("true") && !r.has("false") && !r.has("null")
	if bare || r.quote() == "" && bytes.IndexByte([]byte(`{["-0123456789tfn`), r.peek()) < 0 {
		return r.give(start, "an object: { … }", "text that is not JSON: "+r.show(start))
	}
	var root *Node
	if r.headless() {
		r.mend(start, "{ before the first name", "a name outside an object", start, start, "{")
		root = r.object(start)
	} else {
		root = r.value(0)
	}
	if r.dead || root == nil {
		return nil
	}
	r.rest()
	return root
}

// prelude takes away what chats, editors and programs put before a manifest.
func (r *reader) prelude() {
	if r.has("\ufeff") {
		r.pos = 3
		r.mend(0, "{ as the first character", "a byte order mark", 0, 3, "")
	}
	r.skip()
	if r.end() || bytes.IndexByte([]byte(`{["'`), r.peek()) >= 0 || !isWordStart(r.peek()) && r.peek() != '`' && r.peek() != '<' && r.peek() != '(' {
		return
	}
	if r.has("true") || r.has("false") || r.has("null") {
		return
	}
	at := bytes.IndexByte(r.text[r.pos:], '{')
	if at < 0 || at > 2000 {
		return
	}
	// A name with a colon on the way to the brace is YAML or the like, not talk before JSON.
	before := r.text[r.pos : r.pos+at]
	if lines := bytes.Count(before, []byte("\n")); lines > 1 && bytes.Count(before, []byte(":")) > 1 {
		return
	}
	r.mend(r.pos, "{ as the first character", "text before the manifest: "+r.show(r.pos), r.pos, r.pos+at, "")
	r.pos += at
}

// headless tells a text whose opening brace was forgotten: a string, then a colon.
func (r *reader) headless() bool {
	if r.peek() != '"' {
		return false
	}
	end := bytes.IndexByte(r.text[r.pos+1:], '"')
	if end < 0 {
		return false
	}
	after := bytes.TrimLeft(r.text[r.pos+end+2:], " \t")
	return len(after) > 0 && after[0] == ':'
}

func (r *reader) rest() {
	for !r.dead {
		r.skip()
		if r.end() {
			return
		}
		start := r.pos
		switch r.peek() {
		case '}', ']', ',', ';', ')':
			r.pos++
			r.mend(start, "the end of the file", fmt.Sprintf("%q after the end of the manifest", r.text[start]), start, r.pos, "")
		default:
			r.pos = len(r.text)
			r.mend(start, "the end of the file", "text after the end of the manifest: "+r.show(start), start, r.pos, "")
		}
	}
}

// show is a little of the text at offset, on one line.
func (r *reader) show(offset int) string {
	line, _, _ := bytes.Cut(r.text[offset:], []byte("\n"))
	runes := []rune(string(bytes.TrimSpace(line)))
	if len(runes) > 30 {
		return string(runes[:30]) + "…"
	}
	return string(runes)
}

// blank is the length of a character at pos that looks like a space and is none to JSON.
func (r *reader) blank() int {
	c, n := utf8.DecodeRune(r.text[r.pos:])
	switch c {
	case '\u00a0', '\u200b', '\u200c', '\u200d', '\u2028', '\u2029', '\ufeff', '\u3000', '\u2009', '\u202f', '\v', '\f':
		return n
	}
	return 0
}

// skip goes over white space, and over what people take for it.
func (r *reader) skip() {
	for !r.end() {
		start := r.pos
		switch {
		case r.peek() == ' ' || r.peek() == '\t' || r.peek() == '\r' || r.peek() == '\n':
			r.pos++
		case r.has("//") || r.peek() == '#' || r.has("```"):
			r.line()
			what := "a comment, which JSON does not have"
			if r.text[start] == '`' {
				what = "a Markdown fence"
			}
			r.mend(start, "only JSON", what, start, r.pos, "")
		case r.has("/*"):
			end := bytes.Index(r.text[r.pos+2:], []byte("*/"))
			if end < 0 {
				r.pos = len(r.text)
			} else {
				r.pos += 2 + end + 2
			}
			r.mend(start, "only JSON", "a comment, which JSON does not have", start, r.pos, "")
		case r.has("...") || r.has("…"):
			r.pos += 3
			r.mend(start, "what belongs here", "an ellipsis, which stands for something left out", start, r.pos, "")
		case r.blank() > 0:
			r.pos += r.blank()
			r.mend(start, "a space", fmt.Sprintf("the invisible character U+%04X", []rune(string(r.text[start:r.pos]))[0]), start, r.pos, " ")
		default:
			return
		}
		if r.dead {
			r.pos = len(r.text)
		}
	}
}

// line moves to the end of the line, before its line break.
func (r *reader) line() {
	if i := bytes.IndexByte(r.text[r.pos:], '\n'); i >= 0 {
		r.pos += i
		return
	}
	r.pos = len(r.text)
}

func isWordStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '$' || c >= 0x80
}
