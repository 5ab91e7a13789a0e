package pipeline

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// stopsOnCancel returns when it is stopped.
func stopsOnCancel(started chan<- struct{}) toolFunc {
	return func(ctx context.Context, _ toolspec.Call, _ func(string, string)) (toolspec.Result, error) {
		close(started)
		<-ctx.Done()
		return toolspec.Result{}, ctx.Err()
	}
}

func TestCancelDoesNotWaitForExecutor(t *testing.T) {
	h := newFixture(t)
	started, deaf, release := make(chan struct{}), make(chan struct{}), make(chan struct{})
	h.add(toolspec.Definition{Name: "obedient"}, stopsOnCancel(started))
	h.add(toolspec.Definition{Name: "deaf"}, func(_ context.Context, _ toolspec.Call,
		out func(string, string),
	) (toolspec.Result, error) {
		close(deaf)
		<-release
		out("stdout", "too late")
		return toolspec.OK("done after all"), nil
	})
	defer close(release)
	for tool, running := range map[string]chan struct{}{"obedient": started, "deaf": deaf} {
		call := called(tool, `{}`)
		call.ID = "stop-" + tool
		done := h.start(call)
		<-running
		if r := h.RunningCalls(); len(r) != 1 || r[0].ID != call.ID || r[0].Turn != "t1" {
			t.Fatalf("%+v", r)
		}
		before := time.Now()
		if !h.Cancel(call.ID) {
			t.Fatal("there was nothing to stop")
		}
		got := <-done
		// 100 ms are promised; under any load this test only checks that nobody waits for the executor.
		if took := time.Since(before); took > 30*time.Second || got.Success || !strings.Contains(got.Error, "stopped") {
			t.Fatalf("%s: after %v %+v", tool, took, got)
		}
		if h.Cancel(call.ID) {
			t.Fatal("it was stopped twice")
		}
	}
	for _, end := range eventsOf[event.CallEnd](h, event.CallEnded) {
		if end.Status != event.CallStopped {
			t.Errorf("%+v", end)
		}
	}
	if len(eventsOf[event.CallChunk](h, event.CallOutput)) != 0 {
		t.Fatal("output came after the end")
	}
}

func TestCancelEndsWaitingApproval(t *testing.T) {
	h := newFixture(t)
	h.add(toolspec.Definition{Name: "drop", Origin: toolspec.OriginPanel, Hints: toolspec.Hints{Confirm: true}}, echo)
	done := h.start(called("drop", `{}`))
	q := h.question()
	h.Cancel(q.Call)
	if got := <-done; got.Success || h.times("drop") != 0 || h.rows()[0].Status != "stopped" {
		t.Fatalf("%+v", got)
	}
	if a := eventsOf[event.ApprovalAnswer](h, event.ApprovalAnswered); len(a) != 1 || a[0].Answer != "" ||
		len(h.approvals.WaitingApprovals()) != 0 {
		t.Fatalf("%+v", a)
	}
}

func TestEndedContextStopsCall(t *testing.T) {
	h := newFixture(t)
	started := make(chan struct{})
	h.add(toolspec.Definition{Name: "obedient"}, stopsOnCancel(started))
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan toolspec.Result, 1)
	go func() { done <- h.Do(ctx, called("obedient", `{}`)) }()
	<-started
	cancel()
	if got := <-done; got.Success || h.rows()[0].Status != "stopped" {
		t.Fatalf("%+v", got)
	}
	if got := h.Do(ctx, called("obedient", `{}`)); got.Success || h.times("obedient") != 1 {
		t.Fatal("it ran for a caller who is gone")
	}
}

func TestDeadlineStartsWithExecution(t *testing.T) {
	h := newFixture(t)
	const limit = 150
	h.add(toolspec.Definition{
		Name: "drop", Origin: toolspec.OriginPanel, TimeoutMS: limit,
		Hints: toolspec.Hints{Confirm: true},
	}, echo)
	started := make(chan struct{})
	h.add(toolspec.Definition{Name: "slow", TimeoutMS: limit}, stopsOnCancel(started))
	done := h.start(called("drop", `{}`))
	asked := h.question()
	until(t, "more time than the limit", func() bool { return time.Since(asked.Asked) > 2*limit*time.Millisecond })
	h.answer(event.AnswerOnce, "")
	if got := <-done; !got.Success {
		t.Fatalf("%+v", got)
	}
	got := h.do(called("slow", `{}`))
	if got.Success || got.ErrorType != toolspec.SystemError || !strings.Contains(got.Error, "not done after 0.1 s") &&
		!strings.Contains(got.Error, "not done after 0.2 s") {
		t.Fatalf("%+v", got)
	}
	// The duration is measured from after the deadline began, which may be late on a busy machine.
	if h.rows()[0].Status != "failed" || got.DurationMS <= 0 {
		t.Fatalf("%+v", h.rows()[0])
	}
}

