package accepted

import (
	"encoding/json"
	"fmt"
	"slices"

	"sextant/backend/tools/panels/manifest"
	"sextant/shared/toolspec"
)

// toolForm is what of a tool a person knows by having accepted it.
type toolForm struct {
	Description     string            `json:"description"`
	UserDescription string            `json:"user_description,omitempty"`
	Parameters      any               `json:"parameters"`
	Examples        any               `json:"examples,omitempty"`
	Method          string            `json:"method"`
	Path            string            `json:"path"`
	Undo            string            `json:"undo,omitempty"`
	Inject          map[string]string `json:"inject,omitempty"`
	Hints           toolspec.Hints    `json:"hints"`
	// Hidden is true of a tool that the assistant does not see.
	Hidden bool `json:"hidden,omitempty"`
}

func form(t manifest.BoundTool) toolForm {
	f := toolForm{
		Description: t.Description, UserDescription: t.UserDescription, Parameters: plain(t.Def.Parameters),
		Method: t.Method, Path: t.Path, Undo: t.Undo, Inject: t.Inject, Hints: t.Def.Hints,
		Hidden: len(t.Visibility) > 0 && !slices.Contains(t.Visibility, "model"),
	}
	if len(t.Examples) > 0 {
		var all []any
		for _, e := range t.Examples {
			all = append(all, plain(e))
		}
		f.Examples = all
	}
	return f
}

// plain is JSON as a value, so that it compares by what it says.
func plain(raw json.RawMessage) any {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return string(raw)
	}
	return value
}

func (f toolForm) text() string { return asText(f) }

// asText is v as JSON with sorted names; plain data always can be.
func asText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// tool says what of a known tool changes to the person's loss, and that one is new. A new one that
// only reads is no more than the panel's other tools are and waits only when nothing more can be
// remembered.
func (c *comparison) tool(t manifest.BoundTool, known map[string]string) {
	text, again := known[t.Name]
	is := form(t)
	switch {
	case !again && len(known) >= maxKnown:
		c.add(Tool, "%s is one more tool, and more than %d of this panel are not remembered.", t.Name, maxKnown)
		return
	case !again && !is.Hints.ReadOnly:
		c.add(Tool, "%s is a new tool, which may change something: it is sent to %s %s.", t.Name, is.Method, is.Path)
		return
	case !again || text == is.text():
		return
	}
	var was toolForm
	if err := json.Unmarshal([]byte(text), &was); err != nil {
		c.add(Tool, "%s changes, and what it was cannot be read any more.", t.Name)
		return
	}
	add := func(changed bool, format string, args ...any) {
		if changed {
			c.add(Tool, "%s: %s", t.Name, fmt.Sprintf(format, args...))
		}
	}
	add(was.Description != is.Description, "the description changes, which the assistant reads.")
	add(was.UserDescription != is.UserDescription, "the sentence on its calls changes.")
	add(asText(was.Parameters) != asText(is.Parameters), "the parameters change.")
	add(asText(was.Examples) != asText(is.Examples), "the examples change, which the assistant reads.")
	add(was.Method != is.Method || was.Path != is.Path, "it is sent to %s %s instead of %s %s.", is.Method, is.Path, was.Method, was.Path)
	add(was.Undo != is.Undo, "undoing it is sent to “%s” instead of “%s”.", Shown(is.Undo), Shown(was.Undo))
	add(asText(was.Inject) != asText(is.Inject), "what the panel fills in for it changes.")
	add(was.Hints.Confirm && !is.Hints.Confirm, "it asks before a call no longer.")
	add(!was.Hints.ReadOnly && is.Hints.ReadOnly, "it counts as reading only.")
	add(was.Hints.Destructive && !is.Hints.Destructive, "it counts as destroying nothing.")
	// Without it the hint follows the permissions, and losing those narrows.
	says := t.Annotations.OpenWorld != nil
	add(was.Hints.OpenWorld && !is.Hints.OpenWorld && says, "it counts as staying on this machine.")
	add(!was.Hints.Idempotent && is.Hints.Idempotent, "it counts as safe to repeat.")
	add(was.Hidden && !is.Hidden, "the assistant can call it.")
}
