package definitions

import (
	"encoding/json"

	"sextant/backend/toolprovider/pinning"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxPinned bounds how many tools of a server are pinned, maxPin one pin in bytes.
const (
	maxPinned = 512
	maxPin    = 128 << 10
)

// Pin is all that a model or a person reads of a tool, as text; a hash where that is too long.
func Pin(t *sdk.Tool) string {
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

// Compare sorts the tools a server lists by what is pinned. fresh holds the pins of new tools; changed
// holds, for each tool that is not as pinned, the tool that the person knows. Beyond the bound on pins a
// new tool counts as changed.
func Compare(pins map[string]string, tools []*sdk.Tool) (fresh map[string]string, changed map[string]*sdk.Tool) {
	fresh, changed = map[string]string{}, map[string]*sdk.Tool{}
	for _, t := range tools {
		pin := Pin(t)
		before, known := pins[t.Name]
		switch {
		case !known && len(pins)+len(fresh) < maxPinned:
			fresh[t.Name] = pin
		case known && before == pin:
		default:
			// One whose pin is a hash is known by its name alone.
			old := &sdk.Tool{Name: t.Name, InputSchema: json.RawMessage(`{"type":"object"}`)}
			if known {
				_ = json.Unmarshal([]byte(before), old)
			}
			changed[t.Name] = old
		}
	}
	return fresh, changed
}

// Diff is what changed between two pins of a tool, line by line, for a person to read.
func Diff(tool, before, after string) string {
	return pinning.Diff(tool, []byte(before), []byte(after))
}
