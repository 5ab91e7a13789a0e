package pipeline

import (
	"context"
	"fmt"
	"strings"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

const auditKey = "audit"

// intent writes the intent of a call and publishes its start. A call that can have an effect does not run without this
// row.
func (p *Pipeline) intent(ctx context.Context, c *callState) *toolspec.Result {
	if err := p.flush(ctx, c); err != nil {
		p.cfg.Log.Error("audit rows are still not written", "call", c.call.ID, "err", err)
		return notRecorded(err.Error())
	}
	row := p.auditRow(c)
	if c.readsOnly() {
		p.announce(ctx, c)
		c.intent = true
		c.writes.add(func() {
			if err := p.cfg.Audit.WriteIntent(context.WithoutCancel(ctx), row); err != nil {
				// Both rows are written together when the call has ended.
				c.intentFailed = true
				p.cfg.Log.Error("intent not written", "call", c.call.ID, "err", err)
			}
		})
		return nil
	}
	if err := p.cfg.Audit.WriteIntent(context.WithoutCancel(ctx), row); err != nil {
		p.cfg.Log.Error("intent not written", "call", c.call.ID, "err", err)
		return notRecorded("its audit row could not be written: " + err.Error())
	}
	c.intent = true
	p.announce(ctx, c)
	return nil
}

func (p *Pipeline) auditRow(c *callState) event.CallIntent {
	row := c.row
	row.ID, row.CallRequest, row.Target, row.Grant = c.call.ID, p.request(c), c.desc.Target, c.decision.GrantID
	row.Conversation, row.Turn = c.call.From.ShownIn()
	return row
}

func notRecorded(what string) *toolspec.Result {
	r := toolspec.Fail(toolspec.SystemError, what+", so it did not run",
		"Nothing was changed. Check that the data folder is there, its disk is not full and the call's id is new, "+
			"then try again.")
	return &r
}

// flush writes the audit rows and events of earlier calls that a full disk rejected. If that fails, the call does not
// run, because the audit log must be complete.
func (p *Pipeline) flush(ctx context.Context, c *callState) error {
	ctx = context.WithoutCancel(ctx)
	if err := p.cfg.Pending.Flush(ctx, auditKey); err != nil {
		p.mu.Lock()
		missing := p.cfg.Pending.Len(auditKey) + p.dropped
		p.mu.Unlock()
		return fmt.Errorf("earlier calls have no row in the audit log (%d): %w", missing, err)
	}
	conversation, _ := c.call.From.ShownIn()
	if err := p.cfg.Pending.Flush(ctx, conversation); err != nil {
		return fmt.Errorf("events of earlier calls are not stored (%d): %w", p.cfg.Pending.Len(conversation), err)
	}
	return nil
}

// queueAudit queues the audit rows of a call that could not be written because of cause. If too many wait, it drops and
// counts rows of calls that had no effect.
func (p *Pipeline) queueAudit(row event.CallIntent, out event.CallResult, begun bool, cause error) {
	queued := p.cfg.Pending.AddWrite(auditKey, !begun, func(ctx context.Context) error {
		return p.writeLate(ctx, row, out, begun, cause)
	})
	if !queued {
		p.mu.Lock()
		p.dropped++
		p.mu.Unlock()
	}
}

// writeLate writes queued audit rows. If it has to write the intent too, the row says that it is late.
func (p *Pipeline) writeLate(
	ctx context.Context, row event.CallIntent, out event.CallResult, begun bool, cause error,
) error {
	if begun && p.cfg.Audit.WriteResult(ctx, row.ID, out) == nil {
		p.cfg.Log.Warn("an audit row is written late", "call", row.ID, "because", cause)
		return nil
	}
	// A new id is used, because the first write may have failed on a duplicate id.
	row.ID += "~" + strings.TrimPrefix(newID(""), "_")
	late := "Written late, because its row could not be written when it ran: " + cause.Error() + "."
	p.mu.Lock()
	dropped := p.dropped
	p.mu.Unlock()
	if dropped > 0 {
		late += fmt.Sprintf(" %d more calls that did not run or only read have no row.", dropped)
	}
	row.Reason = strings.TrimSpace(row.Reason + " " + late)
	if err := p.cfg.Audit.WriteCall(ctx, row, out); err != nil {
		return err
	}
	p.mu.Lock()
	p.dropped -= dropped
	p.mu.Unlock()
	p.cfg.Log.Warn("an audit row is written late", "call", row.ID, "because", cause)
	return nil
}
