// Package slash parses calls that are written as /tool {"name": value}.
package slash

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Call is the call of a tool, or "help" or "tools". Text is how it is written.
type Call struct {
	Name string
	Args json.RawMessage
	Text string
}

// Parse parses the call at the start of text and returns what follows it. problem says what is wrong, "" for nothing.
func Parse(text string) (c Call, rest, problem string) {
	end := 1 + NameLength(text[1:])
	c, rest = Call{Name: text[1:end], Args: json.RawMessage("{}")}, strings.TrimLeft(text[end:], " \t")
	if strings.HasPrefix(rest, "{") {
		dec := json.NewDecoder(strings.NewReader(rest))
		if err := dec.Decode(&c.Args); err != nil {
			if errors.Is(err, io.ErrUnexpectedEOF) {
				return c, "", fmt.Sprintf("The arguments of /%s are not complete: a closing brace is missing.", c.Name)
			}
			return c, "", fmt.Sprintf("The arguments of /%s are not valid JSON: %v.", c.Name, err)
		}
		rest = strings.TrimLeft(rest[dec.InputOffset():], " \t")
	}
	name := c.Name
	if c, problem = c.resolved(); problem != "" {
		return c, "", problem
	}
	c.Text = strings.TrimSpace(text[:len(text)-len(rest)])
	for _, joint := range []string{"and then ", "and ", "then ", "; ", ", "} {
		if len(rest) >= len(joint) && strings.EqualFold(rest[:len(joint)], joint) {
			return c, strings.TrimLeft(rest[len(joint):], " \t"), ""
		}
	}
	if rest != "" && rest[0] != '\n' && rest[0] != '\r' {
		return c, "", "After /" + name + ` a JSON object is needed, for example /click_element {"annotationId": 3}.`
	}
	return c, rest, ""
}

// resolved returns the call that /tool contains, or c itself.
func (c Call) resolved() (Call, string) {
	switch c.Name {
	case "help", "tools":
		return c, ""
	case "":
		return c, `After the slash comes a tool's name, for example /annotate_page {}. Say "tools" for the names.`
	case "tool":
		var form struct {
			Name      string          `json:"name"`
			Tool      string          `json:"tool"`
			Args      json.RawMessage `json:"args"`
			Arguments json.RawMessage `json:"arguments"`
		}
		if err := json.Unmarshal(c.Args, &form); err != nil || form.Name+form.Tool == "" {
			return c, `/tool needs a name, for example /tool {"name": "click_element", "args": {"annotationId": 3}}.`
		}
		c = Call{Name: form.Name, Args: form.Args}
		if c.Name == "" {
			c.Name = form.Tool
		}
		if len(c.Args) == 0 {
			c.Args = form.Arguments
		}
		if len(c.Args) == 0 {
			c.Args = json.RawMessage("{}")
		}
		if c.Args[0] != '{' {
			return c, "The args of /tool are a JSON object."
		}
	}
	var flat bytes.Buffer
	if err := json.Compact(&flat, c.Args); err != nil {
		return c, "The arguments are not valid JSON."
	}
	c.Args = flat.Bytes()
	return c, ""
}

// NameLength returns the length of the tool's name at the start of s.
func NameLength(s string) int {
	end := strings.IndexFunc(s, func(r rune) bool {
		return !(r == '_' || r == '-' || r == '.' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' &&
			r <= 'Z')
	})
	if end < 0 {
		return len(s)
	}
	return end
}
