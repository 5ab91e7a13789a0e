// Package jsonpos says where in a JSON text each value and each key stands, so that a
// problem in a file a person wrote can be told as line:column, and so that one value can
// be changed in place without touching the rest of the file.
//
// Paths are JSON pointers (RFC 6901): "" is the whole text, "/tools/0/endpoint" a value.
package jsonpos

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds nesting; nothing a person writes by hand comes near.
const maxDepth = 64

// Span is the half-open byte range [Start, End) of a value.
type Span struct{ Start, End int }

// Index maps the pointers of a JSON text to places in it. It is read only after Parse.
type Index struct {
	text []byte
	// Values holds the span of every value, Keys the offset of every object key.
	Values map[string]Span
	Keys   map[string]int
	// Order lists the keys of every object in the order they stand.
	Order map[string][]string
	// Twice lists pointers of keys that stand more than once in their object.
	Twice []string
}

// Error is a fault of the JSON text at a byte offset.
type Error struct {
	Line, Column int
	Text         string
}

// Error is the fault with its place first: "3:14: …".
func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Text) }

// Parse indexes text. The error, if any, is an *Error.
func Parse(text []byte) (*Index, error) {
	x := &Index{text: text, Values: map[string]Span{}, Keys: map[string]int{}, Order: map[string][]string{}}
	if !utf8.Valid(text) {
		return nil, x.fault(0, "the text is not UTF-8")
	}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	if err := x.value(dec, "", 0); err != nil {
		return nil, err
	}
	end := x.skip(int(dec.InputOffset()))
	if end < len(text) {
		return nil, x.fault(end, "there is text after the end of the JSON value")
	}
	return x, nil
}

// Position turns a byte offset into line and column, both from 1; columns count characters.
func (x *Index) Position(offset int) (line, column int) { return position(x.text, offset) }

// At is the line and column of the value at pointer, 1:1 when there is none.
func (x *Index) At(pointer string) (line, column int) {
	return x.Position(x.Values[pointer].Start)
}

// Pointer joins parent and one more member name or index, escaped.
func Pointer(parent, member string) string {
	member = strings.ReplaceAll(member, "~", "~0")
	return parent + "/" + strings.ReplaceAll(member, "/", "~1")
}

// Parts are the names and indices that a pointer leads through, without their escapes.
func Parts(pointer string) []string {
	if pointer == "" {
		return nil
	}
	parts := strings.Split(pointer[1:], "/")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
	}
	return parts
}

func position(text []byte, offset int) (line, column int) {
	offset = max(0, min(offset, len(text)))
	before := text[:offset]
	line = 1 + bytes.Count(before, []byte{'\n'})
	start := bytes.LastIndexByte(before, '\n') + 1
	return line, 1 + utf8.RuneCount(before[start:])
}

func (x *Index) fault(offset int, text string) *Error {
	line, column := x.Position(offset)
	return &Error{Line: line, Column: column, Text: text}
}

// skip moves offset over white space and the separators a Decoder swallows between tokens.
func (x *Index) skip(offset int) int {
	for offset < len(x.text) && strings.IndexByte(" \t\r\n,:", x.text[offset]) >= 0 {
		offset++
	}
	return offset
}

func (x *Index) token(dec *json.Decoder) (json.Token, int, error) {
	start := x.skip(int(dec.InputOffset()))
	token, err := dec.Token()
	if err == nil {
		return token, start, nil
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, 0, x.fault(len(x.text), "the text ends in the middle")
	}
	// A Decoder is not exact about the offset of a fault; Unmarshal is: it stands behind
	// the character at fault.
	var syntax *json.SyntaxError
	var whole any
	if errors.As(json.Unmarshal(x.text, &whole), &syntax) {
		return nil, 0, x.fault(max(0, int(syntax.Offset)-1), syntax.Error())
	}
	return nil, 0, x.fault(start, err.Error())
}

func (x *Index) value(dec *json.Decoder, pointer string, depth int) error {
	token, start, err := x.token(dec)
	if err != nil {
		return err
	}
	if depth > maxDepth {
		return x.fault(start, "nested too deeply")
	}
	switch token {
	case json.Delim('{'):
		err = x.object(dec, pointer, depth)
	case json.Delim('['):
		err = x.array(dec, pointer, depth)
	}
	if err != nil {
		return err
	}
	x.Values[pointer] = Span{Start: start, End: int(dec.InputOffset())}
	return nil
}

func (x *Index) object(dec *json.Decoder, pointer string, depth int) error {
	for dec.More() {
		token, start, err := x.token(dec)
		if err != nil {
			return err
		}
		key, _ := token.(string)
		child := Pointer(pointer, key)
		if _, seen := x.Keys[child]; seen {
			x.Twice = append(x.Twice, child)
		} else {
			x.Order[pointer] = append(x.Order[pointer], key)
		}
		x.Keys[child] = start
		if err := x.value(dec, child, depth+1); err != nil {
			return err
		}
	}
	_, _, err := x.token(dec)
	return err
}

func (x *Index) array(dec *json.Decoder, pointer string, depth int) error {
	for i := 0; dec.More(); i++ {
		if err := x.value(dec, Pointer(pointer, strconv.Itoa(i)), depth+1); err != nil {
			return err
		}
	}
	_, _, err := x.token(dec)
	return err
}
