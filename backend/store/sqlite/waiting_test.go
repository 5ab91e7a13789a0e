package sqlite

import (
	"context"
	"testing"

	"sextant/shared/chat"
	"sextant/shared/event"
)

func waitingMessages(t *testing.T, s *Store) []event.WaitingMessage {
	t.Helper()
	list, err := s.WaitingMessages(context.Background(), "c")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestWaitingMessagesAreHeldAfterRestart(t *testing.T) {
	s := openNew(t)
	wait := func(id, text string, when event.Moment) event.Event {
		return event.New(event.MessageWaiting, event.WaitingMessage{ID: id, Text: text, When: when}).InTurn("c", "")
	}
	mustAppend(t, s, conversationCreated("c"), turn(event.TurnStarted, chat.StatusRunning),
		wait("a", "one", event.MomentNow), wait("b", "two", event.MomentNext), wait("d", "three", event.MomentNext))
	mustAppend(t, s, wait("a", "one, edited", event.MomentNext),
		event.New(event.MessageTaken, event.TakenMessage{ID: "b", Message: "m"}).InTurn("c", "t"))
	if got := waitingMessages(t, s); len(got) != 2 || got[0].Text != "one, edited" || got[1].Text != "three" {
		t.Fatalf("%+v", got)
	}
	path := s.Path()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, path)
	got := waitingMessages(t, s)
	if len(got) != 2 || got[0].When != event.MomentHeld || got[1].When != event.MomentHeld ||
		got[0].Text != "one, edited" {
		t.Fatalf("after a restart: %+v", got)
	}
	mustAppend(t, s, event.New(event.MessageDropped, event.Removal{ID: "a"}).InTurn("c", ""))
	if got := waitingMessages(t, s); len(got) != 1 {
		t.Fatalf("%+v", got)
	}
	mustAppend(t, s, event.New(event.ConversationDeleted, event.Removal{ID: "c"}).InTurn("c", ""))
	if got := waitingMessages(t, s); len(got) != 0 {
		t.Fatalf("of a deleted conversation: %+v", got)
	}
}
