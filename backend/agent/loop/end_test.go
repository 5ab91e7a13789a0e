package loop_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/loop"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// always answers every request with one more call.
func always(args func(n int) string) func(openaitest.Request) openaitest.Answer {
	n := 0
	return func(openaitest.Request) openaitest.Answer {
		n++
		return calls(call("act", args(n)))
	}
}

func TestCallLimitEndsTurn(t *testing.T) {
	h := newHarness(t)
	h.limits = loop.Limits{CallsPerTurn: 3, Rounds: 50}
	h.service.Answer = always(func(n int) string { return fmt.Sprintf(`{"n":%d}`, n) })
	n := 0
	h.do = func(context.Context, toolspec.Call) toolspec.Result { n++; return toolspec.OK(n) }
	o := h.ask(t, "go on for ever")
	if o.Status != chat.StatusLimit || o.Calls != 3 || !strings.Contains(o.Error, "3 calls") ||
		!strings.Contains(o.Suggestion, "continue") {
		t.Fatalf("outcome %+v", o)
	}
	_, messages, made := h.recorded()
	if len(made) != 3 || !strings.Contains(messages[len(messages)-1].Text, "not run") {
		t.Errorf("%d calls ran; the last message is %+v", len(made), messages[len(messages)-1])
	}
	// The next turn goes on from there; the service refuses calls without a result.
	h.service.Answer = func(openaitest.Request) openaitest.Answer { return openaitest.Answer{Text: "Going on."} }
	if o := h.ask(t, "continue"); o.Status != chat.StatusDone || o.Text != "Going on." {
		t.Errorf("next turn %+v", o)
	}
}

func TestCallsBeyondLimitAreAnsweredNotRun(t *testing.T) {
	h := newHarness(t, calls(call2("act", 1), call2("look", 2), call2("look", 3), call2("look", 4)))
	h.limits = loop.Limits{CallsPerTurn: 2}
	if o := h.ask(t, "go"); o.Status != chat.StatusLimit {
		t.Fatalf("outcome %+v", o)
	}
	_, messages, made := h.recorded()
	if len(made) != 2 || len(messages) != 6 {
		t.Errorf("%d calls, %d messages", len(made), len(messages))
	}
}

func TestRoundLimitEndsTurn(t *testing.T) {
	h := newHarness(t)
	h.limits = loop.Limits{CallsPerTurn: 50, Rounds: 4}
	h.service.Answer = always(func(n int) string { return fmt.Sprintf(`{"n":%d}`, n) })
	o := h.ask(t, "go")
	if o.Status != chat.StatusLimit || o.Calls != 4 || !strings.Contains(o.Error, "4 rounds") {
		t.Fatalf("outcome %+v", o)
	}
}

func TestTenCallsAreAllowed(t *testing.T) {
	h := newHarness(t)
	n := 0
	h.service.Answer = func(openaitest.Request) openaitest.Answer {
		if n++; n > 10 {
			return openaitest.Answer{Text: "Finished."}
		}
		return calls(call2("act", n))
	}
	if o := h.ask(t, "go"); o.Status != chat.StatusDone || o.Calls != 10 {
		t.Fatalf("outcome %+v", o)
	}
}

func TestThreeRepetitionsEndTurn(t *testing.T) {
	h := newHarness(t)
	h.service.Answer = always(func(n int) string {
		if n%2 == 0 {
			return `{"a":1,"b":2}`
		}
		return `{ "b": 2, "a": 1 }`
	})
	n := 0
	h.do = func(context.Context, toolspec.Call) toolspec.Result {
		n++
		return toolspec.OK(fmt.Sprintf("clicked [3] · settled %d ms", 30+n))
	}
	o := h.ask(t, "go")
	if o.Status != chat.StatusLimit || o.Calls != 3 || !strings.Contains(o.Error, "repeated 3 times") {
		t.Fatalf("outcome %+v", o)
	}
	if last := h.service.Requests()[2].LastContent(); !strings.Contains(last, "once more ends the turn") {
		t.Errorf("the model was not warned: %q", last)
	}
}

// A page that is loaded again has other numbers.
func TestLoadingSamePageThreeTimesEndsTurn(t *testing.T) {
	h := newHarness(t)
	h.service.Answer = always(func(int) string { return `{"url":"demo"}` })
	n := 0
	h.do = func(context.Context, toolspec.Call) toolspec.Result {
		n++
		settled := ""
		if n == 1 {
			settled = " · settled 370 ms (navigation)"
		}
		return toolspec.OK(fmt.Sprintf("Page: Lamps | http://lamps.example/ | v%d | tab 1\n"+
			"opened http://lamps.example/%s\n[%d] link \"Fen\"\n[%d] link \"Moor\"", n, settled, n*30, n*30+1))
	}
	if o := h.ask(t, "go"); o.Status != chat.StatusLimit || o.Calls != 3 {
		t.Errorf("outcome %+v", o)
	}
}

