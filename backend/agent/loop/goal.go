package loop

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/prompt"
	"sextant/backend/agent/toolcalls"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// Goal decides when a turn is done, if an answer in words is not enough. The loop calls it from one goroutine, in
// the order of the answers.
type Goal interface {
	// Tool returns the tool that the model calls when it is done. It is offered beside the other tools.
	Tool() toolspec.Definition
	// HandleToolCall answers a call of Tool. failed names the tools of other calls in the same answer that
	// failed.
	HandleToolCall(args json.RawMessage, failed []string) Reply
	// HandleAnswer handles an answer without calls.
	HandleAnswer(text string) Reply
}

// Reply is a Goal's reaction to an answer.
type Reply struct {
	// Message is sent to the model, which then answers again. If it is "", the turn ends.
	Message string
	// ToolsClosed means that no more tools run in this turn.
	ToolsClosed bool
	// Failure says why a finished turn did not reach its goal, "" if it did. Suggestion says what to do then.
	Failure    string
	Suggestion string
}

func (t *turn) callableTools() ([]toolspec.Definition, error) {
	defs := t.loop.cfg.Tools.Definitions(t.panel())
	if len(t.request.Tools) == 0 && t.request.Goal == nil && t.lineage.depth == 0 {
		return defs, nil
	}
	for _, name := range t.request.Tools {
		if t.rounds == 0 && t.lineage.depth == 0 &&
			!slices.ContainsFunc(defs, func(d toolspec.Definition) bool { return d.Name == name }) {
			return nil, fmt.Errorf("there is no tool %q; sextant tools list shows the tools", name)
		}
	}
	return slices.DeleteFunc(slices.Clone(defs), func(d toolspec.Definition) bool {
		return t.excluded(d.Name) || t.isGoal(d.Name) || t.lineage.hides(d)
	}), nil
}

func (t *turn) excluded(name string) bool {
	return len(t.request.Tools) > 0 && !slices.Contains(t.request.Tools, name)
}

func (t *turn) refuse(c toolspec.Call) *toolspec.Result {
	if t.excluded(c.Tool) {
		return refusal(toolspec.PermissionError, "not one of the tools allowed for this task",
			"Nothing ran. Use one of these: "+strings.Join(t.request.Tools, ", ")+".")
	}
	if t.lineage.depth == 0 {
		return nil
	}
	for _, d := range t.loop.cfg.Tools.Definitions(c.Panel) {
		if d.Name == c.Tool && t.lineage.hides(d) {
			return refusal(
				toolspec.PermissionError,
				"not available to this subagent",
				"Nothing ran. Do it with the tools you were given, or say what is missing.",
			)
		}
	}
	return nil
}

func (t *turn) isGoal(name string) bool {
	return t.request.Goal != nil && name == t.request.Goal.Tool().Name
}

// withGoal adds the goal's tool to the listed tools. With a text format the system prompt lists the tools and
// stays the same during the turn; tools that appear later can still be called.
func (t *turn) withGoal(listed, all []toolspec.Definition) []toolspec.Definition {
	if t.request.Goal == nil {
		return listed
	}
	if t.goalTools != nil {
		t.adapter.AlsoCallable = all
		return t.goalTools
	}
	listed = append(slices.Clone(listed), t.request.Goal.Tool())
	if t.adapter.Format != "" && t.adapter.Format != toolcalls.FormatNative {
		t.goalTools = listed
	}
	return listed
}

func (t *turn) runGoalRound(defs []toolspec.Definition, message chat.Message, res llm.Response) (*ending, error) {
	goal := t.request.Goal
	if len(message.Calls) == 0 {
		if res.Stop == llm.StopLength || res.Stop == llm.StopFilter {
			end := t.finish(res)
			return &end, nil
		}
		return t.applyReply(goal.HandleAnswer(message.Text), nil)
	}
	var own, others []chat.ToolCall
	for _, c := range message.Calls {
		// A model that searches its tools may call the goal's tool through call_tool.
		name, args, _ := prompt.ResolveCall(c.Name, c.Args)
		if t.isGoal(name) && problemOf(res.BrokenCalls, c) == nil {
			c.Args = args
			own = append(own, c)
		} else {
			others = append(others, c)
		}
	}
	if t.toolsClosed {
		// The text of the answer takes precedence over the call's argument.
		if strings.TrimSpace(message.Text) == "" && len(own) > 0 {
			return t.applyReply(goal.HandleToolCall(own[0].Args, nil), message.Calls)
		}
		return t.applyReply(goal.HandleAnswer(message.Text), message.Calls)
	}
	var failed []string
	if len(others) > 0 {
		run := message
		run.Calls = others
		end, err := t.execute(defs, run, res.BrokenCalls)
		if err != nil || end != nil {
			if saveErr := t.answerAll(own, "not accepted: the turn ended first"); err == nil {
				err = saveErr
			}
			return end, err
		}
		failed = t.failedOf(others)
	}
	if len(own) == 0 {
		return nil, nil
	}
	return t.applyReply(goal.HandleToolCall(own[0].Args, failed), own)
}

func (t *turn) failedOf(calls []chat.ToolCall) []string {
	var names []string
	for _, m := range t.messages {
		i := slices.IndexFunc(calls, func(c chat.ToolCall) bool { return c.ID == m.CallID })
		if m.Role == chat.RoleTool && m.Status == chat.StatusFailed && i >= 0 {
			names = append(names, calls[i].Name)
		}
	}
	return names
}

// applyReply sends r as the result of the first waiting call, else as a note. It returns an ending if the turn must
// end.
func (t *turn) applyReply(r Reply, calls []chat.ToolCall) (*ending, error) {
	t.toolsClosed = t.toolsClosed || r.ToolsClosed
	say := r.Message
	if say == "" {
		say = "The turn is over."
	}
	var added []chat.Message
	for i, c := range calls {
		text := say
		if i > 0 {
			text = "not run: the task was already reported as done"
		}
		m := t.message(chat.RoleTool, text)
		m.CallID = c.ID
		added = append(added, m)
	}
	if len(calls) == 0 && r.Message != "" {
		added = append(added, t.message(chat.RoleNote, r.Message))
	}
	events := make([]event.Event, 0, len(added))
	for _, m := range added {
		events = append(events, t.event(event.MessageAdded, m).OfCall(m.CallID))
	}
	t.messages = append(t.messages, added...)
	if len(events) > 0 {
		if err := t.record(events...); err != nil {
			return nil, err
		}
	}
	switch {
	case r.Message != "":
		return nil, nil
	case r.Failure != "":
		return &ending{status: chat.StatusFailed, message: r.Failure, suggestion: r.Suggestion}, nil
	}
	return &ending{status: chat.StatusDone}, nil
}
