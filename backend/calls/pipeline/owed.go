package pipeline

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"sextant/backend/record/audit"
	"sextant/backend/record/space"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// maxOwed bounds the rows that are kept for later; of calls that did not begin to act, those beyond are
// counted.
const maxOwed = 200

// owed is the row of a call that ran and could not be written down.
type owed struct {
	row audit.Row
	out audit.Outcome
	// begun is true when the row before the call is on disk.
	begun bool
	why   string
}

// owe keeps what the audit log did not take of a call that is over, for pay.
func (p *Pipeline) owe(o owed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.owed) >= maxOwed && !o.begun { // those that began are no more than ran when the disk was full
		p.dropped++
		return
	}
	p.owed = append(p.owed, o)
}

// Settle writes down what found no room on the disk: rows of the audit log and events. Call it when
// there is room again; the next call does it, too.
func (p *Pipeline) Settle(ctx context.Context) error { return p.pay(ctx) }

// maxUnheard bounds the events that are kept for later.
const maxUnheard = 400

// unheard are events that found no room on the disk, in order. While there are some, what comes
// after waits behind them.
type unheard struct {
	mu     sync.Mutex
	events []event.Event
}

// shower is a Recorder that also shows what cannot be stored just now; *events.Recorder is one.
type shower interface {
	Show(events ...event.Event)
}

// publish stores e, or keeps it for later and shows it. The events of a call that acted are kept
// however many there are.
func (u *unheard) publish(ctx context.Context, to Recorder, e event.Event, acted bool) error {
	u.mu.Lock()
	behind := len(u.events) > 0
	u.mu.Unlock()
	var err error
	if !behind { // not under the lock: events that come together share one flush of the disk
		if _, err = to.Publish(ctx, e); !space.IsFull(err) {
			return err
		}
	}
	if s, ok := to.(shower); ok {
		s.Show(e)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if e.Kind != event.CallOutput && (acted || len(u.events) < maxUnheard) { // what it put out stands in its end, too
		u.events = append(u.events, e)
	}
	return err
}

// pay stores what waits.
func (u *unheard) pay(ctx context.Context, to Recorder) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.events) == 0 {
		return nil
	}
	if _, err := to.Publish(ctx, u.events...); err != nil {
		return fmt.Errorf("events of earlier calls are not stored (%d): %w", len(u.events), err)
	}
	u.events = nil
	return nil
}

// pay writes down what the audit log did not take of earlier calls, each row saying so. While
// that fails nothing more runs, not even what only reads: the log is to be whole.
func (p *Pipeline) pay(ctx context.Context) error {
	p.paying.Lock()
	defer p.paying.Unlock()
	for {
		p.mu.Lock()
		if len(p.owed) == 0 {
			p.mu.Unlock()
			return p.unheard.pay(context.WithoutCancel(ctx), p.cfg.Recorder)
		}
		o, dropped, left := p.owed[0], p.dropped, len(p.owed)
		p.mu.Unlock()
		if err := p.late(context.WithoutCancel(ctx), o, dropped); err != nil {
			return fmt.Errorf("earlier calls have no row in the audit log (%d): %w", left+dropped, err)
		}
		p.cfg.Log.Warn("an audit row is written late", "call", o.row.ID, "because", o.why)
		p.mu.Lock()
		p.owed, p.dropped = p.owed[1:], 0
		p.mu.Unlock()
	}
}

// late writes one owed row; dropped is how many calls before it are not written at all.
func (p *Pipeline) late(ctx context.Context, o owed, dropped int) error {
	if o.begun && p.cfg.Audit.Done(ctx, o.row.ID, o.out) == nil {
		return nil
	}
	// Under an id of its own: that the old one is taken may be what was wrong.
	row := o.row
	row.ID += "~" + strings.TrimPrefix(newID(""), "_")
	said := "Written late, because its row could not be written when it ran: " + o.why + "."
	if dropped > 0 {
		said += fmt.Sprintf(" %d more calls that did not run or only read have no row.", dropped)
	}
	row.Reason = strings.TrimSpace(row.Reason + " " + said)
	return p.cfg.Audit.Record(ctx, row, o.out)
}

// unwritten is the answer of a call that did not run because the audit log takes no rows.
func unwritten(what string) *toolspec.Result {
	r := toolspec.Fail(toolspec.SystemError, what+", so it did not run",
		"Nothing was changed. Check that the disk is not full and the call's id is new, then try again.")
	return &r
}
