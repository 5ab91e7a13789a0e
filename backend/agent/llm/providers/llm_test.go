package providers_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/llm/providers"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// serve starts a scripted service and a registry configured for it.
func serve(t *testing.T, turns ...openaitest.Answer) (*openaitest.Server, *providers.Registry) {
	t.Helper()
	s, err := openaitest.Start(turns...)
	if err != nil {
		t.Fatal(err)
	}
	r := providers.New(
		providers.Config{
			OpenAIBaseURL: s.URL(),
			OpenAIKey:     "key-1",
			LocalPorts:    map[string]int{},
			RetryDelay:    time.Millisecond,
		},
	)
	t.Cleanup(func() {
		r.Close()
		s.Close()
	})
	return s, r
}

func open(t *testing.T, r *providers.Registry, name string) llm.Model {
	t.Helper()
	m, err := r.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func ask(t *testing.T, m llm.Model, req llm.Request) (llm.Response, string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var streamed strings.Builder
	res, err := m.Stream(ctx, req, func(d llm.Delta) { streamed.WriteString(d.Text) })
	return res, streamed.String(), err
}

func hello() llm.Request {
	return llm.Request{System: "be short", Messages: []chat.Message{{Role: chat.RoleUser, Text: "hello"}}}
}

func TestTextIsStreamedAndReturned(t *testing.T) {
	const text = "Größe: 12 m², fertig."
	_, r := serve(
		t,
		openaitest.Answer{Text: text, ChunkSize: 3, Usage: openaitest.Usage{Input: 20, Output: 7, Cached: 11}},
	)
	res, streamed, err := ask(t, open(t, r, "openai/m"), hello())
	if err != nil {
		t.Fatal(err)
	}
	if res.Text != text || streamed != text {
		t.Errorf("text %q, streamed %q", res.Text, streamed)
	}
	if res.Usage != (chat.Usage{Input: 20, Output: 7, Cached: 11}) || res.Stop != llm.StopDone {
		t.Errorf("usage %+v, stop %s", res.Usage, res.Stop)
	}
}

func TestCallsAreAssembledFromDeltas(t *testing.T) {
	_, r := serve(t, openaitest.Answer{Text: "Looking.", ChunkSize: 2, Calls: []openaitest.Call{
		{ID: "a", Name: "click_element", Args: `{"annotationId": 12, "modifiers": ["Shift"]}`},
		{ID: "b", Name: "annotate_page", Args: ""},
		{ID: "c", Name: "type_text", Args: `{"annotationId":3,"text":"a \"b\" {c} ü"}`},
	}})
	res, _, err := ask(t, open(t, r, "openai/m"), hello())
	if err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(res.Calls)
	const want = `[{"id":"a","name":"click_element","args":{"annotationId":12,"modifiers":["Shift"]}},` +
		`{"id":"b","name":"annotate_page","args":{}},` +
		`{"id":"c","name":"type_text","args":{"annotationId":3,"text":"a \"b\" {c} ü"}}]`
	if string(got) != want || res.Stop != llm.StopCalls || res.Text != "Looking." {
		t.Errorf("got %s, stop %s, text %q", got, res.Stop, res.Text)
	}
}

func TestCallsWithEqualIndexesStaySeparate(t *testing.T) {
	_, r := serve(
		t,
		openaitest.Answer{
			Raw: `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"x1","type":"function","function":{"name":"a","arguments":"{\"n\":1}"}}]}}]}

data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"x2","type":"function","function":{"name":"b","arguments":"{\"n\":2}"}}]},"finish_reason":"stop"}]}

data: [DONE]

`,
		},
	)
	res, _, err := ask(t, open(t, r, "openai/m"), hello())
	if err != nil || len(res.Calls) != 2 || res.Calls[0].Name != "a" || string(res.Calls[1].Args) != `{"n":2}` {
		t.Errorf("calls %+v, error %v", res.Calls, err)
	}
}

func TestArgumentsMustBeObjects(t *testing.T) {
	for name, c := range map[string]struct {
		args, finish, says string
	}{
		"syntax":              {`{"a": }`, "", "byte 7"},
		"an array":            {`[1]`, "", "not a JSON object"},
		"two objects":         {`{"a":1}{"b":2}`, "", "byte"},
		"cut at the length":   {`{"path":"/tm`, "length", "cut at the answer's length limit"},
		"nothing, and length": {``, "length", "cut at the answer's length limit"},
	} {
		t.Run(name, func(t *testing.T) {
			_, r := serve(t, openaitest.Answer{Finish: c.finish, Calls: []openaitest.Call{
				{ID: "a", Name: "bash", Args: c.args}, {ID: "b", Name: "fine", Args: `{"x":1}`},
			}})
			res, _, err := ask(t, open(t, r, "openai/m"), hello())
			if err != nil || len(res.Calls) != 1 || res.Calls[0].Name != "fine" {
				t.Fatalf("calls %+v, error %v", res.Calls, err)
			}
			if len(res.BrokenCalls) != 1 || res.BrokenCalls[0].Name != "bash" ||
				!strings.Contains(res.BrokenCalls[0].Problem, c.says) {
				t.Errorf("broken %+v, want %q", res.BrokenCalls, c.says)
			}
		})
	}
}

func TestConversationOnTheWire(t *testing.T) {
	s, r := serve(t, openaitest.Answer{Text: "ok"})
	_, _, err := ask(t, open(t, r, "openai/the/model"), llm.Request{
		System: "rules",
		Messages: []chat.Message{
			{Role: chat.RoleUser, Text: "go"},
			{
				Role:  chat.RoleAssistant,
				Calls: []chat.ToolCall{{ID: "c1", Name: "look", Args: json.RawMessage(`{"a":1}`)}},
			},
			{Role: chat.RoleTool, CallID: "c1", Text: "seen"},
			{Role: chat.RoleAssistant},
		},
		Tools: []toolspec.Function{{Type: "function", Function: toolspec.FunctionDefinition{
			Name: "look", Description: "looks",
			Parameters: json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"}}}`),
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	req := s.Requests()[0]
	roles := []string{}
	for _, m := range req.Messages {
		roles = append(roles, m.Role)
	}
	if strings.Join(roles, " ") != "system user assistant tool" {
		t.Errorf("roles %v", roles)
	}
	call := req.Messages[2].ToolCalls[0]
	if call.ID != "c1" || call.Function.Arguments != `{"a":1}` || req.Messages[3].ToolCallID != "c1" {
		t.Errorf("call %+v, result %+v", call, req.Messages[3])
	}
	if req.Model != "the/model" || !req.Stream || !req.StreamOptions.IncludeUsage || !req.HasTool("look") ||
		req.Authorization != "Bearer key-1" {
		t.Errorf("request %s", req.Body)
	}
}

func TestEqualRequestsHaveEqualBytes(t *testing.T) {
	s, r := serve(t, openaitest.Answer{Text: "1"}, openaitest.Answer{Text: "2"})
	req := hello()
	req.Tools = []toolspec.Function{{Type: "function", Function: toolspec.FunctionDefinition{
		Name: "f", Parameters: json.RawMessage(`{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"string"},"c":{"enum":[1,2]}}}`),
	}}}
	for range 2 {
		if _, _, err := ask(t, open(t, r, "openai/m"), req); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Requests(); string(got[0].Body) != string(got[1].Body) {
		t.Error("the bodies differ; a provider's cache would miss")
	}
}

func TestStopReasons(t *testing.T) {
	_, r := serve(t, openaitest.Answer{Text: "a", Finish: "length"},
		openaitest.Answer{Text: "b", Finish: "content_filter"})
	m := open(t, r, "openai/m")
	for _, want := range []llm.StopReason{llm.StopLength, llm.StopFilter} {
		t.Run(string(want), func(t *testing.T) {
			res, _, err := ask(t, m, hello())
			if err != nil || res.Stop != want {
				t.Errorf("stop %s, error %v, want %s", res.Stop, err, want)
			}
		})
	}
}

func asError(t *testing.T, err error, kind llm.ErrorKind) *llm.Error {
	t.Helper()
	var e *llm.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v is no llm.Error", err)
	}
	if e.Kind != kind || llm.KindOf(err) != kind {
		t.Fatalf("kind %s (%s), want %s", e.Kind, e.Message, kind)
	}
	if e.Suggestion == "" {
		t.Errorf("%q says nothing of what to do", e.Message)
	}
	return e
}
