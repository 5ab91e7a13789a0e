package loop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/loop"
	"sextant/backend/agent/loop/budget"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// TestSubagentPermissionsNeverExceedParents lets a subagent and its subagent with random rights call every tool:
// what reaches the tools is a subset of what the parent could call.
func TestSubagentPermissionsNeverExceedParents(t *testing.T) {
	names := []string{"look", "act", "navigate_page", "annotate_page", "click_element", toolspec.RunSubagent}
	reads := []string{"look", "annotate_page"}
	some := func(r *rapid.T, from []string, label string) []string {
		return rapid.SliceOfNDistinct(rapid.SampledFrom(from), 0, len(from), rapid.ID[string]).Draw(r, label)
	}
	rapid.Check(t, func(r *rapid.T) {
		parent := some(r, names, "parent")
		if len(parent) > 0 && !slices.Contains(parent, toolspec.RunSubagent) {
			parent = append(parent, toolspec.RunSubagent)
		}
		limit := rapid.IntRange(2, 12).Draw(r, "calls")
		task := func(who string) map[string]any {
			args := map[string]any{"task": who + ": try all", "read_only": rapid.Bool().Draw(r, who+" reads")}
			if tools := some(r, append(slices.Clone(names), "nothing"), who+" tools"); len(tools) > 0 {
				args["tools"] = tools
			}
			if n := rapid.IntRange(0, 5).Draw(r, who+" calls"); n > 0 {
				args["Calls"] = n
			}
			return args
		}
		one, two := task("one"), task("two")
		all := func(next *openaitest.Call) []openaitest.Call {
			var cs []openaitest.Call
			for _, n := range names[:5] {
				cs = append(cs, call(n, `{}`), call(toolspec.CallTool, fmt.Sprintf(`{"name":%q,"arguments":{}}`, n)))
			}
			if next != nil {
				cs = slices.Insert(cs, 0, *next)
			}
			return cs
		}
		deeper, deepest := runSubagent(two), runSubagent(map[string]any{"task": "three: deeper still"})
		f := newSubagentHarness(t, map[string][]openaitest.Answer{
			"parent": {calls(runSubagent(one)), text("ok")},
			"one":    {calls(all(&deeper)...), text("ok")},
			"two":    {calls(all(&deepest)...), text("ok")},
			"three":  {calls(all(nil)...), text("ok")},
		})
		f.limits = loop.Limits{CallsPerTurn: limit}
		o := f.run(t, loop.TurnRequest{Conversation: "c1", Text: "parent: x", Model: "openai/m", Tools: parent})
		may := func(task map[string]any, name string) bool {
			tools, listed := task["tools"].([]string)
			return (!listed || slices.Contains(tools, name)) &&
				(task["read_only"] == false || slices.Contains(reads, name))
		}
		_, _, made := f.recorded()
		if len(made) > limit {
			r.Fatalf("%d calls were made of %d", len(made), limit)
		}
		for _, c := range made {
			who := c.From.Subagent.Title
			switch {
			case len(parent) > 0 && !slices.Contains(parent, c.Tool):
				r.Fatalf("%s called %s, which the parent may not", who, c.Tool)
			case who != "" && !may(one, c.Tool):
				r.Fatalf("%s called %s, which the first child may not", who, c.Tool)
			case strings.HasPrefix(who, "two") && !may(two, c.Tool):
				r.Fatalf("%s called %s", who, c.Tool)
			case strings.HasPrefix(who, "three"):
				r.Fatal("subagents are nested three deep")
			case c.From.Conversation != "c1" || c.From.Caller != toolspec.CallerModel || len(c.From.TypedHosts) > 0:
				r.Fatalf("%+v", c.From)
			}
		}
		if o.Calls > limit {
			r.Fatalf("%+v", o)
		}
	})
}

