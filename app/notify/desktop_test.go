package notify

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
	"github.com/google/go-cmp/cmp"

	"sextant/build/sessionbus"
	"sextant/shared/chat"
	"sextant/shared/event"
)

// center is a notification service that shows nothing.
type center struct {
	conn   *dbus.Conn
	next   atomic.Uint32
	shown  chan shown
	closed chan uint32
}

type shown struct {
	ID            uint32
	Summary, Body string
	Actions       []string
}

// Notify implements org.freedesktop.Notifications.
func (c *center) Notify(
	_ string, _ uint32, _, summary, body string, actions []string, _ map[string]dbus.Variant, _ int32,
) (uint32, *dbus.Error) {
	id := c.next.Add(1)
	c.shown <- shown{id, summary, body, actions}
	return id, nil
}

// CloseNotification implements org.freedesktop.Notifications.
func (c *center) CloseNotification(id uint32) *dbus.Error {
	c.closed <- id
	return nil
}

func (c *center) press(t *testing.T, id uint32, action any) {
	t.Helper()
	if err := c.conn.Emit(servicePath, service+".ActionInvoked", id, action); err != nil {
		t.Fatal(err)
	}
}

type fixture struct {
	*center
	desktop *Desktop
	inFront atomic.Bool
	mu      sync.Mutex
	done    []string
}

// did records what a press did.
func (f *fixture) did(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done = append(f.done, what)
}

// all returns what presses did, once it is as many as wanted.
func (f *fixture) all(t *testing.T, count int) []string {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		f.mu.Lock()
		done := append([]string{}, f.done...)
		f.mu.Unlock()
		if len(done) >= count || time.Now().After(end) {
			return done
		}
	}
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	conn := sessionbus.Start(t)
	f := &fixture{center: &center{conn: conn, shown: make(chan shown, 9), closed: make(chan uint32, 9)}}
	if err := conn.Export(f.center, servicePath, service); err != nil {
		t.Fatal(err)
	}
	if _, err := conn.RequestName(service, dbus.NameFlagDoNotQueue); err != nil {
		t.Fatal(err)
	}
	f.desktop = New(Config{
		Enabled: func() bool { return true }, InFront: f.inFront.Load,
		Conversation: func(_ context.Context, id string) (chat.Conversation, error) {
			c := chat.Conversation{ID: id, Title: "Lamps"}
			if id == "sub" {
				c.Parent = "c1"
			}
			return c, nil
		},
		Answer: func(_ context.Context, id string, answer event.Answer, _, hash string) error {
			f.did(id + " " + string(answer) + " " + hash)
			return errors.New("answered")
		},
		Show: func(conversation string) { f.did("show " + conversation) }, Log: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(func() { _ = f.desktop.Close() })
	return f
}

func (f *fixture) turn(conversation string, turn event.Turn) {
	f.desktop.Handle(event.New(event.TurnEnded, turn).InTurn(conversation, "t1"))
}

func (f *fixture) ask(question event.Approval) {
	f.desktop.Handle(event.New(event.ApprovalAsked, question).InTurn("c1", "t1"))
}

func TestTurnIsNotifiedOnlyWhenNobodySeesIt(t *testing.T) {
	f := newFixture(t)
	f.inFront.Store(true)
	f.turn("c1", event.Turn{Status: chat.StatusDone})
	f.inFront.Store(false)
	f.turn("c1", event.Turn{Status: chat.StatusStopped})
	f.turn("c1", event.Turn{Status: chat.StatusDone, Unattended: true})
	f.turn("sub", event.Turn{Status: chat.StatusDone})
	f.turn("c1", event.Turn{Status: chat.StatusFailed, Error: "The model <b>is</b> gone."})
	got := <-f.shown
	want := shown{1, "“Lamps” failed", "The model &lt;b&gt;is&lt;/b&gt; gone.", []string{"default", "Show"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	f.press(t, got.ID, "default")
	if diff := cmp.Diff([]string{"show c1"}, f.all(t, 1)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestQuestionIsAnsweredOnceInItsNotification(t *testing.T) {
	f := newFixture(t)
	f.ask(event.Approval{
		ID: "q1", Hash: "h", Question: "Delete a.txt?", Reason: "Ask mode confirms deletions.",
		Args: []byte(`{"path":"a.txt"}`),
	})
	got := <-f.shown
	want := shown{
		1, "Delete a.txt?", "In “Lamps”. Ask mode confirms deletions.",
		[]string{"default", "Show", "once q1", "Allow once", "deny q1", "Deny"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("(-want +got):\n%s", diff)
	}
	f.press(t, got.ID, "once q1")
	f.press(t, got.ID, "once q1")
	f.ask(event.Approval{ID: "q2", Question: "Delete b.txt?"})
	second := <-f.shown
	f.desktop.Handle(event.New(event.ApprovalAnswered, event.ApprovalAnswer{ID: "q2"}).InTurn("c1", "t1"))
	if id := <-f.closed; id != second.ID {
		t.Errorf("notification %d is closed, want %d", id, second.ID)
	}
	f.press(t, second.ID, "once q2")
	f.turn("c1", event.Turn{Status: chat.StatusDone})
	f.press(t, (<-f.shown).ID, "default")
	if diff := cmp.Diff([]string{"q1 once h", "show c1"}, f.all(t, 2)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestHostileAnswersInNotificationsDoNothing(t *testing.T) {
	f := newFixture(t)
	f.ask(event.Approval{ID: "program", WindowOnly: true, Question: "Start it?"})
	f.ask(event.Approval{ID: "form", Form: []event.FormField{{Name: "pin"}}, Question: "PIN?"})
	f.ask(event.Approval{ID: "edit", EditArg: "content", Question: "Write it?"})
	f.ask(event.Approval{ID: "script", Question: "Run a script?", Args: []byte(`{"script":"steal()"}`)})
	f.ask(event.Approval{ID: "long", Question: "Delete " + strings.Repeat("a", 100) + "?"})
	f.ask(event.Approval{ID: "diff", Diff: "-a", Question: "Change 3 lines?"})
	for range 6 {
		if one := <-f.shown; len(one.Actions) != 2 {
			t.Errorf("%q can be answered: %q", one.Summary, one.Actions)
		}
	}
	// Another program on the bus says that something was pressed.
	other, err := dbus.ConnectSessionBus()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Close() }()
	f.ask(event.Approval{ID: "open", Question: "Delete a.txt?"})
	open := <-f.shown
	for _, action := range []any{"once open", "deny open"} {
		if err := other.Emit(servicePath, service+".ActionInvoked", open.ID, action); err != nil {
			t.Fatal(err)
		}
	}
	for _, action := range []any{
		"once", "deny", "always", "conversation", "host", "file", "folder", "program", "like", "", "ONCE", "once ",
		"Allow once", "once q1", "always open", "once program", "once form", "once edit", "quit", uint32(1), int32(-1),
		true,
		[]string{"once"},
	} {
		for id := range open.ID {
			f.press(t, id, action)
		}
		f.press(t, open.ID+100, action)
	}
	f.press(t, open.ID, "always")
	f.turn("c1", event.Turn{Status: chat.StatusDone})
	f.press(t, (<-f.shown).ID, "default")
	if diff := cmp.Diff([]string{"show c1"}, f.all(t, 1)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
