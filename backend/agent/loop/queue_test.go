package loop_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/loop"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// blockingTool makes a harness whose first call blocks until release is closed; it returns when that call
// runs.
func blockingTool(t *testing.T, request loop.TurnRequest, turns ...openaitest.Answer) (h *harness, proceed func()) {
	t.Helper()
	h = newHarness(t, turns...)
	running, hold := make(chan struct{}), make(chan struct{})
	first := true
	h.do = func(_ context.Context, c toolspec.Call) toolspec.Result {
		h.mu.Lock()
		mine := first
		first = false
		h.mu.Unlock()
		if mine {
			close(running)
			<-hold
		}
		return toolspec.OK("result of " + string(c.Args))
	}
	request.Conversation, request.Interactive = "c1", true
	if _, err := h.Start(context.Background(), request); err != nil {
		t.Fatal(err)
	}
	<-running
	return h, func() { close(hold) }
}

// send sends text into the running turn and returns the id under which it waits.
func (h *harness) send(t *testing.T, text string, when event.Moment) string {
	t.Helper()
	sent, err := h.Send(
		context.Background(),
		loop.TurnRequest{Conversation: "c1", Text: text, Model: "openai/m", Interactive: true},
		when,
	)
	if err != nil || sent.WaitingID == "" || sent.Turn != "" {
		t.Fatalf("%q became %+v, %v", text, sent, err)
	}
	return sent.WaitingID
}

// ended waits for the end of n turns and returns the last.
func (h *harness) ended(t *testing.T, n int) event.Turn {
	t.Helper()
	var end event.Turn
	for range n {
		end = data[event.Turn](h.until(t, event.TurnEnded))
	}
	return end
}

var turnStart = loop.TurnRequest{Text: "go", Model: "openai/m"}

func TestSteeringMessageFollowsRunningCall(t *testing.T) {
	h, proceed := blockingTool(
		t,
		turnStart,
		calls(call2("act", 1), call2("act", 2), call2("look", 3)),
		calls(call2("act", 9)),
		openaitest.Answer{Text: "Done otherwise."},
	)
	id := h.send(t, "rather open shop.example", event.MomentNow)
	proceed()
	if end := h.ended(t, 1); end.Status != chat.StatusDone || end.Rounds != 3 {
		t.Fatalf("end %+v", end)
	}
	log, _, made := h.recorded()
	var args []string
	for _, c := range made {
		args = append(args, string(c.Args))
	}
	if strings.Join(args, "") != `{"n":1}{"n":9}` {
		t.Errorf("calls %v: those after the one that ran were not wanted any more", args)
	}
	if diff := cmp.Diff([]string{"shop.example"}, made[1].From.TypedHosts); diff != "" {
		t.Errorf("what was typed meanwhile opens (-want +got):\n%s", diff)
	}
	read := contents(h.service.Requests()[1])
	if last := read[len(read)-1]; last != "user:rather open shop.example" {
		t.Errorf("the model reads last %q", last)
	}
	if !strings.HasPrefix(read[len(read)-2], "tool:not run: the user sent") &&
		!strings.Contains(read[len(read)-2], "not run: the user sent") {
		t.Errorf("the calls that were left read %q", read[len(read)-2])
	}
	i := slices.IndexFunc(log, func(e event.Event) bool { return e.Kind == event.MessageTaken })
	if taken := data[event.TakenMessage](log[i]); taken.ID != id || !taken.Steered || taken.Asked.IsZero() ||
		log[i-1].Kind != event.MessageAdded ||
		data[chat.Message](log[i-1]).ID != taken.Message {
		t.Errorf("taken %+v after %s", taken, log[i-1].Kind)
	}
}

func TestMessageDuringLastAnswerJoinsTurn(t *testing.T) {
	h := newHarness(t)
	n := 0
	h.service.Answer = func(openaitest.Request) openaitest.Answer {
		if n++; n == 1 {
			h.send(t, "and the price?", event.MomentNow)
			return openaitest.Answer{Text: "It is a lamp."}
		}
		return openaitest.Answer{Text: "It costs 80 €."}
	}
	if o := h.ask(t, "what is it?"); o.Status != chat.StatusDone || o.Text != "It costs 80 €." || o.Rounds != 2 {
		t.Fatalf("outcome %+v", o)
	}
}

func TestQueuedMessagesRunInOrder(t *testing.T) {
	h, proceed := blockingTool(t, turnStart, calls(call2("act", 1)))
	h.service.Answer = func(r openaitest.Request) openaitest.Answer {
		return openaitest.Answer{Text: "to: " + r.LastContent()}
	}
	ctx := context.Background()
	h.send(t, "second", event.MomentNext)
	third := h.send(t, "third", event.MomentNext)
	gone := h.send(t, "never", event.MomentNext)
	if _, err := h.UpdateWaiting(ctx, "c1", third, toolspec.CallerModel, "third, edited", ""); err != nil {
		t.Fatal(err)
	}
	if err := h.DropWaiting(ctx, "c1", gone, toolspec.CallerModel); err != nil {
		t.Fatal(err)
	}
	proceed()
	if end := h.ended(t, 3); end.Status != chat.StatusDone {
		t.Fatalf("end %+v", end)
	}
	_, messages, _ := h.recorded()
	var words []string
	turns := map[string]bool{}
	for _, m := range messages {
		turns[m.Turn] = true
		if m.Role == chat.RoleUser {
			words = append(words, m.Text)
		}
	}
	if strings.Join(words, ", ") != "go, second, third, edited" || len(turns) != 3 {
		t.Errorf("%d turns: %q", len(turns), words)
	}
	if _, err := h.UpdateWaiting(ctx, "c1", third, toolspec.CallerModel, "too late", ""); !errors.Is(err,
		loop.ErrNotWaiting) {
		t.Errorf("changing what was taken: %v", err)
	}
}

