package providers_test

import (
	"net/http"
	"testing"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/llm/openaitest"
	"sextant/shared/chat"
)

// called is a conversation with reasoning before a call.
func called(thought string) llm.Request {
	return llm.Request{Messages: []chat.Message{
		{Role: chat.RoleUser, Text: "how much?"},
		{
			Role:      chat.RoleAssistant,
			Reasoning: thought,
			Calls:     []chat.ToolCall{{ID: "c1", Name: "read_file", Args: []byte("{}")}},
		},
		{Role: chat.RoleTool, CallID: "c1", Text: "12"},
	}}
}

// requireReasoning answers requests with reasoning and refuses those without, as DeepSeek does.
func requireReasoning(r openaitest.Request) openaitest.Answer {
	for _, m := range r.Messages {
		if len(m.ToolCalls) > 0 && m.Reasoning == nil {
			return openaitest.Answer{
				Status: http.StatusBadRequest,
				Body:   `{"error":{"message":"The reasoning_content in the thinking mode must be passed back to the API."}}`,
			}
		}
	}
	return openaitest.Answer{Text: "twelve"}
}

// refuseReasoning accepts no reasoning, as services do that check each field.
func refuseReasoning(r openaitest.Request) openaitest.Answer {
	for _, m := range r.Messages {
		if m.Reasoning != nil {
			return openaitest.Answer{
				Status: http.StatusBadRequest,
				Body:   `{"error":{"message":"property 'reasoning_content' is unsupported"}}`,
			}
		}
	}
	return openaitest.Answer{Reasoning: "Easy.", Text: "twelve"}
}

func TestReasoningIsSentBackOnceRequired(t *testing.T) {
	s, r := serve(t)
	s.Answer = requireReasoning
	m := open(t, r, "openai/m")
	for range 2 {
		res, _, err := ask(t, m, called("Look it up."))
		if err != nil || res.Text != "twelve" {
			t.Fatalf("%+v, error %v", res, err)
		}
	}
	asked := s.Requests()
	if len(asked) != 3 {
		t.Fatalf("%d requests; the second question was to be asked right at once", len(asked))
	}
	if got := asked[2].Messages[1].Reasoning; got == nil || *got != "Look it up." {
		t.Errorf("it got back %v", got)
	}
}

func TestReasoningIsSentBackWithCalls(t *testing.T) {
	s, r := serve(t)
	s.Add(openaitest.Answer{Reasoning: "Hm.", Text: "hello"}, openaitest.Answer{Text: "twelve"})
	m := open(t, r, "openai/m")
	for _, req := range []llm.Request{hello(), called("Look it up.")} {
		if _, _, err := ask(t, m, req); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.Requests()[1].Messages[1].Reasoning; got == nil || *got != "Look it up." {
		t.Errorf("it got back %v", got)
	}
}

func TestReasoningIsNotSentAfterRefusal(t *testing.T) {
	s, r := serve(t)
	s.Answer = refuseReasoning
	m := open(t, r, "openai/m")
	for _, req := range []llm.Request{hello(), called("Look it up."), called("Look it up.")} {
		res, _, err := ask(t, m, req)
		if err != nil || res.Text != "twelve" {
			t.Fatalf("%+v, error %v", res, err)
		}
	}
	if n := len(s.Requests()); n != 4 {
		t.Errorf("%d requests for three questions and one refusal", n)
	}
}

func TestContradictoryReasoningRefusalsEnd(t *testing.T) {
	s, r := serve(t)
	s.Answer = func(openaitest.Request) openaitest.Answer {
		return openaitest.Answer{
			Status: http.StatusBadRequest,
			Body:   `{"error":{"message":"reasoning_content is wrong"}}`,
		}
	}
	if _, _, err := ask(t, open(t, r, "openai/m"), called("Hm.")); llm.KindOf(err) != llm.KindFailed {
		t.Errorf("error %v", err)
	}
	if n := len(s.Requests()); n > 3 {
		t.Errorf("%d requests", n)
	}
}