func TestRepetitionWithChangesIsAllowed(t *testing.T) {
	h := newHarness(t)
	n := 0
	h.service.Answer = func(openaitest.Request) openaitest.Answer {
		if n++; n > 8 {
			return openaitest.Answer{Text: "Finished."}
		}
		return calls(call("act", `{"more":true}`))
	}
	h.do = func(context.Context, toolspec.Call) toolspec.Result {
		return toolspec.OK(fmt.Sprintf("item %d of 8", n))
	}
	if o := h.ask(t, "go"); o.Status != chat.StatusDone || o.Calls != 8 {
		t.Fatalf("outcome %+v", o)
	}
}

func TestAlternatingRepetitionsEndTurn(t *testing.T) {
	h := newHarness(t)
	h.limits = loop.Limits{CallsPerTurn: 50, Rounds: 50}
	n := 0
	h.service.Answer = func(openaitest.Request) openaitest.Answer {
		n++
		return calls(call([]string{"look", "act"}[n%2], `{}`))
	}
	h.do = func(_ context.Context, c toolspec.Call) toolspec.Result { return toolspec.OK("nothing at " + c.Tool) }
	o := h.ask(t, "go")
	if o.Status != chat.StatusLimit || o.Calls != 6 || !strings.Contains(o.Error, "look repeated 3 times") {
		t.Fatalf("outcome %+v", o)
	}
	// The model of the next turn reads why the last one ended, with the same bytes.
	h.service.Answer = func(openaitest.Request) openaitest.Answer { return openaitest.Answer{Text: "Another way."} }
	h.ask(t, "continue")
	requests := h.service.Requests()
	last := requests[len(requests)-1].Messages
	if got := last[len(last)-2].Content; !strings.Contains(got, "the turn ended here") {
		t.Errorf("the last result reads %q", got)
	}
	before := contents(requests[len(requests)-2])
	if !slices.Equal(contents(requests[len(requests)-1])[:len(before)], before) {
		t.Error("what was written below a result changed between turns")
	}
}

func TestWaitingIsNoRepetition(t *testing.T) {
	h := newHarness(t)
	h.limits = loop.Limits{CallsPerTurn: 50, Rounds: 50}
	n := 0
	h.service.Answer = func(openaitest.Request) openaitest.Answer {
		if n++; n > 20 {
			return openaitest.Answer{Text: "It is there."}
		}
		return calls(call([]string{"look", "act"}[n%2], `{}`))
	}
	h.do = func(_ context.Context, c toolspec.Call) toolspec.Result {
		if c.Tool == "act" {
			return toolspec.OK("waited 1 s")
		}
		return toolspec.OK(fmt.Sprintf("%d of 10 loaded", n/2))
	}
	if o := h.ask(t, "go"); o.Status != chat.StatusDone || o.Calls != 20 {
		t.Fatalf("outcome %+v", o)
	}
}

func TestStopDuringStream(t *testing.T) {
	whole := openaitest.Answer{Text: "first second", ChunkSize: 6}
	whole.StallAfter = strings.Index(string(openaitest.Render(whole)), "second")
	h := newHarness(t, whole)
	if _, err := h.Start(context.Background(),
		loop.TurnRequest{Conversation: "c1", Text: "talk", Model: "openai/m"}); err != nil {
		t.Fatal(err)
	}
	h.until(t, event.TextDelta)
	if !h.Stop("c1") || h.Stop("c2") {
		t.Error("Stop says the wrong thing")
	}
	end := data[event.Turn](h.until(t, event.TurnEnded))
	_, messages, _ := h.recorded()
	if last := messages[len(messages)-1]; end.Status != chat.StatusStopped || last.Text != "first " ||
		last.Status != chat.StatusStopped {
		t.Errorf("end %+v, last message %+v", end, last)
	}
}

