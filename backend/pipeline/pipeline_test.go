package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"sextant/backend/policy"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

func TestCallStartHasTimeout(t *testing.T) {
	h := newFixture(t)
	h.add(toolspec.Definition{Name: "echo", TimeoutMS: 5000}, echo)
	for i, c := range []struct{ own, want int }{{0, 5000}, {1500, 1500}, {9000, 5000}} {
		h.descs["echo"] = toolspec.Description{Sentence: "Echoing", LimitMS: c.own}
		h.do(called("echo", fmt.Sprintf(`{"x":"%d"}`, i)))
		if start := eventsOf[event.CallStart](h, event.CallStarted)[i]; start.TimeoutMS != c.want {
			t.Errorf("%d by its arguments: got %d, want %d", c.own, start.TimeoutMS, c.want)
		}
	}
}

func TestCallIsPublishedAndRecorded(t *testing.T) {
	h := newFixture(t)
	h.add(toolspec.Definition{Name: "echo", TimeoutMS: 5000}, echo)
	h.descs["echo"] = toolspec.Description{Sentence: "Echoing"}
	got := h.do(called("echo", `{"x":"a"}`))
	if !got.Success || got.ModelText() != `{"n":1,"x":"a"}` {
		t.Fatalf("%+v %s", got, got.ModelText())
	}
	start, end := eventsOf[event.CallStart](h, event.CallStarted)[0], eventsOf[event.CallEnd](h, event.CallEnded)[0]
	if start.Sentence != "Echoing" || start.TimeoutMS != 5000 || start.Caller != toolspec.CallerModel ||
		string(start.Args) != `{"n":1,"x":"a"}` {
		t.Fatalf("%+v", start)
	}
	if end.Status != event.CallDone || end.Sentence != "Echoed" || end.Output != `{"n":1,"x":"a"}` {
		t.Fatalf("%+v", end)
	}
	all, _ := h.events.EventsAfter(context.Background(), 0, 10)
	for _, e := range all {
		if e.Conversation != "talk" || e.Turn != "t1" || !strings.HasPrefix(e.Call, "c_") {
			t.Fatalf("%+v", e)
		}
	}
	row := h.rows()[0]
	if row.Status != "done" || row.Decision != "allowed" || row.Sentence != "Echoed" || row.ID != all[0].Call {
		t.Fatalf("%+v", row)
	}
	if len(h.RunningCalls()) != 0 {
		t.Fatalf("%+v", h.RunningCalls())
	}
}

func TestUnknownToolSuggestsNearest(t *testing.T) {
	h := newFixture(t)
	h.add(toolspec.Definition{Name: "navigate_page"}, echo)
	got := h.do(called("navigatePage", `{"url":"x"}`))
	if got.ErrorType != toolspec.ValidationError || !strings.Contains(got.Error, "nearest: navigate_page") ||
		!strings.HasPrefix(got.Error, `navigatePage(url="x"): `) {
		t.Fatalf("%+v", got)
	}
	if h.times("navigate_page") != 0 || h.rows()[0].Status != "failed" ||
		len(eventsOf[event.CallEnd](h, event.CallEnded)) != 1 {
		t.Fatalf("%+v", h.rows())
	}
}

func TestRefusedCallIsRecordedAndRunsNothing(t *testing.T) {
	h := newFixture(t)
	h.add(toolspec.Definition{Name: "echo"}, echo)
	call := called("echo", `{}`)
	bad := toolspec.Fail(toolspec.ValidationError, "line 2, column 4: expected a value", "Send it again.")
	call.Refused = &bad
	got := h.do(call)
	if got.Success || !strings.Contains(got.Error, "line 2, column 4") || got.Suggestion != "Send it again." {
		t.Errorf("%+v", got)
	}
	rows := h.rows()
	if len(rows) != 1 || rows[0].Tool != "echo" || rows[0].Status != "failed" || h.times("echo") != 0 {
		t.Errorf("%+v", rows)
	}
}

func TestInvalidArgumentsRunNothing(t *testing.T) {
	h := newFixture(t)
	h.add(toolspec.Definition{Name: "echo"}, echo)
	for _, args := range []string{`{"n":"5"}`, `[]`, `{`, `{"y":1}`} {
		t.Run(args, func(t *testing.T) {
			got := h.do(called("echo", args))
			if got.Success || got.ErrorType != toolspec.ValidationError || got.Suggestion == "" {
				t.Errorf("%s: %+v", args, got)
			}
		})
	}
	if h.times("echo") != 0 {
		t.Fatal("it ran")
	}
}

