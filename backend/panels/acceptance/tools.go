package acceptance

import (
	"encoding/json"
	"fmt"
	"slices"

	"sextant/backend/panels/manifest"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

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
	// Hidden is true for a tool that the assistant cannot see.
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

func plain(raw json.RawMessage) any {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return string(raw)
	}
	return value
}

func (f toolForm) text() string { return asText(f) }

func asText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// A new tool that only reads is a reason only if the panel already has maxKnown known tools.
func (c *comparison) tool(t manifest.BoundTool, known map[string]string) {
	text, again := known[t.Name]
	is := form(t)
	switch {
	case !again && len(known) >= maxKnown:
		c.add(KindTool, "%s is a new tool; at most %d tools of a panel are remembered.", t.Name, maxKnown)
		return
	case !again && !is.Hints.ReadOnly:
		c.add(KindTool, "%s is a new tool that may change something: it is sent to %s %s.", t.Name, is.Method, is.Path)
		return
	case !again || text == is.text():
		return
	}
	var was toolForm
	if err := json.Unmarshal([]byte(text), &was); err != nil {
		c.add(KindTool, "%s changes, and its accepted version cannot be read.", t.Name)
		return
	}
	add := func(changed bool, format string, args ...any) {
		if changed {
			c.add(KindTool, "%s: %s", t.Name, fmt.Sprintf(format, args...))
		}
	}
	add(was.Description != is.Description, "its description, which the assistant reads, changes.")
	add(was.UserDescription != is.UserDescription, "the sentence shown on its calls changes.")
	add(asText(was.Parameters) != asText(is.Parameters), "its parameters change.")
	add(asText(was.Examples) != asText(is.Examples), "its examples, which the assistant reads, change.")
	add(was.Method != is.Method || was.Path != is.Path, "it is sent to %s %s instead of %s %s.", is.Method, is.Path,
		was.Method, was.Path)
	add(was.Undo != is.Undo, "its undo is sent to “%s” instead of “%s”.",
		excerpt.Escape(is.Undo), excerpt.Escape(was.Undo))
	add(asText(was.Inject) != asText(is.Inject), "the arguments that the panel supplies change.")
	add(was.Hints.Confirm && !is.Hints.Confirm, "it no longer asks before a call.")
	add(!was.Hints.ReadOnly && is.Hints.ReadOnly, "it now counts as read-only.")
	add(was.Hints.Destructive && !is.Hints.Destructive, "it now counts as not destructive.")
	// Without the annotation, the hint follows from the permissions, and the loss of a permission is no reason.
	says := t.Annotations.OpenWorld != nil
	add(was.Hints.OpenWorld && !is.Hints.OpenWorld && says, "it now counts as staying on this machine.")
	add(!was.Hints.Idempotent && is.Hints.Idempotent, "it now counts as safe to repeat.")
	add(was.Hidden && !is.Hidden, "the assistant can now call it.")
}
