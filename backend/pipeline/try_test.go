package pipeline

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"sextant/backend/policy"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// trier is a fixture whose tools can be tried.
type trier struct {
	*fixture
	files                     []toolspec.FileUse
	fails                     bool
	waits                     chan struct{}
	tried, applied, discarded atomic.Int32
}

func newTrier(t *testing.T, files ...toolspec.FileUse) *trier {
	h := &trier{fixture: newFixture(t), files: files}
	h.add(toolspec.Definition{Name: "run", Group: "shell", Hints: toolspec.Hints{Destructive: true}}, echo)
	h.descs["run"] = toolspec.Description{
		Sentence: "Run it", RunsProgram: true, Commands: []toolspec.CommandUse{{Program: "x"}},
	}
	h.Register(toolspec.OriginBaseline, h)
	return h
}

func (h *trier) Try(context.Context, toolspec.Call) (*toolspec.Trial, error) {
	h.tried.Add(1)
	if h.waits != nil {
		<-h.waits
	}
	if h.fails {
		return nil, errors.New("no copy")
	}
	return &toolspec.Trial{
		Files: h.files, Question: "Change a?", Diff: "-a\n+b\n", DurationMS: 1234,
		Output: []toolspec.OutputChunk{{Stream: "stdout", Text: "said\n"}},
		Apply: func(context.Context) (toolspec.Result, error) {
			h.applied.Add(1)
			return toolspec.Result{Success: true, Value: "tried", Sentence: "Ran it"}, nil
		},
		Discard: func() { h.discarded.Add(1) },
	}, nil
}

func (h *trier) want(tried, applied, discarded, ran int) {
	h.t.Helper()
	until(h.t, "the end of trials", func() bool { return int(h.discarded.Load()) == discarded })
	got := []int{int(h.tried.Load()), int(h.applied.Load()), int(h.discarded.Load()), h.times("run")}
	if want := []int{tried, applied, discarded, ran}; !slices.Equal(got, want) {
		h.t.Errorf("tried, applied, discarded, ran: %v, want %v", got, want)
	}
}

func TestCallThatChangesNothingWhenTriedIsNotAskedAbout(t *testing.T) {
	h := newTrier(t)
	if r := h.do(called("run", `{}`)); !r.Success || r.Value != "tried" || r.DurationMS < 1234 {
		t.Fatalf("%+v", r)
	}
	h.want(1, 1, 1, 0)
	if row := h.rows()[0]; row.Decision != "allowed" || !strings.Contains(row.Reason, "changed nothing") {
		t.Errorf("%+v", row)
	}
	if all := eventsOf[event.Approval](h.fixture, event.ApprovalAsked); len(all) > 0 {
		t.Errorf("asked: %+v", all)
	}
	chunks := eventsOf[event.CallChunk](h.fixture, event.CallOutput)
	if len(chunks) != 1 || chunks[0].Text != "said\n" {
		t.Errorf("output: %+v", chunks)
	}
}

func TestCallIsAskedAboutByWhatItDid(t *testing.T) {
	for _, yes := range []bool{true, false} {
		h := newTrier(t)
		h.files = []toolspec.FileUse{{Path: h.settings.Folder + "/a", Use: toolspec.UseWrite}}
		done := h.start(called("run", `{}`))
		if q := h.question(); q.Question != "Change a?" || q.Diff == "" || !strings.Contains(q.Reason, "on a copy") {
			t.Errorf("%+v", q)
		}
		h.want(1, 0, 0, 0)
		if yes {
			h.answer(event.AnswerOnce, "")
		} else {
			h.answer(event.AnswerDeny, "")
		}
		if r := <-done; r.Success != yes {
			t.Errorf("%v: %+v", yes, r)
		}
		h.want(1, map[bool]int{true: 1}[yes], 1, 0)
	}
}

func TestCallThatCannotBeTriedIsAskedAbout(t *testing.T) {
	h := newTrier(t)
	h.fails = true
	done := h.start(called("run", `{}`))
	if q := h.question(); q.Question == "Change a?" || q.Diff != "" {
		t.Errorf("%+v", q)
	}
	h.answer(event.AnswerOnce, "")
	if r := <-done; !r.Success {
		t.Errorf("%+v", r)
	}
	h.want(1, 0, 0, 1)
}

func TestStopWhileATrialWaits(t *testing.T) {
	h := newTrier(t)
	h.files = []toolspec.FileUse{{Path: h.settings.Folder + "/a", Use: toolspec.UseDelete}}
	done := h.start(called("run", `{}`))
	h.Cancel(h.question().Call)
	if r := <-done; r.Success {
		t.Errorf("%+v", r)
	}
	h.want(1, 0, 1, 0)
}

func TestSlowTrialIsShownAndStopped(t *testing.T) {
	h := newTrier(t)
	h.waits = make(chan struct{})
	call := called("run", `{}`)
	call.ID = "slow"
	done := h.start(call)
	until(t, "a line about the trial", func() bool {
		chunks := eventsOf[event.CallChunk](h.fixture, event.CallOutput)
		return len(chunks) == 1 && strings.HasPrefix(chunks[0].Text, "Trying it on a copy")
	})
	h.Cancel("slow")
	if r := <-done; r.Success || !strings.Contains(r.Error, "stopped") {
		t.Errorf("%+v", r)
	}
	close(h.waits)
	h.want(1, 0, 1, 0)
}

// A stricter mode that was chosen while the question waited holds for a trial too.
func TestModeChangesWhileATrialWaits(t *testing.T) {
	h := newTrier(t)
	h.files = []toolspec.FileUse{{Path: h.settings.Folder + "/a", Use: toolspec.UseWrite}}
	done := h.start(called("run", `{}`))
	h.question()
	h.setMode(policy.ModeReadOnly)
	h.answer(event.AnswerOnce, "")
	if r := <-done; r.Success || !strings.Contains(r.Error, "Read-only") {
		t.Errorf("%+v", r)
	}
	h.want(1, 0, 1, 0)
}