func TestStopHoldsQueuedMessages(t *testing.T) {
	h, proceed := blockingTool(t, turnStart, calls(call2("act", 1)))
	h.service.Answer = func(r openaitest.Request) openaitest.Answer {
		return openaitest.Answer{Text: "to: " + r.LastContent()}
	}
	h.send(t, "turn left", event.MomentNow)
	id := h.send(t, "second", event.MomentNext)
	h.Stop("c1")
	if end := h.ended(t, 1); end.Status != chat.StatusStopped {
		t.Fatalf("end %+v", end)
	}
	proceed()
	waits, _ := h.WaitingMessages(context.Background(), "c1")
	if len(waits) != 2 || waits[0].When != event.MomentHeld || waits[1].When != event.MomentHeld {
		t.Fatalf("after the stop: %+v", waits)
	}
	// Another turn neither takes nor starts the held message.
	if _, err := h.Start(context.Background(),
		loop.TurnRequest{Conversation: "c1", Text: "hello", Model: "openai/m"}); err != nil {
		t.Fatal(err)
	}
	h.ended(t, 1)
	if _, err := h.SendWaiting(context.Background(), "c1", id, toolspec.CallerModel); err != nil {
		t.Fatal(err)
	}
	if end := h.ended(t, 1); end.Status != chat.StatusDone {
		t.Fatalf("end %+v", end)
	}
	_, messages, _ := h.recorded()
	if last := messages[len(messages)-1].Text; last != "to: second" {
		t.Errorf("asked: %q", last)
	}
	if waits, _ := h.WaitingMessages(context.Background(), "c1"); len(waits) != 1 || waits[0].Text != "turn left" {
		t.Errorf("left: %+v", waits)
	}
}

func TestProgramMessageStartsOwnTurn(t *testing.T) {
	h, proceed := blockingTool(
		t,
		turnStart,
		calls(call2("act", 1)),
		openaitest.Answer{Text: "ok"},
		calls(call2("act", 2)),
		openaitest.Answer{Text: "ok"},
	)
	ctx := context.Background()
	mine := h.send(t, "mine", event.MomentNext)
	if _, err := h.UpdateWaiting(ctx, "c1", mine, toolspec.CallerHTTP, "theirs", ""); !errors.Is(err,
		loop.ErrNotOwner) {
		t.Errorf("a program changed a person's words: %v", err)
	}
	if err := h.DropWaiting(ctx, "c1", mine, toolspec.CallerModel); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Send(ctx, loop.TurnRequest{
		Conversation: "c1", Text: "open evil.example", Model: "openai/m",
		Caller: toolspec.CallerHTTP,
	}, event.MomentNow); err != nil {
		t.Fatal(err)
	}
	proceed()
	h.ended(t, 2)
	_, _, made := h.recorded()
	if len(made) != 2 || made[1].From.Caller != toolspec.CallerHTTP || made[1].From.Turn == made[0].From.Turn ||
		len(made[1].From.TypedHosts) > 0 {
		t.Errorf("calls %+v", made)
	}
}

func TestPilotCommandsRunInOrder(t *testing.T) {
	h, proceed := blockingTool(t, loop.TurnRequest{Text: "open shop.example and annotate"})
	sent, err := h.Send(
		context.Background(),
		loop.TurnRequest{Conversation: "c1", Text: "click 3", Interactive: true},
		event.MomentNow,
	)
	if err != nil || sent.WaitingID == "" {
		t.Fatalf("%+v, %v", sent, err)
	}
	proceed()
	h.ended(t, 2)
	_, _, made := h.recorded()
	var tools []string
	for _, c := range made {
		tools = append(tools, c.Tool)
	}
	if strings.Join(tools, " ") != "navigate_page annotate_page click_element" {
		t.Errorf("calls %v", tools)
	}
}

func TestQueueLimit(t *testing.T) {
	h, proceed := blockingTool(t, turnStart, calls(call2("act", 1)))
	for i := range loop.MaxWaitingMessages {
		h.send(t, fmt.Sprint("message ", i), event.MomentNext)
	}
	request := loop.TurnRequest{Conversation: "c1", Text: "one more", Model: "openai/m"}
	if _, err := h.Send(context.Background(), request, event.MomentNow); !errors.Is(err, loop.ErrQueueFull) {
		t.Errorf("one too many: %v", err)
	}
	h.Stop("c1")
	h.ended(t, 1)
	proceed()
	sent, err := h.Send(context.Background(), request, event.MomentNext)
	if err != nil || sent.Turn == "" {
		t.Errorf("where nothing runs: %+v, %v", sent, err)
	}
	h.ended(t, 1)
}
