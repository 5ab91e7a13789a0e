package loop_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/loop"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// number is a goal: the model calls finish, is asked for a number and gives it.
type number struct{}

func (number) Tool() toolspec.Definition {
	return toolspec.Definition{Name: "finish", Description: "Ends.", Parameters: json.RawMessage(`{"type":"object"}`)}
}

func (number) HandleToolCall(json.RawMessage, []string) loop.Reply {
	return loop.Reply{ToolsClosed: true, Message: "Which number?"}
}

func (number) HandleAnswer(text string) loop.Reply {
	if strings.TrimSpace(text) == "42" {
		return loop.Reply{}
	}
	return loop.Reply{Message: "That is no number."}
}

func TestMessageAfterToolsClosedWaits(t *testing.T) {
	h := newHarness(t, openaitest.Answer{Calls: []openaitest.Call{{Name: "finish", Args: "{}"}}})
	asked, hold := make(chan struct{}), make(chan struct{})
	var once sync.Once
	h.service.Answer = func(r openaitest.Request) openaitest.Answer {
		once.Do(func() { close(asked); <-hold })
		if strings.Contains(string(r.Body), "and the other one?") {
			return openaitest.Answer{Text: "That one too."}
		}
		return openaitest.Answer{Text: "42"}
	}
	ended := make(chan loop.Outcome, 1)
	go func() {
		o, _ := h.Run(
			t.Context(),
			loop.TurnRequest{
				Conversation: "c1",
				Text:         "which one?",
				Model:        "openai/m",
				Interactive:  true,
				Goal:         number{},
			},
		)
		ended <- o
	}()
	<-asked
	h.send(t, "and the other one?", event.MomentNow)
	close(hold)
	if o := <-ended; o.Status != chat.StatusDone || o.Text != "42" || o.Rounds != 2 {
		t.Errorf("the task came to %+v", o)
	}
	if end := h.ended(t, 2); end.Status != chat.StatusDone || end.Rounds != 1 {
		t.Errorf("what was written meanwhile came to %+v", end)
	}
}

func TestMessageToRunningTaskIsRead(t *testing.T) {
	h := newHarness(t, calls(call2("act", 1)))
	running, hold := make(chan struct{}), make(chan struct{})
	h.do = func(context.Context, toolspec.Call) toolspec.Result {
		close(running)
		<-hold
		return toolspec.OK("done")
	}
	finish := openaitest.Answer{Calls: []openaitest.Call{{Name: "finish", Args: "{}"}}}
	h.service.Answer = func(r openaitest.Request) openaitest.Answer {
		switch body := string(r.Body); {
		case strings.Contains(body, "Which number?"):
			return openaitest.Answer{Text: "42"}
		case strings.Contains(body, "the green one"):
			return finish
		}
		return openaitest.Answer{Text: "not read"}
	}
	ended := make(chan loop.Outcome, 1)
	go func() {
		o, _ := h.Run(
			t.Context(),
			loop.TurnRequest{
				Conversation: "c1",
				Text:         "which one?",
				Model:        "openai/m",
				Interactive:  true,
				Goal:         number{},
			},
		)
		ended <- o
	}()
	<-running
	h.send(t, "the green one", event.MomentNow)
	close(hold)
	if o := <-ended; o.Status != chat.StatusDone || o.Text != "42" || o.Rounds != 3 {
		t.Errorf("the task came to %+v", o)
	}
}
