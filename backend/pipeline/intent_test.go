package pipeline

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"sextant/backend/store/pending"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// fullDisk is an audit log that fails while full is set.
type fullDisk struct {
	Audit
	full atomic.Bool
}

var errFull = errors.New("no space left")

func (d *fullDisk) WriteIntent(ctx context.Context, row event.CallIntent) error {
	if d.full.Load() {
		return errFull
	}
	return d.Audit.WriteIntent(ctx, row)
}

func (d *fullDisk) WriteResult(ctx context.Context, id string, out event.CallResult) error {
	if d.full.Load() {
		return errFull
	}
	return d.Audit.WriteResult(ctx, id, out)
}

func (d *fullDisk) WriteCall(ctx context.Context, row event.CallIntent, out event.CallResult) error {
	if d.full.Load() {
		return errFull
	}
	return d.Audit.WriteCall(ctx, row, out)
}

func TestMissingAuditRowBlocksLaterCalls(t *testing.T) {
	h := newFixture(t)
	disk := &fullDisk{Audit: h.audit}
	h.cfg.Audit = disk
	h.add(toolspec.Definition{Name: "look", Hints: toolspec.Hints{ReadOnly: true}}, echo)
	look := func(x string) toolspec.Call { return called("look", `{"x":"`+x+`"}`) }
	disk.full.Store(true)
	if got := h.do(look("a")); !got.Success {
		t.Fatalf("a call that reads waits for its row: %+v", got)
	}
	got := h.do(look("b"))
	if got.Success || got.ErrorType != toolspec.SystemError ||
		!strings.Contains(got.Error, "earlier calls have no row in the audit log (1): no space left") ||
		h.times("look") != 1 {
		t.Errorf("a call after one without a row: %+v, ran %d times", got, h.times("look"))
	}
	disk.full.Store(false)
	if got := h.do(look("c")); !got.Success {
		t.Errorf("with space again: %+v", got)
	}
	late := 0
	for _, row := range h.rows() {
		if strings.Contains(row.Reason, "Written late") {
			late++
		}
	}
	if rows := h.rows(); len(rows) != 3 || late != 2 {
		t.Errorf("%d late rows of %+v", late, rows)
	}
	first := look("d")
	first.ID = h.rows()[0].ID
	if got := h.do(first); !got.Success {
		t.Errorf("%+v", got)
	}
	if got := h.do(look("e")); !got.Success || len(h.rows()) != 5 {
		t.Errorf("a call with a used id blocks later ones, or has no row: %+v, %d rows", got, len(h.rows()))
	}
}

func TestScrollingCallWritesIntentFirst(t *testing.T) {
	h := newFixture(t)
	disk := &fullDisk{Audit: h.audit}
	h.cfg.Audit = disk
	h.add(toolspec.Definition{Name: "photograph", Hints: toolspec.Hints{ReadOnly: true}}, echo)
	h.descs["photograph"] = toolspec.Description{Sentence: "Photographing", ScrollsPage: true}
	disk.full.Store(true)
	if got := h.do(called("photograph", `{}`)); got.Success || h.times("photograph") != 0 {
		t.Errorf("%+v, ran %d times", got, h.times("photograph"))
	}
	disk.full.Store(false)
}

// fullJournal is an event log that fails while full is set, and records what it shows.
type fullJournal struct {
	Recorder
	full  atomic.Bool
	shown chan event.Event
}

func (j *fullJournal) Publish(ctx context.Context, events ...event.Event) ([]event.Event, error) {
	if j.full.Load() {
		return nil, syscall.ENOSPC
	}
	return j.Recorder.Publish(ctx, events...)
}

func (j *fullJournal) Broadcast(events ...event.Event) {
	for _, e := range events {
		j.shown <- e
	}
}

func TestCallEndOnFullDiskIsStoredLater(t *testing.T) {
	h := newFixture(t)
	journal := &fullJournal{Recorder: h.events, shown: make(chan event.Event, 100)}
	h.cfg.Pending = pending.New(journal)
	h.add(toolspec.Definition{Name: "act", Hints: toolspec.Hints{ReadOnly: true}},
		func(context.Context, toolspec.Call, func(string, string)) (toolspec.Result, error) {
			journal.full.Store(true)
			return toolspec.OK("done"), nil
		})
	call := called("act", `{}`)
	call.ID, call.From.Turn = "one", "t"
	if got := h.do(call); !got.Success {
		t.Fatalf("%+v", got)
	}
	if e := <-journal.shown; e.Call != "one" || e.Seq != 0 {
		t.Fatalf("shown was %+v", e)
	}
	if err := h.cfg.Pending.FlushAll(t.Context()); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("settled on a full disk: %v", err)
	}
	journal.full.Store(false)
	if err := h.cfg.Pending.FlushAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	stored, err := h.store.EventsAfter(t.Context(), 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []event.Kind
	for _, e := range stored {
		if e.Call == "one" {
			kinds = append(kinds, e.Kind)
		}
	}
	if len(kinds) != 2 || kinds[0] != event.CallStarted || kinds[1] != event.CallEnded {
		t.Fatalf("stored are %v", kinds)
	}
}
