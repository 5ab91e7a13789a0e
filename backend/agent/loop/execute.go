package loop

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/prompt"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

const (
	parallelReads = 4
	// stopGrace is how long a stopped call may take to report its result. Stop promises an end within 100 ms.
	stopGrace = 60 * time.Millisecond
)

// Every call gets a result, run or not, because no call may stay unanswered. execute returns an ending if the turn must
// end.
func (t *turn) execute(defs []toolspec.Definition, message chat.Message, broken []llm.BrokenCall) (*ending, error) {
	if t.rounds > t.limits.Rounds {
		end := limit(fmt.Sprintf("the model called tools in %d rounds, the limit per turn", t.limits.Rounds), "rounds")
		return &end, t.answerAll(message.Calls, "not run: "+end.message)
	}
	calls := message.Calls
	for len(calls) > 0 {
		if t.ctx.Err() != nil {
			return &ending{status: chat.StatusStopped}, t.answerAll(calls, "not run: the user stopped the turn")
		}
		group := t.nextGroup(defs, calls, broken)
		if group == nil {
			end := limit(fmt.Sprintf("%d calls were made, the limit per turn", t.called), "calls")
			return &end, t.answerAll(calls, "not run: "+end.message)
		}
		if t.early.running[group[0].ID] == nil && t.hasSteering() {
			return nil, t.answerAll(calls,
				"not run: the user sent a new message, which comes next. Read it, then decide again.")
		}
		calls = calls[len(group):]
		end, err := t.runGroup(group, broken)
		t.followPanel(defs, group)
		if err != nil {
			return nil, t.answerUnrecorded(calls, err)
		}
		if end != nil {
			return end, t.answerAll(calls, "not run: "+end.message)
		}
	}
	return nil, nil
}

func limit(what, setting string) ending {
	return ending{
		status:     chat.StatusLimit,
		message:    "Stopped: " + what + ". The work so far is kept.",
		suggestion: fmt.Sprintf("Send \"continue\" to go on, or raise the limit of %s per turn in settings.", setting),
	}
}

func (t *turn) nextGroup(defs []toolspec.Definition, calls []chat.ToolCall, broken []llm.BrokenCall) []chat.ToolCall {
	left := min(t.limits.CallsPerTurn-t.called, t.lineage.counter.CallsLeft())
	if left <= 0 {
		return nil
	}
	if n := leadingSubagents(calls, broken, left); n > 0 {
		return calls[:n]
	}
	n := 0
	for n < len(calls) && n < parallelReads && n < left && definition(defs, calls[n]).Hints.ReadOnly &&
		problemOf(broken, calls[n]) == nil {
		n++
	}
	return calls[:max(n, 1)]
}

// definition returns the definition of the tool that a call names, the zero value if there is none.
func definition(defs []toolspec.Definition, c chat.ToolCall) toolspec.Definition {
	name, _, _ := prompt.ResolveCall(c.Name, c.Args)
	if i := slices.IndexFunc(defs, func(d toolspec.Definition) bool { return d.Name == name }); i >= 0 {
		return defs[i]
	}
	return toolspec.Definition{}
}

// followPanel gives the turn the tools of the panel that its calls have opened.
func (t *turn) followPanel(defs []toolspec.Definition, group []chat.ToolCall) {
	opens := func(c chat.ToolCall) bool { return definition(defs, c).Group == "navigation" }
	if t.request.Panel != "" && slices.ContainsFunc(group, opens) {
		t.request.Panel = t.loop.cfg.ActivePanel()
	}
}

func problemOf(broken []llm.BrokenCall, c chat.ToolCall) *llm.BrokenCall {
	for i := range broken {
		if broken[i].ID == c.ID {
			return &broken[i]
		}
	}
	return nil
}

