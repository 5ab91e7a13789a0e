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
	"sextant/backend/record/store"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// keeper is a house whose log and messages are a real store's.
type keeper struct {
	*house
	*store.Store
	path string
}

// Publish stores events, and gives them to who waits for them.
func (k *keeper) Publish(ctx context.Context, events ...event.Event) ([]event.Event, error) {
	stored, err := k.AppendEvents(ctx, events)
	if err == nil {
		_, err = k.house.Publish(ctx, stored...)
	}
	return stored, err
}

func keeping(t *testing.T, turns ...openaitest.Turn) *keeper {
	t.Helper()
	k := &keeper{house: build(t, turns...), path: filepath.Join(t.TempDir(), "sextant.db")}
	config := k.config
	k.config = func() loop.Config {
		c := config()
		c.Journal, c.History, c.Queue = k, k.Store, k.Store
		return c
	}
	k.begin(t)
	t.Cleanup(func() {
		k.house.Close()
		_ = k.Store.Close()
	})
	return k
}

// begin opens the store and a Loop over it, as the program does when it starts.
func (k *keeper) begin(t rapid.TB) {
	t.Helper()
	var err error
	if k.Store, err = store.Open(context.Background(), k.path, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	k.Loop = loop.New(k.config())
}

// again ends the program and starts it.
func (k *keeper) again(t rapid.TB) {
	t.Helper()
	k.house.Close()
	if err := k.Store.Close(); err != nil {
		t.Fatal(err)
	}
	k.begin(t)
}

// said are the messages of the branch that is shown.
func (k *keeper) said(t testing.TB) []chat.Message {
	t.Helper()
	list, err := k.Store.Messages(context.Background(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// mine is the id of the person's message with this text in the branch that is shown.
func (k *keeper) mine(t testing.TB, text string) string {
	t.Helper()
	for _, m := range k.said(t) {
		if m.Role == chat.RoleUser && m.Text == text {
			return m.ID
		}
	}
	t.Fatalf("nobody said %q: %+v", text, k.said(t))
	return ""
}

func (k *keeper) edit(t *testing.T, old, text string) event.Turn {
	t.Helper()
	_, err := k.Edit(context.Background(), loop.Ask{Conversation: "c1", Text: text, Model: "openai/m", Interactive: true}, k.mine(t, old))
	if err != nil {
		t.Fatal(err)
	}
	return k.ended(t, 1)
}

func (k *keeper) retry(t *testing.T, text string) event.Turn {
	t.Helper()
	_, err := k.Retry(context.Background(), loop.Ask{Conversation: "c1", Model: "openai/m", Interactive: true}, k.mine(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return k.ended(t, 1)
}

// ask is said and its end is heard, so that ended counts what comes after.
func (k *keeper) ask(t *testing.T, text string) loop.Outcome {
	t.Helper()
	o := k.house.ask(t, text)
	k.ended(t, 1)
	return o
}

// active is the branch that is shown.
func (k *keeper) active(t testing.TB) string {
	t.Helper()
	_, active, err := k.Branches(context.Background(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	return active
}

func (k *keeper) choose(t testing.TB, branch string) {
	t.Helper()
	if err := k.Choose(context.Background(), "c1", branch); err != nil {
		t.Fatal(err)
	}
}

// echo answers by saying how much was said.
func echo(r openaitest.Request) openaitest.Turn {
	return openaitest.Turn{Text: fmt.Sprintf("%d to %s", len(r.Messages), r.Last())}
}

func texts(list []chat.Message) string {
	var out []string
	for _, m := range list {
		out = append(out, m.Text)
	}
	return strings.Join(out, " | ")
}

func TestAnEditedMessageBeginsABranchAndTheOldOneIsThereAsItWas(t *testing.T) {
	k := keeping(t)
	k.service.Answer = echo
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
	if read := contents(requests[len(requests)-1]); !slices.Equal(read[1:], []string{"user:one", "assistant:2 to one", "user:other two"}) {
		t.Errorf("the model read %q", read)
	}
	mine := k.active(t)
	k.again(t)
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

func TestTheSameQuestionIsAnsweredAgainAlsoByAnotherModel(t *testing.T) {
	k := keeping(t)
	k.service.Answer = echo
	k.ask(t, "one")
	k.ask(t, "two")
	k.service.Answer = func(r openaitest.Request) openaitest.Turn { return openaitest.Turn{Text: "By " + r.Model} }
	ctx := context.Background()
	turn, err := k.Retry(ctx, loop.Ask{Conversation: "c1", Text: "not used", Model: "openai/other"}, k.mine(t, "two"))
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
	if b := data[event.Branch](log[i]); b.Instead != "" || b.After != k.mine(t, "two") || log[i+1].Kind != event.TurnStarted {
		t.Errorf("%+v, then %s", b, log[i+1].Kind)
	}
}

func TestNothingPartsWhileATurnRuns(t *testing.T) {
	k := keeping(t)
	k.service.Answer = echo
	k.ask(t, "one")
	k.edit(t, "one", "other")
	hold := make(chan struct{})
	k.service.Answer = func(r openaitest.Request) openaitest.Turn {
		<-hold
		return echo(r)
	}
	ask := loop.Ask{Conversation: "c1", Text: "two", Model: "openai/m"}
	ctx := context.Background()
	if _, err := k.Start(ctx, ask); err != nil {
		t.Fatal(err)
	}
	mine := k.mine(t, "other")
	if _, err := k.Edit(ctx, ask, mine); !errors.Is(err, loop.ErrBusy) {
		t.Errorf("edit: %v", err)
	}
	if _, err := k.Retry(ctx, ask, mine); !errors.Is(err, loop.ErrBusy) {
		t.Errorf("retry: %v", err)
	}
	if err := k.Choose(ctx, "c1", ""); !errors.Is(err, loop.ErrBusy) {
		t.Errorf("choose: %v", err)
	}
	close(hold)
	k.ended(t, 1)
	if got := texts(k.said(t)); got != "other | 2 to other | two | 4 to two" {
		t.Errorf("said: %s", got)
	}
	// Only what is shown parts.
	k.choose(t, "")
	if _, err := k.Edit(ctx, ask, mine); !errors.Is(err, loop.ErrNoQuestion) {
		t.Errorf("a message of another branch: %v", err)
	}
	if _, err := k.Retry(ctx, ask, k.said(t)[1].ID); !errors.Is(err, loop.ErrNoQuestion) {
		t.Errorf("an answer: %v", err)
	}
	if err := k.Choose(ctx, "c1", "b_none"); !errors.Is(err, loop.ErrNoBranch) {
		t.Errorf("no branch: %v", err)
	}
	if k.Running("c1") || texts(k.said(t)) != "one | 2 to one" {
		t.Errorf("what was refused left something: %s", texts(k.said(t)))
	}
}

func TestASummaryHoldsInItsOwnBranchAlone(t *testing.T) {
	k := keeping(t)
	k.window = 2400
	long := strings.Repeat("These are the articles of the shop. ", 180)
	k.service.Answer = func(r openaitest.Request) openaitest.Turn {
		if strings.HasPrefix(r.Last(), "Sum up") {
			return openaitest.Turn{Text: "What was found in the first branch."}
		}
		return openaitest.Turn{Text: "Noted."}
	}
	k.ask(t, long)
	k.ask(t, "two") // sums up what came before
	k.ask(t, "three")
	summed := func() (n int) {
		for _, m := range k.said(t) {
			if m.Role == chat.RoleSummary {
				n++
			}
		}
		return n
	}
	asked := func() string {
		all := k.service.Requests()
		return strings.Join(contents(all[len(all)-1]), "\n")
	}
	if summed() == 0 || !strings.Contains(asked(), "What was found in the first branch.") {
		t.Fatalf("no summary: %s", texts(k.said(t)))
	}
	k.window = 0
	k.edit(t, "two", "other two") // parts before the summary was made
	if summed() != 0 || !strings.Contains(asked(), long[:200]) || strings.Contains(asked(), "What was found") {
		t.Errorf("a branch from before the summary is sent %s", asked())
	}
	k.choose(t, "")
	k.edit(t, "three", "other three") // parts after it
	if summed() != 1 || !strings.Contains(asked(), "What was found in the first branch.") || strings.Contains(asked(), long[:200]+long[:200]) {
		t.Errorf("a branch from after the summary is sent %s", asked())
	}
	id := ""
	for _, m := range k.said(t) {
		if m.Role == chat.RoleSummary {
			id = m.ID
		}
	}
	k.choose(t, "")
	k.edit(t, "two", "third two")
	if err := k.UseSummary(context.Background(), "c1", id, false); !errors.Is(err, loop.ErrNoSummary) {
		t.Errorf("a summary of another branch: %v", err)
	}
}

func TestWhatWasReadOutsideCountsInTheBranchesThatHoldIt(t *testing.T) {
	k := keeping(t)
	k.do = func(_ context.Context, c toolspec.Call) toolspec.Result {
		r := toolspec.OK("text of a page")
		r.Sources = []string{"https://shop.example"}
		return r
	}
	k.service.Answer = func(r openaitest.Request) openaitest.Turn {
		if strings.HasPrefix(r.Last(), "look") || strings.HasPrefix(r.Last(), "act") {
			name, _, _ := strings.Cut(r.Last(), " ")
			return calls(call2(name, len(r.Messages)))
		}
		return openaitest.Turn{Text: "Done."}
	}
	k.ask(t, "look")
	k.ask(t, "act here")
	k.edit(t, "look", "act there")
	_, _, made := k.kept()
	if from := made[1].From.Outside; !slices.Equal(from, []string{"https://shop.example"}) {
		t.Errorf("after it was read: %v", from)
	}
	if from := made[2].From.Outside; len(from) != 0 {
		t.Errorf("in a branch from before: %v", from)
	}
}

func TestAProgramsWordsOpenNoAddressWhenAPersonAsksThemAgain(t *testing.T) {
	k := keeping(t)
	k.service.Answer = func(r openaitest.Request) openaitest.Turn {
		if r.Messages[len(r.Messages)-1].Role == "user" {
			return calls(call2("act", len(r.Messages)))
		}
		return openaitest.Turn{Text: "Done."}
	}
	ctx := context.Background()
	opened := func() []string {
		_, _, made := k.kept()
		return made[len(made)-1].From.TypedHosts
	}
	k.run(t, loop.Ask{Conversation: "c1", Text: "open https://evil.example", Model: "openai/m", Caller: toolspec.CallerHTTP})
	k.ended(t, 1)
	k.retry(t, "open https://evil.example")
	if got := opened(); len(got) != 0 {
		t.Errorf("asked again: %v", got)
	}
	k.edit(t, "open https://evil.example", "open https://evil.example or https://shop.example")
	if got := opened(); !slices.Equal(got, []string{"shop.example"}) {
		t.Errorf("with a person's words beside: %v", got)
	}
	k.retry(t, "open https://evil.example or https://shop.example")
	if got := opened(); len(got) != 0 {
		t.Errorf("mixed words asked again: %v", got)
	}
	k.ask(t, "open https://own.example")
	k.retry(t, "open https://own.example")
	if got := opened(); !slices.Equal(got, []string{"own.example"}) {
		t.Errorf("a person's words asked again: %v", got)
	}
	if _, err := k.Retry(ctx, loop.Ask{Conversation: "c1", Model: "openai/m", Caller: toolspec.CallerHTTP}, k.mine(t, "open https://own.example")); err != nil {
		t.Fatal(err)
	}
	k.ended(t, 1)
	if got := opened(); len(got) != 0 {
		t.Errorf("asked again by a program: %v", got)
	}
}

func TestAMessageThatWasKeptIsAskedInTheBranchThatIsShown(t *testing.T) {
	k := keeping(t)
	running, hold := make(chan struct{}), make(chan struct{})
	k.service.Answer = func(r openaitest.Request) openaitest.Turn {
		if r.Last() == "two" {
			close(running)
			<-hold
		}
		return echo(r)
	}
	k.ask(t, "one")
	ctx := context.Background()
	if _, err := k.Start(ctx, loop.Ask{Conversation: "c1", Text: "two", Model: "openai/m", Interactive: true}); err != nil {
		t.Fatal(err)
	}
	<-running
	id := k.send(t, "later", event.MomentNext)
	k.Stop("c1")
	k.ended(t, 1)
	close(hold)
	k.edit(t, "two", "other two")
	if waits, err := k.Store.Waiting(ctx, "c1"); err != nil || len(waits) != 1 || waits[0].When != event.MomentKept {
		t.Fatalf("the end of another branch's turn took it: %+v, %v", waits, err)
	}
	if _, err := k.AskWaiting(ctx, "c1", id, toolspec.CallerModel); err != nil {
		t.Fatal(err)
	}
	k.ended(t, 1)
	if got := texts(k.said(t)); got != "one | 2 to one | other two | 4 to other two | later | 6 to later" {
		t.Errorf("said: %s", got)
	}
}

func TestAMessageThatSteeredATurnIsEditedAfterTheCallsBeforeIt(t *testing.T) {
	k := keeping(t)
	k.service.Answer = func(r openaitest.Request) openaitest.Turn {
		if r.Last() == "go" {
			return calls(call2("act", 1), call2("act", 2))
		}
		return echo(r)
	}
	steered := false
	k.do = func(context.Context, toolspec.Call) toolspec.Result {
		if !steered {
			steered = true
			k.send(t, "rather left", event.MomentNow)
		}
		return toolspec.OK("acted")
	}
	k.ask(t, "go")
	if end := k.edit(t, "rather left", "rather right"); end.Status != chat.StatusDone {
		t.Fatalf("%+v", end)
	}
	requests := k.service.Requests()
	read := contents(requests[len(requests)-1])
	if len(read) != 6 || read[1] != "user:go" || read[3] != "tool:acted" || !strings.Contains(read[4], "not run") || read[5] != "user:rather right" {
		t.Errorf("the model read %q", read)
	}
	k.retry(t, "go")
	if got := texts(k.said(t)); !strings.HasPrefix(got, "go | ") || strings.Contains(got, "rather") {
		t.Errorf("the whole turn again: %s", got)
	}
}
