package loop_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/loop"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// fillDisk makes the disk full, or frees it.
func (h *harness) fillDisk(full bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.publishErr = nil
	if full {
		h.publishErr = syscall.ENOSPC
	}
}

func TestFullDiskLosesNoEvents(t *testing.T) {
	h := newHarness(
		t,
		openaitest.Answer{
			Text:  "I act.",
			Calls: []openaitest.Call{{ID: "a", Name: "act", Args: "{}"}, {ID: "b", Name: "act", Args: "{}"}},
		},
		openaitest.Answer{Text: "It goes on."},
	)
	h.do = func(context.Context, toolspec.Call) toolspec.Result {
		h.fillDisk(true) // by this very call
		return toolspec.OK("acted")
	}
	o := h.ask(t, "act twice")
	if o.Status != chat.StatusFailed || !strings.Contains(o.Error, "disk is full") ||
		!strings.Contains(o.Suggestion, "Free space") {
		t.Fatalf("it ended as %+v", o)
	}
	if _, _, calls := h.recorded(); len(calls) != 1 {
		t.Fatalf("%d calls ran although nothing could be recorded any more", len(calls))
	}
	request := loop.TurnRequest{Conversation: o.Conversation, Text: "go on", Model: "openai/m"}
	if _, err := h.Run(t.Context(), request); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("a message was taken that cannot be kept: %v", err)
	}
	h.fillDisk(false)
	if err := h.pending.FlushAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	log, messages, _ := h.recorded()
	if last := log[len(log)-1]; last.Kind != event.TurnEnded || data[event.Turn](last).ID != o.Turn {
		t.Fatalf("the last event is %s", last.Kind)
	}
	var results []string
	for _, m := range messages {
		if m.Role == chat.RoleTool {
			results = append(results, m.Text)
		}
	}
	if len(results) != 2 || !strings.Contains(results[0], "acted") ||
		!strings.Contains(results[1], "not run: nothing can be saved. The disk is full") {
		t.Fatalf("the results that were kept are %q", results)
	}
	again := h.run(t, loop.TurnRequest{Conversation: o.Conversation, Text: "continue", Model: "openai/m"})
	if again.Status != chat.StatusDone || again.Text != "It goes on." {
		t.Fatalf("it does not go on: %+v", again)
	}
}

func TestUnrecordableAnswerEndsTurn(t *testing.T) {
	h := newHarness(t, openaitest.Answer{Text: strings.Repeat("word ", 5000), ChunkDelay: 2 * time.Millisecond})
	go func() {
		for e := range h.seen {
			if e.Kind == event.TextDelta {
				h.fillDisk(true)
				return
			}
		}
	}()
	h.service.Add(openaitest.Answer{Text: "Here."})
	o := h.ask(t, "tell me")
	if o.Status != chat.StatusFailed || !strings.Contains(o.Error, "disk is full") {
		t.Fatalf("it ended as %+v", o)
	}
	h.fillDisk(false)
	again := h.run(t, loop.TurnRequest{Conversation: o.Conversation, Text: "continue", Model: "openai/m"})
	log, messages, _ := h.recorded()
	ends := slices.IndexFunc(log, func(e event.Event) bool { return e.Kind == event.TurnEnded })
	begins := slices.IndexFunc(
		log,
		func(e event.Event) bool { return e.Kind == event.TurnStarted && e.Turn == again.Turn },
	)
	if again.Status != chat.StatusDone || ends < 0 || ends > begins {
		t.Fatalf("%+v: the end of the turn before is event %d, the next begins with %d", again, ends, begins)
	}
	if said := messages[1]; said.Role != chat.RoleAssistant || !strings.HasPrefix(said.Text, "word word") {
		t.Fatalf("what was said until then is %+v", said)
	}
}
