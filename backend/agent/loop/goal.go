package loop

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/agent/dialect"
	"sextant/backend/agent/llm"
	"sextant/backend/agent/prompt"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// Goal is what a turn has to come to, where an answer in words is not enough. The loop asks it
// from one goroutine, in the order of the answers.
type Goal interface {
	// Tool is offered beside the others, for the model to say that it is done. Its calls never
	// reach the Caller and count as none.
	Tool() toolspec.Definition
	// Called answers a call of Tool; failed names the tools of other calls in the same answer
	// that failed.
	Called(args json.RawMessage, failed []string) Reply
	// Said judges an answer in words.
	Said(text string) Reply
}

// Reply is what a Goal makes of an answer.
type Reply struct {
	// Tell is what the model is told; it then answers again. Without it the turn is over.
	Tell string
	// Closed says that no tool runs any more in this turn.
	Closed bool
	// Missed is why a turn that is over did not come to its goal, "" when it did; Suggestion is
	// what to do then.
	Missed     string
	Suggestion string
}

// callable are the tools that a call of this round may name: those of the panel, and only the ones
// that were asked for where some were.
func (t *turn) callable() ([]toolspec.Definition, error) {
	defs := t.loop.cfg.Tools.Definitions(t.panel())
	if len(t.ask.Tools) == 0 && t.ask.Goal == nil && t.kin.depth == 0 {
		return defs, nil
	}
	for _, name := range t.ask.Tools {
		if t.rounds == 0 && t.kin.depth == 0 &&
			!slices.ContainsFunc(defs, func(d toolspec.Definition) bool { return d.Name == name }) {
			return nil, fmt.Errorf(
				"there is no tool %q here to do it with; sextant tools list shows what there is",
				name,
			)
		}
	}
	return slices.DeleteFunc(slices.Clone(defs), func(d toolspec.Definition) bool {
		return t.barred(d.Name) || t.isGoal(d.Name) || t.kin.withheld(d)
	}), nil
}

// barred reports whether the ask does not let name run.
func (t *turn) barred(name string) bool {
	return len(t.ask.Tools) > 0 && !slices.Contains(t.ask.Tools, name)
}

// refused is why a call does not reach the Caller, nil when it does.
func (t *turn) refused(c toolspec.Call) *toolspec.Result {
	if t.barred(c.Tool) {
		return refusal(toolspec.PermissionError, c.Tool+": not among the tools this may be done with",
			"Nothing ran. Use one of these: "+strings.Join(t.ask.Tools, ", ")+".")
	}
	if t.kin.depth == 0 {
		return nil
	}
	for _, d := range t.loop.cfg.Tools.Definitions(c.Panel) {
		if d.Name == c.Tool && t.kin.withheld(d) {
			return refusal(
				toolspec.PermissionError,
				c.Tool+": not handed on with this task",
				"Nothing ran. Do it with the tools you were given, or say what is missing.",
			)
		}
	}
	return nil
}

// isGoal reports whether name is the tool by which the goal is reached.
func (t *turn) isGoal(name string) bool {
	return t.ask.Goal != nil && name == t.ask.Goal.Tool().Name
}

// withGoal adds the goal's own tool to what a question tells; it is told whether or not the others
// have to be found. A dialect that is text tells tools in the system prompt, which stays as it is
// while a goal is pursued; what comes up later can be called all the same.
func (t *turn) withGoal(told, all []toolspec.Definition) []toolspec.Definition {
	if t.ask.Goal == nil {
		return told
	}
	if t.fixed != nil {
		t.voice.Known = all
		return t.fixed
	}
	told = append(slices.Clone(told), t.ask.Goal.Tool())
	if t.voice.Kind != "" && t.voice.Kind != dialect.Native {
		t.fixed = told
	}
	return told
}

// pursue is one round of a turn with a goal: it runs the calls of message and asks the goal what
// the answer is worth. It gives the turn's end when it is over.
func (t *turn) pursue(defs []toolspec.Definition, message chat.Message, res llm.Response) (*ending, error) {
	goal := t.ask.Goal
	if len(message.Calls) == 0 {
		if res.Stop == llm.StopLength || res.Stop == llm.StopFilter {
			end := t.finish(res)
			return &end, nil
		}
		return t.reply(goal.Said(message.Text), nil)
	}
	var own, others []chat.ToolCall
	for _, c := range message.Calls {
		name, args, _ := prompt.Meant(c.Name, c.Args) // a model that finds its tools may call this one in the same way
		if t.isGoal(name) && problemOf(res.Broken, c) == nil {
			c.Args = args
			own = append(own, c)
		} else {
			others = append(others, c)
		}
	}
	if t.closed {
		// What it says in words counts first, then what it gave the tool.
		if strings.TrimSpace(message.Text) == "" && len(own) > 0 {
			return t.reply(goal.Called(own[0].Args, nil), message.Calls)
		}
		return t.reply(goal.Said(message.Text), message.Calls)
	}
	var failed []string
	if len(others) > 0 {
		run := message
		run.Calls = others
		end, err := t.execute(defs, run, res.Broken)
		if err != nil || end != nil {
			if lost := t.answerAll(own, "not taken: the turn ends before"); err == nil {
				err = lost
			}
			return end, err
		}
		failed = t.failedOf(others)
	}
	if len(own) == 0 {
		return nil, nil
	}
	return t.reply(goal.Called(own[0].Args, failed), own)
}

// failedOf are the tools of those calls that failed.
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

// reply hands r to the model: as the result of the first of calls that wait for one, else as a note,
// for these are nobody's words. It gives the end when the turn is over.
func (t *turn) reply(r Reply, calls []chat.ToolCall) (*ending, error) {
	t.closed = t.closed || r.Closed
	say := r.Tell
	if say == "" {
		say = "The turn is over."
	}
	var added []chat.Message
	for i, c := range calls {
		text := say
		if i > 0 {
			text = "not run: the task was said to be done"
		}
		m := t.message(chat.RoleTool, text)
		m.CallID = c.ID
		added = append(added, m)
	}
	if len(calls) == 0 && r.Tell != "" {
		added = append(added, t.message(chat.RoleNote, r.Tell))
	}
	events := make([]event.Event, 0, len(added))
	for _, m := range added {
		events = append(events, t.event(event.MessageAdded, m).Of(m.CallID))
	}
	t.messages = append(t.messages, added...)
	if len(events) > 0 {
		if err := t.record(events...); err != nil {
			return nil, err
		}
	}
	switch {
	case r.Tell != "":
		return nil, nil
	case r.Missed != "":
		return &ending{status: chat.StatusFailed, message: r.Missed, suggestion: r.Suggestion}, nil
	}
	return &ending{status: chat.StatusDone}, nil
}
