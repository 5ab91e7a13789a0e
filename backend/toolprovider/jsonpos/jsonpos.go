// Package jsonpos parses JSON text and records the positions of its values, so that a problem in a file can be reported
// as line:column, and one value can be changed without touching the rest.
//
// Paths are JSON pointers (RFC 6901): "" is the whole text, "/tools/0/endpoint" is a value.
package jsonpos

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// maxDepth limits nesting, because the parser is recursive and the text may be malicious.
const maxDepth = 64

// Span is the half-open byte range [Start, End) of a value.
type Span struct{ Start, End int }

// Index maps the pointers of a JSON text to positions in it. It is read-only after Parse.
type Index struct {
	text []byte
	// Root is the syntax tree of the text.
	Root hujson.Value
	// Values contains the spans of the values, Keys the offsets of the object keys. For a repeated key, they contain
	// the last.
	Values map[string]Span
	Keys   map[string]int
	// Order lists the keys of every object in the order of the text.
	Order map[string][]string
	// Duplicates lists the pointers of repeated keys.
	Duplicates []string
}

// Parse indexes text, which must be valid JSON, but may repeat keys. A non-nil error is an *Error.
func Parse(text []byte) (*Index, error) {
	x, faults := ParseLenient(text)
	if len(faults) > 0 {
		return nil, faults[0]
	}
	return x, nil
}

// ParseLenient indexes text that may contain comments and trailing commas, which it returns as faults. For text with
// another fault it returns a nil index.
func ParseLenient(text []byte) (*Index, []*Error) {
	x := &Index{text: text, Values: map[string]Span{}, Keys: map[string]int{}, Order: map[string][]string{}}
	faults, fatal := scan(text)
	if fatal != nil {
		return nil, append(faults, fatal)
	}
	root, err := hujson.Parse(text)
	if err != nil {
		return nil, []*Error{syntaxError(text, err)}
	}
	x.Root = root
	x.add("", &x.Root)
	return x, faults
}

func (index *Index) add(pointer string, v *hujson.Value) {
	index.Values[pointer] = Span{Start: v.StartOffset, End: v.EndOffset}
	switch composite := v.Value.(type) {
	case *hujson.Object:
		for i := range composite.Members {
			m := &composite.Members[i]
			name := MemberName(m)
			at := Pointer(pointer, name)
			if _, seen := index.Keys[at]; seen {
				index.Duplicates = append(index.Duplicates, at)
			} else {
				index.Order[pointer] = append(index.Order[pointer], name)
			}
			index.Keys[at] = m.Name.StartOffset
			index.add(at, &m.Value)
		}
	case *hujson.Array:
		for i := range composite.Elements {
			index.add(Pointer(pointer, strconv.Itoa(i)), &composite.Elements[i])
		}
	}
}

// MemberName returns the name of an object member.
func MemberName(m *hujson.ObjectMember) string {
	name, _ := m.Name.Value.(hujson.Literal)
	return name.String()
}

// Position converts a byte offset to a line and column. Both start at 1; columns count characters.
func (index *Index) Position(offset int) (line, column int) { return position(index.text, offset) }

// PositionOf returns the line and column of the value at pointer, or 1:1 if there is none.
func (index *Index) PositionOf(pointer string) (line, column int) {
	return index.Position(index.Values[pointer].Start)
}

// Raw returns the text of the value at pointer, or "" if there is none.
func (index *Index) Raw(pointer string) string {
	span := index.Values[pointer]
	return string(index.text[span.Start:span.End])
}

// Pointer appends a member name or an index, escaped, to the pointer parent.
func Pointer(parent, member string) string {
	member = strings.ReplaceAll(member, "~", "~0")
	return parent + "/" + strings.ReplaceAll(member, "/", "~1")
}

// SplitPointer returns the unescaped names and indices of a pointer.
func SplitPointer(pointer string) []string {
	if pointer == "" {
		return nil
	}
	parts := strings.Split(pointer[1:], "/")
	for i, part := range parts {
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(part, "~1", "/"), "~0", "~")
	}
	return parts
}

// Error is a syntax error in JSON text.
type Error struct {
	Line, Column int
	// Expected and Found are phrases; Text is a sentence that contains both.
	Expected, Found, Text string
	// RepairedLine is the line of the text with the fault corrected, or "" if no small edit corrects it.
	RepairedLine string
}

// Error returns the text after the position: "3:14: …".
func (e *Error) Error() string { return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Text) }