func TestSubagentConcurrencyLimit(t *testing.T) {
	var tasks []openaitest.Call
	scripts := map[string][]openaitest.Answer{}
	for i := range 5 {
		who := fmt.Sprintf("child%d", i)
		tasks = append(tasks, runSubagent(map[string]any{"task": who + ": x"}))
		scripts[who] = []openaitest.Answer{calls(call("act", `{}`)), text(who + " done")}
	}
	scripts["parent"] = []openaitest.Answer{calls(tasks...), text("all")}
	f := newSubagentHarness(t, scripts)
	f.limits = loop.Limits{CallsPerTurn: 20}
	var mu sync.Mutex
	running, most := 0, 0
	together := make(chan struct{})
	f.inner = func(context.Context, toolspec.Call) toolspec.Result {
		mu.Lock()
		running++
		most = max(most, running)
		if running == 3 {
			select {
			case <-together:
			default:
				close(together)
			}
		}
		mu.Unlock()
		<-together
		mu.Lock()
		defer mu.Unlock()
		running--
		return toolspec.OK("x")
	}
	o := f.ask(t, "parent: x")
	if o.Status != chat.StatusDone || most != 3 || len(f.results) != 5 {
		t.Errorf("%+v, %d at once, %d done", o, most, len(f.results))
	}
}

func TestFourthSubagentOfProgramsIsRefused(t *testing.T) {
	f := newSubagentHarness(
		t,
		map[string][]openaitest.Answer{
			"child": {calls(call("act", `{}`)), calls(call("act", `{}`)), calls(call("act", `{}`))},
		},
	)
	hold, held := make(chan struct{}), make(chan struct{}, 3)
	f.inner = func(context.Context, toolspec.Call) toolspec.Result {
		held <- struct{}{}
		<-hold
		return toolspec.OK("x")
	}
	start := func(id string) toolspec.Result {
		from := toolspec.Provenance{Caller: toolspec.CallerHTTP, Client: "script for " + id}
		return f.Do(
			t.Context(),
			toolspec.Call{
				ID:   id,
				Tool: toolspec.RunSubagent,
				Args: json.RawMessage(`{"task":"child: x","Model":"openai/m"}`),
				From: from,
			},
		)
	}
	var wait sync.WaitGroup
	for i := range 3 {
		wait.Go(func() { start(fmt.Sprint("call", i)) })
	}
	for range 3 {
		<-held
	}
	if r := start("call3"); r.Success || !strings.Contains(r.Error, "3 subagents are already running") {
		t.Errorf("%+v", r)
	}
	close(hold)
	wait.Wait()
	if r := start("call4"); !r.Success {
		t.Errorf("after they ended: %+v", r)
	}
	if got := f.made()[0].From; got.Conversation == "" || got.Caller != toolspec.CallerHTTP || got.Turn == "" {
		t.Errorf("%+v", got)
	}
}

func TestSubagentSpendsParentBudget(t *testing.T) {
	b := newCostHarness(t)
	b.budgets = budget.Limits{Turn: budget.Limit{Tokens: 500}, Conversation: budget.Limit{Tokens: 700}}
	start := calls(runSubagent(map[string]any{"task": "one: look"}))
	start.Usage = openaitest.Usage{Input: 90, Output: 10}
	f := withSubagents(b.harness, map[string][]openaitest.Answer{
		"parent": {start, start},
		"one":    {lookCosting(190, 10), lookCosting(190, 10), lookCosting(190, 10), lookCosting(190, 10)},
	})
	n := 0
	f.inner = func(context.Context, toolspec.Call) toolspec.Result { n++; return toolspec.OK(fmt.Sprint("new ", n)) }
	o := f.ask(t, "parent: x")
	if o.Status != chat.StatusLimit || o.Budget != "tokens_per_turn" || o.Bill.Tokens() != 500 || o.Usage.Input != 470 {
		t.Fatalf("%+v", o)
	}
	if child := f.results[0]; child.Status != chat.StatusLimit || child.Bill.Tokens() != 400 ||
		!strings.Contains(child.Error, "500 tokens of its budget of 500") {
		t.Errorf("%+v", child)
	}
	bill := b.bill(t)
	if bill.Conversation.Tokens() != 500 || bill.Turn.Tokens() != 500 {
		t.Errorf("what the conversation came to: %+v", bill)
	}
	if o = f.ask(t, "parent: y"); o.Status != chat.StatusLimit || o.Budget != "tokens_per_conversation" ||
		o.Bill.Tokens() != 300 {
		t.Errorf("%+v", o)
	}
}
