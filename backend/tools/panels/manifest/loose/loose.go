// Package loose reads JSON that people and models wrote with mistakes in its grammar:
// comments, trailing and missing commas, other quotes, bare names, a file cut off in the
// middle. It reads on after each, so that what the text says can still be judged, and says
// for each where it is and which edit makes it right.
//
// Two things hold, and FuzzParse keeps them: a text that is JSON has no faults; and a text
// with faults, once Mended, is JSON that says what the tree says. Where it cannot hold them
// (too deep, too many values, nothing that looks like JSON) there is no tree.
//
// It is not a reader for data: nothing is used that had a fault.
package loose

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of what is read. Nothing a person writes by hand comes near.
const (
	maxDepth  = 64
	maxValues = 100_000
	maxFaults = 100
)

// Kind is what a Node is.
type Kind int

// The kinds of JSON values.
const (
	Null Kind = iota
	Bool
	Number
	String
	Array
	Object
)

// String is the kind as a phrase: "a list".
func (k Kind) String() string {
	return [...]string{"null", "true or false", "a number", "a string", "a list", "an object"}[k]
}

// Node is one value. Start and End are its bytes in Document.Text.
type Node struct {
	Kind       Kind
	Start, End int
	// Text is the content of a String, and JSON's own words for Null, Bool and Number.
	Text string
	// Members are an Object's in the order they stand; a name may stand twice.
	Members []Member
	Items   []*Node
}

// Member is a name and its value. Start and End are the name's bytes, quotes and all.
type Member struct {
	Name       string
	Start, End int
	Value      *Node
}

// Get is the value of the last member called name, nil when n has none or is no object.
func (n *Node) Get(name string) *Node {
	if n == nil {
		return nil
	}
	for _, m := range slices.Backward(n.Members) {
		if m.Name == name {
			return m.Value
		}
	}
	return nil
}

// JSON is n as compact JSON. Of a name that stands twice the last value counts.
func (n *Node) JSON() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *Node) write(b *strings.Builder) {
	switch n.Kind {
	case String:
		b.WriteString(Quote(n.Text))
	case Array:
		b.WriteByte('[')
		for i, item := range n.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.write(b)
		}
		b.WriteByte(']')
	case Object:
		b.WriteByte('{')
		first := true
		last := map[string]int{}
		for i, m := range n.Members {
			last[m.Name] = i
		}
		for i, m := range n.Members {
			if last[m.Name] != i {
				continue
			}
			if !first {
				b.WriteByte(',')
			}
			first = false
			b.WriteString(Quote(m.Name))
			b.WriteByte(':')
			m.Value.write(b)
		}
		b.WriteByte('}')
	default:
		b.WriteString(n.Text)
	}
}

// Quote is text as a JSON string.
func Quote(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(text); err != nil {
		return `""`
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// QuoteList is items as a JSON list of strings.
func QuoteList(items []string) string {
	quoted := make([]string, len(items))
	for i, item := range items {
		quoted[i] = Quote(item)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

// Edit replaces the bytes [Start, End) by Text.
type Edit struct {
	Start, End int
	Text       string
}

// Fault is one mistake in the grammar: Offset is its byte, Expected and Found are phrases,
// Edit what makes it right.
type Fault struct {
	Offset          int
	Expected, Found string
	Edit            Edit
}

// EndOfFile is what is Found where a text ends in the middle.
const EndOfFile = "the end of the file"

// Document is a text that was read.
type Document struct {
	// Text is the text in UTF-8; all offsets are in it.
	Text []byte
	// Root is nil when nothing could be made of the text.
	Root   *Node
	Faults []Fault
	edits  []Edit
}

// Mended is the text with every fault made right, nil when there is no tree.
func (d Document) Mended() []byte {
	if d.Root == nil {
		return nil
	}
	return Apply(d.Text, d.edits)
}

// Edits are what Mended applies, in order and without overlaps.
func (d Document) Edits() []Edit { return slices.Clone(d.edits) }

// Apply makes edits, which do not overlap, in text.
func Apply(text []byte, edits []Edit) []byte {
	edits = ordered(edits)
	var out bytes.Buffer
	at := 0
	for _, e := range edits {
		if e.Start < at {
			continue
		}
		out.Write(text[at:e.Start])
		out.WriteString(e.Text)
		at = e.End
	}
	out.Write(text[at:])
	return out.Bytes()
}

// ordered sorts edits by place; what is put in comes before what is replaced there.
func ordered(edits []Edit) []Edit {
	edits = slices.Clone(edits)
	replaces := func(e Edit) int { return min(1, e.End-e.Start) }
	slices.SortStableFunc(edits, func(a, b Edit) int { return cmp.Or(a.Start-b.Start, replaces(a)-replaces(b)) })
	return edits
}

// Position turns a byte offset into line and column, both from 1; columns count characters.
func (d Document) Position(offset int) (line, column int) {
	offset = max(0, min(offset, len(d.Text)))
	before := d.Text[:offset]
	line = 1 + bytes.Count(before, []byte{'\n'})
	return line, 1 + utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:])
}

// Parse reads raw. It never fails: what is wrong stands in Faults.
func Parse(raw []byte) Document {
	r := &reader{}
	r.decode(raw)
	root := r.document()
	d := Document{Text: r.text, Faults: r.faults}
	if root != nil && !r.dead {
		d.Root, d.edits = root, ordered(r.edits)
	}
	slices.SortStableFunc(d.Faults, func(a, b Fault) int { return a.Offset - b.Offset })
	return d
}
