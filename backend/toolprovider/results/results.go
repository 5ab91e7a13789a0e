// Package results converts the answer of an MCP server's tool to a Result. The text and the pictures come from outside;
// the package limits their size.
package results

import (
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

const (
	// MaxText limits the text, and structured content as JSON, in bytes.
	MaxText   = 4 << 20
	maxImages = 8
	maxImage  = 5 << 20
)

// FromCallResult converts the answer of a server's tool. Texts, links and text resources are joined to one text, and
// pictures become images. An answer that the server marks as an error becomes a failed Result.
func FromCallResult(server string, answer *sdk.CallToolResult) toolspec.Result {
	var parts []string
	var images []toolspec.Image
	leftOut := 0
	for _, c := range answer.Content {
		switch c := c.(type) {
		case *sdk.TextContent:
			parts = append(parts, c.Text)
		case *sdk.ImageContent:
			if len(images) >= maxImages || len(c.Data) > maxImage {
				leftOut++
				continue
			}
			images = append(images, toolspec.Image{MIME: c.MIMEType, Data: c.Data})
		case *sdk.AudioContent:
			parts = append(parts, fmt.Sprintf("(audio, %s, %d bytes, not shown)", c.MIMEType, len(c.Data)))
		case *sdk.ResourceLink:
			parts = append(parts, strings.TrimSpace(fmt.Sprintf("%s %s %s", c.Name, c.URI, c.Description)))
		case *sdk.EmbeddedResource:
			if c.Resource != nil {
				parts = append(parts, embedded(c.Resource))
			}
		}
	}
	if leftOut > 0 {
		parts = append(parts, fmt.Sprintf("(%d more images left out)", leftOut))
	}
	text := bounded(strings.Join(parts, "\n"))
	if answer.IsError {
		if text == "" {
			text = "it gave no reason"
		}
		return toolspec.Fail(toolspec.UserError, text, "This is the answer of the MCP server "+server+". Change the "+
			"call accordingly.")
	}
	r := toolspec.OK(text)
	r.Images = images
	if answer.StructuredContent != nil {
		b, err := json.Marshal(answer.StructuredContent)
		if err == nil && len(b) <= MaxText {
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
	if len(text) <= MaxText {
		return text
	}
	return text[:excerpt.PrefixLen(text, MaxText)] + fmt.Sprintf("\n… %d more bytes left out", len(text)-MaxText)
}