func TestRepeatedReadIsAnsweredFromCache(t *testing.T) {
	h := newFixture(t)
	h.add(toolspec.Definition{Name: "look", Hints: toolspec.Hints{ReadOnly: true}}, echo)
	h.add(toolspec.Definition{Name: "page", Group: "environment", Hints: toolspec.Hints{ReadOnly: true}}, echo)
	h.add(toolspec.Definition{Name: "remote", Hints: toolspec.Hints{ReadOnly: true, OpenWorld: true}}, echo)
	h.add(toolspec.Definition{Name: "file", Group: "files", Hints: toolspec.Hints{ReadOnly: true}}, echo)
	h.add(toolspec.Definition{Name: "machine", Group: "shell", Hints: toolspec.Hints{ReadOnly: true}}, echo)
	h.add(toolspec.Definition{Name: "change"}, echo)
	h.do(called("look", `{"x":"a","n":1}`))
	again := h.do(called("look", `{"x":"a"}`))
	if h.times("look") != 1 || !strings.Contains(again.ModelText(), "same call") ||
		!strings.Contains(again.ModelText(), `{"n":1,"x":"a"}`) {
		t.Fatalf("ran %d times: %s", h.times("look"), again.ModelText())
	}
	if row := h.rows()[0]; row.Decision != "repeated" || row.Status != "done" {
		t.Fatalf("%+v", row)
	}
	h.do(called("look", `{"x":"b"}`))
	other := called("look", `{"x":"a"}`)
	other.From.Turn = "t2"
	h.do(other)
	if h.times("look") != 3 {
		t.Fatalf("ran %d times", h.times("look"))
	}
	h.do(called("change", `{}`))
	h.do(called("look", `{"x":"a"}`))
	if h.times("look") != 4 {
		t.Fatal("it was answered from before though something changed")
	}
	h.EndTurn("t1")
	h.do(called("look", `{"x":"a"}`))
	for range 2 {
		h.do(called("page", `{}`))
		h.do(called("remote", `{}`))
		h.do(called("file", `{}`))
		h.do(called("machine", `{}`))
	}
	if h.times("file") != 2 || h.times("machine") != 2 {
		t.Errorf("file %d, machine %d", h.times("file"), h.times("machine"))
	}
	if h.times("look") != 5 || h.times("page") != 2 || h.times("remote") != 2 {
		t.Fatalf("look %d, page %d, remote %d", h.times("look"), h.times("page"), h.times("remote"))
	}
}

func TestBlockedHostIsRefusedAndTypedHostIsAllowed(t *testing.T) {
	h := newFixture(t)
	h.add(toolspec.Definition{Name: "navigate_page", Group: "environment"}, echo)
	go1 := called("navigate_page", `{"url":"http://127.0.0.1:8080/"}`)
	got := h.do(go1)
	if got.ErrorType != toolspec.PermissionError || h.times("navigate_page") != 0 || h.rows()[0].Status != "refused" {
		t.Fatalf("%+v", got)
	}
	typed := go1
	typed.From.TypedHosts = []string{"127.0.0.1:8080"}
	if got := h.do(typed); !got.Success {
		t.Fatalf("%+v", got)
	}
	if got := h.do(go1); !got.Success {
		t.Fatalf("a host that was opened is closed again: %+v", got)
	}
	elsewhere := go1
	elsewhere.From.Session = "mcp-1"
	if got := h.do(elsewhere); got.Success {
		t.Fatal("another session may go where this one's person went")
	}
	if !h.IsHostAllowed("", "127.0.0.1:8080") || h.IsHostAllowed("", "127.0.0.1:9090") ||
		h.IsHostAllowed("mcp-1", "127.0.0.1:8080") {
		t.Fatal("IsHostAllowed is wrong")
	}
	h.hosts.open("mcp-1", []string{"127.0.0.1:8080"})
	if got := h.do(elsewhere); !got.Success {
		t.Fatalf("%+v", got)
	}
}