func TestOutputIsMergedInOrderAndBounded(t *testing.T) {
	h := newFixture(t)
	const pieces = 500
	h.add(toolspec.Definition{Name: "talks"},
		func(_ context.Context, _ toolspec.Call, out func(string, string)) (toolspec.Result, error) {
			for range pieces {
				out("stdout", "ä"[:1])
				out("stdout", "ä"[1:])
			}
			out("stderr", "warn")
			out("stdout", "end\xff")
			out("stdout", "")
			return toolspec.OK("x"), nil
		})
	h.add(toolspec.Definition{Name: "floods"},
		func(_ context.Context, _ toolspec.Call, out func(string, string)) (toolspec.Result, error) {
			for range 40 {
				out("stdout", strings.Repeat("z", 64<<10))
			}
			return toolspec.OK("x"), nil
		})
	h.do(called("talks", `{}`))
	chunks := eventsOf[event.CallChunk](h, event.CallOutput)
	texts := map[string]string{}
	order := ""
	for _, c := range chunks {
		texts[string(c.Stream)] += c.Text
		order += string(c.Stream[:4]) + " "
	}
	if texts["stdout"] != strings.Repeat("ä", pieces)+"end\uFFFD" || texts["stderr"] != "warn" {
		t.Fatalf("%q", texts)
	}
	if len(chunks) > 20 || !strings.HasSuffix(order, "stde stdo ") {
		t.Fatalf("%d chunks: %s", len(chunks), order)
	}
	h.do(called("floods", `{}`))
	total, all := 0, eventsOf[event.CallChunk](h, event.CallOutput)
	for _, c := range all[len(chunks):] {
		total += len(c.Text)
	}
	if total < maxOutput || total > maxOutput+200 || !strings.Contains(all[len(all)-1].Text, "not shown") {
		t.Fatalf("%d bytes were published", total)
	}
}

func TestNothingRunsAfterClose(t *testing.T) {
	h := newFixture(t)
	started := make(chan struct{})
	h.add(toolspec.Definition{Name: "obedient"}, stopsOnCancel(started))
	done := h.start(called("obedient", `{}`))
	<-started
	if err := h.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if got := <-done; got.Success {
		t.Fatalf("%+v", got)
	}
	if got := h.do(called("obedient", `{}`)); got.Success || h.times("obedient") != 1 {
		t.Fatalf("%+v", got)
	}
}

// slowAudit blocks the row after a call until it is released.
type slowAudit struct {
	Audit
	reached, release chan struct{}
}

func (a *slowAudit) WriteResult(ctx context.Context, id string, out event.CallResult) error {
	close(a.reached)
	<-a.release
	return a.Audit.WriteResult(ctx, id, out)
}

func TestCloseWaitsForReport(t *testing.T) {
	h := newFixture(t)
	slow := &slowAudit{h.audit, make(chan struct{}), make(chan struct{})}
	h.cfg.Audit = slow
	h.add(toolspec.Definition{Name: "echo"}, echo)
	h.start(called("echo", `{}`))
	<-slow.reached
	// The executor has ended, but not the report, so that Close with a time limit fails.
	bounded, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	early := h.Close(bounded)
	close(slow.release)
	if early == nil {
		t.Error("it closed while a call was not reported")
	}
	if err := h.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	if rows := h.rows(); len(rows) != 1 || rows[0].Status != "done" {
		t.Errorf("after closing the audit log says %+v", rows)
	}
	if ends := eventsOf[event.CallEnd](h, event.CallEnded); len(ends) != 1 {
		t.Errorf("%d ends were published after closing", len(ends))
	}
}

