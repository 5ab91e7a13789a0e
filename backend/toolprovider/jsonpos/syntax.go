package jsonpos

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

const maxFaults = 100

type edit struct {
	start, end int
	text       string
}

func (e edit) apply(text []byte) []byte {
	return slices.Concat(text[:e.start], []byte(e.text), text[e.end:])
}

// scan finds what the parser does not report: comments, trailing commas, excessive depth and invalid UTF-8. For text
// that does not parse, its result is only a guess.
func scan(text []byte) (faults []*Error, fatal *Error) {
	if !utf8.Valid(text) {
		valid := len(text) - len(bytes.TrimLeftFunc(text, func(r rune) bool { return r != utf8.RuneError }))
		return nil, newError(text, valid, "UTF-8 text", "other bytes")
	}
	report := func(offset int, expected, found string, fix edit) {
		if len(faults) < maxFaults {
			faults = append(faults, newError(text, offset, expected, found, fix))
		}
	}
	depth, comma := 0, -1
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		switch c := text[i]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n':
			continue
		case bytes.HasPrefix(rest, []byte("//")) || bytes.HasPrefix(rest, []byte("/*")):
			end := commentEnd(text, i)
			report(i, "JSON without comments", "a comment", edit{i, end, ""})
			i = end - 1
			continue
		case c == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				where := fmt.Sprintf("at most %d levels of brackets", maxDepth)
				return faults, newError(text, i, where, "more")
			}
		case c == '}' || c == ']':
			depth--
			if comma >= 0 {
				report(comma, fmt.Sprintf("no comma before %q", c), `","`, edit{comma, comma + 1, ""})
			}
		case c == ',':
			comma = i
			continue
		}
		comma = -1
	}
	return faults, nil
}

func commentEnd(text []byte, start int) int {
	end := "\n"
	if text[start+1] == '*' {
		end = "*/"
	}
	n := bytes.Index(text[start+2:], []byte(end))
	switch {
	case n < 0:
		return len(text)
	case end == "\n":
		return start + 2 + n
	}
	return start + 2 + n + len(end)
}

const anyValue = `a value: "text", a number, true, false, null, [ or {`

var expectations = []struct{ reason, expected string }{
	{"after top-level value", "the end of the file"},
	{"after object name", `":"`},
	{"after object value", `"," or "}"`},
	{"after array value", `"," or "]"`},
	{"parsing object after name", `":"`},
	{"parsing object after value", `"," or "}"`},
	{"parsing array after value", `"," or "]"`},
	{"comment: unexpected EOF", "the end of the comment"},
	{"parsing string", "a closing double quote"},
	{"invalid literal: \"", `a string on one line, with \\ for a backslash`},
	{"object name", "a name in double quotes"},
	{"", anyValue},
}

func syntaxError(text []byte, err error) *Error {
	offset := faultOffset(text, err)
	found := "the end of the file"
	if offset < len(text) {
		found = strconv.Quote(string(firstToken(text[offset:])))
	}
	expected := ""
	for _, e := range expectations {
		if strings.Contains(err.Error(), e.reason) {
			expected = e.expected
			break
		}
	}
	before := bytes.TrimRight(text[:offset], " \t\r\n")
	inObject := strings.HasPrefix(strings.TrimLeft(closers(before), `"`), "}")
	if expected == anyValue && inObject && bytes.ContainsAny(before[len(before)-1:], "{,") {
		expected = "a name in double quotes"
	}
	return newError(text, offset, expected, found, repairs(text, offset, err)...)
}

// faultOffset returns the offset of the byte that an error of the parser refers to, and an offset past the end for nil.
func faultOffset(text []byte, err error) int {
	if err == nil {
		return len(text) + 1
	}
	var line, column int
	if _, scanErr := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column); scanErr != nil {
		return 0
	}
	offset := 0
	for range line - 1 {
		offset += bytes.IndexByte(text[offset:], '\n') + 1
	}
	return min(offset+column-1, len(text))
}

