package openaitest

import (
	"encoding/json"
	"fmt"
	"net/http"
)

func readMessages(body []byte, h http.Header) (req Request, problem string) {
	var form struct {
		Model     string `json:"model"`
		Stream    bool   `json:"stream"`
		MaxTokens int    `json:"max_tokens"`
		System    []struct {
			Text string `json:"text"`
		} `json:"system"`
		Messages []struct {
			Role    string         `json:"role"`
			Content []contentBlock `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name        string          `json:"name"`
			InputSchema json.RawMessage `json:"input_schema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &form); err != nil {
		return req, "The request body is not valid JSON: " + err.Error()
	}
	req.Model, req.Stream, req.MaxTokens = form.Model, form.Stream, form.MaxTokens
	for _, s := range form.System {
		req.Messages = append(req.Messages, Message{Role: "system", Content: s.Text})
	}
	raw := make([]map[string]any, len(form.Tools))
	for i, t := range form.Tools {
		var schema struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(t.InputSchema, &schema) != nil || schema.Type != "object" || t.Name == "" {
			return req, fmt.Sprintf("tools.%d.input_schema: Field required", i)
		}
		raw[i] = map[string]any{
			"type":     "function",
			"function": map[string]any{"name": t.Name, "parameters": t.InputSchema},
		}
	}
	tools, err := json.Marshal(raw)
	if err == nil {
		err = json.Unmarshal(tools, &req.Tools)
	}
	switch {
	case err != nil:
		return req, "tools: " + err.Error()
	case h.Get("Anthropic-Version") == "":
		return req, "anthropic-version: header is required"
	case form.MaxTokens <= 0:
		return req, "max_tokens: Field required"
	case len(form.Messages) == 0 || form.Messages[0].Role != "user":
		return req, "messages: first message must use the \"user\" role"
	}
	for i, m := range form.Messages {
		if problem := readBlocks(m.Role, m.Content, &req); problem != "" {
			return req, fmt.Sprintf("messages.%d: %s", i, problem)
		}
	}
	return req, checkMessages(req.Messages)
}

type contentBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   []contentBlock  `json:"content"`
	Source    struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
	} `json:"source"`
}

func readBlocks(role string, blocks []contentBlock, req *Request) (problem string) {
	m := Message{Role: role}
	if len(blocks) == 0 {
		return "content: must not be empty"
	}
	for _, b := range blocks {
		switch b.Type {
		case "text":
			if b.Text == "" {
				return "text content blocks must be non-empty"
			}
			m.Content += b.Text
		case "image":
			m.Images = append(m.Images, "data:"+b.Source.MediaType+";"+b.Source.Type+","+b.Source.Data)
		case "tool_use":
			c := ToolCall{ID: b.ID, Type: "function"}
			c.Function.Name, c.Function.Arguments = b.Name, string(b.Input)
			m.ToolCalls = append(m.ToolCalls, c)
		case "tool_result":
			if m.Content != "" {
				return "tool_result blocks must come first"
			}
			var inner Request
			if len(b.Content) > 0 {
				if problem := readBlocks("tool", b.Content, &inner); problem != "" {
					return problem
				}
			} else {
				inner.Messages = []Message{{Role: "tool"}}
			}
			inner.Messages[0].ToolCallID = b.ToolUseID
			req.Messages = append(req.Messages, inner.Messages...)
		default:
			return "unknown block " + b.Type
		}
	}
	if m.Content != "" || len(m.Images) > 0 || len(m.ToolCalls) > 0 {
		req.Messages = append(req.Messages, m)
	}
	return ""
}

func renderMessages(t Answer) []byte {
	s := &stream{}
	s.event("message_start", map[string]any{"message": map[string]any{
		"id": "msg_1", "type": "message", "role": "assistant", "model": "test", "content": []any{}, "stop_reason": nil,
		"usage": map[string]any{
			"input_tokens": t.Usage.Input - t.Usage.Cached - t.Usage.Written, "output_tokens": 1,
			"cache_read_input_tokens": t.Usage.Cached, "cache_creation_input_tokens": t.Usage.Written,
		},
	}})
	s.event("ping", map[string]any{})
	index := 0
	block := func(begin map[string]any, kind, field, whole string) {
		s.event("content_block_start", map[string]any{"index": index, "content_block": begin})
		for _, piece := range pieces(whole, t.ChunkSize) {
			s.event(
				"content_block_delta",
				map[string]any{"index": index, "delta": map[string]any{"type": kind, field: piece}},
			)
		}
		s.event("content_block_stop", map[string]any{"index": index})
		index++
	}
	if t.Reasoning != "" {
		block(map[string]any{"type": "thinking", "thinking": ""}, "thinking_delta", "thinking", t.Reasoning)
	}
	if t.Text != "" {
		block(map[string]any{"type": "text", "text": ""}, "text_delta", "text", t.Text)
	}
	for _, c := range t.Calls {
		block(
			map[string]any{"type": "tool_use", "id": c.ID, "name": c.Name, "input": map[string]any{}},
			"input_json_delta",
			"partial_json",
			c.Args,
		)
	}
	reason := "end_turn"
	switch {
	case t.Finish == "length":
		reason = "max_tokens"
	case t.Finish == "content_filter":
		reason = "refusal"
	case len(t.Calls) > 0:
		reason = "tool_use"
	}
	s.event("message_delta", map[string]any{
		"delta": map[string]any{
			"stop_reason":   reason,
			"stop_sequence": nil,
		}, "usage": map[string]any{"output_tokens": t.Usage.Output},
	})
	s.event("message_stop", map[string]any{})
	return s.b.Bytes()
}
