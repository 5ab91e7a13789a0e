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
	// Wrong is what the checker found, or why the turn failed; "" if the task is done.
	Wrong     string     `json:"wrong,omitempty"`
	Calls     int        `json:"calls"`
	Rounds    int        `json:"rounds"`
	Tokens    cost       `json:"tokens"`
	Usage     chat.Usage `json:"usage"`
	Seconds   float64    `json:"seconds"`
	Questions []string   `json:"questions,omitempty"`

	messages []chat.Message
}

// sessionName names the task's own tabs and its own download folder.
func sessionName(t *task) string { return "task-" + t.Name }

// saveTimeout is how long a page may take to save what was done on it.
const saveTimeout = 3 * time.Second

// runTask runs one task and checks the result.
func (w *environment) runTask(ctx context.Context, t *task) (outcome, error) {
	if err := w.setUp(t); err != nil {
		return outcome{}, err
	}
	_ = w.person.questions()
	began := time.Now()
	defer w.sys.Browser.CloseSession(sessionName(t))
	end, err := w.sys.Loop.Run(ctx, loop.TurnRequest{
		Text: t.instruction(), Model: w.model, Caller: toolspec.CallerModel, Interactive: true, Session: sessionName(t),
	})
	if err != nil {
		return outcome{}, err
	}
	o := outcome{
		Task: t.Name, Family: t.Family, Calls: end.Calls, Rounds: end.Rounds, Usage: end.Usage,
		Seconds: time.Since(began).Seconds(), Questions: w.person.questions(),
	}
	if o.messages, err = w.sys.Store.Messages(ctx, end.Conversation); err != nil {
		return o, err
	}
	o.Tokens = w.taskCost(t, o)
	if o.Wrong, err = w.check(ctx, t); err != nil {
		return o, err
	}
	o.OK = o.Wrong == ""
	if w.solver != nil {
		if _, stuck := w.solver.costOf(t.instruction()); stuck != "" {
			o.OK, o.Wrong = false, "\n  the script is stuck "+stuck+o.Wrong
		}
	}
	if end.Status != chat.StatusDone {
		o.OK, o.Wrong = false, fmt.Sprintf("\n  the turn is %s: %s%s", end.Status, end.Error, o.Wrong)
	}
	return o, nil
}

// check returns how the state differs from what the task asks for, after pages had time to save.
func (w *environment) check(ctx context.Context, t *task) (string, error) {
	deadline := time.Now().Add(saveTimeout)
	for {
		before, now, err := w.stateLeaves(t)
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

// checkLater checks after the run that nothing else changed on the task's site.
func (w *environment) checkLater(t *task) (string, error) {
	before, now, err := w.sites.stateLeaves(t)
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
func (w *environment) taskCost(t *task, o outcome) cost {
	if w.solver != nil {
		c, _ := w.solver.costOf(t.instruction())
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

// transcript formats a conversation for reading.
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
