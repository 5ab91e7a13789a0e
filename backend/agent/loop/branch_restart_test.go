package loop_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/loop"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

func TestSummaryAppliesToItsBranchOnly(t *testing.T) {
	k := newBranchHarness(t)
	k.window = 2400
	long := strings.Repeat("These are the articles of the shop. ", 180)
	k.service.Answer = func(r openaitest.Request) openaitest.Answer {
		if strings.HasPrefix(r.LastContent(), "Sum up") {
			return openaitest.Answer{Text: "What was found in the first branch."}
		}
		return openaitest.Answer{Text: "Noted."}
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
	if summed() != 1 || !strings.Contains(asked(), "What was found in the first branch.") ||
		strings.Contains(asked(), long[:200]+long[:200]) {
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

func TestOutsideSourcesPerBranch(t *testing.T) {
	k := newBranchHarness(t)
	k.do = func(_ context.Context, c toolspec.Call) toolspec.Result {
		r := toolspec.OK("text of a page")
		r.Sources = []string{"https://shop.example"}
		return r
	}
	k.service.Answer = func(r openaitest.Request) openaitest.Answer {
		if strings.HasPrefix(r.LastContent(), "look") || strings.HasPrefix(r.LastContent(), "act") {
			name, _, _ := strings.Cut(r.LastContent(), " ")
			return calls(call2(name, len(r.Messages)))
		}
		return openaitest.Answer{Text: "Done."}
	}
	k.ask(t, "look")
	k.ask(t, "act here")
	k.edit(t, "look", "act there")
	_, _, made := k.recorded()
	if diff := cmp.Diff([]string{"https://shop.example"}, made[1].From.Outside); diff != "" {
		t.Errorf("after it was read (-want +got):\n%s", diff)
	}
	if from := made[2].From.Outside; len(from) != 0 {
		t.Errorf("in a branch from before: %v", from)
	}
}

func TestRetriedProgramTextOpensNoHost(t *testing.T) {
	k := newBranchHarness(t)
	k.service.Answer = func(r openaitest.Request) openaitest.Answer {
		if r.Messages[len(r.Messages)-1].Role == "user" {
			return calls(call2("act", len(r.Messages)))
		}
		return openaitest.Answer{Text: "Done."}
	}
	ctx := context.Background()
	opened := func() []string {
		_, _, made := k.recorded()
		return made[len(made)-1].From.TypedHosts
	}
	k.run(
		t,
		loop.TurnRequest{
			Conversation: "c1",
			Text:         "open https://evil.example",
			Model:        "openai/m",
			Caller:       toolspec.CallerHTTP,
		},
	)
	k.ended(t, 1)
	k.retry(t, "open https://evil.example")
	if got := opened(); len(got) != 0 {
		t.Errorf("asked again: %v", got)
	}
	k.edit(t, "open https://evil.example", "open https://evil.example or https://shop.example")
	if diff := cmp.Diff([]string{"shop.example"}, opened()); diff != "" {
		t.Errorf("with a person's words beside (-want +got):\n%s", diff)
	}
	k.retry(t, "open https://evil.example or https://shop.example")
	if got := opened(); len(got) != 0 {
		t.Errorf("mixed words asked again: %v", got)
	}
	k.ask(t, "open https://own.example")
	k.retry(t, "open https://own.example")
	if diff := cmp.Diff([]string{"own.example"}, opened()); diff != "" {
		t.Errorf("a person's words asked again (-want +got):\n%s", diff)
	}
	if _, err := k.Retry(ctx, loop.TurnRequest{Conversation: "c1", Model: "openai/m", Caller: toolspec.CallerHTTP},
		k.mine(t, "open https://own.example")); err != nil {
		t.Fatal(err)
	}
	k.ended(t, 1)
	if got := opened(); len(got) != 0 {
		t.Errorf("asked again by a program: %v", got)
	}
}

func TestHeldMessageGoesToActiveBranch(t *testing.T) {
	k := newBranchHarness(t)
	running, hold := make(chan struct{}), make(chan struct{})
	k.service.Answer = func(r openaitest.Request) openaitest.Answer {
		if r.LastContent() == "two" {
			close(running)
			<-hold
		}
		return answerWithCount(r)
	}
	k.ask(t, "one")
	ctx := context.Background()
	if _, err := k.Start(ctx, loop.TurnRequest{
		Conversation: "c1", Text: "two", Model: "openai/m",
		Interactive: true,
	}); err != nil {
		t.Fatal(err)
	}
	<-running
	id := k.send(t, "later", event.MomentNext)
	k.Stop("c1")
	k.ended(t, 1)
	close(hold)
	k.edit(t, "two", "other two")
	if waits, err := k.Store.WaitingMessages(ctx, "c1"); err != nil || len(waits) != 1 ||
		waits[0].When != event.MomentHeld {
		t.Fatalf("the end of another branch's turn took it: %+v, %v", waits, err)
	}
	if _, err := k.SendWaiting(ctx, "c1", id, toolspec.CallerModel); err != nil {
		t.Fatal(err)
	}
	k.ended(t, 1)
	if got := texts(k.said(t)); got != "one | 2 to one | other two | 4 to other two | later | 6 to later" {
		t.Errorf("said: %s", got)
	}
}

func TestEditedSteeringMessageFollowsItsCalls(t *testing.T) {
	k := newBranchHarness(t)
	k.service.Answer = func(r openaitest.Request) openaitest.Answer {
		if r.LastContent() == "go" {
			return calls(call2("act", 1), call2("act", 2))
		}
		return answerWithCount(r)
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
	if len(read) != 6 || read[1] != "user:go" || read[3] != "tool:acted" || !strings.Contains(read[4], "not run") ||
		read[5] != "user:rather right" {
		t.Errorf("the model read %q", read)
	}
	k.retry(t, "go")
	if got := texts(k.said(t)); !strings.HasPrefix(got, "go | ") || strings.Contains(got, "rather") {
		t.Errorf("the whole turn again: %s", got)
	}
}
