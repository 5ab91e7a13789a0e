// Package condition parses and evaluates conditions, which decide whether a panel or one of its tools is available:
// "selected && fileType in ['md', 'txt']".
//
// The grammar, from the lowest to the highest precedence:
//
//	or      = and { "||" and }
//	and     = not { "&&" not }
//	not     = "!" not | compare
//	compare = operand [ ( "==" | "!=" | "in" ) operand ]
//	operand = name | string | number | "true" | "false" | "null" | list | "(" or ")"
//	list    = "[" [ operand { "," operand } ] "]"
//
// Names are keys of a context and may contain dots and hyphens. Strings are in single or double quotes and have no
// escapes. A condition has no side effects. Parse limits its length, depth and number of parts, which also limits its
// evaluation.
package condition

import (
	"fmt"
	"slices"
	"strings"
)

const (
	maxLength = 500
	maxDepth  = 16
	maxNodes  = 100
	// maxLooked is how many items of a list "in" compares at most. It ignores the rest.
	maxLooked = 1000
)

// Error says why a text is not a condition. Offset is the byte offset of the mistake. Expected and Found are phrases.
type Error struct {
	Offset          int
	Expected, Found string
}

// Error returns the reason without the offset.
func (e *Error) Error() string { return fmt.Sprintf("expected %s, found %s", e.Expected, e.Found) }

// Name is a key of the context as it occurs in a condition. Offset is its byte offset in the text.
type Name struct {
	Text   string
	Offset int
}

// Expr is a parsed condition. It is immutable and safe for concurrent use.
type Expr struct {
	root  *node
	names []Name
}

// Names returns each occurrence of a key in the condition, in the order of the text.
func (e *Expr) Names() []Name { return slices.Clone(e.names) }

// Eval evaluates the condition with the values of context, which have the types of encoding/json (nil, bool, float64,
// string, []any, map[string]any). A missing key is null. Null, false, 0, "" and empty lists and objects count as false.
// Values of different types are never equal, and neither are lists or objects. "in" looks for an item of a list, a key
// of an object, or a part of a string.
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

// same compares scalars. Lists and objects are never equal.
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
