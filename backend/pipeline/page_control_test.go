package pipeline

import (
	"context"
	"strings"
	"sync"
	"testing"

	"sextant/shared/toolspec"
)

// page is a window's page that a person can take over.
type page struct {
	mu       sync.Mutex
	taken    bool
	returned chan struct{}
	actors   []toolspec.Caller
}

func (p *page) TakenOver() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.taken
}

func (p *page) WaitReturned(ctx context.Context) error {
	select {
	case <-p.returned:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *page) SetActor(caller toolspec.Caller) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.actors = append(p.actors, caller)
}

// onPage is a fixture whose tools act on the surface that resolve returns.
type onPage struct {
	*fixture
	resolve  func(call toolspec.Call) *toolspec.Surface
	resolved int
}

func (o *onPage) Surface(call toolspec.Call) *toolspec.Surface {
	o.resolved++
	return o.resolve(call)
}

func TestCallsDuringTakeOver(t *testing.T) {
	window := &toolspec.Surface{}
	for _, c := range []struct {
		name    string
		taken   bool
		surface *toolspec.Surface
		reads   bool
		caller  toolspec.Caller
		want    string
		actors  int
	}{
		{name: "nobody has it", surface: window, caller: toolspec.CallerHTTP, actors: 2},
		{
			name: "a person has it", taken: true, surface: window, caller: toolspec.CallerHTTP,
			want: "the person has taken over",
		},
		{name: "reading is allowed", taken: true, surface: window, reads: true, caller: toolspec.CallerHTTP, actors: 2},
		{name: "the person acts", taken: true, surface: window, caller: toolspec.CallerPerson, actors: 1},
		{name: "tabs of a program", taken: true, surface: &toolspec.Surface{Session: "s"}, caller: toolspec.CallerHTTP},
		{
			name: "the page of a panel", taken: true, surface: &toolspec.Surface{Panel: "notes"},
			caller: toolspec.CallerHTTP,
		},
		{name: "no page at all", taken: true, caller: toolspec.CallerHTTP},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newFixture(t)
			p := &page{taken: c.taken}
			h.cfg.PageControl = p
			o := &onPage{fixture: h, resolve: func(toolspec.Call) *toolspec.Surface { return c.surface }}
			h.Register(toolspec.OriginBaseline, o)
			h.add(toolspec.Definition{Name: "act", Hints: toolspec.Hints{ReadOnly: c.reads, Inert: true}}, echo)
			call := called("act", `{}`)
			call.From = toolspec.Provenance{Caller: c.caller}
			got := h.do(call)
			if got.Success != (c.want == "") || !strings.Contains(got.Error, c.want) {
				t.Errorf("%+v", got)
			}
			if o.resolved != 1 || len(p.actors) != c.actors {
				t.Errorf("resolved %d times, actors %q", o.resolved, p.actors)
			}
		})
	}
}

func TestCallOfTurnWaitsForPage(t *testing.T) {
	h := newFixture(t)
	p := &page{taken: true, returned: make(chan struct{})}
	h.cfg.PageControl = p
	h.Register(toolspec.OriginBaseline, &onPage{
		fixture: h,
		resolve: func(toolspec.Call) *toolspec.Surface { return &toolspec.Surface{} },
	})
	h.add(toolspec.Definition{Name: "act", Hints: toolspec.Hints{Inert: true}}, echo)
	done := h.start(called("act", `{}`))
	close(p.returned)
	if got := <-done; got.ErrorType != toolspec.PermissionError || !strings.Contains(got.Error, "has given it back") ||
		h.times("act") != 0 {
		t.Errorf("%+v, ran %d times", got, h.times("act"))
	}
}