func TestApprovalIsAskedAndAnswered(t *testing.T) {
	h := newFixture(t)
	h.add(toolspec.Definition{
		Name: "drop", Origin: toolspec.OriginPanel, Owner: "db",
		Hints: toolspec.Hints{Confirm: true},
	}, echo)
	done := h.start(called("drop", `{"x":"a"}`))
	if q := h.question(); q.Question == "" || string(q.Args) != `{"n":1,"x":"a"}` || h.times("drop") != 0 {
		t.Fatalf("%+v", q)
	}
	h.answer(event.AnswerDeny, "use the other table")
	got := <-done
	if got.ErrorType != toolspec.PermissionError || !strings.Contains(got.Error, "use the other table") ||
		h.times("drop") != 0 {
		t.Fatalf("%+v", got)
	}
	if end := eventsOf[event.CallEnd](h, event.CallEnded)[0]; end.Status != event.CallDeclined ||
		end.Reason != "use the other table" {
		t.Fatalf("%+v", end)
	}
	for range 2 { // once is once
		done = h.start(called("drop", `{"x":"a"}`))
		h.answer(event.AnswerOnce, "")
		if got := <-done; !got.Success {
			t.Fatalf("%+v", got)
		}
	}
	done = h.start(called("drop", `{"x":"a"}`))
	h.answer(event.AnswerAlways, "")
	<-done
	if got := h.do(called("drop", `{"x":"b"}`)); !got.Success || h.rows()[0].Decision != "granted" {
		t.Fatalf("%+v", got)
	}
	grants, err := h.store.Grants(context.Background())
	if err != nil || len(grants) != 1 {
		t.Fatalf("%+v, %v", grants, err)
	}
	if err := h.store.RevokeGrant(context.Background(), grants[0].ID); err != nil {
		t.Fatal(err)
	}
	alone := called("drop", `{"x":"b"}`)
	alone.From.Interactive = false
	if got := h.do(alone); got.ErrorType != toolspec.PermissionError || got.Suggestion == "" {
		t.Fatalf("%+v", got)
	}
}

func TestCallChangedDuringApprovalDoesNotRun(t *testing.T) {
	h := newFixture(t)
	h.add(toolspec.Definition{Name: "drop", Origin: toolspec.OriginPanel, Hints: toolspec.Hints{Confirm: true}}, echo)
	describe := func(d toolspec.Description) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.descs["drop"] = d
	}
	shop := toolspec.Description{
		Target: "log in to shop", Data: "cv.pdf", Hosts: []string{"shop.example"},
		Annotation: 3,
	}
	others := []toolspec.Description{shop, shop, shop, shop}
	others[0].Target, others[1].Data, others[2].Hosts, others[3].Annotation = "log in to other", "key.pem",
		[]string{"other.example"}, 4
	for _, other := range others {
		describe(shop)
		done := h.start(called("drop", `{}`))
		h.question()
		describe(other)
		h.answer(event.AnswerAlways, "")
		if got := <-done; got.ErrorType != toolspec.PermissionError || h.times("drop") != 0 ||
			h.rows()[0].Status != "refused" {
			t.Fatalf("%+v: %+v", other, got)
		}
	}
	if grants, err := h.store.Grants(context.Background()); err != nil || len(grants) != 0 {
		t.Fatalf("%+v, %v", grants, err)
	}
}

func TestStricterModeAppliesAfterAnswer(t *testing.T) {
	h := newFixture(t)
	h.add(toolspec.Definition{Name: "drop", Origin: toolspec.OriginPanel, Hints: toolspec.Hints{Confirm: true}}, echo)
	done := h.start(called("drop", `{}`))
	h.question()
	h.setMode(policy.ModeReadOnly)
	h.answer(event.AnswerOnce, "")
	if got := <-done; got.Success || h.times("drop") != 0 || h.rows()[0].Status != "refused" {
		t.Fatalf("%+v", got)
	}
}

func TestExecutorFaultsBecomeResults(t *testing.T) {
	h := newFixture(t)
	fault := func(r toolspec.Result, err error) toolFunc {
		return func(context.Context, toolspec.Call, func(string, string)) (toolspec.Result, error) { return r, err }
	}
	h.add(toolspec.Definition{Name: "errs"}, fault(toolspec.Result{}, errors.New("broken pipe")))
	late := fmt.Errorf("closing tab 6: %w", context.DeadlineExceeded)
	h.add(toolspec.Definition{Name: "late"}, fault(toolspec.Result{}, late))
	h.add(toolspec.Definition{Name: "mute"}, fault(toolspec.Result{}, nil))
	h.add(toolspec.Definition{Name: "odd"}, fault(toolspec.OK(func() {}), nil))
	h.add(toolspec.Definition{Name: "panics"},
		func(context.Context, toolspec.Call, func(string, string)) (toolspec.Result, error) {
			panic("nil map")
		})
	h.add(toolspec.Definition{Name: "nobody", Origin: toolspec.OriginCreated}, echo)
	for _, tool := range []string{"errs", "late", "mute", "odd", "panics", "nobody"} {
		t.Run(tool, func(t *testing.T) {
			got := h.do(called(tool, `{"x":"a"}`))
			if got.Success || got.ErrorType != toolspec.SystemError ||
				!strings.HasPrefix(got.Error, tool+`(n=1, x="a"): `) {
				t.Errorf("%s: %+v", tool, got)
			}
			if tool == "late" && !strings.HasSuffix(got.Error, "closing tab 6: no answer in time") {
				t.Errorf("%s: %s", tool, got.Error)
			}
		})
	}
	for _, row := range h.rows() {
		if row.Status != "failed" {
			t.Errorf("%+v", row)
		}
	}
	if n, err := h.audit.Verify(context.Background()); n != 12 || err != nil {
		t.Fatalf("%d %v", n, err)
	}
}

