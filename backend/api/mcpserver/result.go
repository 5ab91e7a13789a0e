package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/shared/annotation"
	"sextant/shared/toolspec"
)

// environmentGroup is the group of the tools that return documented structured content beside text.
const environmentGroup = "environment"

const (
	inWindow     = "in the Sextant window"
	byClientUser = "by the program that called"
)

func (t *toolServer) answer(
	ctx context.Context, def toolspec.Definition, r toolspec.Result, asked string,
) *sdk.CallToolResult {
	out := &sdk.CallToolResult{IsError: !r.Success, Content: []sdk.Content{}}
	if text := r.ModelText(); text != "" || len(r.Images) == 0 {
		if len(text) >= minSpliced && t.out != nil {
			text = t.out.add(ctx, annotation.AppendString(make([]byte, 0, len(text)+len(text)/8), text))
		}
		out.Content = append(out.Content, &sdk.TextContent{Text: text})
	}
	if r.ApprovedQuestion != "" {
		out.Content = append(out.Content, &sdk.TextContent{Text: "(A person was asked " + asked + " and allowed it: " +
			r.ApprovedQuestion + ")"})
	}
	for _, image := range r.Images {
		out.Content = append(out.Content, &sdk.ImageContent{MIMEType: image.MIME, Data: image.Data})
	}
	if (def.Group != environmentGroup && def.Output == nil) || !r.Success {
		return out
	}
	if w, ok := r.Value.(toolspec.JSONAppender); ok {
		b := w.AppendJSON(nil)
		if len(b) < minSpliced || t.out == nil {
			out.StructuredContent = json.RawMessage(b)
		} else {
			out.StructuredContent = t.out.add(ctx, b)
		}
		return out
	}
	// Only objects, because clients of older revisions refuse anything else.
	if b, err := json.Marshal(r.Value); err == nil && bytes.HasPrefix(b, []byte("{")) {
		out.StructuredContent = json.RawMessage(b)
	}
	return out
}
