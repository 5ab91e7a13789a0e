// Package fixedcall is a model that makes one call, for turns that need no language model.
package fixedcall

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"sextant/backend/agent/llm"
	"sextant/shared/chat"
	"sextant/shared/excerpt"
)

const maxResultText = 4000

// Model makes its call and answers with the result. It implements llm.Model.
type Model struct{ Call chat.ToolCall }

// notForPeople finds the kind of an error, and calls that it names before their failure.
var notForPeople = regexp.MustCompile(`^error \([a-z_]+\): |\b[a-z][a-z0-9_]*\(([a-zA-Z_]+=[^)]*)?\): `)

// Stream implements llm.Model.
func (m Model) Stream(_ context.Context, req llm.Request, onDelta func(llm.Delta)) (llm.Response, error) {
	last := req.Messages[len(req.Messages)-1]
	if last.Role != chat.RoleTool {
		return llm.Response{Calls: []chat.ToolCall{m.Call}, Stop: llm.StopCalls}, nil
	}
	if last.Status != chat.StatusDone {
		// The suggestion in the other lines is for a model.
		message, _, _ := strings.Cut(notForPeople.ReplaceAllString(last.Text, ""), "\n")
		return llm.Response{}, &llm.Error{Message: message}
	}
	text := excerpt.TruncateRunes(strings.TrimSpace(last.Text), maxResultText)
	if text == "" {
		text = "Done."
	}
	onDelta(llm.Delta{Text: text})
	return llm.Response{Text: text, Outside: slices.Clone(last.Outside), Stop: llm.StopDone}, nil
}
