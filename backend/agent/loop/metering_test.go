package loop_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/loop"
	"sextant/backend/agent/loop/budget"
	"sextant/backend/agent/pricing"
	"sextant/backend/agent/toolcalls/probe"
	"sextant/backend/store/pending"
	"sextant/backend/store/sqlite"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// costHarness is a harness with a real store.
type costHarness struct {
	*harness
	path    string
	kept    *sqlite.Store
	budgets budget.Limits
	prices  string
}

// Publish stores events as the recorder does.
func (c *costHarness) Publish(ctx context.Context, events ...event.Event) ([]event.Event, error) {
	stored, err := c.kept.AppendEvents(ctx, events)
	for _, e := range stored {
		c.seen <- e
	}
	return stored, err
}

func newCostHarness(t *testing.T, turns ...openaitest.Answer) *costHarness {
	t.Helper()
	b := &costHarness{harness: newHarness(t, turns...), path: filepath.Join(t.TempDir(), "s.db")}
	b.limits = loop.Limits{Rounds: 50, CallsPerTurn: 50}
	plain := b.config
	b.config = func() loop.Config {
		cfg := plain()
		cfg.Journal, cfg.Pending, cfg.History, cfg.Queue = b, pending.New(b), b.kept, nil
		cfg.Budget = budget.Config{
			History: b.kept, Budgets: func() budget.Limits { return b.budgets },
			Price: func(model string) (pricing.Price, bool) {
				l, err := pricing.Parse(b.prices)
				if err != nil {
					t.Error(err)
				}
				return l.Price(model)
			},
		}
		return cfg
	}
	b.open(t)
	t.Cleanup(func() { b.Close(); _ = b.kept.Close() })
	return b
}

