package prompt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/pipeline/search"
	"sextant/shared/toolspec"
)

// Toolbox decides which tools are sent to a conversation's model. The zero value is ready. Not safe for
// concurrent use.
type Toolbox struct {
	// searching stays set until the tools are clearly few again, so that a panel that opens and closes near the limit
	// does not invalidate the prompt cache each time.
	searching bool
}

// ToolSelection contains the tools of one request.
type ToolSelection struct {
	// Listed are the definitions in the request, in order.
	Listed []toolspec.Definition
	// Searching is set if Listed is only a part and the model finds the others with find_tools.
	Searching bool
	// Note describes the panel's tools while Searching; "" for none.
	Note string
}

// Select chooses from all tools for a model with a context window in tokens. Tools named in core are always listed.
// The others are left out only if find_tools is among all.
func (t *Toolbox) Select(all []toolspec.Definition, core []string, window int) ToolSelection {
	size := 0
	for _, d := range all {
		if d.Name != toolspec.FindTools {
			size += d.PromptBytes()
		}
	}
	limit := window / toolShare
	if t.searching {
		limit = limit * 4 / 5
	}
	finds := slices.ContainsFunc(all, func(d toolspec.Definition) bool { return d.Name == toolspec.FindTools })
	t.searching = finds && estimateTokens(size) > limit
	var first, last []toolspec.Definition
	for _, d := range all {
		switch {
		case t.searching && (d.Name == toolspec.FindTools || slices.Contains(core, d.Name)):
			first = append(first, d)
		case d.Origin == toolspec.OriginPanel:
			last = append(last, d)
		case !t.searching && d.Name != toolspec.FindTools:
			first = append(first, d)
		}
	}
	if t.searching {
		return ToolSelection{Listed: append(first, callTool()), Searching: true, Note: panelNote(last)}
	}
	return ToolSelection{Listed: append(first, last...)}
}

const maxNoted = 12

const panelNotePrefix = "[From Sextant: the panel"

// IsPanelNote reports whether a note is about a panel's tools.
func IsPanelNote(text string) bool { return strings.HasPrefix(text, panelNotePrefix) }

// PanelClosedNote says that the panel's tools can no longer be called.
const PanelClosedNote = panelNotePrefix + " whose tools were listed is closed; they cannot be called now.]"

func panelNote(defs []toolspec.Definition) string {
	if len(defs) == 0 {
		return ""
	}
	more := ""
	if len(defs) > maxNoted {
		more = fmt.Sprintf("\nand %d more: %s finds them.", len(defs)-maxNoted, toolspec.FindTools)
		defs = defs[:maxNoted]
	}
	return fmt.Sprintf(
		panelNotePrefix+" in front has these tools; run them with %s.\n%s%s]",
		toolspec.CallTool,
		search.Summary(defs),
		more,
	)
}

// NextNote returns the note to append so that the model knows want, the Note of a ToolSelection. sent are the notes
// sent so far; if the last of them says the same, it returns "".
func NextNote(want string, sent []string) string {
	last := ""
	if len(sent) > 0 {
		last = sent[len(sent)-1]
	}
	switch {
	case want == last, want == "" && (last == "" || last == PanelClosedNote):
		return ""
	case want == "":
		return PanelClosedNote
	}
	return want
}

func callTool() toolspec.Definition {
	return toolspec.Definition{
		Name: toolspec.CallTool, Origin: toolspec.OriginBaseline, Group: "workspace",
		Description: "Runs a tool that find_tools found or a note named, with its arguments.",
		Parameters: json.RawMessage(
			`{"type":"object","properties":{"tool":{"type":"string"},"args":{"type":"object"}},` +
				`"required":["tool","args"],"additionalProperties":false}`,
		),
		Examples: []json.RawMessage{json.RawMessage(`{"tool":"read_file","args":{"path":"notes.txt"}}`)},
	}
}

// ResolveCall returns the tool and arguments that a call of call_tool names, and other calls unchanged. If it names
// no other tool or its arguments are not an object, the Result says so; else it is nil.
func ResolveCall(name string, args json.RawMessage) (string, json.RawMessage, *toolspec.Result) {
	if name != toolspec.CallTool {
		return name, args, nil
	}
	var p struct {
		Tool string          `json:"tool"`
		Args json.RawMessage `json:"args"`
		// Most protocols use these names, so models use them by mistake.
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	}
	err := json.Unmarshal(args, &p)
	if strings.TrimSpace(p.Tool) == "" {
		p.Tool = p.Name
	}
	if p.Args == nil {
		p.Args = p.Arguments
	}
	if err != nil || strings.TrimSpace(p.Tool) == "" || p.Tool == toolspec.CallTool {
		r := toolspec.Fail(toolspec.ValidationError, "it does not name a tool to run",
			`Send the tool's name and its arguments, for example {"tool":"read_file","args":{"path":"notes.txt"}}.`)
		return "", nil, &r
	}
	inner := bytes.TrimSpace(p.Args)
	var text string
	switch {
	case len(inner) == 0 || bytes.Equal(inner, []byte("null")):
		inner = []byte("{}")
	case json.Unmarshal(inner, &text) == nil:
		inner = []byte(text) // some models send the object as a string; the schema check follows
	}
	if !json.Valid(inner) || inner[0] != '{' {
		r := toolspec.Fail(toolspec.ValidationError, "the args for "+p.Tool+" are not a JSON object",
			fmt.Sprintf(`Send {"tool":%q,"args":{…}} with the arguments that find_tools lists.`, p.Tool))
		return "", nil, &r
	}
	return p.Tool, json.RawMessage(inner), nil
}