func TestNothingRunsWithoutIntentOnDisk(t *testing.T) {
	h := newFixture(t)
	h.add(toolspec.Definition{Name: "change"}, echo)
	first := called("change", `{}`)
	first.ID = "same"
	if got := h.do(first); !got.Success {
		t.Fatalf("%+v", got)
	}
	if got := h.do(first); got.Success || got.ErrorType != toolspec.SystemError || h.times("change") != 1 {
		t.Fatalf("%+v, ran %d times", got, h.times("change"))
	}
}

func TestPicturesBecomeBlobs(t *testing.T) {
	h := newFixture(t)
	png := []byte("\x89PNG\r\n\x1a\nrest")
	h.add(toolspec.Definition{Name: "shot"}, func(context.Context, toolspec.Call,
		func(string, string),
	) (toolspec.Result, error) {
		return toolspec.Result{
			Success: true, Text: "a picture",
			Images: []toolspec.Image{{MIME: "image/png", Data: png}},
		}, nil
	})
	if got := h.do(called("shot", `{}`)); len(got.Images) != 1 {
		t.Fatalf("%+v", got)
	}
	end := eventsOf[event.CallEnd](h, event.CallEnded)[0]
	f, info, err := h.blobs.Open(end.Images[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if b, _ := io.ReadAll(f); !bytes.Equal(b, png) || info.MIME != "image/png" {
		t.Fatalf("%+v", info)
	}
}

func TestSecretsAreInNoEventRowOrError(t *testing.T) {
	h := newFixture(t)
	open := []byte(`{"type":"object"}`)
	h.add(toolspec.Definition{Name: "fail", Parameters: open},
		func(context.Context, toolspec.Call, func(string, string)) (toolspec.Result, error) {
			return toolspec.Fail(toolspec.UserError, "no", ""), nil
		})
	args := `{"apiKey":"s3cret","headers":{"X-Auth-Token":"s3cret","a":[{"password":"s3cret"}]},"max_tokens":5,"url":"https://a.example/` + strings.Repeat(
		"y",
		500,
	) + `"}`
	got := h.do(called("fail", args))
	row := h.rows()[0]
	for name, text := range map[string]string{
		"error": got.Error, "row": string(row.Args),
		"event": string(eventsOf[event.CallStart](h, event.CallStarted)[0].Args),
	} {
		t.Run(name, func(t *testing.T) {
			if strings.Contains(text, "s3cret") || !strings.Contains(text, "max_tokens") {
				t.Errorf("%s: %s", name, text)
			}
		})
	}
	if len(got.Error) > 500 {
		t.Errorf("the error is %d bytes", len(got.Error))
	}
}

func TestConcurrentCallsAreIndependent(t *testing.T) {
	h := newFixture(t)
	h.add(toolspec.Definition{Name: "echo"}, func(ctx context.Context, call toolspec.Call,
		out func(string, string),
	) (toolspec.Result, error) {
		out("stdout", call.ID)
		return echo(ctx, call, out)
	})
	const calls = 24
	var waiting []chan toolspec.Result
	for i := range calls {
		waiting = append(waiting, h.start(called("echo", fmt.Sprintf(`{"n":%d}`, i))))
	}
	for i, done := range waiting {
		if got := <-done; got.ModelText() != fmt.Sprintf(`{"n":%d}`, i) {
			t.Errorf("call %d got %s", i, got.ModelText())
		}
	}
	stored, _ := h.events.EventsAfter(context.Background(), 0, 1000)
	byCall := map[string][]event.Kind{}
	for _, e := range stored {
		byCall[e.Call] = append(byCall[e.Call], e.Kind)
	}
	for id, kinds := range byCall {
		if !slices.Equal(kinds, []event.Kind{event.CallStarted, event.CallOutput, event.CallEnded}) {
			t.Errorf("%s: %v", id, kinds)
		}
	}
	if n, err := h.audit.Verify(context.Background()); n != 2*calls || err != nil {
		t.Fatalf("%d %v", n, err)
	}
}
