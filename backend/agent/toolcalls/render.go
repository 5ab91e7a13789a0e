package toolcalls

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strings"
)

// Render returns c as text in a format that a Parser reads back as the same call. FormatNative is printed like
// FormatToolCall, and so is a call that the Hermes format cannot represent.
func Render(kind Format, c Call, tools *Toolset) string {
	args := c.Args
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	switch kind {
	case FormatFenced:
		if string(args) == "{}" {
			return "```tool\nreturn " + c.Name + "();\n```"
		}
		return "```tool\nreturn " + c.Name + "(" + string(args) + ");\n```"
	case FormatHermes:
		if s, ok := printFunction(c.Name, args, tools); ok {
			return s
		}
	}
	var b bytes.Buffer
	b.WriteString(`<tool_call>{"name":`)
	writeString(&b, c.Name)
	b.WriteString(`,"arguments":`)
	b.Write(args)
	b.WriteString("}</tool_call>")
	return b.String()
}

// plainKey matches keys that fit in a tag; calls with other keys are printed as JSON.
var plainKey = regexp.MustCompile(`^[\pL\pN_.$-]{1,100}$`)

// printFunction writes the Hermes format. It returns false if the call cannot be written in it: the format has no
// escapes, and the tool must be known.
func printFunction(name string, args json.RawMessage, tools *Toolset) (string, bool) {
	t := tools.byName[name]
	if t == nil || !plainKey.MatchString(name) {
		return "", false
	}
	dec := json.NewDecoder(bytes.NewReader(args))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return "", false
	}
	var b strings.Builder
	b.WriteString("<tool_call>\n<function=" + name + ">\n")
	for dec.More() {
		token, err := dec.Token()
		key, ok := token.(string)
		var value json.RawMessage
		if err != nil || !ok || dec.Decode(&value) != nil || !plainKey.MatchString(key) {
			return "", false
		}
		text := string(value)
		if f, known := t.field(key); known && f.schema.textOnly() {
			if json.Unmarshal(value, &text) != nil || value[0] != '"' {
				return "", false
			}
		}
		if strings.Contains(text, "</parameter") || strings.Contains(text, "<parameter=") ||
			strings.Contains(text, "</function") ||
			strings.Contains(text, "tool_call>") {
			return "", false
		}
		b.WriteString("<parameter=" + key + ">\n" + text + "\n</parameter>\n")
	}
	b.WriteString("</function>\n</tool_call>")
	return b.String(), true
}

// Result is the result of a call. Text is what the model reads, with outside text already marked.
type Result struct {
	Name string
	Text string
}

func printResults(kind Format, results []Result) string {
	parts := make([]string, len(results))
	for i, r := range results {
		if kind == FormatFenced {
			fence := strings.Repeat("`", max(3, longestRun(r.Text)+1))
			parts[i] = fence + "tool_result " + r.Name + "\n" + r.Text + "\n" + fence
			continue
		}
		parts[i] = "<tool_response name=" + r.Name + ">\n" + escapeResultTags(r.Text) + "\n</tool_response>"
	}
	return strings.Join(parts, "\n")
}

// longestRun returns the length of the longest run of backticks in s; a fence around s must be longer.
func longestRun(s string) int {
	most, n := 0, 0
	for i := range len(s) {
		if s[i] != '`' {
			n = 0
			continue
		}
		n++
		most = max(most, n)
	}
	return most
}

// escapeResultTags escapes tags so that a result cannot close its own block.
func escapeResultTags(s string) string {
	return strings.NewReplacer("</tool_response", "<\\/tool_response", "<tool_response", "<\\tool_response").Replace(s)
}
