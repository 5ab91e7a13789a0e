// Package toolkit contains helpers for the packages of baseline tools: a list of tools, definitions and parameter
// schemas, the decoding of arguments, the resolution of paths, and the error that a caller can correct.
//
// Everything here is safe for concurrent use unless its comment says otherwise.
package toolkit

import (
	"encoding/json"
	"fmt"
	"strings"

	"sextant/shared/toolspec"
)

// Tool is one tool of a List.
type Tool interface{ Definition() toolspec.Definition }

// List contains the tools of a package. A type that embeds it implements catalog.Source.
type List[T Tool] []T

// Definitions returns the definitions of all tools. They do not depend on the active panel.
func (l List[T]) Definitions(string) []toolspec.Definition {
	defs := make([]toolspec.Definition, len(l))
	for i, x := range l {
		defs[i] = x.Definition()
	}
	return defs
}

// Find returns the tool with that name; ok is false if there is none.
func (l List[T]) Find(name string) (tool T, ok bool) {
	for _, x := range l {
		if x.Definition().Name == name {
			return x, true
		}
	}
	return tool, false
}

// Define returns the definition of a baseline tool. doc is the text of its .md file, which becomes the description.
// parameters is a JSON Schema, and examples are arguments as JSON.
func Define(
	name, group, doc, parameters string, hints toolspec.Hints, examples ...string,
) toolspec.Definition {
	d := toolspec.Definition{
		Name: name, Description: strings.TrimSpace(doc), Parameters: json.RawMessage(parameters),
		Origin: toolspec.OriginBaseline, Group: group, Hints: hints,
	}
	for _, e := range examples {
		d.Examples = append(d.Examples, json.RawMessage(e))
	}
	return d
}

// Decode decodes arguments into params, a pointer. It returns nil on success.
func Decode(args json.RawMessage, params any) *toolspec.Result {
	if len(args) == 0 {
		return nil
	}
	if err := json.Unmarshal(args, params); err != nil {
		return Fail(toolspec.ValidationError, fmt.Sprintf("the arguments do not match the definition: %v", err),
			"Send a JSON object as the tool's definition says.")
	}
	return nil
}

// Fail is like toolspec.Fail, but returns a pointer, for functions that return nil on success.
func Fail(kind toolspec.ErrorType, message, suggestion string) *toolspec.Result {
	r := toolspec.Fail(kind, message, suggestion)
	return &r
}
