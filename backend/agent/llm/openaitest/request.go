package openaitest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Format names a wire format.
type Format string

// The wire formats.
const (
	FormatChat      Format = "chat"
	FormatResponses Format = "responses"
	FormatAnthropic Format = "anthropic"
)

// Request is a request in any format, converted to the fields of the chat format.
type Request struct {
	Format    Format    `json:"-"`
	Model     string    `json:"model"`
	Stream    bool      `json:"stream"`
	MaxTokens int       `json:"max_tokens"`
	Messages  []Message `json:"messages"`
	Tools     []struct {
		Type     string `json:"type"`
		Function struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"function"`
	} `json:"tools"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	// Body is the unparsed request body.
	Body []byte `json:"-"`
	// Authorization is the Authorization header, or X-Api-Key if that is missing.
	Authorization string `json:"-"`
}

// Message is a message of a Request.
type Message struct {
	Role       string
	Content    string
	ToolCallID string
	// Images are data: URLs.
	Images    []string
	ToolCalls []ToolCall
	// Reasoning is the reasoning that the client sent back, nil if the field is missing.
	Reasoning *string
}

// ToolCall is a call in a Message.
type ToolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
	Extra struct {
		Google struct {
			Signature string `json:"thought_signature"`
		} `json:"google"`
	} `json:"extra_content"`
}

// UnmarshalJSON reads a message in the chat format, with text or a list of texts and images.
func (m *Message) UnmarshalJSON(data []byte) error {
	var form struct {
		Role       string          `json:"role"`
		Content    json.RawMessage `json:"content"`
		ToolCallID string          `json:"tool_call_id"`
		ToolCalls  []ToolCall      `json:"tool_calls"`
		Thought    *string         `json:"reasoning_content"`
	}
	if err := json.Unmarshal(data, &form); err != nil {
		return fmt.Errorf("reading a message: %w", err)
	}
	*m = Message{Role: form.Role, ToolCallID: form.ToolCallID, ToolCalls: form.ToolCalls, Reasoning: form.Thought}
	if len(form.Content) == 0 || string(form.Content) == "null" {
		return nil
	}
	if json.Unmarshal(form.Content, &m.Content) == nil {
		return nil
	}
	var parts []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		ImageURL struct {
			URL string `json:"url"`
		} `json:"image_url"`
	}
	if err := json.Unmarshal(form.Content, &parts); err != nil {
		return fmt.Errorf("reading a message's content: %w", err)
	}
	for _, p := range parts {
		switch p.Type {
		case "text":
			m.Content += p.Text
		case "image_url":
			m.Images = append(m.Images, p.ImageURL.URL)
		}
	}
	return nil
}

// HasTool reports whether r offers a function of that name.
func (r Request) HasTool(name string) bool {
	for _, t := range r.Tools {
		if t.Function.Name == name {
			return true
		}
	}
	return false
}

// LastContent returns the content of the last message, "" if there is none.
func (r Request) LastContent() string {
	if len(r.Messages) == 0 {
		return ""
	}
	return r.Messages[len(r.Messages)-1].Content
}

// checkMessages enforces the rules of services for calls and their results. It returns what is wrong, or "".
func checkMessages(messages []Message) string {
	open, used := map[string]bool{}, map[string]bool{}
	for i, m := range messages {
		if m.Role == "tool" {
			if !open[m.ToolCallID] {
				return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
			}
			delete(open, m.ToolCallID)
			continue
		}
		if len(open) > 0 {
			return "An assistant message with 'tool_calls' must be followed by tool messages responding to each " +
				"'tool_call_id'."
		}
		if strings.TrimSpace(m.Content) == "" && len(m.Images)+len(m.ToolCalls) == 0 {
			return fmt.Sprintf("messages.%d: %s messages must have non-empty content.", i, m.Role)
		}
		for _, c := range m.ToolCalls {
			switch {
			case !json.Valid([]byte(c.Function.Arguments)):
				return "The arguments of a tool call are not valid JSON."
			case used[c.ID]:
				return fmt.Sprintf("messages.%d: tool call ids must be unique, %q is not.", i, c.ID)
			}
			open[c.ID], used[c.ID] = true, true
		}
	}
	switch n := len(messages); {
	case len(open) > 0:
		return "An assistant message with 'tool_calls' must be followed by tool messages responding to each " +
			"'tool_call_id'."
	case n > 0 && messages[n-1].Role == "assistant":
		return "The conversation must end with a user message: an answer cannot be started for the model."
	}
	return ""
}
