package loop_test

import (
	"strings"
	"testing"

	"sextant/backend/agent/llm/openaitest"
	"sextant/shared/chat"
)

func TestContextWindowSources(t *testing.T) {
	const list = "GET /v1/models"
	for name, c := range map[string]struct {
		set           int
		said          string
		sums, nothing bool
	}{
		"small window reported":     {said: `"context_length":10000`, sums: true},
		"large window reported":     {said: `"context_length":1000000`},
		"no window reported":        {said: `"owned_by":"x"`},
		"no list of models":         {},
		"larger window configured":  {set: 100_000, said: `"context_length":10000`, nothing: true},
		"smaller window configured": {set: 10_000, said: `"context_length":1000000`, sums: true, nothing: true},
		"small maximum reported":    {said: `"max_context_length":10000`, sums: true},
	} {
		t.Run(name, func(t *testing.T) {
			h := longConversation(t, func() openaitest.Answer { return openaitest.Answer{Text: summedUp} })
			h.window = c.set
			h.service.CannedAnswers = map[string]string{list: `{"data":[{"id":"m",` + c.said + `}]}`}
			if c.said == "" {
				h.service.CannedAnswers[list] = ""
			}
			if o := h.ask(t, goal); o.Status != chat.StatusDone {
				t.Fatalf("%+v", o)
			}
			h.ask(t, finalQuestion)
			_, messages, _ := h.recorded()
			if got := len(summaries(messages)); got > 0 != c.sums {
				t.Errorf("%d summaries", got)
			}
			if n := len(h.service.CannedRequests()); c.nothing != (n == 0) || n > 1 {
				t.Errorf("in two turns the service is asked %d times", n)
			}
		})
	}
}

func TestSupportedWindowIsNotLoadedWindow(t *testing.T) {
	for words, searching := range map[string]bool{
		`"max_context_length":1000000`: true,
		`"context_length":1000000`:     false,
	} {
		t.Run(words, func(t *testing.T) {
			h := newHarness(t, openaitest.Answer{Text: "Hello."})
			h.addTools()
			h.window = 0
			// More than a twentieth of what is known by the name, and less than that of a million.
			for i := range h.defs {
				h.defs[i].Description = strings.Repeat("Posts a message to a channel. ", 30)
			}
			h.service.CannedAnswers = map[string]string{"GET /v1/models": `{"data":[{"id":"m",` + words + `}]}`}
			h.ask(t, "hello")
			if got := h.service.Requests()[0].HasTool("call_tool"); got != searching {
				t.Errorf("%s: tools have to be searched is %v", words, got)
			}
		})
	}
}
