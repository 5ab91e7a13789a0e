package loop_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/loop"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// subagentHarness is a harness whose run_subagent starts subagents, as the tool does.
type subagentHarness struct {
	*harness
	inner   func(ctx context.Context, c toolspec.Call) toolspec.Result
	results []loop.SubagentResult
}

// newSubagentHarness makes a subagentHarness. Requests of a subagent differ from its parent's by
// their first message; each answers from its own script, by the name at the start of its task ("parent",
// "one").
func newSubagentHarness(t *testing.T, scripts map[string][]openaitest.Answer) *subagentHarness {
	t.Helper()
	return withSubagents(newHarness(t), scripts)
}

// withSubagents turns h into a subagentHarness.
func withSubagents(h *harness, scripts map[string][]openaitest.Answer) *subagentHarness {
	f := &subagentHarness{harness: h}
	f.defs = append(f.defs, def(toolspec.RunSubagent, toolspec.Hints{}))
	f.inner = func(_ context.Context, c toolspec.Call) toolspec.Result { return toolspec.OK("did " + c.Tool) }
	var mu sync.Mutex
	at := map[string]int{}
	f.service.Answer = func(r openaitest.Request) openaitest.Answer {
		mu.Lock()
		defer mu.Unlock()
		who := scriptName(r)
		n := at[who]
		at[who]++
		if n >= len(scripts[who]) {
			return openaitest.Answer{Text: who + " has no more to say"}
		}
		return scripts[who][n]
	}
	f.do = func(ctx context.Context, c toolspec.Call) toolspec.Result {
		if c.Tool != toolspec.RunSubagent {
			return f.inner(ctx, c)
		}
		return f.runSubagent(ctx, c)
	}
	return f
}

func scriptName(r openaitest.Request) string {
	for _, m := range r.Messages {
		if m.Role == "user" {
			who, _, _ := strings.Cut(m.Content, ":")
			return who
		}
	}
	return ""
}

func (s *subagentHarness) runSubagent(ctx context.Context, c toolspec.Call) toolspec.Result {
	var p struct {
		Task             string   `json:"task"`
		Tools            []string `json:"tools"`
		ReadOnly         bool     `json:"read_only"`
		Model            string
		DefaultModel     string
		Calls, MaxRounds int
	}
	if err := json.Unmarshal(c.Args, &p); err != nil {
		panic(err)
	}
	done, bad := s.RunSubagent(
		ctx,
		loop.SubagentTask{
			Task:         p.Task,
			Tools:        p.Tools,
			ReadOnly:     p.ReadOnly,
			Model:        p.Model,
			DefaultModel: p.DefaultModel,
			MaxCalls:     p.Calls,
			MaxRounds:    p.MaxRounds,
			Call:         c,
		},
	)
	if bad != nil {
		return *bad
	}
	s.mu.Lock()
	s.results = append(s.results, done)
	s.mu.Unlock()
	r := toolspec.OK(done.Text)
	r.Sources, r.PrivateSources, r.Changed = done.Outside, done.Private, done.Changed
	if done.Status != chat.StatusDone {
		r = toolspec.Fail(toolspec.UserError, string(done.Status)+": "+done.Error, "")
	}
	return r
}

func runSubagent(args map[string]any) openaitest.Call {
	b, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return call(toolspec.RunSubagent, string(b))
}

func text(s string) openaitest.Answer { return openaitest.Answer{Text: s} }

// made are the calls that reached the tools, except those that start subagents.
func (s *subagentHarness) made() (all []toolspec.Call) {
	_, _, calls := s.recorded()
	return slices.DeleteFunc(calls, func(c toolspec.Call) bool { return c.Tool == toolspec.RunSubagent })
}

