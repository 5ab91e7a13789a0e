package mcpserver

import (
	"bytes"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/shared/toolspec"
)

// environmentGroup are the tools whose answers have a fixed structure beside their text
// (CONTRACT.md "Environment tools").
const environmentGroup = "environment"

// answer is r as MCP wants it: what a model reads as text, pictures as pictures, and the
// structure of an environment tool's answer.
func answer(def toolspec.Definition, r toolspec.Result) *sdk.CallToolResult {
	out := &sdk.CallToolResult{IsError: !r.Success, Content: []sdk.Content{}}
	if text := r.ModelText(); text != "" || len(r.Images) == 0 {
		out.Content = append(out.Content, &sdk.TextContent{Text: text})
	}
	if r.Asked != "" {
		out.Content = append(out.Content, &sdk.TextContent{Text: "(A person was asked in the Sextant window and allowed it: " + r.Asked + ")"})
	}
	for _, image := range r.Images {
		out.Content = append(out.Content, &sdk.ImageContent{MIMEType: image.MIME, Data: image.Data})
	}
	if def.Group == environmentGroup && r.Success {
		// Only an object: clients of the older revisions refuse anything else.
		if b, err := json.Marshal(r.Value); err == nil && bytes.HasPrefix(b, []byte("{")) {
			out.StructuredContent = json.RawMessage(b)
		}
	}
	return out
}
