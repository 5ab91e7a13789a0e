// Package condition reads and evaluates the small conditions by which a panel or one of its
// tools is there or not: "selected && fileType in ['md', 'txt']".
//
// The grammar, loosest first:
//
//	or      = and { "||" and }
//	and     = not { "&&" not }
//	not     = "!" not | compare
//	compare = operand [ ( "==" | "!=" | "in" ) operand ]
//	operand = name | string | number | "true" | "false" | "null" | list | "(" or ")"
//	list    = "[" [ operand { "," operand } ] "]"
//
// Names are keys of a context, with dots and hyphens inside; strings are in single or
// double quotes. A condition is pure: it calls nothing and changes nothing. It is bounded
// in length, depth and size when it is read, so evaluating it is too.
package condition

import (
	"fmt"
	"slices"
	"strings"
)

// Bounds of a condition.
const (
	// maxLength is in bytes.
	maxLength = 500
	maxDepth  = 16
	maxNodes  = 100
	// maxLooked bounds how many members of a context's list "in" looks at.
	maxLooked = 1000
)

// Error is why a text is no condition: Offset is the byte where, Expected and Found are
// phrases.
type Error struct {
	Offset          int
	Expected, Found string
}

// Error is the reason without the place.
func (e *Error) Error() string { return fmt.Sprintf("expected %s, found %s", e.Expected, e.Found) }

// Name is a key of the context and its byte offset in the text.
type Name struct {
	Text   string
	Offset int
}

// Expr is a condition that was read. It is immutable and may be used concurrently.
type Expr struct {
	root  *node
	names []Name
}

// Names are the keys the condition asks for, in the order of the text.
func (e *Expr) Names() []Name { return slices.Clone(e.names) }

// Eval is the condition's value over context, whose values are those of encoding/json
// (nil, bool, float64, string, []any, map[string]any). A key that is not there is null.
// Null, false, 0, "" and what is empty count as false; values of different kinds are never
// equal. A in B looks among a list's items, an object's names, or for equal pieces of a
// text.
func (e *Expr) Eval(context map[string]any) bool { return truth(e.root.value(context)) }

type operator int

const (
	literal operator = iota
	lookup
	list
	not
	and
	or
	equal
	unequal
	in
)

type node struct {
	op       operator
	constant any
	name     string
	kids     []*node
}

func (n *node) value(context map[string]any) any {
	switch n.op {
	case literal:
		return n.constant
	case lookup:
		return context[n.name]
	case list:
		items := make([]any, len(n.kids))
		for i, kid := range n.kids {
			items[i] = kid.value(context)
		}
		return items
	case not:
		return !truth(n.kids[0].value(context))
	case and:
		return truth(n.kids[0].value(context)) && truth(n.kids[1].value(context))
	case or:
		return truth(n.kids[0].value(context)) || truth(n.kids[1].value(context))
	case equal:
		return same(n.kids[0].value(context), n.kids[1].value(context))
	case unequal:
		return !same(n.kids[0].value(context), n.kids[1].value(context))
	}
	return within(n.kids[0].value(context), n.kids[1].value(context))
}

func truth(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case float64:
		return v != 0
	case string:
		return v != ""
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return false
}

// same compares scalars; lists and objects are equal to nothing.
func same(a, b any) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case bool, float64, string:
		switch b.(type) {
		case bool, float64, string:
			return a == b
		}
	}
	return false
}

func within(a, b any) bool {
	switch b := b.(type) {
	case []any:
		return slices.ContainsFunc(b[:min(len(b), maxLooked)], func(item any) bool { return same(a, item) })
	case map[string]any:
		name, ok := a.(string)
		_, has := b[name]
		return ok && has
	case string:
		piece, ok := a.(string)
		return ok && strings.Contains(b, piece)
	}
	return false
}
