package sqlite

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"

	"github.com/google/go-cmp/cmp"
)

func mustAppend(t *testing.T, s *Store, events ...event.Event) []event.Event {
	t.Helper()
	stored, err := s.AppendEvents(context.Background(), events)
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

func conversationCreated(id string) event.Event {
	now := time.Now().UTC()
	return event.New(event.ConversationCreated,
		chat.Conversation{ID: id, Title: "Lamps", Status: chat.StatusDone, Created: now, Updated: now}).InTurn(id, "")
}

func messageAdded(id, text string, status chat.Status) event.Event {
	return event.New(event.MessageAdded, chat.Message{
		ID: id, Role: chat.RoleAssistant, Text: text,
		Status: status,
	}).InTurn("c", "t")
}

func delta(message, text string) event.Event {
	return event.New(event.TextDelta, event.Delta{Message: message, Text: text}).InTurn("c", "t")
}

func turn(kind event.Kind, status chat.Status) event.Event {
	return event.New(kind, event.Turn{ID: "t", Model: "pilot", Status: status}).InTurn("c", "t")
}

func messages(t *testing.T, s *Store) []chat.Message {
	t.Helper()
	all, err := s.Messages(context.Background(), "c")
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestEventsUpdateTheTables(t *testing.T) {
	s := openNew(t)
	ask := event.New(event.MessageAdded, chat.Message{
		ID: "m1", Role: chat.RoleUser, Text: "hi", Status: chat.StatusDone, Outside: []string{"file:a"},
		Private:   []string{"file /b"},
		Reasoning: "hm", Calls: []chat.ToolCall{{ID: "x", Name: "bash", Args: []byte(`{"command":"ls"}`)}},
	}).InTurn("c", "t")
	mustAppend(t, s, conversationCreated("c"), ask, turn(event.TurnStarted, ""),
		messageAdded("m2", "", chat.StatusRunning))
	mustAppend(t, s, delta("m2", "Six "), delta("m2", "lamps"), delta("m3", "other"), delta("m2", "."))
	got := messages(t, s)
	if len(got) != 3 || got[0].Text != "hi" || got[0].Calls[0].Name != "bash" || got[0].Outside[0] != "file:a" ||
		got[0].Reasoning != "hm" || got[0].Private[0] != "file /b" ||
		got[1].Text != "Six lamps." || got[2].Text != "other" || got[2].Conversation != "c" ||
		got[2].Role != chat.RoleAssistant {
		t.Fatalf("%+v", got)
	}
	if c, err := s.Conversation(context.Background(), "c"); err != nil || c.Status != chat.StatusRunning ||
		c.Title != "Lamps" {
		t.Fatalf("%+v, %v", c, err)
	}
	mustAppend(t, s, messageAdded("m2", "Six lamps, rewritten.", chat.StatusDone),
		turn(event.TurnEnded, chat.StatusLimit))
	got = messages(t, s)
	if got[1].Text != "Six lamps, rewritten." || got[1].Status != chat.StatusDone || got[2].Status != chat.StatusLimit {
		t.Fatalf("%+v", got)
	}
	turns, err := s.Turns(context.Background(), "c")
	if err != nil || len(turns) != 1 || turns[0].Status != chat.StatusLimit || turns[0].Model != "pilot" {
		t.Fatalf("%+v, %v", turns, err)
	}
}

func TestSummaryMessages(t *testing.T) {
	s := openNew(t)
	summary := chat.Message{
		ID: "s1", Role: chat.RoleSummary, Text: "Summed up.", CoversThrough: "m1",
		Outside: []string{"https://a.example"}, Status: chat.StatusDone,
	}
	mustAppend(t, s, conversationCreated("c"), messageAdded("m1", "long", chat.StatusDone),
		event.New(event.MessageAdded, summary).InTurn("c", "t"))
	summary.Status = chat.StatusStopped
	mustAppend(t, s, messageAdded("m2", "after", chat.StatusDone),
		event.New(event.MessageAdded, summary).InTurn("c", "t"))
	got := messages(t, s)
	if len(got) != 3 || got[0].Text != "long" || got[1].ID != "s1" || got[1].CoversThrough != "m1" ||
		got[1].CallID != "" ||
		got[1].Status != chat.StatusStopped {
		t.Fatalf("%+v", got)
	}
	if m, err := s.Message(context.Background(), "s1"); err != nil || m.CoversThrough != "m1" ||
		m.Outside[0] != "https://a.example" {
		t.Fatalf("%+v, %v", m, err)
	}
	if _, err := s.Message(context.Background(), "none"); !errors.Is(err, ErrNotFound) {
		t.Fatalf("%v", err)
	}
}

func TestInvalidEventRollsBackTransaction(t *testing.T) {
	s := openNew(t)
	bad := event.New(event.MessageAdded, chat.Message{Text: "nameless"}).InTurn("c", "t")
	if _, err := s.AppendEvents(context.Background(), []event.Event{conversationCreated("c"), bad}); err == nil {
		t.Fatal("a message without an id was stored")
	}
	all, err := s.EventsAfter(context.Background(), 0, 10)
	if err != nil || len(all) != 0 {
		t.Fatalf("%v, %v", all, err)
	}
	if _, err := s.Conversation(context.Background(), "c"); !errors.Is(err, ErrNotFound) {
		t.Fatalf("got %v", err)
	}
	huge := event.New(event.CallOutput, event.CallChunk{Text: strings.Repeat("x", MaxEventBytes)})
	if _, err := s.AppendEvents(context.Background(), []event.Event{huge}); !errors.Is(err, ErrEventTooLarge) {
		t.Fatalf("got %v", err)
	}
}

func TestDeletedConversationLeavesOnlyDeletionEvent(t *testing.T) {
	ctx := context.Background()
	s := openNew(t)
	mustAppend(t, s, conversationCreated("c"), conversationCreated("d"), turn(event.TurnStarted, ""),
		delta("m", "secret"), turn(event.TurnEnded, chat.StatusDone))
	if err := s.AddGrant(ctx, toolspec.Grant{
		ID: "g", Tool: "x", Scope: toolspec.GrantConversation,
		Conversation: "c",
	}); err != nil {
		t.Fatal(err)
	}
	gone := mustAppend(t, s, event.New(event.ConversationDeleted, event.Removal{ID: "c"}).InTurn("c", ""))
	left, err := s.EventsAfter(ctx, 0, 100)
	if err != nil || len(left) != 2 || left[1].Seq != gone[0].Seq {
		t.Fatalf("%+v, %v", left, err)
	}
	if grants, err := s.Grants(ctx); err != nil || len(grants) != 0 {
		t.Fatalf("%+v, %v", grants, err)
	}
	if all, err := s.Conversations(ctx); err != nil || len(all) != 1 || all[0].ID != "d" {
		t.Fatalf("%+v, %v", all, err)
	}
	if turns, err := s.Turns(ctx, "c"); err != nil || len(turns) != 0 || len(messages(t, s)) != 0 {
		t.Fatalf("%+v, %v", turns, err)
	}
}

func TestSequenceNumbersAreNotReused(t *testing.T) {
	s := openNew(t)
	last := mustAppend(t, s, conversationCreated("c"),
		event.New(event.PanelOpened, event.PanelRef{Panel: "x"}).InTurn("c", ""))[1].Seq
	if _, err := s.writer.Exec(`DELETE FROM events`); err != nil {
		t.Fatal(err)
	}
	if got, err := s.LastSeq(context.Background()); err != nil || got != last {
		t.Fatalf("last is %d, %v, want %d", got, err, last)
	}
	if next := mustAppend(t, s, conversationCreated("d"))[0].Seq; next <= last {
		t.Fatalf("%d after %d", next, last)
	}
}

func TestOpenInterruptsRunningWork(t *testing.T) {
	ctx := context.Background()
	s := openNew(t)
	call := func(kind event.Kind, data any) event.Event {
		return event.New(kind, data).InTurn("c", "t").OfCall("k1")
	}
	mustAppend(t, s, conversationCreated("c"), turn(event.TurnStarted, ""),
		messageAdded("m", "half an ans", chat.StatusRunning),
		call(event.CallStarted, event.CallStart{CallRequest: event.CallRequest{Tool: "bash", Sentence: "Running ls"}}),
		call(event.ApprovalAsked, event.Approval{ID: "q1", Call: "k1"}),
		event.New(event.CallStarted, event.CallStart{CallRequest: event.CallRequest{Tool: "done"}}).InTurn("c",
			"t").OfCall("k2"),
		event.New(event.CallEnded, event.CallEnd{Tool: "done"}).InTurn("c", "t").OfCall("k2"))
	for id, phases := range map[string][]AuditPhase{"k1": {AuditIntent}, "k2": {AuditIntent, AuditResult}} {
		for _, phase := range phases {
			if err := s.AppendAudit(ctx, AuditEntry{
				Call: id, Phase: phase, Time: time.Now(),
				Body: []byte(`{}`),
			}); err != nil {
				t.Fatal(err)
			}
		}
	}
	path := s.Path()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, path)
	m := s.Recovery()
	if len(m.Calls) != 1 || m.Calls[0] != "k1" || len(m.Turns) != 1 || len(m.Conversations) != 1 ||
		len(m.Questions) != 1 || m.Questions[0] != "q1" {
		t.Fatalf("%+v", m)
	}
	if got := messages(t, s); got[0].Status != chat.StatusInterrupted || got[0].Text != "half an ans" {
		t.Fatalf("%+v", got)
	}
	if c, _ := s.Conversation(ctx, "c"); c.Status != chat.StatusInterrupted {
		t.Fatalf("%+v", c)
	}
	events, err := s.EventsOfConversation(ctx, "c")
	if err != nil {
		t.Fatal(err)
	}
	var tail []event.Kind
	for _, e := range events[len(events)-3:] {
		tail = append(tail, e.Kind)
	}
	if tail[0] != event.ApprovalAnswered || tail[1] != event.CallEnded || tail[2] != event.TurnEnded {
		t.Fatalf("the log ends with %v", tail)
	}
	pairs, err := s.AuditPairs(ctx, 0, 10)
	if err != nil || pairs[1].Result == nil && pairs[0].Result == nil {
		t.Fatalf("%+v, %v", pairs, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Recovery{}, openAt(t, path).Recovery()); diff != "" {
		t.Fatalf("closed twice (-want +got):\n%s", diff)
	}
}

func TestConversationsAreFiled(t *testing.T) {
	ctx := context.Background()
	s := openNew(t)
	now := time.Now().UTC()
	c := chat.Conversation{ID: "c", Status: chat.StatusRunning, Created: now, Updated: now}
	mustAppend(t, s, event.New(event.ConversationCreated, c).InTurn("c", ""))
	c.Pinned, c.Archived, c.Folder = true, true, "Trips"
	mustAppend(t, s, event.New(event.ConversationUpdated, c).InTurn("c", ""))
	path := s.Path()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, path) // which ends the running conversation
	c.Status = chat.StatusInterrupted
	got, err := s.Conversation(ctx, "c")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, got); diff != "" {
		t.Fatal(diff)
	}
}
