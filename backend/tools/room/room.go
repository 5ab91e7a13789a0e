// Package room is what the rooms of baseline tools share: the list of a room's tools, the making
// of a definition, the reading of arguments, and the way from a call's path to a judged place.
//
// It decides nothing: what a tool does, how it is told and what it refuses is its room's matter.
// All of it may be used concurrently once it was made.
package room

import (
	"encoding/json"
	"fmt"
	"strings"

	"sextant/shared/toolspec"
)

// Tool is one tool of a room, whatever else the room knows of it.
type Tool interface{ Definition() toolspec.Definition }

// List is a room's tools. Embedded, it is the room's list for discovery.
type List[T Tool] []T

// Definitions lists the tools; they are the same whatever panel is active.
func (l List[T]) Definitions(string) []toolspec.Definition {
	defs := make([]toolspec.Definition, len(l))
	for i, x := range l {
		defs[i] = x.Definition()
	}
	return defs
}

// Find is the tool of that name.
func (l List[T]) Find(name string) (tool T, ok bool) {
	for _, x := range l {
		if x.Definition().Name == name {
			return x, true
		}
	}
	return tool, false
}

// Define makes the definition of a baseline tool; doc is the text of its .md file.
func Define(name, group, doc, parameters string, hints toolspec.Hints, examples ...string) toolspec.Definition {
	d := toolspec.Definition{
		Name: name, Description: strings.TrimSpace(doc), Parameters: json.RawMessage(parameters),
		Origin: toolspec.OriginBaseline, Group: group, Hints: hints,
	}
	for _, e := range examples {
		d.Examples = append(d.Examples, json.RawMessage(e))
	}
	return d
}

// Decode reads arguments into params, a pointer; none leave it as it is. A nil Result means that
// it worked.
func Decode(args json.RawMessage, params any) *toolspec.Result {
	if len(args) == 0 {
		return nil
	}
	if err := json.Unmarshal(args, params); err != nil {
		return Fail(toolspec.ValidationError, fmt.Sprintf("the arguments are not as defined: %v", err), "Send a JSON object as the tool's definition says.")
	}
	return nil
}

// Fail is toolspec.Fail for functions that return nil when nothing failed.
func Fail(kind toolspec.ErrorType, text, next string) *toolspec.Result {
	r := toolspec.Fail(kind, text, next)
	return &r
}