func (t *turn) runGroup(group []chat.ToolCall, broken []llm.BrokenCall) (*ending, error) {
	results := t.runCalls(group, broken)
	var end *ending
	events := make([]event.Event, len(group))
	for i, c := range group {
		t.outside.Add(results[i].Sources...)
		t.private.Add(results[i].PrivateSources...)
		t.effects.add(results[i])
		m := t.result(c, results[i])
		if !t.isPilot { // a user may repeat a command on purpose
			note, over := t.repeats.Record(c, m.Text, results[i])
			m.Text += note
			if over {
				repeated := limit(c.Name+" repeated 3 times with the same result", "calls")
				repeated.suggestion = "Say what to do differently, or choose another model."
				end = &repeated
			}
		}
		t.messages = append(t.messages, m)
		events[i] = t.event(event.MessageAdded, m).OfCall(c.ID)
	}
	return end, t.record(events...)
}

func (t *turn) runCalls(group []chat.ToolCall, broken []llm.BrokenCall) []toolspec.Result {
	from := t.provenance()
	panel := t.panel()
	results := make([]toolspec.Result, len(group))
	var wait sync.WaitGroup
	for i, c := range group {
		t.called++
		left := t.lineage.counter.TakeCall()
		wait.Go(func() {
			call := toolspec.Call{
				ID: c.ID, Tool: c.Name, Args: c.Args, Panel: panel, From: from,
				Purpose: t.early.purposeOf(c.ID),
			}
			switch b := problemOf(broken, c); {
			case b != nil:
				how := cmp.Or(b.Suggestion, "Nothing ran. Send the call again with its arguments as one JSON object.")
				bad := toolspec.Fail(toolspec.ValidationError, b.Problem, how)
				call.Refused = &bad
				results[i] = t.callTool(call)
			case t.early.running[c.ID] != nil:
				results[i] = <-t.early.running[c.ID]
			case !left:
				results[i] = toolspec.Fail(toolspec.UserError, "not run: the turn it belongs to has no calls left",
					"Say what was found so far, and what is missing.")
			default:
				results[i] = t.callTool(call)
			}
		})
	}
	wait.Wait()
	return results
}

// resolve replaces call_tool by the tool that it names, and refuses a call that cannot be run or is not allowed.
func (t *turn) resolve(c *toolspec.Call) {
	name, args, bad := prompt.ResolveCall(c.Tool, c.Args)
	if bad != nil {
		c.Refused = bad
		return
	}
	c.Tool, c.Args = name, args
	c.Refused = t.refuse(*c)
}

// callTool runs one call. A call that does not return soon after a stop is abandoned, with an unknown outcome; Close
// waits for it.
func (t *turn) callTool(c toolspec.Call) toolspec.Result {
	if c.Refused == nil {
		t.resolve(&c)
	}
	done := make(chan toolspec.Result, 1)
	t.loop.wait.Add(1)
	go func() {
		defer t.loop.wait.Done()
		done <- t.loop.cfg.Calls.Do(t.withLineage(t.ctx), c)
	}()
	select {
	case r := <-done:
		return r
	case <-t.ctx.Done():
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(t.ctx), stopGrace)
	defer cancel()
	select {
	case r := <-done:
		return r
	case <-late.Done():
		return toolspec.Fail(
			toolspec.UserError,
			"stopped by the user before it ended; its outcome is unknown",
			"Check the current state before doing it again.",
		)
	}
}

func (t *turn) result(c chat.ToolCall, r toolspec.Result) chat.Message {
	status := chat.StatusDone
	if !r.Success {
		status = chat.StatusFailed
	}
	m := t.message(chat.RoleTool, prompt.Shorten(strings.ToValidUTF8(r.ModelText(), "\uFFFD")))
	m.CallID, m.Outside, m.Private, m.Status = c.ID, r.Sources, r.PrivateSources, status
	for _, img := range r.Images {
		if err := t.pictures.Add(t.loop.cfg.Pictures, &m, img); err != nil {
			t.loop.cfg.Log.Warn(err.Error(), "turn", t.id)
		}
	}
	return m
}

func (t *turn) answerAll(calls []chat.ToolCall, why string) error {
	var events []event.Event
	for _, c := range calls {
		m := t.result(c, toolspec.Fail(toolspec.UserError, why, ""))
		t.messages = append(t.messages, m)
		events = append(events, t.event(event.MessageAdded, m).OfCall(c.ID))
	}
	if len(events) == 0 {
		return nil
	}
	return t.record(events...)
}
