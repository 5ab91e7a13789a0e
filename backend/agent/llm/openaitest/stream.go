package openaitest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"time"
)

func (s *Server) play(w http.ResponseWriter, r *http.Request, format Format, t Answer) {
	if isError(t) {
		if t.RetryAfter != "" {
			w.Header().Set("Retry-After", t.RetryAfter)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(t.Status)
		_, _ = io.WriteString(w, errorBody(t))
		return
	}
	stream := RenderAs(format, t)
	switch {
	case t.CleanCut && t.CutAfter != 0:
		s.cleanCut(w, stream[:limitOffset(t.CutAfter, len(stream))])
	case t.CutAfter != 0:
		writeStream(w, r, stream[:limitOffset(t.CutAfter, len(stream))], 0)
		panic(http.ErrAbortHandler) // drops the connection in the middle of the answer
	case t.StallAfter != 0:
		writeStream(w, r, stream[:limitOffset(t.StallAfter, len(stream))], 0)
		<-r.Context().Done()
	default:
		writeStream(w, r, stream, t.ChunkDelay)
	}
}

func writeStream(w http.ResponseWriter, r *http.Request, stream []byte, gap time.Duration) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(w)
	_ = flush.Flush()
	for i, e := range bytes.SplitAfter(stream, []byte("\n\n")) {
		if gap > 0 && i > 0 {
			pause := time.NewTimer(gap)
			select {
			case <-pause.C:
			case <-r.Context().Done():
				pause.Stop()
				return
			}
		}
		if _, err := w.Write(e); err != nil {
			return
		}
		_ = flush.Flush()
	}
}

// cleanCut ends the answer by closing the connection, so that the reader sees an orderly end.
func (s *Server) cleanCut(w http.ResponseWriter, stream []byte) {
	conn, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	_, _ = buf.WriteString(header)
	_, _ = buf.Write(stream)
	_ = buf.Flush()
}

// Render returns the stream of t in the chat format.
func Render(t Answer) []byte { return RenderAs(FormatChat, t) }

// RenderAs returns the stream of t in any format.
func RenderAs(format Format, t Answer) []byte {
	stream := []byte(t.Raw)
	if t.ChunkSize <= 0 {
		t.ChunkSize = 7
	}
	switch {
	case t.Raw != "":
	case format == FormatResponses:
		stream = renderResponses(t)
	case format == FormatAnthropic:
		stream = renderMessages(t)
	default:
		stream = renderChat(t)
	}
	if t.CorruptAt > 0 && t.CorruptAt <= len(stream) {
		stream[t.CorruptAt-1] = t.CorruptByte
	}
	return stream
}

func renderChat(t Answer) []byte {
	size := t.ChunkSize
	var b bytes.Buffer
	chunk(&b, map[string]any{"role": "assistant", "content": ""}, nil)
	for _, piece := range pieces(t.Reasoning, size) {
		chunk(&b, map[string]any{"reasoning_content": piece}, nil)
	}
	for _, piece := range pieces(t.Text, size) {
		chunk(&b, map[string]any{"content": piece}, nil)
	}
	for i, c := range t.Calls {
		begin := map[string]any{
			"index": i, "id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": ""},
		}
		if c.Signature != "" {
			begin["extra_content"] = map[string]any{"google": map[string]any{"thought_signature": c.Signature}}
		}
		chunk(&b, map[string]any{"tool_calls": []any{begin}}, nil)
		for _, piece := range pieces(c.Args, size) {
			chunk(&b, map[string]any{"tool_calls": []any{map[string]any{
				"index": i, "function": map[string]any{"arguments": piece},
			}}}, nil)
		}
	}
	finish := t.Finish
	if finish == "" {
		finish = "stop"
		if len(t.Calls) > 0 {
			finish = "tool_calls"
		}
	}
	chunk(&b, map[string]any{}, finish)
	if t.Usage != (Usage{}) {
		usage := map[string]any{
			"prompt_tokens": t.Usage.Input, "completion_tokens": t.Usage.Output, "total_tokens": t.Usage.Input +
				t.Usage.Output,
			"prompt_tokens_details": map[string]any{
				"cached_tokens":      t.Usage.Cached,
				"cache_write_tokens": t.Usage.Written,
			},
		}
		if t.Usage.Cost > 0 {
			usage["cost"], usage["is_byok"] = t.Usage.Cost, t.Usage.Upstream > 0
			usage["cost_details"] = map[string]any{"upstream_inference_cost": max(t.Usage.Upstream, t.Usage.Cost)}
		}
		event(&b, map[string]any{
			"id": "chatcmpl-test", "object": "chat.completion.chunk", "created": 1, "model": "test", "choices": []any{},
			"usage": usage,
		})
	}
	b.WriteString("data: [DONE]\n\n")
	return b.Bytes()
}

func pieces(s string, size int) []string {
	var out []string
	start := 0
	for i := range s {
		if i-start >= size {
			out = append(out, s[start:i])
			start = i
		}
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

func chunk(b *bytes.Buffer, delta map[string]any, finish any) {
	event(b, map[string]any{
		"id": "chatcmpl-test", "object": "chat.completion.chunk", "created": 1, "model": "test",
		"choices": []any{map[string]any{"index": 0, "delta": delta, "logprobs": nil, "finish_reason": finish}},
		"usage":   nil,
	})
}

func event(b *bytes.Buffer, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		return // cannot fail: maps of strings and numbers always marshal
	}
	b.WriteString("data: ")
	b.Write(data)
	b.WriteString("\n\n")
}
