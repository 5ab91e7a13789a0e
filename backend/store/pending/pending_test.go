package pending_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"sextant/backend/store/diskspace"
	"sextant/backend/store/pending"
	"sextant/shared/event"
)

// journal takes events unless it is full, and keeps what it showed.
type journal struct {
	full           bool
	stored, showed []string
}

func (j *journal) Publish(_ context.Context, events ...event.Event) ([]event.Event, error) {
	if j.full {
		return nil, diskspace.ErrFull
	}
	for _, e := range events {
		j.stored = append(j.stored, e.Call)
	}
	return events, nil
}

func (j *journal) Broadcast(events ...event.Event) {
	for _, e := range events {
		j.showed = append(j.showed, e.Call)
	}
}

func named(id string) event.Event { return event.New(event.CallEnded, event.NoData{}).OfCall(id) }

func TestEntriesOfKeyAreWrittenInOrder(t *testing.T) {
	j := &journal{full: true}
	q := pending.New(j)
	if err := q.Publish(t.Context(), "a", false, named("1")); !diskspace.IsFull(err) {
		t.Fatalf("a full disk gave %v", err)
	}
	q.AddWrite("a", false, func(context.Context) error {
		j.stored = append(j.stored, "row")
		return nil
	})
	j.full = false
	if err := q.Publish(t.Context(), "a", false, named("2")); !diskspace.IsFull(err) {
		t.Fatalf("an event passed those that wait: %v", err)
	}
	if err := q.Publish(t.Context(), "b", false, named("3")); err != nil {
		t.Fatalf("another key waits too: %v", err)
	}
	if err := q.FlushAll(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"3", "1", "row", "2"}; !slices.Equal(j.stored, want) {
		t.Errorf("stored %q, want %q", j.stored, want)
	}
	if want := []string{"1", "2"}; !slices.Equal(j.showed, want) {
		t.Errorf("showed %q, want %q", j.showed, want)
	}
}

func TestFailedEntryBlocksOnlyItsKey(t *testing.T) {
	j := &journal{}
	q := pending.New(j)
	broken := errors.New("broken")
	q.AddWrite("a", false, func(context.Context) error { return broken })
	_ = q.Publish(t.Context(), "a", false, named("1"))
	q.AddWrite("b", false, func(context.Context) error { return nil })
	if err := q.FlushAll(t.Context()); !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
	if q.Len("a") != 2 || q.Len("b") != 0 || len(q.Events("a")) != 1 {
		t.Errorf("a has %d, b has %d entries", q.Len("a"), q.Len("b"))
	}
}

func TestOptionalEntriesAreBounded(t *testing.T) {
	q := pending.New(&journal{})
	write := func(context.Context) error { return nil }
	taken := 0
	for q.AddWrite("a", true, write) {
		taken++
	}
	if taken == 0 || q.Len("a") != taken {
		t.Errorf("%d were taken, %d wait", taken, q.Len("a"))
	}
	if !q.AddWrite("a", false, write) {
		t.Error("an entry that must be written was refused")
	}
}

func TestDropNeedsSuccess(t *testing.T) {
	q := pending.New(&journal{})
	q.AddWrite("a", false, func(context.Context) error { return nil })
	broken := errors.New("broken")
	if err := q.Drop([]string{"a"}, func() error { return broken }); !errors.Is(err, broken) || q.Len("a") != 1 {
		t.Errorf("%v, %d entries", err, q.Len("a"))
	}
	if err := q.Drop([]string{"a"}, func() error { return nil }); err != nil || q.Len("a") != 0 {
		t.Errorf("%v, %d entries", err, q.Len("a"))
	}
}
