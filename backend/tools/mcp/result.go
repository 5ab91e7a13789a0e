package mcp

import (
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/shared/toolspec"
)

// Bounds of one answer.
const (
	maxText   = 4 << 20
	maxImages = 8
	maxImage  = 5 << 20
)

// Result turns a server's answer into ours: text parts joined, pictures kept,
// structured content as the value.
func Result(server string, answer *sdk.CallToolResult) toolspec.Result {
	var parts []string
	var images []toolspec.Image
	left := 0
	for _, c := range answer.Content {
		switch c := c.(type) {
		case *sdk.TextContent:
			parts = append(parts, c.Text)
		case *sdk.ImageContent:
			if len(images) >= maxImages || len(c.Data) > maxImage {
				left++
				continue
			}
			images = append(images, toolspec.Image{MIME: c.MIMEType, Data: c.Data})
		case *sdk.AudioContent:
			parts = append(parts, fmt.Sprintf("(sound, %s, %d bytes, not shown)", c.MIMEType, len(c.Data)))
		case *sdk.ResourceLink:
			parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s %s %s", c.Name, c.URI, c.Description)))
		case *sdk.EmbeddedResource:
			if c.Resource != nil {
				parts = append(parts, embedded(c.Resource))
			}
		}
	}
	if left > 0 {
		parts = append(parts, fmt.Sprintf("(%d more pictures are left out)", left))
	}
	text := bounded(strings.Join(parts, "\n"))
	if answer.IsError {
		if text == "" {
			text = "it gave no reason"
		}
		return toolspec.Fail(toolspec.UserError, text, "The answer is from the MCP server "+server+". Change the call by what it says.")
	}
	r := toolspec.OK(text)
	r.Images = images
	if answer.StructuredContent != nil {
		b, err := json.Marshal(answer.StructuredContent)
		if err == nil && len(b) <= maxText {
			r.Value = answer.StructuredContent
			r.Text = text
			if text == "" {
				r.Text = string(b)
			}
		}
	}
	return r
}

func embedded(c *sdk.ResourceContents) string {
	if c.Text != "" {
		return c.URI + "\n" + c.Text
	}
	return fmt.Sprintf("(%s, %s, %d bytes, not shown)", c.URI, c.MIMEType, len(c.Blob))
}

func bounded(text string) string {
	text = strings.ToValidUTF8(text, "�")
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + fmt.Sprintf("\n… %d more bytes are left out", len(text)-maxText)
}
