package loop_test

import (
	"context"
	"strings"
	"testing"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/loop"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

func TestReasoningIsStreamedAndKept(t *testing.T) {
	const thought = "The page names two shops. The first is open."
	h := newHarness(t,
		openaitest.Answer{Reasoning: thought, Text: "Looking.", ChunkSize: 3, Calls: []openaitest.Call{call("look", `{}`)}},
		openaitest.Answer{Reasoning: "Done now.", Text: "The first."},
	)
	h.do = func(context.Context, toolspec.Call) toolspec.Result { return toolspec.OK("two shops") }
	if o := h.ask(t, "which?"); o.Status != chat.StatusDone || o.Text != "The first." {
		t.Fatalf("outcome %+v", o)
	}
	log, messages, _ := h.recorded()
	texts, spoke := map[string]string{}, map[string]bool{}
	for _, e := range log {
		switch e.Kind {
		case event.ReasoningDelta:
			d := data[event.Delta](e)
			if texts[d.Message] += d.Text; spoke[d.Message] {
				t.Errorf("%q is published after the answer began", d.Text)
			}
		case event.TextDelta:
			spoke[data[event.Delta](e).Message] = true
		}
	}
	called, said := messages[1], messages[3]
	if texts[called.ID] != thought || texts[said.ID] != "Done now." {
		t.Errorf("got %q", texts)
	}
	if called.Reasoning != thought || said.Reasoning != "" || strings.Contains(called.Text, "shops") {
		t.Errorf("kept %+v and %+v", called, said)
	}
	if back := h.service.Requests()[1].Messages[2].Reasoning; back == nil || *back != thought {
		t.Errorf("the model got back %v", back)
	}
}

func TestStopKeepsReasoning(t *testing.T) {
	whole := openaitest.Answer{Reasoning: "One. Two.", ChunkSize: 5}
	whole.StallAfter = strings.Index(string(openaitest.Render(whole)), "Two.")
	h := newHarness(t, whole)
	if _, err := h.Start(context.Background(),
		loop.TurnRequest{Conversation: "c1", Text: "think", Model: "openai/m"}); err != nil {
		t.Fatal(err)
	}
	if d := data[event.Delta](h.until(t, event.ReasoningDelta)); d.Text != "One. " {
		t.Errorf("thought %q", d.Text)
	}
	h.Stop("c1")
	if end := data[event.Turn](h.until(t, event.TurnEnded)); end.Status != chat.StatusStopped {
		t.Errorf("end %+v", end)
	}
}
