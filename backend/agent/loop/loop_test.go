package loop_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/loop"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

func TestTurnEvents(t *testing.T) {
	h := newHarness(
		t,
		openaitest.Answer{
			Text:  "Looking first.",
			Calls: []openaitest.Call{call("look", `{"a":1}`)},
			Usage: openaitest.Usage{Input: 10, Output: 2},
		},
		calls(call("act", `{"b":2}`)),
		openaitest.Answer{Text: "All done, see [12].", Usage: openaitest.Usage{Input: 30, Output: 4}},
	)
	h.do = func(_ context.Context, c toolspec.Call) toolspec.Result { return toolspec.OK("result of " + c.Tool) }
	o := h.ask(t, "do it")
	if o.Status != chat.StatusDone || o.Text != "All done, see [12]." || o.Rounds != 3 || o.Calls != 2 ||
		o.Usage != (chat.Usage{Input: 40, Output: 6}) {
		t.Fatalf("outcome %+v", o)
	}
	log, messages, _ := h.recorded()
	var kinds []string
	for _, e := range log {
		if e.Kind != event.TextDelta {
			kinds = append(kinds, string(e.Kind))
		}
		if e.Conversation != "c1" || e.Kind != event.ConversationUpdated && e.Turn != o.Turn {
			t.Errorf("%s is in %q, %q", e.Kind, e.Conversation, e.Turn)
		}
	}
	const want = "conversation.updated message.added turn.started message.added round.ended message.added " +
		"message.added round.ended " +
		"message.added message.added round.ended turn.ended"
	if strings.Join(kinds, " ") != want {
		t.Errorf("events\n got %s\nwant %s", strings.Join(kinds, " "), want)
	}
	var words []string
	for _, m := range messages {
		words = append(words, string(m.Role)+":"+m.Text)
	}
	if got := strings.Join(words,
		"|"); got != "user:do it|assistant:Looking first.|tool:result of look|assistant:|tool:result of "+
		"act|assistant:All done, see [12]." {
		t.Errorf("messages %s", got)
	}
	if c := data[chat.Conversation](log[0]); c.Title != "do it" || c.Model != "openai/m" {
		t.Errorf("conversation %+v", c)
	}
	if last := h.service.Requests()[2].Messages; last[len(last)-1].Content != "result of act" {
		t.Errorf("the model did not read the last result: %+v", last)
	}
}

func TestRoundUsageAndPromptComposition(t *testing.T) {
	h := newHarness(
		t,
		openaitest.Answer{
			Text:  "Hm.",
			Calls: []openaitest.Call{call("look", `{"a":1}`)},
			Usage: openaitest.Usage{Input: 100, Output: 2, Cached: 60},
		},
		openaitest.Answer{Text: "Done.", Usage: openaitest.Usage{Input: 130, Output: 4}},
	)
	h.do = func(context.Context, toolspec.Call) toolspec.Result { return toolspec.OK("0123456789") }
	h.ask(t, "do it")
	log, _, _ := h.recorded()
	var rounds []event.Round
	for _, e := range log {
		if e.Kind == event.RoundEnded {
			rounds = append(rounds, data[event.Round](e))
		}
	}
	if len(rounds) != 2 {
		t.Fatalf("%+v", rounds)
	}
	definitions := 0
	for _, d := range h.defs {
		definitions += len(d.Name) + len(d.Description) + len(d.Parameters) + 40
	}
	first, second := rounds[0], rounds[1]
	if first.Number != 1 || first.Model != "openai/m" ||
		first.Usage != (chat.Usage{Input: 100, Output: 2, Cached: 60}) ||
		first.Calls != 1 ||
		first.Failed ||
		first.AnswerBytes != len("Hm.")+len(`look{"a":1}`) {
		t.Errorf("first round %+v", first)
	}
	if first.Prompt.Definitions != definitions || first.Prompt.Results != 0 {
		t.Errorf("first prompt %+v, the definitions are %d bytes", first.Prompt, definitions)
	}
	if second.Number != 2 || second.Prompt.Results != 10 ||
		second.Prompt.Messages != first.Prompt.Messages+first.AnswerBytes ||
		second.Calls != 0 {
		t.Errorf("second round %+v after %+v", second, first)
	}
}

func TestFailedRoundIsReported(t *testing.T) {
	h := newHarness(t, openaitest.Answer{Status: 400})
	if o := h.ask(t, "do it"); o.Status != chat.StatusFailed {
		t.Fatalf("%+v", o)
	}
	log, _, _ := h.recorded()
	for _, e := range log {
		if e.Kind == event.RoundEnded {
			if r := data[event.Round](e); !r.Failed || r.AnswerBytes != 0 || r.Usage != (chat.Usage{}) {
				t.Errorf("%+v", r)
			}
			return
		}
	}
	t.Error("the round is missing")
}

