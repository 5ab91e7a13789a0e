// Package searchtest provides test data for tool search: tools as the authors of about fifty MCP servers describe them,
// and tasks in people's own words.
package searchtest

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"sextant/shared/toolspec"
)

//go:embed tools.txt
var tools string

//go:embed questions.txt
var questions string

// toolLine matches "name(argument, optional?: type, …) | description. | example".
var toolLine = regexp.MustCompile(`^(\w+)\((.*)\) \| ([^|]+?)(?: \| (\{.*\}))?$`)

// Tools returns the definitions, grouped by server.
func Tools() ([]toolspec.Definition, error) {
	var defs []toolspec.Definition
	server := ""
	for _, line := range lines(tools) {
		if name, ok := strings.CutPrefix(line, "# "); ok {
			server = name
			continue
		}
		m := toolLine.FindStringSubmatch(line)
		if m == nil {
			return nil, fmt.Errorf("not a tool: %q", line)
		}
		parameters, err := schema(m[2])
		if err != nil {
			return nil, err
		}
		d := toolspec.Definition{
			Name: server + "__" + m[1], Description: m[3], Origin: toolspec.OriginMCP, Owner: server,
			Parameters: parameters,
		}
		if m[4] != "" {
			d.Examples = []json.RawMessage{json.RawMessage(m[4])}
		}
		defs = append(defs, d)
	}
	return defs, nil
}

func schema(list string) (json.RawMessage, error) {
	properties, required := map[string]any{}, []string{}
	for p := range strings.SplitSeq(list, ", ") {
		name, kind, _ := strings.Cut(p, ": ")
		if p == "" {
			continue
		}
		if bare, optional := strings.CutSuffix(name, "?"); optional {
			name = bare
		} else {
			required = append(required, name)
		}
		switch {
		case kind == "":
			properties[name] = map[string]any{"type": "string"}
		case strings.Contains(kind, "|"):
			properties[name] = map[string]any{"type": "string", "enum": strings.Split(kind, "|")}
		default:
			properties[name] = map[string]any{"type": kind}
		}
	}
	return json.Marshal(map[string]any{"type": "object", "properties": properties, "required": required})
}

func lines(text string) []string { return strings.Split(strings.TrimSpace(text), "\n") }

// Question is a task in a person's words and the name of the tool for it.
type Question struct{ Text, Tool string }

// Questions returns all questions.
func Questions() ([]Question, error) {
	var out []Question
	for _, line := range lines(questions) {
		tool, text, ok := strings.Cut(line, ": ")
		if !ok {
			return nil, fmt.Errorf("not a question: %q", line)
		}
		out = append(out, Question{text, tool})
	}
	return out, nil
}
