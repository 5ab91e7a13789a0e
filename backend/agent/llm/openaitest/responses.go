package openaitest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
)

func readResponses(body []byte, _ http.Header) (req Request, problem string) {
	var form struct {
		Model           string            `json:"model"`
		Stream          bool              `json:"stream"`
		Store           *bool             `json:"store"`
		MaxOutputTokens int               `json:"max_output_tokens"`
		Instructions    string            `json:"instructions"`
		Input           []json.RawMessage `json:"input"`
		Tools           []struct {
			Type       string          `json:"type"`
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &form); err != nil {
		return req, "We could not parse the JSON body of your request."
	}
	req.Model, req.Stream, req.MaxTokens = form.Model, form.Stream, form.MaxOutputTokens
	if form.Instructions != "" {
		req.Messages = append(req.Messages, Message{Role: "system", Content: form.Instructions})
	}
	req.Tools = make([]struct {
		Type     string `json:"type"`
		Function struct {
			Name       string          `json:"name"`
			Parameters json.RawMessage `json:"parameters"`
		} `json:"function"`
	}, len(form.Tools))
	for i, t := range form.Tools {
		req.Tools[i].Type, req.Tools[i].Function.Name, req.Tools[i].Function.Parameters = t.Type, t.Name, t.Parameters
		if t.Name == "" || len(t.Parameters) == 0 {
			return req, fmt.Sprintf("Missing required parameter: 'tools[%d].name' or 'parameters'.", i)
		}
	}
	for i, raw := range form.Input {
		if !readItem(raw, &req) {
			return req, fmt.Sprintf("Invalid value: 'input[%d]'.", i)
		}
	}
	if form.Store == nil || *form.Store {
		return req, "store must be false: nothing is kept here."
	}
	return req, checkMessages(req.Messages)
}

// readItem adds one item of the input to the conversation. Calls are added to the assistant message before them, or
// to a new one.
func readItem(raw json.RawMessage, req *Request) bool {
	var item struct {
		Type      string          `json:"type"`
		Role      string          `json:"role"`
		Content   json.RawMessage `json:"content"`
		CallID    string          `json:"call_id"`
		Name      string          `json:"name"`
		Arguments string          `json:"arguments"`
		Output    json.RawMessage `json:"output"`
	}
	if json.Unmarshal(raw, &item) != nil {
		return false
	}
	var ok bool
	switch item.Type {
	case "", "message":
		m := Message{Role: item.Role}
		if m.Content, m.Images, ok = inputText(item.Content); !ok || item.Role == "" {
			return false
		}
		req.Messages = append(req.Messages, m)
	case "function_call":
		n := len(req.Messages)
		if n == 0 || req.Messages[n-1].Role != "assistant" {
			req.Messages = append(req.Messages, Message{Role: "assistant"})
			n++
		}
		c := ToolCall{ID: item.CallID, Type: "function"}
		c.Function.Name, c.Function.Arguments = item.Name, item.Arguments
		req.Messages[n-1].ToolCalls = append(req.Messages[n-1].ToolCalls, c)
	case "function_call_output":
		m := Message{Role: "tool", ToolCallID: item.CallID}
		if m.Content, m.Images, ok = inputText(item.Output); !ok {
			return false
		}
		req.Messages = append(req.Messages, m)
	default:
		return false
	}
	return true
}

func inputText(raw json.RawMessage) (text string, images []string, ok bool) {
	if json.Unmarshal(raw, &text) == nil {
		return text, nil, true
	}
	var parts []struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		ImageURL string `json:"image_url"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return "", nil, false
	}
	for _, p := range parts {
		switch p.Type {
		case "input_text":
			text += p.Text
		case "input_image":
			images = append(images, p.ImageURL)
		default:
			return "", nil, false
		}
	}
	return text, images, true
}

type stream struct {
	b        bytes.Buffer
	numbered bool
	next     int
}

func (s *stream) event(name string, v map[string]any) {
	v["type"] = name
	if s.numbered {
		v["sequence_number"] = s.next
		s.next++
	}
	s.b.WriteString("event: " + name + "\n")
	event(&s.b, v)
}

func renderResponses(t Answer) []byte {
	s := &stream{numbered: true}
	head := map[string]any{"id": "resp_1", "object": "response", "status": "in_progress", "output": []any{}}
	s.event("response.created", map[string]any{"response": head})
	index := 0
	if t.Reasoning != "" {
		item := map[string]any{"id": "rs_1", "type": "reasoning", "summary": []any{}}
		s.event("response.output_item.added", map[string]any{"output_index": index, "item": item})
		for _, piece := range pieces(t.Reasoning, t.ChunkSize) {
			s.event(
				"response.reasoning_summary_text.delta",
				map[string]any{"item_id": "rs_1", "output_index": index, "summary_index": 0, "delta": piece},
			)
		}
		s.event("response.output_item.done", map[string]any{"output_index": index, "item": item})
		index++
	}
	if t.Text != "" {
		s.event("response.output_item.added", map[string]any{
			"output_index": index, "item": map[string]any{
				"id": "msg_1", "type": "message", "role": "assistant",
				"content": []any{},
			},
		})
		for _, piece := range pieces(t.Text, t.ChunkSize) {
			s.event(
				"response.output_text.delta",
				map[string]any{"item_id": "msg_1", "output_index": index, "content_index": 0, "delta": piece},
			)
		}
		s.event(
			"response.output_text.done",
			map[string]any{"item_id": "msg_1", "output_index": index, "content_index": 0, "text": t.Text},
		)
		index++
	}
	for i, c := range t.Calls {
		id := fmt.Sprintf("fc_%d", i)
		item := func(args string) map[string]any {
			return map[string]any{"id": id, "type": "function_call", "call_id": c.ID, "name": c.Name, "arguments": args}
		}
		s.event("response.output_item.added", map[string]any{"output_index": index, "item": item("")})
		for _, piece := range pieces(c.Args, t.ChunkSize) {
			s.event(
				"response.function_call_arguments.delta",
				map[string]any{"item_id": id, "output_index": index, "delta": piece},
			)
		}
		s.event(
			"response.function_call_arguments.done",
			map[string]any{"item_id": id, "output_index": index, "arguments": c.Args},
		)
		s.event("response.output_item.done", map[string]any{"output_index": index, "item": item(c.Args)})
		index++
	}
	end := map[string]any{"id": "resp_1", "object": "response", "status": "completed"}
	name := "response.completed"
	switch t.Finish {
	case "length", "content_filter":
		reason := "max_output_tokens"
		if t.Finish == "content_filter" {
			reason = t.Finish
		}
		name, end["status"], end["incomplete_details"] = "response.incomplete", "incomplete", map[string]any{
			"reason": reason,
		}
	}
	end["usage"] = map[string]any{
		"input_tokens": t.Usage.Input, "output_tokens": t.Usage.Output, "total_tokens": t.Usage.Input + t.Usage.Output,
		"input_tokens_details": map[string]any{"cached_tokens": t.Usage.Cached},
	}
	s.event(name, map[string]any{"response": end})
	return s.b.Bytes()
}