func TestDeltasJoinToMessage(t *testing.T) {
	text := strings.Repeat("word ", 200)
	h := newHarness(t, openaitest.Answer{Text: text, ChunkDelay: time.Millisecond})
	h.ask(t, "talk")
	log, _, _ := h.recorded()
	joined, n := "", 0
	for _, e := range log {
		if e.Kind == event.TextDelta {
			joined += data[event.Delta](e).Text
			n++
		}
	}
	if joined != text {
		t.Errorf("the deltas give %d bytes, the message has %d", len(joined), len(text))
	}
	if n < 2 || n > 100 {
		t.Errorf("%d deltas for 143 pieces in about 150 ms", n)
	}
}

func TestCallIDsAreUnique(t *testing.T) {
	same := calls(call("act", `{"n":1}`), openaitest.Call{ID: "call_1", Name: "act", Args: `{"n":2}`})
	h := newHarness(t, same, same, openaitest.Answer{Text: "ok"})
	h.ask(t, "go")
	_, _, made := h.recorded()
	seen := map[string]bool{}
	for _, c := range made {
		if seen[c.ID] || c.ID == "call_0" || c.ID == "" {
			t.Errorf("id %q", c.ID)
		}
		seen[c.ID] = true
	}
	if len(seen) != 4 {
		t.Errorf("%d ids", len(seen))
	}
}

func TestReadOnlyCallsRunConcurrently(t *testing.T) {
	h := newHarness(
		t,
		calls(call("look", `{"n":1}`), call2("look", 2), call2("act", 3), call2("act", 4), call2("look", 5)),
		openaitest.Answer{Text: "ok"},
	)
	var looking, acting atomic.Int32
	both := make(chan struct{})
	h.do = func(_ context.Context, c toolspec.Call) toolspec.Result {
		if c.Tool == "act" {
			if acting.Add(1) > 1 || looking.Load() > 0 {
				return toolspec.Fail(toolspec.SystemError, "not alone", "")
			}
			defer acting.Add(-1)
			return toolspec.OK("alone")
		}
		looking.Add(1)
		defer looking.Add(-1)
		if strings.Contains(string(c.Args), "5") {
			return toolspec.OK("last")
		}
		if looking.Load() == 2 {
			close(both)
		}
		select {
		case <-both:
			return toolspec.OK("together")
		case <-time.After(10 * time.Second):
			return toolspec.Fail(toolspec.SystemError, "waited alone", "")
		}
	}
	h.ask(t, "go")
	req := h.service.Requests()[1]
	var results []string
	for _, m := range req.Messages {
		if m.Role == "tool" {
			results = append(results, m.Content)
		}
	}
	if got := strings.Join(results, " "); got != "together together alone alone last" {
		t.Errorf("results in order of the calls: %s", got)
	}
}

func TestResultsKeepCallOrder(t *testing.T) {
	h := newHarness(t, calls(call2("look", 1), call2("look", 2), call2("look", 3)), openaitest.Answer{Text: "ok"})
	next := map[string]chan struct{}{"2": make(chan struct{}), "1": make(chan struct{})}
	h.do = func(_ context.Context, c toolspec.Call) toolspec.Result {
		n := string(c.Args[len(c.Args)-2])
		if wait := next[n]; wait != nil {
			<-wait // the one after it has to end first
		}
		if before := next[string(n[0]-1)]; before != nil {
			defer close(before)
		}
		return toolspec.OK("result " + n)
	}
	h.ask(t, "go")
	_, messages, _ := h.recorded()
	var words []string
	for _, m := range messages {
		if m.Role == chat.RoleTool {
			words = append(words, m.Text)
		}
	}
	if got := strings.Join(words, ", "); got != "result 1, result 2, result 3" {
		t.Errorf("kept: %s", got)
	}
}

func call2(name string, n int) openaitest.Call {
	return openaitest.Call{ID: fmt.Sprint("call_", n), Name: name, Args: fmt.Sprintf(`{"n":%d}`, n)}
}

func TestCallProvenance(t *testing.T) {
	h := newHarness(
		t,
		calls(call("look", `{}`)),
		calls(call("act", `{}`)),
		openaitest.Answer{Text: "ok"},
		calls(call("act", `{"again":1}`)),
		openaitest.Answer{Text: "ok"},
	)
	h.do = func(_ context.Context, c toolspec.Call) toolspec.Result {
		r := toolspec.OK("text of a page")
		if c.Tool == "look" {
			r.Sources, r.PrivateSources = []string{"https://shop.example"}, []string{"file /a"}
		}
		return r
	}
	h.run(
		t,
		loop.TurnRequest{
			Conversation: "c1",
			Text:         "open Shop.Example:8080/x and http://[::1]:99",
			Model:        "openai/m",
			Session:      "s",
			YesTo:        "read",
			Caller:       toolspec.CallerRun,
			Panel:        "p",
		},
	)
	_, _, made := h.recorded()
	from := made[0].From
	if from.Caller != toolspec.CallerRun || from.Session != "s" || from.YesTo != "read" || from.Conversation != "c1" ||
		from.Turn == "" ||
		from.Interactive ||
		made[0].Panel != "p" {
		t.Errorf("provenance %+v, panel %q", from, made[0].Panel)
	}
	if !slices.Equal(from.TypedHosts, []string{"shop.example:8080", "[::1]:99"}) || len(from.Outside) > 0 {
		t.Errorf("typed %v, outside %v", from.TypedHosts, from.Outside)
	}
	if diff := cmp.Diff([]string{"https://shop.example"}, made[1].From.Outside); diff != "" {
		t.Errorf("after reading a page: outside (-want +got):\n%s", diff)
	}
	h.ask(t, "and now")
	_, _, made = h.recorded()
	if from := made[2].From; !slices.Equal(from.Outside, []string{"https://shop.example"}) ||
		!slices.Equal(from.Private, []string{"file /a"}) ||
		len(from.TypedHosts) > 0 ||
		from.Caller != toolspec.CallerModel {
		t.Errorf("in the next turn: %+v", from)
	}
}

