package pipeline

import (
	"context"
	"sync"

	"sextant/backend/store/diskspace"
	"sextant/shared/event"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

func (p *Pipeline) announce(ctx context.Context, c *callState) {
	if c.announced {
		return
	}
	start := event.CallStart{
		CallRequest: p.request(c), Owner: c.def.Owner, TimeoutMS: c.timeout(),
		ReadsOnly: c.def.Hints.ReadOnly && !c.desc.ScrollsPage, ParentCall: c.call.ParentCall,
		Elements: c.desc.Elements, Purpose: c.desc.Note, Still: c.def.Still,
	}
	start.Sentence = c.sentence()
	if c.call.From.Caller != toolspec.CallerApp {
		start.AppURI = c.def.AppURI
	}
	p.publish(ctx, c, event.New(event.CallStarted, start))
	c.announced = true
}

// request returns the call without secrets, as far as it is known before it runs.
func (p *Pipeline) request(c *callState) event.CallRequest {
	return event.CallRequest{
		Tool: c.call.Tool, Args: p.shownArgs(c), Origin: c.def.Origin,
		Caller: c.call.From.Caller, Client: c.call.From.Client, Sentence: c.desc.Sentence,
	}
}

func (c *callState) sentence() string {
	if c.desc.Sentence != "" {
		return c.desc.Sentence
	}
	return "Calling " + excerpt.TruncateRunes(c.call.Tool, maxValue)
}

// timeout returns the longest running time in milliseconds, by the arguments and the tool's deadline.
func (c *callState) timeout() int {
	if own := c.desc.LimitMS; own > 0 {
		return min(own, c.def.TimeLimitMS())
	}
	return c.def.TimeLimitMS()
}

// publish stores an event of the call after its earlier events. No effect depends on its success, because only the
// intent must be on disk before an effect.
func (p *Pipeline) publish(ctx context.Context, c *callState, e event.Event) {
	optional := c.optional()
	c.writes.add(func() { p.store(ctx, c, e, optional) })
}

// optional reports whether events of the call may be dropped if too many wait for a full disk. Only events of calls
// without an effect may.
func (c *callState) optional() bool { return !c.intent || c.readsOnly() }

func (p *Pipeline) store(ctx context.Context, c *callState, e event.Event, optional bool) {
	e = e.InTurn(c.call.From.ShownIn()).OfCall(c.call.ID)
	// A stopped call is still reported.
	err := p.cfg.Pending.Publish(context.WithoutCancel(ctx), e.Conversation, optional, e)
	switch {
	case diskspace.IsFull(err):
		p.cfg.Log.Warn("event of a call waits for disk space", "kind", e.Kind, "call", c.call.ID, "err", err)
	case err != nil:
		p.cfg.Log.Error("event of a call not stored", "kind", e.Kind, "call", c.call.ID, "err", err)
	}
}

// queue runs functions in order in the background, so that writes do not delay the call. The zero value is ready to
// use. It is safe for concurrent use.
type queue struct {
	mu      sync.Mutex
	waiting []func()
	running bool
	left    sync.WaitGroup
}

func (q *queue) add(do func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.left.Add(1)
	q.waiting = append(q.waiting, do)
	if !q.running {
		q.running = true
		go q.work()
	}
}

func (q *queue) wait() { q.left.Wait() }

func (q *queue) work() {
	for {
		q.mu.Lock()
		if len(q.waiting) == 0 {
			q.running = false
			q.mu.Unlock()
			return
		}
		do := q.waiting[0]
		q.waiting = q.waiting[1:]
		q.mu.Unlock()
		do()
		q.left.Done()
	}
}
