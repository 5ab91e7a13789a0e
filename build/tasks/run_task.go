package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"sextant/backend/agent/loop"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// outcome is the result of a task.
type outcome struct {
	Task   string `json:"name"`
	Family string `json:"family"`
	OK     bool   `json:"ok"`
	// Problem is the difference that the checker found, or why the turn failed; "" if the task succeeded.
	Problem   string     `json:"wrong,omitempty"`
	Calls     int        `json:"calls"`
	Rounds    int        `json:"rounds"`
	Tokens    cost       `json:"tokens"`
	Usage     chat.Usage `json:"usage"`
	Seconds   float64    `json:"seconds"`
	Questions []string   `json:"questions,omitempty"`

	// Replay is set if the task ran again as a recipe.
	Replay *replayed `json:"replay,omitempty"`

	// Exported has an entry for each program in which the task ran again.
	Exported []exported `json:"exported,omitempty"`

	messages     []chat.Message
	conversation string
}

// sessionName returns the name of the task's own tabs and download folder.
func sessionName(t *task) string { return "task-" + t.Name }

// saveTimeout is how long a page may take to save a change.
const saveTimeout = 3 * time.Second

func (env *environment) runTask(ctx context.Context, t *task) (outcome, error) {
	if err := env.setUp(t); err != nil {
		return outcome{}, err
	}
	_ = env.person.questions()
	began := time.Now()
	defer func() { _ = env.sys.Browser.CloseSession(sessionName(t)) }()
	end, err := env.sys.Loop.Run(ctx, loop.TurnRequest{
		Text: t.instruction(), Model: env.model, Caller: toolspec.CallerModel, Interactive: true,
		Session: sessionName(t),
	})
	if err != nil {
		return outcome{}, err
	}
	o := outcome{
		Task: t.Name, Family: t.Family, Calls: end.Calls, Rounds: end.Rounds, Usage: end.Usage,
		Seconds: time.Since(began).Seconds(), Questions: env.person.questions(), conversation: end.Conversation,
	}
	if o.messages, err = env.sys.Store.Messages(ctx, end.Conversation); err != nil {
		return o, err
	}
	o.Tokens = env.taskCost(t, o)
	if o.Problem, err = env.check(ctx, t); err != nil {
		return o, err
	}
	o.OK = o.Problem == ""
	if env.solver != nil {
		if _, stuck := env.solver.costOf(t.instruction()); stuck != "" {
			o.OK, o.Problem = false, "\n  the script stopped "+stuck+o.Problem
		}
	}
	if end.Status != chat.StatusDone {
		o.OK, o.Problem = false, fmt.Sprintf("\n  the turn is %s: %s%s", end.Status, end.Error, o.Problem)
	}
	return o, nil
}

// check returns how the state differs from the one that the task asks for, "" if it does not. Because pages may still
// be saving, it waits up to saveTimeout for the right state.
func (env *environment) check(ctx context.Context, t *task) (string, error) {
	deadline := time.Now().Add(saveTimeout)
	for {
		before, now, err := env.stateLeaves(t)
		if err != nil {
			return "", err
		}
		wrong := diff(withoutUnchanged(t.Check, before), changes(before, now))
		if wrong == "" || time.Now().After(deadline) {
			return wrong, nil
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// withoutUnchanged removes the wanted lines that were already true before.
func withoutUnchanged(want []string, before map[string]string) []string {
	return slices.DeleteFunc(slices.Clone(want), func(line string) bool {
		path, value, ok := strings.Cut(line, " = ")
		return ok && before[path] == value
	})
}

// checkLater checks, after the whole run, that nothing else has changed on the task's site.
func (env *environment) checkLater(t *task) (string, error) {
	before, now, err := env.sites.stateLeaves(t)
	if err != nil {
		return "", err
	}
	maps.DeleteFunc(before, func(path, _ string) bool { return strings.HasPrefix(path, "workspace/") })
	want := map[string]bool{}
	for _, line := range t.Check {
		want[line] = true
	}
	wrong := ""
	for _, line := range changes(before, now) {
		if !want[line] {
			wrong += "\n  not asked for, after the task: " + line
		}
	}
	return wrong, nil
}

// taskCost returns the exact cost if the scripted solver ran; otherwise it counts the stored messages, which lack the
// delimiters around outside text.
func (env *environment) taskCost(t *task, o outcome) cost {
	if env.solver != nil {
		c, _ := env.solver.costOf(t.instruction())
		return c
	}
	var count counter
	c := cost{Sent: o.Usage.Input}
	for _, m := range o.messages {
		c.Task += count.of(m.Text)
		for _, call := range m.Calls {
			c.Task += count.of(call.Name) + count.of(string(call.Args))
		}
	}
	return c
}

func transcript(messages []chat.Message) string {
	text := ""
	for _, m := range messages {
		text += fmt.Sprintf("--- %s\n%s\n", m.Role, m.Text)
		for _, c := range m.Calls {
			text += c.Name + " " + string(c.Args) + "\n"
		}
	}
	return text
}

func quoteJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(b)
}