func TestPilotRunsInLoop(t *testing.T) {
	h := newHarness(t)
	h.do = func(_ context.Context, c toolspec.Call) toolspec.Result {
		r := toolspec.OK(nil)
		r.Text = "Page: Shop | https://shop.example/ | v1 | tab 1\n[1] link \"Home\"\n[2] button \"Buy\"\n"
		r.Sources = []string{"https://shop.example"}
		return r
	}
	o := h.run(t, loop.TurnRequest{Text: "open https://shop.example and annotate", Caller: toolspec.CallerModel})
	if o.Status != chat.StatusDone || o.Calls != 2 || !strings.Contains(o.Text, "Opened “Shop”") ||
		!strings.Contains(o.Text, "[2] button \"Buy\"") {
		t.Fatalf("outcome %+v", o)
	}
	log, messages, made := h.recorded()
	if made[0].Tool != "navigate_page" || made[0].From.Caller != toolspec.CallerPilot ||
		!slices.Equal(made[0].From.TypedHosts, []string{"shop.example"}) {
		t.Errorf("first call %+v", made[0])
	}
	if log[0].Kind != event.ConversationCreated || data[chat.Conversation](log[0]).ID != o.Conversation {
		t.Errorf("first event %s", log[0].Kind)
	}
	if last := messages[len(messages)-1]; !slices.Equal(last.Outside, []string{"https://shop.example"}) {
		t.Errorf("the pilot's answer quotes the page, but says outside %v", last.Outside)
	}
}

func TestOneTurnPerConversation(t *testing.T) {
	h := newHarness(
		t,
		calls(call("act", `{}`)),
		openaitest.Answer{Text: "first"},
		openaitest.Answer{Text: "other"},
		openaitest.Answer{Text: "second"},
	)
	hold := make(chan struct{})
	h.do = func(context.Context, toolspec.Call) toolspec.Result { <-hold; return toolspec.OK("done") }
	ctx := context.Background()
	turn, err := h.Start(ctx, loop.TurnRequest{Conversation: "c1", Text: "one", Model: "openai/m"})
	if err != nil || turn == "" {
		t.Fatal(turn, err)
	}
	h.until(t, event.TurnStarted)
	second := loop.TurnRequest{Conversation: "c1", Text: "two", Model: "openai/m"}
	if _, err := h.Start(ctx, second); !errors.Is(err, loop.ErrBusy) {
		t.Errorf("a second question: %v", err)
	}
	if !h.IsRunning("c1") || h.IsRunning("c2") {
		t.Error("Running is wrong")
	}
	close(hold)
	if end := data[event.Turn](h.until(t, event.TurnEnded)); end.Status != chat.StatusDone || end.ID != turn {
		t.Errorf("end %+v", end)
	}
	// Whoever sees the end may ask again at once.
	if _, err := h.Start(ctx, second); err != nil {
		t.Errorf("after the end: %v", err)
	}
	h.until(t, event.TurnEnded)
}

func TestInvalidRequestIsRefused(t *testing.T) {
	h := newHarness(t)
	for text, want := range map[string]error{
		" \n":                                    loop.ErrEmpty,
		strings.Repeat("x", loop.MaxTextBytes+1): loop.ErrTooLong,
	} {
		t.Run(want.Error(), func(t *testing.T) {
			if _, err := h.Start(context.Background(), loop.TurnRequest{Text: text}); !errors.Is(err, want) {
				t.Errorf("%d bytes: %v", len(text), err)
			}
		})
	}
	h.mu.Lock()
	h.publishErr = errFull
	h.mu.Unlock()
	request := loop.TurnRequest{Conversation: "c1", Text: "hello"}
	if _, err := h.Start(context.Background(), request); !errors.Is(err, errFull) {
		t.Errorf("a message that cannot be kept was taken: %v", err)
	}
	h.mu.Lock()
	h.publishErr = nil
	h.mu.Unlock()
	if h.IsRunning("c1") {
		t.Error("a refused question holds the conversation")
	}
	h.Close()
	if _, err := h.Start(context.Background(), loop.TurnRequest{Text: "hello"}); !errors.Is(err, loop.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}
