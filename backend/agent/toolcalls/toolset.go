package toolcalls

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"sextant/backend/pipeline/nearest"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

// Toolset contains the tools that may be called in one answer. Not safe for concurrent use.
type Toolset struct {
	byName map[string]*tool
	names  []string
}

type tool struct {
	def    toolspec.Definition
	params []field
	read   bool
}

// NewToolset returns a Toolset that keeps the order of defs.
func NewToolset(defs []toolspec.Definition) *Toolset {
	t := &Toolset{byName: make(map[string]*tool, len(defs))}
	for _, d := range defs {
		if t.byName[d.Name] == nil {
			t.names = append(t.names, d.Name)
			t.byName[d.Name] = &tool{def: d}
		}
	}
	return t
}

// finalResponse is another spelling of final_response that some models use.
const finalResponse, finalResponseTool = "finalResponse", "final_response"

// find returns the tool with exactly this name, or an error at offset at. It knows finalResponse too.
func (t *Toolset) find(name string, at int) (*tool, *syntaxError) {
	if name == finalResponse && t.byName[finalResponseTool] != nil {
		name = finalResponseTool
	}
	if found := t.byName[name]; found != nil {
		return found, nil
	}
	problem := fmt.Sprintf("there is no tool %q", excerpt.TruncateBytes(name, 64))
	if near := nearest.Names(name, t.names, 3); len(near) > 0 {
		problem += "; nearest: " + strings.Join(near, ", ")
	}
	return nil, &syntaxError{recoverable: true, at: at, found: problem, name: name}
}

func (t *tool) fields() []field {
	if !t.read {
		t.read = true
		t.params = signature(t.def.Parameters)
	}
	return t.params
}

func (t *tool) field(name string) (field, bool) {
	i := slices.IndexFunc(t.fields(), func(f field) bool { return f.name == name })
	if i < 0 {
		return field{}, false
	}
	return t.params[i], true
}

func (t *tool) example() json.RawMessage {
	for _, e := range t.def.Examples {
		var b bytes.Buffer
		if len(e) <= 400 && json.Compact(&b, e) == nil && b.Len() > 0 && b.Bytes()[0] == '{' {
			return b.Bytes()
		}
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for _, f := range t.fields() {
		if !f.required {
			break
		}
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		writeString(&b, f.name)
		b.WriteByte(':')
		b.WriteString(f.schema.sample(0))
	}
	b.WriteByte('}')
	return b.Bytes()
}

// plainName matches the tool names that providers accept in a conversation.
var plainName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// describe returns f as a message for the model. at is the position of src in the answer.
func (t *Toolset) describe(f *syntaxError, src []byte, at position, form Format) *BrokenCall {
	where := at.after(src[:min(f.at, len(src))])
	b := &BrokenCall{Name: f.name, Line: where.line, Column: where.column, Problem: f.text(where)}
	if !plainName.MatchString(b.Name) {
		b.Name = ""
	}
	b.Suggestion = "Nothing ran. Write the call again, whole: " + t.sample(f.name, form)
	return b
}

func (t *Toolset) sample(name string, form Format) string {
	shown := t.byName[name]
	if shown == nil {
		if near := nearest.Names(name, t.names, 1); len(near) > 0 {
			shown = t.byName[near[0]]
		} else if len(t.names) > 0 {
			shown = t.byName[t.names[0]]
		}
	}
	if shown == nil {
		return "there is no tool now, so answer in words."
	}
	return Render(form, Call{Name: shown.def.Name, Args: shown.example()}, t)
}
