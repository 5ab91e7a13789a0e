package definitions

import (
	"encoding/json"

	"sextant/backend/toolprovider/pinning"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	maxPinned = 512
	maxPin    = 128 << 10
)

// PinOf returns a tool's name, title, description, schemas and annotations as JSON, or the hash of that if it is longer
// than 128 KB.
func PinOf(t *sdk.Tool) string {
	b, err := json.Marshal(struct {
		Name         string               `json:"name"`
		Title        string               `json:"title,omitempty"`
		Description  string               `json:"description,omitempty"`
		InputSchema  any                  `json:"inputSchema"`
		OutputSchema any                  `json:"outputSchema,omitempty"`
		Annotations  *sdk.ToolAnnotations `json:"annotations,omitempty"`
	}{t.Name, t.Title, t.Description, t.InputSchema, t.OutputSchema, t.Annotations})
	if err != nil {
		b = []byte(err.Error())
	}
	if len(b) > maxPin {
		return pinning.Hash(b)
	}
	return string(b)
}

// Compare compares the tools that a server lists with their pins. fresh maps the names of new tools to their pins.
// changed maps the name of each tool that differs from its pin to the tool as it was pinned. After 512 pins, a new tool
// counts as changed.
func Compare(pins map[string]string, tools []*sdk.Tool) (fresh map[string]string, changed map[string]*sdk.Tool) {
	fresh, changed = map[string]string{}, map[string]*sdk.Tool{}
	for _, t := range tools {
		pin := PinOf(t)
		before, known := pins[t.Name]
		switch {
		case !known && len(pins)+len(fresh) < maxPinned:
			fresh[t.Name] = pin
		case known && before == pin:
		default:
			// Without a readable pin, only the name is known.
			old := &sdk.Tool{Name: t.Name, InputSchema: json.RawMessage(`{"type":"object"}`)}
			if known {
				_ = json.Unmarshal([]byte(before), old)
			}
			changed[t.Name] = old
		}
	}
	return fresh, changed
}

// Diff returns the differences between two pins of a tool, line by line, for a person to read.
func Diff(tool, before, after string) string {
	return pinning.Diff(tool, []byte(before), []byte(after))
}