// firstToken returns the word or the single character at the start of text, at most 40 bytes.
func firstToken(text []byte) []byte {
	n := bytes.IndexFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\r\n,:{}[]\"", r) })
	if n < 0 {
		n = len(text)
	}
	if n == 0 {
		_, n = utf8.DecodeRune(text)
	}
	return text[:min(n, 40)]
}

// repairs returns small edits that may correct the fault.
func repairs(text []byte, offset int, err error) []edit {
	if offset >= len(text) {
		end := len(bytes.TrimRight(text, " \t\r\n,"))
		if end == 0 {
			return nil
		}
		return []edit{{end, len(text), closers(text[:end])}, {end, len(text), "null" + closers(text[:end])}}
	}
	if _, literal, ok := strings.Cut(err.Error(), "invalid literal: \""); ok {
		end := offset + 1 + len(literal)
		return []edit{{offset, end, escape(string(text[offset:end]))}, {offset, end, ""}}
	}
	token := firstToken(text[offset:])
	end := offset + len(token)
	before := len(bytes.TrimRight(text[:offset], " \t\r\n"))
	quoted := string(hujson.String(strings.Trim(string(token), "'`“”„«»")))
	edits := []edit{{before, before, ","}, {before, before, ":"}, {offset, end, quoted}, {offset, end, ""}}
	for _, r := range []struct{ from, to string }{{"True", "true"}, {"False", "false"}, {"None", "null"}} {
		if string(token) == r.from {
			edits = append([]edit{{offset, end, r.to}}, edits...)
		}
	}
	return append(edits, edit{before, before, "}"}, edit{before, before, "]"}, edit{before, before, `"`})
}

var badInString = regexp.MustCompile(`\\["\\/bfnrt]|\\u[0-9a-fA-F]{4}|\\|[\x00-\x1f]`)

// escape corrects a string literal that contains line breaks, tabs or wrong escapes.
func escape(literal string) string {
	return badInString.ReplaceAllStringFunc(literal, func(part string) string {
		switch {
		case part == `\`:
			return `\\`
		case part[0] < ' ':
			return strings.Trim(string(hujson.String(part)), `"`)
		}
		return part
	})
}

// closers returns the characters that end a string and close the brackets that text leaves open.
func closers(text []byte) string {
	var open []byte
	inString := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{':
			open = append(open, '}')
		case c == '[':
			open = append(open, ']')
		case (c == '}' || c == ']') && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	slices.Reverse(open)
	if inString {
		return `"` + string(open)
	}
	return string(open)
}

// newError returns an error at offset. It sets RepairedLine to the line after the edit that lets the parser get
// farthest, if that is past the line.
func newError(text []byte, offset int, expected, found string, edits ...edit) *Error {
	e := &Error{Expected: expected, Found: found}
	e.Text = fmt.Sprintf("expected %s, found %s", expected, found)
	e.Line, e.Column = position(text, offset)
	farthest := offset
	if i := bytes.IndexByte(text[offset:], '\n'); i >= 0 {
		farthest += i
	}
	for _, try := range edits {
		fixed := try.apply(text)
		reached := len(text) + 1
		if len(edits) > 1 {
			_, err := hujson.Parse(fixed)
			reached = faultOffset(fixed, err) - len(try.text) + try.end - try.start
		}
		if reached > farthest {
			farthest, e.RepairedLine = reached, lineAround(fixed, try.start)
		}
	}
	return e
}

// lineAround returns the line of text at offset, with at most 200 bytes on either side.
func lineAround(text []byte, offset int) string {
	offset = min(offset, len(text))
	start := bytes.LastIndexByte(text[:offset], '\n') + 1
	end := len(text)
	if i := bytes.IndexByte(text[offset:], '\n'); i >= 0 {
		end = offset + i
	}
	line := text[max(start, offset-200):min(end, offset+200)]
	return strings.TrimSpace(strings.ToValidUTF8(string(line), ""))
}

func position(text []byte, offset int) (line, column int) {
	offset = max(0, min(offset, len(text)))
	before := text[:offset]
	line = 1 + bytes.Count(before, []byte{'\n'})
	start := bytes.LastIndexByte(before, '\n') + 1
	return line, 1 + utf8.RuneCount(before[start:])
}
