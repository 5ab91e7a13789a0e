package pipeline

import (
	"context"
	"strings"
	"testing"
	"time"

	"sextant/backend/policy"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// addCommand offers a bash that runs run.
func (h *fixture) addCommand(run toolFunc) {
	h.add(toolspec.Definition{Name: "bash", Group: "shell", Hints: toolspec.Hints{Destructive: true}, TimeoutMS: 300},
		run)
	h.descs["bash"] = toolspec.Description{
		Sentence: "Run pip", Target: "pip install x", RunsProgram: true, Network: true, HostsLimited: true,
		Commands: []toolspec.CommandUse{{Program: "pip", Name: "pip"}},
	}
	h.setMode(policy.ModeWorkspace)
}

// connectingTo returns a command that connects to hosts one after the other and prints the answers.
func (h *fixture) connectingTo(hosts ...string) toolFunc {
	return func(ctx context.Context, call toolspec.Call, _ func(stream, text string)) (toolspec.Result, error) {
		var said []string
		for _, host := range hosts {
			text := "reached"
			if err := h.CheckHost(ctx, call, host); err != nil {
				text = err.Error()
			}
			said = append(said, host+": "+text)
		}
		if ctx.Err() != nil {
			return toolspec.Result{}, ctx.Err()
		}
		return toolspec.OK(strings.Join(said, "\n")), nil
	}
}

func TestCheckHostAsksAndPausesTheDeadline(t *testing.T) {
	h := newFixture(t)
	h.addCommand(h.connectingTo("pypi.example", "evil.example"))
	done := h.start(called("bash", `{"x":"a"}`))
	first := h.question()
	if first.Question != "Allow a command to connect to pypi.example: pip install x?" {
		t.Errorf("the question is %q", first.Question)
	}
	until(t, "more time than the call has", func() bool { return time.Since(first.Asked) > 400*time.Millisecond })
	if err := h.approvals.Answer(t.Context(), first.ID, event.AnswerConversation, "", first.Hash); err != nil {
		t.Fatal(err)
	}
	until(t, "the second question", func() bool {
		w := h.approvals.WaitingApprovals()
		return len(w) == 1 &&
			w[0].ID != first.ID
	})
	second := h.approvals.WaitingApprovals()[0]
	if second.Hash == first.Hash {
		t.Error("one answer would fit both questions")
	}
	if err := h.approvals.Answer(t.Context(), second.ID, event.AnswerDeny, "not that one", second.Hash); err != nil {
		t.Fatal(err)
	}
	if r := <-done; !r.Success ||
		r.Value != "pypi.example: reached\nevil.example: declined by the person: not that one" {
		t.Errorf("%+v", r)
	}
	// The first answer applies to the conversation; the second host is asked about again.
	done = h.start(called("bash", `{"x":"b"}`))
	again := h.question()
	if !strings.Contains(again.Question, "evil.example") {
		t.Errorf("asked again: %q", again.Question)
	}
	if err := h.approvals.Answer(t.Context(), again.ID, event.AnswerOnce, "", again.Hash); err != nil {
		t.Fatal(err)
	}
	if r := <-done; r.Value != "pypi.example: reached\nevil.example: reached" {
		t.Errorf("%+v", r)
	}
	var decisions []string
	for _, row := range h.rows() {
		if row.Tool == "bash_network" {
			decisions = append(decisions, row.Target+" "+row.Decision)
		}
	}
	if got := strings.Join(decisions, ", "); !strings.Contains(got, "pypi.example conversation") ||
		!strings.Contains(got, "pypi.example granted") || !strings.Contains(got, "evil.example denied") ||
		!strings.Contains(got, "evil.example once") {
		t.Errorf("the audit log holds %s", got)
	}
}

func TestStoppedCallClosesHostQuestion(t *testing.T) {
	h := newFixture(t)
	h.addCommand(h.connectingTo("pypi.example"))
	done := h.start(called("bash", `{"x":"a"}`))
	asked := h.question()
	if !h.Cancel(asked.Call) {
		t.Fatal("the call does not run")
	}
	if r := <-done; r.Success {
		t.Errorf("%+v", r)
	}
	until(t, "no waiting question", func() bool { return len(h.approvals.WaitingApprovals()) == 0 })
	if err := h.approvals.Answer(t.Context(), asked.ID, event.AnswerOnce, "", asked.Hash); err == nil {
		t.Error("a lapsed question was answered")
	}
}

func TestCheckHostRefusesWithoutPerson(t *testing.T) {
	h := newFixture(t)
	h.addCommand(h.connectingTo("pypi.example"))
	call := called("bash", `{"x":"a"}`)
	call.From.Interactive = false
	r := h.do(call)
	if text, _ := r.Value.(string); !strings.Contains(text, "nobody to ask") ||
		!strings.Contains(text, "--allow-hosts pypi.example") {
		t.Errorf("%+v", r)
	}
}
