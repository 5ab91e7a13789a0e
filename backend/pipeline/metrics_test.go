package pipeline

import (
	"context"
	"sync"
	"testing"
	"time"

	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// fixedClock advances by a second whenever it is read.
func fixedClock() func() time.Time {
	var mu sync.Mutex
	at := time.Now()
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		at = at.Add(time.Second)
		return at
	}
}

func TestCallMetrics(t *testing.T) {
	h := newFixture(t)
	h.cfg.Now = fixedClock()
	asks := toolspec.Definition{Name: "act", Origin: toolspec.OriginBaseline, Hints: toolspec.Hints{Confirm: true}}
	h.add(asks, func(context.Context, toolspec.Call, func(stream, text string)) (toolspec.Result, error) {
		return toolspec.OK("0123456789abcdef"), nil
	})
	for _, answer := range []event.Answer{event.AnswerOnce, event.AnswerDeny} {
		done := h.start(called("act", `{}`))
		h.answer(answer, "")
		<-done
	}
	// Nobody answers this one.
	call := called("act", `{}`)
	call.ID = "c_left"
	done := h.start(call)
	h.question()
	h.Cancel(call.ID)
	<-done
	h.do(called("no_such_tool", `{}`))

	var m wire.Metrics
	until(t, "four measured calls", func() bool {
		var err error
		if m, err = h.store.Metrics(context.Background(), wire.MetricsAll, "", h.cfg.Now()); err != nil {
			t.Fatal(err)
		}
		return len(m.Tools) == 2 && m.Tools[0].Calls+m.Tools[1].Calls == 4
	})
	q := m.Questions
	if q.Asked != 3 || q.Allowed != 1 || q.Denied != 1 || q.Unanswered != 1 || q.P50MS < 1000 {
		t.Errorf("questions %+v", q)
	}
	act := m.Tools[0]
	if act.Tool != "act" || act.Completed != 1 || act.Declined != 1 || act.Stopped != 1 || act.Failed != 0 ||
		act.Tokens < 4 {
		t.Errorf("act %+v", act)
	}
	if none := m.Tools[1]; none.Tool != "" || none.Failed != 1 || none.Completed != 0 {
		t.Errorf("a tool that does not exist %+v", none)
	}
}
