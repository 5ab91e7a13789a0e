package loop_test

import (
	"context"
	"errors"
	"testing"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/loop"
	"sextant/backend/store/pending"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

func noSubagents(context.Context) ([]string, error) { return nil, nil }

func TestDeletedConversationDropsUnsavedEvents(t *testing.T) {
	h := newHarness(t, openaitest.Answer{Calls: []openaitest.Call{{ID: "a", Name: "act", Args: "{}"}}})
	h.do = func(context.Context, toolspec.Call) toolspec.Result {
		h.fillDisk(true)
		return toolspec.OK("acted")
	}
	o := h.ask(t, "act")
	if len(h.UnsavedEvents(o.Conversation)) == 0 {
		t.Fatal("nothing is owed, so nothing is tried")
	}
	if err := h.Delete(t.Context(), o.Conversation, noSubagents); err == nil {
		t.Fatal("a disk that takes nothing took the deletion")
	}
	if len(h.UnsavedEvents(o.Conversation)) == 0 {
		t.Fatal("what is owed of a conversation that is still there is lost")
	}
	h.fillDisk(false)
	if err := h.Delete(t.Context(), o.Conversation, noSubagents); err != nil {
		t.Fatal(err)
	}
	if err := h.pending.FlushAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	log, _, _ := h.recorded()
	if last := log[len(log)-1]; last.Kind != event.ConversationDeleted {
		t.Errorf("after the deletion came %s", last.Kind)
	}
}

// slowJournal records the end of a turn only when it is released.
type slowJournal struct {
	*harness
	ends, let chan struct{}
}

func (s slowJournal) Publish(ctx context.Context, events ...event.Event) ([]event.Event, error) {
	if events[len(events)-1].Kind == event.TurnEnded {
		close(s.ends)
		<-s.let
	}
	return s.harness.Publish(ctx, events...)
}

func TestDeleteWaitsForTurnEnd(t *testing.T) {
	h := newHarness(t, openaitest.Answer{Text: "Well."})
	s := slowJournal{harness: h, ends: make(chan struct{}), let: make(chan struct{})}
	config := h.config()
	config.Journal, config.Pending = s, pending.New(s)
	l := loop.New(config)
	defer l.Close()
	request := loop.TurnRequest{Conversation: "c1", Text: "hello", Model: "openai/m"}
	if _, err := l.Start(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	<-s.ends
	deleted := make(chan error, 1)
	for _, one := range []struct {
		id    string
		below func(context.Context) ([]string, error)
	}{{"c1", noSubagents}, {"parent", func(context.Context) ([]string, error) { return []string{"c1"}, nil }}} {
		go func() { deleted <- l.Delete(t.Context(), one.id, one.below) }()
	}
	close(s.let)
	for range 2 {
		if err := <-deleted; err != nil && !errors.Is(err, loop.ErrBusy) {
			t.Fatal(err)
		}
	}
	log, _, _ := h.recorded()
	ended := false
	for _, e := range log {
		ended = ended || e.Kind == event.TurnEnded
		if e.Kind == event.ConversationDeleted && !ended {
			t.Error("the conversation was deleted before its turn's end was recorded")
		}
	}
	if last := log[len(log)-1]; last.Kind != event.ConversationDeleted {
		t.Errorf("after the deletion came %s", last.Kind)
	}
}
