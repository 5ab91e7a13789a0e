package pipeline

import (
	"context"
	"strings"
	"testing"
	"time"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// A program may call at once what it has saved up, then waits for each call, and many calls at once are refused. Other
// callers are not held up.
func TestCallRateIsLimited(t *testing.T) {
	h := newFixture(t)
	h.add(toolspec.Definition{Name: "look", Hints: toolspec.Hints{ReadOnly: true}}, echo)
	h.descs["look"] = toolspec.Description{SecretArgs: []string{"x"}}
	now := time.Now()
	h.cfg.Now, h.rates.perSecond = func() time.Time { return now }, 4
	call := func(caller toolspec.Caller) toolspec.Result {
		c := called("look", `{"x":"hunter2"}`)
		c.From.Caller = caller
		return h.Do(context.Background(), c)
	}
	for i := range 4*burstSeconds + 2 { // the last two wait for their turn
		if r := call(toolspec.CallerMCP); !r.Success {
			t.Fatalf("call %d: %+v", i, r)
		}
	}
	r := call(toolspec.CallerMCP)
	if r.Success || !strings.Contains(r.Error, "more than 4 calls a second") ||
		!strings.Contains(r.Suggestion, "Wait 1 s") {
		t.Fatalf("%+v", r)
	}
	ends := eventsOf[event.CallEnd](h, event.CallEnded)
	if last := ends[len(ends)-1]; last.Status != event.CallRefused {
		t.Errorf("%+v", last)
	}
	row := h.rows()[0]
	if args := string(row.Args); strings.Contains(args+row.Error, "hunter2") || !strings.Contains(args, hidden) {
		t.Errorf("the secret argument of a refused call is recorded: %+v", row)
	}
	for _, caller := range []toolspec.Caller{toolspec.CallerPerson, toolspec.CallerHTTP} {
		if r := call(caller); !r.Success {
			t.Errorf("%s: %+v", caller, r)
		}
	}
	now = now.Add(time.Second)
	if r := call(toolspec.CallerMCP); !r.Success {
		t.Errorf("after a second: %+v", r)
	}
}

// What the model said before a call is shown with it, unless the call says itself what it is for.
func TestPurposeOfCallIsShown(t *testing.T) {
	h := newFixture(t)
	h.add(toolspec.Definition{Name: "look", Hints: toolspec.Hints{ReadOnly: true}, Still: true}, echo)
	for _, note := range []string{"", "List the shops"} {
		h.descs["look"] = toolspec.Description{Note: note}
		c := called("look", `{}`)
		c.Purpose = "First I look\nat the \u202eshops."
		if r := h.Do(context.Background(), c); !r.Success {
			t.Fatalf("%+v", r)
		}
	}
	starts := eventsOf[event.CallStart](h, event.CallStarted)
	if len(starts) != 2 || starts[0].Purpose != `First I look at the \u202eshops.` ||
		starts[1].Purpose != "List the shops" || !starts[0].Still {
		t.Errorf("%+v", starts)
	}
}