func TestSubagentConversation(t *testing.T) {
	f := newSubagentHarness(t, map[string][]openaitest.Answer{
		"parent": {calls(runSubagent(map[string]any{"task": "one: read the long page"})), text("It costs 12.")},
		"one": {
			{Calls: []openaitest.Call{call("look", `{}`)}, Usage: openaitest.Usage{Input: 100, Output: 5}},
			{Text: "12 euros", Usage: openaitest.Usage{Input: 300, Output: 7}},
		},
	})
	f.inner = func(context.Context, toolspec.Call) toolspec.Result {
		r := toolspec.OK(strings.Repeat("very long ", 1000))
		r.Sources, r.PrivateSources = []string{"https://shop.example"}, []string{"file /w/b.txt"}
		r.Changed = []string{"/w/a.txt"}
		return r
	}
	o := f.ask(t, "parent: what does it cost? see typed.example")
	if o.Status != chat.StatusDone || o.Text != "It costs 12." || len(f.results) != 1 {
		t.Fatalf("%+v %+v", o, f.results)
	}
	child := f.results[0]
	if child.Calls != 1 || child.Rounds != 2 || child.Usage.Input != 400 || o.Usage.Input < 400 ||
		!slices.Equal(child.Outside, []string{"https://shop.example"}) ||
		!slices.Equal(child.Changed, []string{"/w/a.txt"}) ||
		!slices.Equal(child.Private, []string{"file /w/b.txt"}) {
		t.Errorf("what came back: %+v; the parent's tokens: %+v", child, o.Usage)
	}
	for _, r := range f.service.Requests() {
		if scriptName(r) == "parent" && strings.Contains(string(r.Body), "very long") {
			t.Error("what the child read fills the parent's talk")
		}
	}
	last := f.service.Requests()[len(f.service.Requests())-1].LastContent()
	if !strings.Contains(last, "12 euros") || !strings.Contains(last, "source=https://shop.example") {
		t.Errorf("the answer is not marked as what it is: %s", last)
	}
	inner := f.made()[0].From
	_, _, all := f.recorded()
	outer := all[0].From
	if inner.Conversation != "c1" || inner.Turn != outer.Turn || inner.Caller != outer.Caller ||
		inner.Subagent.Conversation != child.Conversation ||
		inner.Subagent.Turn != child.Turn ||
		!slices.Equal(inner.TypedHosts, []string{"typed.example"}) ||
		!inner.Interactive {
		t.Errorf("a call of the child comes from %+v", inner)
	}
	log, messages, _ := f.recorded()
	var got chat.Conversation
	for _, e := range log {
		if e.Kind == event.ConversationCreated {
			got = data[chat.Conversation](e)
		}
	}
	if got.ID != child.Conversation || got.Parent != "c1" || got.ParentCall != all[0].ID ||
		got.Title != "one: read the long page" {
		t.Errorf("its conversation is published as %+v", got)
	}
	if !slices.ContainsFunc(messages, func(m chat.Message) bool {
		return m.Conversation == "c1" && m.Role == chat.RoleTool &&
			slices.Equal(m.Outside, []string{"https://shop.example"})
	}) {
		t.Error("what the child read from outside does not count for the parent")
	}
}

func TestSubagentInheritsOutsideSources(t *testing.T) {
	f := newSubagentHarness(t, map[string][]openaitest.Answer{
		"parent": {
			calls(call("look", `{}`)),
			calls(runSubagent(map[string]any{"task": "one: go to typed.in.the.task.example"})),
			text("ok"),
		},
		"one": {calls(call("act", `{}`)), text("done")},
	})
	f.inner = func(_ context.Context, c toolspec.Call) toolspec.Result {
		r := toolspec.OK("x")
		if c.Tool == "look" {
			r.Sources = []string{"https://evil.example"}
		}
		return r
	}
	f.ask(t, "parent: go")
	from := f.made()[1].From
	if !slices.Equal(from.Outside, []string{"https://evil.example"}) || len(from.TypedHosts) != 0 {
		t.Errorf("%+v", from)
	}
	if got := f.results[0].Outside; len(got) != 0 {
		t.Errorf("the child read nothing, and is said to have read %v", got)
	}
	for _, r := range f.service.Requests() {
		if scriptName(r) == "one" && strings.Contains(r.Messages[1].Content, "<<outside") {
			t.Error("the task is sent as text of a page")
		}
	}
}

func TestSubagentToolsAreSubsetOfCallers(t *testing.T) {
	for args, want := range map[string]string{
		`{"task":"one: x","tools":["lok"]}`:                   `Did you mean look`,
		`{"task":"one: x","tools":["act"]}`:                   `no tool "act" to give`,
		`{"task":"one: x","tools":[]}`:                        `tools is empty`,
		`{"task":"  "}`:                                       `task is empty`,
		`{"task":"one: x","model":"anthropic/claude-fancy"}`:  `of another service`,
		`{"task":"one: x","model":"pilot"}`:                   `needs a language model`,
		`{"task":"one: x","tools":["look","navigate_page"]}`:  `no tool "navigate_page" to give`,
		`{"task":"one: x","tools":["look"],"read_only":true}`: ``,
	} {
		t.Run(args, func(t *testing.T) {
			f := newSubagentHarness(
				t,
				map[string][]openaitest.Answer{"parent": {calls(call(toolspec.RunSubagent, args)), text("ok")}},
			)
			f.run(
				t,
				loop.TurnRequest{
					Conversation: "c1",
					Text:         "parent: x",
					Model:        "openai/m",
					Tools:        []string{"look", toolspec.RunSubagent},
				},
			)
			got := f.service.Requests()[len(f.service.Requests())-1].LastContent()
			if want == "" {
				want = "one has no more to say"
			}
			if !strings.Contains(got, want) {
				t.Errorf("%s: %s", args, got)
			}
		})
	}
}

