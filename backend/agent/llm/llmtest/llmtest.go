// Package llmtest is a conformance suite for providers. Each provider's model passes it against a local service
// that speaks its wire format. The product does not use it.
package llmtest

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/llm/openaitest"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// Key is the key to configure for a provider that needs one.
const Key = "sk-of-the-suite-0123456789"

// OpenFunc configures the provider under test for the service and returns its model "m". It closes what it opens when
// t ends.
type OpenFunc func(t *testing.T, service *openaitest.Server) llm.Model

// TestProvider runs the suite against the models that open returns.
func TestProvider(t *testing.T, open OpenFunc) {
	for name, test := range map[string]func(*testing.T, subject){
		"text and reasoning":        textAndThought,
		"calls":                     completeCalls,
		"invalid arguments":         brokenArguments,
		"conversation on the wire":  conversation,
		"equal bytes":               sameBytes,
		"stop reasons":              stopReasons,
		"errors":                    refusals,
		"resume a truncated answer": resumed,
		"cancel":                    canceled,
	} {
		t.Run(name, func(t *testing.T) { test(t, subject{open}) })
	}
}

type subject struct{ open OpenFunc }

func (s subject) at(t *testing.T, turns ...openaitest.Answer) (*openaitest.Server, llm.Model) {
	t.Helper()
	service, err := openaitest.Start(turns...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(service.Close)
	return service, s.open(t, service)
}

type result struct {
	llm.Response
	text, thought string
	notes         []string
}

func ask(t *testing.T, m llm.Model, req llm.Request) (result, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var h result
	var err error
	h.Response, err = m.Stream(ctx, req, func(d llm.Delta) {
		h.text += d.Text
		h.thought += d.Reasoning
		if d.Note != "" {
			h.notes = append(h.notes, d.Note)
		}
	})
	return h, err
}

func hello() llm.Request {
	return llm.Request{System: "be short", Messages: []chat.Message{{Role: chat.RoleUser, Text: "hello"}}}
}

func textAndThought(t *testing.T, s subject) {
	const text, thought = "Größe: 12 m², <b>fertig</b>.", "Erst messen."
	_, m := s.at(
		t,
		openaitest.Answer{
			Reasoning: thought,
			Text:      text,
			ChunkSize: 3,
			Usage:     openaitest.Usage{Input: 20, Output: 7, Cached: 11},
		},
	)
	h, err := ask(t, m, hello())
	if err != nil {
		t.Fatal(err)
	}
	if h.Text != text || h.text != text || h.Reasoning != thought || h.thought != thought {
		t.Errorf("text %q, streamed %q; thought %q, streamed %q", h.Text, h.text, h.Reasoning, h.thought)
	}
	if h.Usage != (chat.Usage{Input: 20, Output: 7, Cached: 11}) || h.Stop != llm.StopDone {
		t.Errorf("usage %+v, stop %s", h.Usage, h.Stop)
	}
}

func completeCalls(t *testing.T, s subject) {
	_, m := s.at(t, openaitest.Answer{Text: "Looking.", ChunkSize: 2, Calls: []openaitest.Call{
		{ID: "a", Name: "click_element", Args: `{"annotationId": 12, "modifiers": ["Shift"]}`},
		{ID: "b", Name: "annotate_page", Args: ""},
		{ID: "c", Name: "type_text", Args: `{"text":"a \"b\" {c} ü"}`},
	}})
	h, err := ask(t, m, hello())
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(h.Calls)
	const want = `[{"id":"a","name":"click_element","args":{"annotationId":12,"modifiers":["Shift"]}},` +
		`{"id":"b","name":"annotate_page","args":{}},{"id":"c","name":"type_text","args":{"text":"a \"b\" {c} ü"}}]`
	if err != nil || string(got) != want || h.Stop != llm.StopCalls || h.Text != "Looking." {
		t.Errorf("got %s (%v), stop %s, text %q", got, err, h.Stop, h.Text)
	}
}

func brokenArguments(t *testing.T, s subject) {
	for _, c := range []struct{ args, finish string }{
		{`{"a": }`, ""},
		{`[1]`, ""},
		{`{"path":"/tm`, "length"},
		{``, "length"},
	} {
		_, m := s.at(t, openaitest.Answer{Finish: c.finish, Calls: []openaitest.Call{
			{ID: "b", Name: "fine", Args: `{"x":1}`}, {ID: "a", Name: "bash", Args: c.args},
		}})
		h, err := ask(t, m, hello())
		if err != nil || len(h.Calls) != 1 || h.Calls[0].Name != "fine" || len(h.BrokenCalls) != 1 ||
			h.BrokenCalls[0].Name != "bash" ||
			h.BrokenCalls[0].Problem == "" {
			t.Errorf("%q: calls %+v, broken %+v, error %v", c.args, h.Calls, h.BrokenCalls, err)
		}
	}
}

func conversation(t *testing.T, s subject) {
	service, m := s.at(t, openaitest.Answer{Text: "ok"})
	picture := chat.Image{MIME: "image/png", Data: []byte{1, 2, 3}}
	_, err := ask(t, m, llm.Request{
		System: "rules", MaxTokens: 321,
		Messages: []chat.Message{
			{Role: chat.RoleSummary, Text: "what was"},
			{Role: chat.RoleUser, Text: "go", Images: []chat.Image{picture}},
			{Role: chat.RoleAssistant, Text: "looking", Calls: []chat.ToolCall{
				{ID: "c1", Name: "look", Args: json.RawMessage(`{"a":1}`)}, {ID: "c2", Name: "look"},
			}},
			{Role: chat.RoleTool, CallID: "c1", Text: "seen", Images: []chat.Image{picture}},
			{Role: chat.RoleTool, CallID: "c2", Status: chat.StatusFailed},
			{Role: chat.RoleNote, Text: "a note"},
			{Role: chat.RoleAssistant},
		},
		Tools: []toolspec.Function{{Type: "function", Function: toolspec.FunctionDefinition{
			Name: "look", Description: "looks",
			Parameters: json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}`),
		}}, {Type: "function", Function: toolspec.FunctionDefinition{Name: "bare"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	req := service.Requests()[0]
	var sent strings.Builder
	results, pictures, calls := 0, 0, 0
	for _, x := range req.Messages {
		sent.WriteString(x.Role + ": " + x.Content + "; ")
		pictures += len(x.Images)
		calls += len(x.ToolCalls)
		if x.Role == "tool" {
			results++
		}
	}
	for _, want := range []string{
		"system: rules", "user: ", "what was", "go", "assistant: looking", "tool: seen",
		"a note",
	} {
		if !strings.Contains(sent.String(), want) {
			t.Errorf("%q is not in %s", want, sent.String())
		}
	}
	if strings.Contains(sent.String(), "assistant: a note") || strings.Contains(sent.String(), "assistant: what was") {
		t.Errorf("Sextant's words are sent as the model's own: %s", sent.String())
	}
	if results != 2 || calls != 2 || pictures != 2 {
		t.Errorf("%d results, %d calls, %d pictures in %s", results, calls, pictures, req.Body)
	}
	if req.Model != "m" || !req.Stream || !req.HasTool("look") || !req.HasTool("bare") ||
		!strings.Contains(string(req.Body), "321") {
		t.Errorf("request %s", req.Body)
	}
}

func sameBytes(t *testing.T, s subject) {
	service, m := s.at(t, openaitest.Answer{Text: "1"}, openaitest.Answer{Text: "2"})
	req := hello()
	req.Tools = []toolspec.Function{{Type: "function", Function: toolspec.FunctionDefinition{
		Name: "f", Parameters: json.RawMessage(`{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"string"},"c":{"enum":[1,2]}}}`),
	}}}
	for range 2 {
		if _, err := ask(t, m, req); err != nil {
			t.Fatal(err)
		}
	}
	if got := service.Requests(); string(got[0].Body) != string(got[1].Body) {
		t.Error("the bodies differ; a provider's cache would miss")
	}
}

func stopReasons(t *testing.T, s subject) {
	_, m := s.at(t, openaitest.Answer{Text: "a", Finish: "length"},
		openaitest.Answer{Text: "b", Finish: "content_filter"})
	for _, want := range []llm.StopReason{llm.StopLength, llm.StopFilter} {
		h, err := ask(t, m, hello())
		if err != nil || h.Stop != want {
			t.Errorf("stop %s, error %v, want %s", h.Stop, err, want)
		}
	}
}

func refusals(t *testing.T, s subject) {
	// This service repeats the key where the message is cut.
	leak := `{"error":{"message":"` + strings.Repeat("x", 290) + Key + `"}}`
	for _, c := range []struct {
		status int
		body   string
		kind   llm.ErrorKind
	}{
		{401, `{"error":{"message":"Incorrect API key provided: ` + Key + `"}}`, llm.KindUnauthorized},
		{403, leak, llm.KindUnauthorized},
		{404, `{"error":{"message":"The model 'm' does not exist"}}`, llm.KindNoModel},
		{400, `{"error":{"message":"prompt is too long: 9 tokens > 8"}}`, llm.KindTooLong},
		{400, leak, llm.KindFailed},
		{429, leak, llm.KindRateLimited},
		{503, leak, llm.KindFailed},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, llm.KindFailed},
	} {
		service, m := s.at(t)
		service.Answer = func(openaitest.Request) openaitest.Answer {
			return openaitest.Answer{
				Status: c.status,
				Body:   c.body,
			}
		}
		h, err := ask(t, m, hello())
		var e *llm.Error
		if !errors.As(err, &e) || e.Kind != c.kind || e.Suggestion == "" || h.Text != "" || len(h.Calls) > 0 {
			t.Errorf("%d: %v, want %s", c.status, err, c.kind)
			continue
		}
		if text := e.Message + e.Suggestion + strings.Join(h.notes, ""); strings.Contains(text, Key[:6]) &&
			strings.Contains(service.Requests()[0].Authorization, Key) {
			t.Errorf("%d: the key is in %q", c.status, text)
		}
	}
}

func resumed(t *testing.T, s subject) {
	const text = "one two three"
	whole := openaitest.Answer{Text: text, ChunkSize: 4}
	call := []openaitest.Call{{ID: "a", Name: "act", Args: `{"n":1}`}}
	service, m := s.at(t)
	// The first answer breaks off. When asked to continue, the service sends the rest and the call.
	service.Answer = func(r openaitest.Request) openaitest.Answer {
		if n := len(r.Messages); n > 2 && r.Messages[n-2].Role == "assistant" {
			return openaitest.Answer{Text: strings.TrimPrefix(text, r.Messages[n-2].Content), Calls: call}
		}
		cut := whole
		cut.CutAfter = strings.Index(string(openaitest.RenderAs(r.Format, whole)), `"thre"`)
		return cut
	}
	h, err := ask(t, m, hello())
	if err != nil || h.Text != text || h.text != text || len(h.Calls) != 1 || len(h.notes) != 1 {
		t.Errorf("%+v, error %v", h, err)
	}
	req := hello()
	req.CallsInText = true // so that the text may contain half a call
	if h, err = ask(t, m, req); llm.KindOf(err) != llm.KindInterrupted || !strings.HasPrefix(text, h.Text) ||
		h.Text == "" ||
		len(h.Calls) > 0 {
		t.Errorf("written calls: %+v, error %v", h, err)
	}
}

func canceled(t *testing.T, s subject) {
	service, m := s.at(t)
	whole := openaitest.Answer{Text: "first second", ChunkSize: 6}
	service.Answer = func(r openaitest.Request) openaitest.Answer {
		stall := whole
		stall.StallAfter = strings.Index(string(openaitest.RenderAs(r.Format, whole)), "second")
		return stall
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	res, err := m.Stream(ctx, hello(), func(llm.Delta) { cancel() })
	if !errors.Is(err, context.Canceled) || res.Text == "" || !strings.HasPrefix(whole.Text, res.Text) {
		t.Errorf("text %q, error %v", res.Text, err)
	}
}
