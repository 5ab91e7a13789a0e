package prompt

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/calls/finder"
	"sextant/shared/toolspec"
)

// Toolbox decides which tools a conversation's model is told. Its zero value is ready; it is used
// by one goroutine at a time.
type Toolbox struct {
	// searching stays until the set is clearly small again: a panel that opens and closes around
	// the border is not to cost a cached prompt each time.
	searching bool
}

// Offer is what of the tools one request holds.
type Offer struct {
	// Told are the definitions in the request, in their order.
	Told []toolspec.Definition
	// Searching is true when Told are a few and the others are found with find_tools.
	Searching bool
	// Note is what the model is told of the panel's tools while it searches, "" for none.
	Note string
}

// Offer chooses from all tools that can be called now for a model with a window of so many tokens.
// core names the tools that are always told.
func (b *Toolbox) Offer(all []toolspec.Definition, core []string, window int) Offer {
	size := 0
	for _, d := range all {
		if d.Name != toolspec.FindTools {
			size += d.PromptBytes()
		}
	}
	limit := window / Share
	if b.searching {
		limit = limit * 4 / 5
	}
	finds := slices.ContainsFunc(all, func(d toolspec.Definition) bool { return d.Name == toolspec.FindTools })
	b.searching = finds && tokens(size) > limit
	var first, last []toolspec.Definition
	for _, d := range all {
		switch {
		case b.searching && (d.Name == toolspec.FindTools || slices.Contains(core, d.Name)):
			first = append(first, d)
		case d.Origin == toolspec.OriginPanel:
			last = append(last, d)
		case !b.searching && d.Name != toolspec.FindTools:
			first = append(first, d)
		}
	}
	if b.searching {
		return Offer{Told: append(first, callTool()), Searching: true, Note: note(last)}
	}
	return Offer{Told: append(first, last...)}
}

// maxNoted is how many of a panel's tools a note describes.
const maxNoted = 12

// ofPanel is how every note about a panel's tools begins.
const ofPanel = "[From Sextant: the panel"

// OfPanel reports whether a note tells of a panel's tools; there are others.
func OfPanel(text string) bool { return strings.HasPrefix(text, ofPanel) }

// NoteGone is what a model is told when the panel's tools are gone.
const NoteGone = ofPanel + " whose tools you were told is closed; they cannot be called now.]"

// note tells the tools of the panel in front.
func note(defs []toolspec.Definition) string {
	if len(defs) == 0 {
		return ""
	}
	more := ""
	if len(defs) > maxNoted {
		more = fmt.Sprintf("\nand %d more: %s finds them.", len(defs)-maxNoted, toolspec.FindTools)
		defs = defs[:maxNoted]
	}
	return fmt.Sprintf(
		ofPanel+" in front has these tools; run them with %s.\n%s%s]",
		toolspec.CallTool,
		finder.Tell(defs),
		more,
	)
}

// NewNote is what is to be appended so that the model knows want, the Note of an Offer, when it was
// told the notes told so far, in order; "" when it knows.
func NewNote(want string, told []string) string {
	last := ""
	if len(told) > 0 {
		last = told[len(told)-1]
	}
	switch {
	case want == last, want == "" && (last == "" || last == NoteGone):
		return ""
	case want == "":
		return NoteGone
	}
	return want
}

// callTool is how a tool that is not told is called.
func callTool() toolspec.Definition {
	return toolspec.Definition{
		Name: toolspec.CallTool, Origin: toolspec.OriginBaseline, Group: "workspace",
		Description: "Runs a tool that find_tools found or a note told: its name and its arguments.",
		Parameters: json.RawMessage(
			`{"type":"object","properties":{"tool":{"type":"string"},"args":{"type":"object"}},` +
				`"required":["tool","args"],"additionalProperties":false}`,
		),
		Examples: []json.RawMessage{json.RawMessage(`{"tool":"read_file","args":{"path":"notes.txt"}}`)},
	}
}

// Meant is the tool and arguments that a call of call_tool names; any other call is itself. The
// Result says what is wrong with one that names none.
func Meant(name string, args json.RawMessage) (string, json.RawMessage, *toolspec.Result) {
	if name != toolspec.CallTool {
		return name, args, nil
	}
	var p struct {
		Tool string          `json:"tool"`
		Args json.RawMessage `json:"args"`
		// The words by which most protocols say the same; models that know these slip.
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
		r := toolspec.Fail(toolspec.ValidationError, toolspec.CallTool+" was not told which tool to run",
			`Send the tool's name and its arguments, for example {"tool":"read_file","args":{"path":"notes.txt"}}.`)
		return "", nil, &r
	}
	inner := bytes.TrimSpace(p.Args)
	var text string
	switch {
	case len(inner) == 0 || bytes.Equal(inner, []byte("null")):
		inner = []byte("{}")
	case json.Unmarshal(inner, &text) == nil:
		inner = []byte(text) // some models write the object as a string; the schema checks what is in it
	}
	if !json.Valid(inner) || inner[0] != '{' {
		r := toolspec.Fail(toolspec.ValidationError, "the args for "+p.Tool+" are not a JSON object",
			fmt.Sprintf(`Send {"tool":%q,"args":{…}} with the arguments as find_tools told them.`, p.Tool))
		return "", nil, &r
	}
	return p.Tool, json.RawMessage(inner), nil
}