func TestSubagentOfPersonAsksForConfirmation(t *testing.T) {
	f := newSubagentHarness(t, map[string][]openaitest.Answer{"child": {calls(call("act", `{}`)), text("ok")}})
	for _, c := range []toolspec.Caller{toolspec.CallerPerson, toolspec.CallerPilot} {
		call := toolspec.Call{ID: string(c), Args: json.RawMessage(`{"task":"child: x","DefaultModel":"openai/m"}`)}
		call.Tool, call.From = toolspec.RunSubagent, toolspec.Provenance{
			Caller:       c,
			Conversation: "c1",
			Interactive:  true,
		}
		if r := f.Do(t.Context(), call); !r.Success {
			t.Fatalf("%+v", r)
		}
	}
	if got := f.made()[0].From.Caller; got != toolspec.CallerModel {
		t.Errorf("its calls count as those of %s", got)
	}
	if r := f.Do(t.Context(), toolspec.Call{
		ID: "p", Tool: toolspec.RunSubagent,
		Args: json.RawMessage(`{"task":"child: x"}`),
		From: toolspec.Provenance{Caller: toolspec.CallerPilot},
	}); r.Success ||
		!strings.Contains(r.Error, "needs a language model") {
		t.Errorf("without a model: %+v", r)
	}
}

func TestStopParentStopsSubagents(t *testing.T) {
	f := newSubagentHarness(t, map[string][]openaitest.Answer{
		"parent": {calls(runSubagent(map[string]any{"task": "one: x"}), runSubagent(map[string]any{"task": "two: x"}))},
		"one": {
			calls(runSubagent(map[string]any{"task": "three: x"})),
		}, "two": {calls(call("act", `{}`))}, "three": {calls(call("act", `{}`))},
	})
	held := make(chan struct{}, 2)
	f.inner = func(ctx context.Context, _ toolspec.Call) toolspec.Result {
		held <- struct{}{}
		<-ctx.Done()
		return toolspec.Fail(toolspec.UserError, "stopped", "")
	}
	request := loop.TurnRequest{Conversation: "c1", Text: "parent: x", Model: "openai/m"}
	if _, err := f.Start(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	<-held
	<-held
	begun := time.Now()
	f.Stop("c1")
	took := time.Since(begun)
	ended := 0
	for ended < 4 {
		if e := f.until(t, event.TurnEnded); data[event.Turn](e).Status != chat.StatusStopped {
			t.Errorf("%s", e.Data)
		}
		ended++
	}
	t.Logf("stopped after %s", took)
}

func TestStopSubagentLeavesParentRunning(t *testing.T) {
	f := newSubagentHarness(t, map[string][]openaitest.Answer{
		"parent": {calls(runSubagent(map[string]any{"task": "one: x"})), text("went on")},
		"one":    {calls(call("act", `{}`))},
	})
	f.inner = func(ctx context.Context, c toolspec.Call) toolspec.Result {
		go f.Stop(c.From.Subagent.Conversation)
		<-ctx.Done()
		return toolspec.Fail(toolspec.UserError, "stopped", "")
	}
	o := f.ask(t, "parent: x")
	if o.Status != chat.StatusDone || o.Text != "went on" || len(f.results) != 1 ||
		f.results[0].Status != chat.StatusStopped {
		t.Errorf("%+v %+v", o, f.results)
	}
}

func TestRunningSubagentTakesNoMessage(t *testing.T) {
	f := newSubagentHarness(t, map[string][]openaitest.Answer{
		"parent": {
			calls(runSubagent(map[string]any{"task": "one: x"})),
			text("went on"),
		}, "one": {calls(call("act", `{}`)), text("done")},
	})
	f.inner = func(ctx context.Context, c toolspec.Call) toolspec.Result {
		for _, when := range []event.Moment{event.MomentNow, event.MomentNext} {
			sent, err := f.Send(
				ctx,
				loop.TurnRequest{Conversation: c.From.Subagent.Conversation, Text: "open 10.0.0.1", Model: "openai/m"},
				when,
			)
			if !errors.Is(err, loop.ErrSubagent) {
				t.Errorf("%s: %+v, %v", when, sent, err)
			}
		}
		return toolspec.OK("did")
	}
	if o := f.ask(t, "parent: x"); o.Text != "went on" {
		t.Errorf("%+v", o)
	}
}

func TestSubagentTaskOpensNoHosts(t *testing.T) {
	f := newSubagentHarness(t, map[string][]openaitest.Answer{"child": {text("ok")}})
	from := toolspec.Provenance{Caller: toolspec.CallerMCP, Client: "other"}
	r := f.Do(
		t.Context(),
		toolspec.Call{
			ID:   "k",
			Tool: toolspec.RunSubagent,
			Args: json.RawMessage(`{"task":"child: open http://10.0.0.1/","DefaultModel":"openai/m","model":"openai/m"}`),
			From: from,
		},
	)
	if !r.Success {
		t.Fatalf("%+v", r)
	}
	_, messages, _ := f.recorded()
	if i := slices.IndexFunc(messages, func(m chat.Message) bool { return m.Role == chat.RoleUser }); i < 0 ||
		!messages[i].FromProgram {
		t.Errorf("%+v", messages)
	}
}