func FuzzFormat(f *testing.F) {
	for _, s := range []string{
		`{"command":"ls"}`, `{"token":"s3cret"}`, `[`, `{"a":{"password":"s3cret"}}`,
		"{\"a\":\"\x1b[31m\\u001b\"}", ``,
	} {
		f.Add("bash", []byte(s))
	}
	f.Fuzz(func(t *testing.T, tool string, args []byte) {
		if text := FormatCall(tool, args); len([]rune(text)) > 2*maxValue+maxShown+maxValue*4 {
			t.Fatalf("%d characters", len([]rune(text)))
		}
		if hiddenArgs := hideSecrets(args); len(hiddenArgs) == 0 {
			t.Fatal("nothing is left")
		}
	})
}

func TestStoppedCallReportsOutput(t *testing.T) {
	h := newFixture(t)
	started := make(chan struct{})
	h.add(toolspec.Definition{Name: "halfway"},
		func(ctx context.Context, _ toolspec.Call, _ func(stream, text string)) (toolspec.Result, error) {
			close(started)
			<-ctx.Done()
			r := toolspec.Fail(toolspec.UserError, "cancelled", "")
			r.Text, r.Sources = "half of it", []string{"https://shop.example"}
			return r, nil
		})
	call := called("halfway", `{}`)
	call.ID = "stop-me"
	done := make(chan toolspec.Result, 1)
	go func() { done <- h.Do(context.Background(), call) }()
	<-started
	if !h.Cancel("stop-me") {
		t.Fatal("there was nothing to stop")
	}
	got := <-done
	if got.Success || !strings.Contains(got.ModelText(), "stopped while it ran") ||
		!strings.Contains(got.ModelText(), "half of it") || len(got.Sources) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestPreviewFromText(t *testing.T) {
	h := newFixture(t)
	h.add(toolspec.Definition{Name: "text", Hints: toolspec.Hints{ReadOnly: true}},
		func(context.Context, toolspec.Call, func(stream, text string)) (toolspec.Result, error) {
			return toolspec.Result{Success: true, Text: "Looked\n\n one\x1b[31m\ntwo " + strings.Repeat("x", 500) +
				"\nthree\nfour\n", Sentence: "Looked"}, nil
		})
	h.add(toolspec.Definition{Name: "shaped", Hints: toolspec.Hints{ReadOnly: true}},
		func(context.Context, toolspec.Call, func(stream, text string)) (toolspec.Result, error) {
			return toolspec.Result{Success: true, Text: "one\ntwo\n", Preview: []string{"two lines"}}, nil
		})
	h.add(toolspec.Definition{Name: "structure", Hints: toolspec.Hints{ReadOnly: true}}, echo)
	for _, tool := range []string{"text", "shaped", "structure"} {
		h.do(called(tool, `{}`))
	}
	ends := eventsOf[event.CallEnd](h, event.CallEnded)
	if len(ends) != 3 {
		t.Fatalf("%+v", ends)
	}
	if p := ends[0].Preview; len(p) != 3 || strings.ContainsRune(p[0], 0x1b) || !strings.HasPrefix(p[0], "one") ||
		len([]rune(p[1])) > previewWidth+1 || p[2] != "three" {
		t.Errorf("%q", p)
	}
	if p := ends[1].Preview; len(p) != 1 || p[0] != "two lines" {
		t.Errorf("%q", p)
	}
	if p := ends[2].Preview; len(p) != 0 {
		t.Errorf("%q", p)
	}
}

func TestAdviceForModelsIsNotReportedOfThePilot(t *testing.T) {
	h := newFixture(t)
	h.add(toolspec.Definition{Name: "fails"}, func(context.Context, toolspec.Call, func(stream, text string)) (
		toolspec.Result, error,
	) {
		return toolspec.Fail(toolspec.UserError, "there is no [99]", "Call annotate_page."), nil
	})
	call := called("fails", `{}`)
	call.From.Caller = toolspec.CallerPilot
	if got := h.do(call); got.Suggestion != "Call annotate_page." {
		t.Errorf("the pilot got %+v", got)
	}
	h.do(called("fails", `{}`))
	var advice []string
	for _, end := range eventsOf[event.CallEnd](h, event.CallEnded) {
		advice = append(advice, end.Suggestion)
	}
	if diff := cmp.Diff([]string{"", "Call annotate_page."}, advice); diff != "" {
		t.Errorf("reported (-want +got):\n%s", diff)
	}
}
