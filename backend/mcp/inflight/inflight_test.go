package inflight

import (
	"math"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/shared/toolspec"
)

func TestFindOnlyCall(t *testing.T) {
	var r Registry
	first, end := r.Begin(t.Context(), toolspec.Call{ID: "a"})
	if c := r.Find(t.Context(), nil); c == nil || c.Request.ID != "a" {
		t.Errorf("got %+v", c)
	}
	_, end2 := r.Begin(t.Context(), toolspec.Call{ID: "b"})
	if c := r.Find(t.Context(), nil); c != nil {
		t.Errorf("of two calls it was given to %+v", c)
	}
	if c := r.Find(first, nil); c == nil || c.Request.ID != "a" {
		t.Errorf("got %+v", c)
	}
	FromContext(first).SetTask("t1")
	related := map[string]any{"io.modelcontextprotocol/related-task": map[string]any{"taskId": "t1"}}
	if c := r.Find(t.Context(), related); c == nil || c.Request.ID != "a" {
		t.Errorf("got %+v", c)
	}
	end()
	end2()
	if !r.IsIdle() {
		t.Error("a call that ended is still under way")
	}
}

func TestProgressLine(t *testing.T) {
	for want, p := range map[string]sdk.ProgressNotificationParams{
		"40% · 2 of 5":  {Progress: 2, Total: 5},
		"100% · over":   {Progress: 9, Total: 5, Message: "over"},
		"0% · before":   {Progress: -1, Total: 5, Message: "before"},
		"just words":    {Progress: 3, Message: "just words"},
		"Progress: 2.5": {Progress: 2.5},
		"":              {Progress: math.NaN()},
		"still":         {Progress: math.Inf(1), Total: math.Inf(1), Message: "still"},
	} {
		t.Run(want, func(t *testing.T) {
			if got := progressLine(&p); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

func TestNewestProgressIsReported(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var heard strings.Builder
		p := &progressReporter{output: func(stream, text string) {
			mu.Lock()
			defer mu.Unlock()
			heard.WriteString(stream + ": " + text)
		}}
		for range 1000 {
			p.report("busy")
		}
		p.report("last")
		time.Sleep(2 * reportInterval)
		p.end()
		p.report("late")
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		if got := heard.String(); got != "progress: busy\nprogress: last\n" {
			t.Errorf("heard %q", got)
		}
	})
}