func TestStopDuringHangingCall(t *testing.T) {
	h := newHarness(t, calls(call2("act", 1), call2("act", 2)), openaitest.Answer{Text: "went on"})
	hang, running := make(chan struct{}), make(chan struct{})
	h.do = func(context.Context, toolspec.Call) toolspec.Result {
		close(running)
		<-hang
		return toolspec.OK("late")
	}
	if _, err := h.Start(context.Background(),
		loop.TurnRequest{Conversation: "c1", Text: "go", Model: "openai/m"}); err != nil {
		t.Fatal(err)
	}
	<-running
	start := time.Now()
	h.Stop("c1")
	if end := data[event.Turn](h.until(t, event.TurnEnded)); end.Status != chat.StatusStopped {
		t.Errorf("end %+v", end)
	}
	if d := time.Since(start); d > 30*time.Second {
		t.Errorf("the end came after %s", d)
	}
	_, messages, made := h.recorded()
	if len(made) != 1 || !strings.Contains(messages[2].Text, "outcome is unknown") ||
		!strings.Contains(messages[3].Text, "not run") {
		t.Errorf("%d calls; messages %+v", len(made), messages)
	}
	if o := h.ask(t, "go on"); o.Status != chat.StatusDone {
		t.Errorf("next turn %+v", o)
	}
	close(hang)
}

func TestModelErrorEndsTurn(t *testing.T) {
	whole := openaitest.Answer{Text: "some words", ChunkSize: 5, Calls: []openaitest.Call{call("act", `{"x":1}`)}}
	cut := whole
	cut.CutAfter = strings.Index(string(openaitest.Render(whole)), `"arguments":"{`)
	none := openaitest.Answer{CutAfter: -1}
	h := newHarness(
		t,
		cut,
		none,
		none,
		none,
		openaitest.Answer{Status: 401, Body: `{"error":{"message":"bad key"}}`},
		openaitest.Answer{Text: ""},
		openaitest.Answer{Text: "half", Finish: "length"},
	)
	o := h.ask(t, "one")
	_, messages, made := h.recorded()
	if o.Status != chat.StatusFailed || !strings.Contains(o.Error, "broke off") || o.Suggestion == "" || len(made) > 0 {
		t.Errorf("cut: %+v, %d calls", o, len(made))
	}
	if last := messages[len(messages)-1]; last.Text != "some words" || last.Status != chat.StatusFailed ||
		len(last.Calls) > 0 {
		t.Errorf("cut: last message %+v", last)
	}
	if o := h.ask(t, "two"); o.Status != chat.StatusFailed || !strings.Contains(o.Error, "bad key") ||
		!strings.Contains(o.Suggestion, "SEXTANT_OPENAI_API_KEY") {
		t.Errorf("401: %+v", o)
	}
	if o := h.ask(t, "three"); o.Status != chat.StatusFailed || !strings.Contains(o.Error, "empty answer") {
		t.Errorf("empty: %+v", o)
	}
	if o := h.ask(t, "four"); o.Status != chat.StatusLimit || o.Text != "half" {
		t.Errorf("length: %+v", o)
	}
	o = h.run(t, loop.TurnRequest{Conversation: "c1", Text: "five", Model: "nobody/claude"})
	if o.Status != chat.StatusFailed || !strings.Contains(o.Error, "no provider") || o.Suggestion == "" {
		t.Errorf("unknown provider: %+v", o)
	}
}

func TestInvalidArgumentsAreAnswered(t *testing.T) {
	h := newHarness(t, calls(call("act", `{"a":`), call2("act", 2)), openaitest.Answer{Text: "Done."})
	if o := h.ask(t, "go"); o.Status != chat.StatusDone {
		t.Fatalf("outcome %+v", o)
	}
	_, _, made := h.recorded()
	if len(made) != 1 || string(made[0].Args) != `{"n":2}` {
		t.Errorf("calls %+v", made)
	}
	if last := h.service.Requests()[1].LastContent(); !strings.Contains(last, "not valid JSON") {
		t.Errorf("the model read %q", last)
	}
}

func TestJournalErrorEndsTurn(t *testing.T) {
	h := newHarness(t, calls(call("act", `{}`)), openaitest.Answer{Text: "never"})
	h.do = func(context.Context, toolspec.Call) toolspec.Result {
		h.mu.Lock()
		h.publishErr = errFull
		h.mu.Unlock()
		return toolspec.OK("done")
	}
	if o := h.ask(t, "go"); o.Status != chat.StatusFailed || !strings.Contains(o.Error, "disk is full") {
		t.Errorf("outcome %+v", o)
	}
	if n := len(h.service.Requests()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
}

func TestCancelStopsTurn(t *testing.T) {
	h := newHarness(t, openaitest.Answer{StallAfter: -1, Text: "x"})
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		h.until(t, event.TurnStarted)
		cancel()
	}()
	o, err := h.Run(ctx, loop.TurnRequest{Conversation: "c1", Text: "go", Model: "openai/m"})
	if err != nil || o.Status != chat.StatusStopped {
		t.Errorf("outcome %+v, error %v", o, err)
	}
}
