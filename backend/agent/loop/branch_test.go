package loop_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/loop"
	"sextant/backend/store/pending"
	"sextant/backend/store/sqlite"
	"sextant/shared/chat"
	"sextant/shared/event"
)

// branchHarness is a harness with a real store.
type branchHarness struct {
	*harness
	*sqlite.Store
	path string
}

// Publish stores events and passes them to whoever waits for them.
func (b *branchHarness) Publish(ctx context.Context, events ...event.Event) ([]event.Event, error) {
	stored, err := b.AppendEvents(ctx, events)
	if err == nil {
		_, err = b.harness.Publish(ctx, stored...)
	}
	return stored, err
}

func newBranchHarness(t *testing.T, turns ...openaitest.Answer) *branchHarness {
	t.Helper()
	k := &branchHarness{harness: newHarness(t, turns...), path: filepath.Join(t.TempDir(), "sextant.db")}
	config := k.config
	k.config = func() loop.Config {
		c := config()
		c.Journal, c.Pending, c.History, c.Queue = k, pending.New(k), k.Store, k.Store
		return c
	}
	k.begin(t)
	t.Cleanup(func() {
		k.harness.Close()
		_ = k.Store.Close()
	})
	return k
}

// begin opens the store and a Loop over it, as at program start.
func (b *branchHarness) begin(t rapid.TB) {
	t.Helper()
	var err error
	if b.Store, err = sqlite.Open(context.Background(), b.path, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	b.Loop = loop.New(b.config())
}

// restart closes the store and the Loop and opens them again.
func (b *branchHarness) restart(t rapid.TB) {
	t.Helper()
	b.harness.Close()
	if err := b.Store.Close(); err != nil {
		t.Fatal(err)
	}
	b.begin(t)
}

// said returns the messages of the active branch.
func (b *branchHarness) said(t testing.TB) []chat.Message {
	t.Helper()
	list, err := b.Store.Messages(context.Background(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// mine returns the id of the user message with this text in the active branch.
func (b *branchHarness) mine(t testing.TB, text string) string {
	t.Helper()
	for _, m := range b.said(t) {
		if m.Role == chat.RoleUser && m.Text == text {
			return m.ID
		}
	}
	t.Fatalf("nobody said %q: %+v", text, b.said(t))
	return ""
}

func (b *branchHarness) edit(t *testing.T, old, text string) event.Turn {
	t.Helper()
	_, err := b.Edit(
		context.Background(),
		loop.TurnRequest{Conversation: "c1", Text: text, Model: "openai/m", Interactive: true},
		b.mine(t, old),
	)
	if err != nil {
		t.Fatal(err)
	}
	return b.ended(t, 1)
}

func (b *branchHarness) retry(t *testing.T, text string) event.Turn {
	t.Helper()
	_, err := b.Retry(
		context.Background(),
		loop.TurnRequest{Conversation: "c1", Model: "openai/m", Interactive: true},
		b.mine(t, text),
	)
	if err != nil {
		t.Fatal(err)
	}
	return b.ended(t, 1)
}

// ask waits for the end of the turn, so that ended counts only later ones.
func (b *branchHarness) ask(t *testing.T, text string) loop.Outcome {
	t.Helper()
	o := b.harness.ask(t, text)
	b.ended(t, 1)
	return o
}

// active returns the active branch.
func (b *branchHarness) active(t testing.TB) string {
	t.Helper()
	_, active, err := b.Branches(context.Background(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	return active
}

func (b *branchHarness) choose(t testing.TB, branch string) {
	t.Helper()
	if err := b.ChooseBranch(context.Background(), "c1", branch); err != nil {
		t.Fatal(err)
	}
}

// answerWithCount answers with the number of messages.
func answerWithCount(r openaitest.Request) openaitest.Answer {
	return openaitest.Answer{Text: fmt.Sprintf("%d to %s", len(r.Messages), r.LastContent())}
}

func texts(list []chat.Message) string {
	var out []string
	for _, m := range list {
		out = append(out, m.Text)
	}
	return strings.Join(out, " | ")
}

func TestEditedMessageBeginsBranch(t *testing.T) {
	k := newBranchHarness(t)
	k.service.Answer = answerWithCount
	for _, text := range []string{"one", "two", "three"} {
		k.ask(t, text)
	}
	before := texts(k.said(t))
	if end := k.edit(t, "two", "other two"); end.Status != chat.StatusDone {
		t.Fatalf("%+v", end)
	}
	const want = "one | 2 to one | other two | 4 to other two"
	if got := texts(k.said(t)); got != want {
		t.Fatalf("in the branch: %s", got)
	}
	requests := k.service.Requests()
	if read := contents(requests[len(requests)-1]); !slices.Equal(
		read[1:],
		[]string{"user:one", "assistant:2 to one", "user:other two"},
	) {
		t.Errorf("the model read %q", read)
	}
	mine := k.active(t)
	k.restart(t)
	if got := texts(k.said(t)); got != want || k.active(t) != mine {
		t.Fatalf("after a restart: %s", got)
	}
	k.choose(t, "")
	if got := texts(k.said(t)); got != before {
		t.Fatalf("the old branch: %s", got)
	}
	k.ask(t, "four")
	k.choose(t, mine)
	if got := texts(k.said(t)); got != want {
		t.Errorf("the new one, after the old one went on: %s", got)
	}
}

func TestRetryWithAnotherModel(t *testing.T) {
	k := newBranchHarness(t)
	k.service.Answer = answerWithCount
	k.ask(t, "one")
	k.ask(t, "two")
	k.service.Answer = func(r openaitest.Request) openaitest.Answer { return openaitest.Answer{Text: "By " + r.Model} }
	ctx := context.Background()
	turn, err := k.Retry(
		ctx,
		loop.TurnRequest{Conversation: "c1", Text: "not used", Model: "openai/other"},
		k.mine(t, "two"),
	)
	if err != nil {
		t.Fatal(err)
	}
	if end := k.ended(t, 1); end.ID != turn || end.Model != "openai/other" {
		t.Fatalf("%+v", end)
	}
	if got := texts(k.said(t)); got != "one | 2 to one | two | By other" {
		t.Fatalf("answered again: %s", got)
	}
	log, err := k.EventsOfConversation(ctx, "c1")
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(log, func(e event.Event) bool { return e.Kind == event.BranchStarted })
	if b := data[event.Branch](log[i]); b.Replaces != "" || b.After != k.mine(t, "two") ||
		log[i+1].Kind != event.TurnStarted {
		t.Errorf("%+v, then %s", b, log[i+1].Kind)
	}
}

func TestNoBranchDuringTurn(t *testing.T) {
	k := newBranchHarness(t)
	k.service.Answer = answerWithCount
	k.ask(t, "one")
	k.edit(t, "one", "other")
	hold := make(chan struct{})
	k.service.Answer = func(r openaitest.Request) openaitest.Answer {
		<-hold
		return answerWithCount(r)
	}
	request := loop.TurnRequest{Conversation: "c1", Text: "two", Model: "openai/m"}
	ctx := context.Background()
	if _, err := k.Start(ctx, request); err != nil {
		t.Fatal(err)
	}
	mine := k.mine(t, "other")
	if _, err := k.Edit(ctx, request, mine); !errors.Is(err, loop.ErrBusy) {
		t.Errorf("edit: %v", err)
	}
	if _, err := k.Retry(ctx, request, mine); !errors.Is(err, loop.ErrBusy) {
		t.Errorf("retry: %v", err)
	}
	if err := k.ChooseBranch(ctx, "c1", ""); !errors.Is(err, loop.ErrBusy) {
		t.Errorf("choose: %v", err)
	}
	close(hold)
	k.ended(t, 1)
	if got := texts(k.said(t)); got != "other | 2 to other | two | 4 to two" {
		t.Errorf("said: %s", got)
	}
	// Only the active branch can be branched.
	k.choose(t, "")
	if _, err := k.Edit(ctx, request, mine); !errors.Is(err, loop.ErrNoMessage) {
		t.Errorf("a message of another branch: %v", err)
	}
	if _, err := k.Retry(ctx, request, k.said(t)[1].ID); !errors.Is(err, loop.ErrNoMessage) {
		t.Errorf("an answer: %v", err)
	}
	if err := k.ChooseBranch(ctx, "c1", "b_none"); !errors.Is(err, loop.ErrNoBranch) {
		t.Errorf("no branch: %v", err)
	}
	if k.IsRunning("c1") || texts(k.said(t)) != "one | 2 to one" {
		t.Errorf("what was refused left something: %s", texts(k.said(t)))
	}
}