// open starts the program, or restarts it.
func (c *costHarness) open(t *testing.T) {
	t.Helper()
	c.harness.Close()
	if c.kept != nil {
		_ = c.kept.Close()
	}
	var err error
	if c.kept, err = sqlite.Open(t.Context(), c.path, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	c.Loop = loop.New(c.config())
}

func (c *costHarness) bill(t *testing.T) wire.Spending {
	t.Helper()
	bill, err := c.Spending(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	return bill
}

// lookCosting is an answer that calls look and reports this usage.
func lookCosting(input, output int) openaitest.Answer {
	turn := calls(call("look", "{}"))
	turn.Usage = openaitest.Usage{Input: input, Output: output}
	return turn
}

// varyResults makes each result differ, so that nothing counts as a repetition.
func (c *costHarness) varyResults() {
	n := 0
	c.do = func(context.Context, toolspec.Call) toolspec.Result {
		n++
		return toolspec.OK(strings.Repeat("x", n))
	}
}

func TestTurnEndsAtTokenBudget(t *testing.T) {
	for name, c := range map[string]struct {
		budget int
		asked  int
	}{
		"under": {301, 4}, "exactly": {300, 3}, "over": {299, 3}, "by far": {1, 1}, "none": {0, 6},
	} {
		t.Run(name, func(t *testing.T) {
			b := newCostHarness(
				t,
				lookCosting(90, 10),
				lookCosting(90, 10),
				lookCosting(90, 10),
				lookCosting(90, 10),
				lookCosting(90, 10),
				openaitest.Answer{Text: "Done."},
			)
			b.varyResults()
			b.budgets.Turn.Tokens = c.budget
			o := b.ask(t, "go on and on")
			if n := len(b.service.Requests()); n != c.asked {
				t.Fatalf("%d questions, want %d: %+v", n, c.asked, o)
			}
			if c.budget == 0 {
				if o.Status != chat.StatusDone {
					t.Errorf("%+v", o)
				}
				return
			}
			if o.Status != chat.StatusLimit || o.Budget != "tokens_per_turn" || o.Calls != c.asked ||
				!strings.Contains(o.Error, "tokens of its budget of") || !strings.Contains(o.Suggestion, "Continue") {
				t.Errorf("%+v", o)
			}
			// What was done is complete: every call has its result, and the next turn has the same budget.
			if next := b.ask(t, "continue"); next.Status == chat.StatusFailed || next.Rounds == 0 {
				t.Errorf("going on: %+v", next)
			}
		})
	}
}

func TestMoneyBudget(t *testing.T) {
	b := newCostHarness(
		t,
		lookCosting(1000, 100),
		lookCosting(1000, 100),
		lookCosting(1000, 100),
		openaitest.Answer{Text: "Done."},
	)
	b.varyResults()
	b.prices = "openai/*=2/1/10" // 0.002 and 0.001 for each answer
	b.budgets.Turn.Cost = chat.Money{Nanos: 6_000_000, Currency: "USD"}
	o := b.ask(t, "work")
	if o.Budget != "cost_per_turn" || len(b.service.Requests()) != 2 ||
		!strings.Contains(o.Error, "0.0060 USD of its budget of 0.0060 USD") {
		t.Fatalf("%d questions: %+v", len(b.service.Requests()), o)
	}
	bill := b.bill(t)
	if bill.Turn.CostIn("USD") != 6_000_000 || bill.Conversation.Requests != 2 || bill.Conversation.Unpriced != 0 {
		t.Errorf("%+v", bill)
	}
	if len(bill.Budgets) != 1 ||
		bill.Budgets[0] != (wire.Budget{Name: "cost_per_turn", Limit: 6_000_000, Spent: 6_000_000, Currency: "USD"}) {
		t.Errorf("%+v", bill.Budgets)
	}
}

func TestMissingPriceIsReported(t *testing.T) {
	b := newCostHarness(
		t,
		lookCosting(1000, 100),
		lookCosting(1000, 100),
		openaitest.Answer{Text: "Done.", Usage: openaitest.Usage{Input: 10, Output: 1}},
	)
	b.varyResults()
	b.budgets.Turn.Cost = chat.Money{Nanos: 1, Currency: "USD"}
	if o := b.ask(t, "work"); o.Status != chat.StatusDone || o.Bill.Unpriced != 2211 || len(o.Bill.Cost) != 0 {
		t.Errorf("%+v", o)
	}
	events, err := b.kept.EventsOfConversation(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	var notes []string
	for _, e := range events {
		if e.Kind == event.TurnNoted {
			notes = append(notes, data[event.Note](e).Text)
		}
	}
	if len(notes) != 1 || !strings.Contains(notes[0], "does not count what openai/m costs: no price is set") {
		t.Errorf("notes %q", notes)
	}
	b.prices = "openai/*=1/1/1 EUR"
	b.service.Answer = func(openaitest.Request) openaitest.Answer {
		return openaitest.Answer{Text: "Hi.", Usage: openaitest.Usage{Input: 10, Output: 1}}
	}
	if o := b.ask(t, "again"); o.Bill.CostIn("EUR") != 11_000 || o.Status != chat.StatusDone {
		t.Errorf("%+v", o)
	}
}

func TestConversationBudgetSurvivesRestart(t *testing.T) {
	b := newCostHarness(t)
	b.service.Answer = func(openaitest.Request) openaitest.Answer {
		return openaitest.Answer{Text: "Yes.", Usage: openaitest.Usage{Input: 60, Output: 10}}
	}
	b.budgets.Conversation.Tokens = 100
	ask := func(raise bool) loop.Outcome {
		return b.run(t, loop.TurnRequest{Conversation: "c1", Text: "continue", Model: "openai/m", RaiseBudget: raise})
	}
	for i, want := range []struct {
		restart, raise, done bool
	}{
		{false, false, true},
		{true, false, true},
		{false, false, false},
		{true, false, false},
		{false, true, true},
		{true, false, true},
		{false, false, false},
	} {
		if want.restart {
			b.open(t)
		}
		o := ask(want.raise)
		if (o.Status == chat.StatusDone) != want.done ||
			!want.done && (o.Budget != "tokens_per_conversation" || o.Rounds != 0) {
			t.Fatalf("turn %d: %+v", i+1, o)
		}
	}
	if n := len(b.service.Requests()); n != 4 {
		t.Errorf("%d questions", n)
	}
	bill := b.bill(t)
	if bill.Conversation.Tokens() != 280 || bill.Turn.Tokens() != 0 || bill.Budgets[0].Spent != 140 ||
		bill.Budgets[0].Limit != 100 {
		t.Errorf("%+v", bill)
	}
	request := loop.TurnRequest{Conversation: "another", Text: "hi", Model: "openai/m"}
	if o := b.run(t, request); o.Status != chat.StatusDone {
		t.Errorf("another conversation: %+v", o)
	}
	if o := b.run(t, loop.TurnRequest{Conversation: "c1", Text: "help", Model: "pilot"}); o.Status != chat.StatusDone {
		t.Errorf("the pilot costs nothing: %+v", o)
	}
}

func TestRequestBudgetOnlyNarrows(t *testing.T) {
	for _, c := range []struct {
		own   int
		asked int
		name  string
	}{{100, 1, "tokens_of_request"}, {1_000_000, 3, "tokens_per_turn"}, {0, 3, "tokens_per_turn"}} {
		t.Run(fmt.Sprint(c.own), func(t *testing.T) {
			b := newCostHarness(
				t,
				lookCosting(90, 10),
				lookCosting(90, 10),
				lookCosting(90, 10),
				lookCosting(90, 10),
				lookCosting(90, 10),
			)
			b.varyResults()
			b.budgets.Turn.Tokens = 300
			o := b.run(
				t,
				loop.TurnRequest{
					Conversation: "c1",
					Text:         "go",
					Model:        "openai/m",
					Budget:       budget.Limit{Tokens: c.own},
				},
			)
			if o.Budget != c.name || len(b.service.Requests()) != c.asked {
				t.Errorf("own %d: %d questions, %+v", c.own, len(b.service.Requests()), o)
			}
		})
	}
}

func TestMissingUsageIsEstimated(t *testing.T) {
	b := newCostHarness(t, calls(call("look", "{}")), calls(call("look", "{}")), calls(call("look", "{}")))
	b.varyResults()
	b.budgets.Turn.Tokens = 50
	o := b.ask(t, strings.Repeat("word ", 100))
	if o.Budget != "tokens_per_turn" || len(b.service.Requests()) != 1 || o.Bill.Estimated != o.Bill.Tokens() ||
		o.Bill.Input < 500/toolspec.BytesPerToken {
		t.Errorf("%d questions: %+v", len(b.service.Requests()), o)
	}
	if o.Usage != (chat.Usage{}) {
		t.Errorf("reported %+v", o.Usage)
	}
}

func TestSideRequestsCountTowardBudget(t *testing.T) {
	b := newCostHarness(t,
		openaitest.Answer{Text: "I cannot.", Usage: openaitest.Usage{Input: 7}}, // the probe, in each dialect
		openaitest.Answer{Text: "I cannot.", Usage: openaitest.Usage{Input: 7}},
		openaitest.Answer{Text: "I cannot.", Usage: openaitest.Usage{Input: 7}},
		openaitest.Answer{Text: "I cannot.", Usage: openaitest.Usage{Input: 7}},
		openaitest.Answer{Text: "Hello.", Usage: openaitest.Usage{Input: 100, Output: 5}},
	)
	b.service.ScriptedProbes = true
	b.dialects = probe.New(probe.Config{Settings: b.kept})
	o := b.ask(t, "hello")
	if o.Status != chat.StatusDone || o.Bill.Requests != 5 || o.Usage.Input != 128 || o.Rounds != 1 {
		t.Fatalf("%+v", o)
	}
	if bill := b.bill(t); bill.Conversation.Input != 128 || bill.Turn.Requests != 5 {
		t.Errorf("%+v", bill)
	}
	events, err := b.kept.EventsOfConversation(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	notes := ""
	for _, e := range events {
		if r := data[event.Round](e); e.Kind == event.RoundEnded && r.Purpose == "probe" &&
			(r.Number != 0 || len(r.Requests) != 4 || r.Usage.Input != 28) {
			t.Errorf("%+v", r)
		}
		if e.Kind == event.TurnNoted {
			notes += data[event.Note](e).Text
		}
	}
	if !strings.HasPrefix(notes, "openai/m made no tool call in 4 trials") {
		t.Errorf("notes %q", notes)
	}
}

func TestProbeStopsAtBudget(t *testing.T) {
	b := newCostHarness(t)
	b.service.ScriptedProbes = true
	b.service.Answer = func(openaitest.Request) openaitest.Answer {
		return openaitest.Answer{Text: "I cannot.", Usage: openaitest.Usage{Input: 7}}
	}
	b.dialects = probe.New(probe.Config{Settings: b.kept})
	b.budgets.Turn.Tokens = 20
	if o := b.ask(t, "hello"); o.Budget != "tokens_per_turn" || o.Status != chat.StatusLimit || o.Rounds != 0 ||
		len(b.service.Requests()) != 2 {
		t.Errorf("%d questions: %+v", len(b.service.Requests()), o)
	}
}

func TestSummaryCountsTowardBudget(t *testing.T) {
	b := newCostHarness(t)
	b.window = 10_000
	b.service.Answer = func(r openaitest.Request) openaitest.Answer {
		if strings.Contains(r.LastContent(), "Sum up this beginning") {
			return openaitest.Answer{Text: "All was read.", Usage: openaitest.Usage{Input: 5000, Output: 50}}
		}
		return openaitest.Answer{Text: "Read.", Usage: openaitest.Usage{Input: 100, Output: 1}}
	}
	long := strings.Repeat("a long line of what was said ", 500)
	var o loop.Outcome
	for range 4 {
		if o = b.ask(t, long); o.Bill.Requests > 1 {
			break
		}
	}
	if o.Bill.Requests != 2 || o.Usage.Input != 5100 || b.bill(t).Turn.Input != 5100 {
		t.Fatalf("the turn with the summary: %+v", o)
	}
	for range 4 {
		b.ask(t, long)
	}
	b.budgets.Conversation.Tokens = 1
	before := len(b.service.Requests())
	if o := b.ask(t, long); o.Budget != "tokens_per_conversation" || len(b.service.Requests()) != before {
		t.Errorf("%+v", o)
	}
}

func TestRetriesAndFallbackAreBilledSeparately(t *testing.T) {
	b := newCostHarness(
		t,
		openaitest.Answer{Status: 503},
		openaitest.Answer{Status: 503},
		openaitest.Answer{Text: "Hi.", Usage: openaitest.Usage{Input: 100, Output: 10}},
	)
	b.prices = "openai/m=1/1/1"
	if o := b.ask(t, "hello"); o.Bill.Requests != 3 || o.Bill.Tokens() != 110 || o.Bill.CostIn("USD") != 110_000 {
		t.Errorf("%+v", o)
	}
}

func TestSubagentSpendsBothBudgets(t *testing.T) {
	b := newCostHarness(t)
	b.budgets.Turn.Tokens = 250
	b.service.Answer = func(r openaitest.Request) openaitest.Answer {
		usage := openaitest.Usage{Input: 90, Output: 10}
		if strings.Contains(string(r.Body), "the small task") || r.Messages[len(r.Messages)-1].Role == "tool" {
			return openaitest.Answer{Text: "Done.", Usage: usage}
		}
		return openaitest.Answer{Calls: []openaitest.Call{call("act", "{}")}, Usage: usage}
	}
	var child loop.Outcome
	b.do = func(ctx context.Context, _ toolspec.Call) toolspec.Result {
		var err error
		if child, err = b.Run(ctx, loop.TurnRequest{
			Conversation: "child", Text: "the small task",
			Model: "openai/m",
		}); err != nil {
			t.Error(err)
		}
		return toolspec.OK("done")
	}
	if o := b.ask(t, "delegate it"); o.Status != chat.StatusDone || o.Bill.Requests != 3 || o.Bill.Tokens() != 300 ||
		child.Bill.Requests != 1 {
		t.Errorf("%+v, child %+v", o, child)
	}
	bill := b.bill(t)
	if bill.Conversation.Tokens() != 300 || bill.Turn.Requests != 3 {
		t.Errorf("%+v", bill)
	}
	b.budgets.Turn.Tokens = 100
	if o := b.ask(t, "delegate it"); o.Budget != "tokens_per_turn" || o.Bill.Requests != 1 ||
		child.Status != chat.StatusLimit ||
		child.Rounds != 0 {
		t.Errorf("%+v, child %+v", o, child)
	}
}

func TestAllBranchesCountTowardBudget(t *testing.T) {
	b := newCostHarness(t)
	b.service.Answer = func(openaitest.Request) openaitest.Answer {
		return openaitest.Answer{Text: "Yes.", Usage: openaitest.Usage{Input: 60, Output: 10}}
	}
	b.ask(t, "first")
	messages, err := b.kept.Messages(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	b.until(t, event.TurnEnded)
	if _, err := b.Edit(t.Context(), loop.TurnRequest{Conversation: "c1", Text: "other words", Model: "openai/m"},
		messages[0].ID); err != nil {
		t.Fatal(err)
	}
	b.until(t, event.TurnEnded)
	if n := b.bill(t).Conversation.Tokens(); n != 140 {
		t.Errorf("%d tokens", n)
	}
	if shown, err := b.kept.Messages(t.Context(), "c1"); err != nil || len(shown) != 2 ||
		shown[0].Text != "other words" {
		t.Errorf("the branch that is shown: %+v %v", shown, err)
	}
}
