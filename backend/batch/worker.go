package batch

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"sextant/backend/recipes"
	"sextant/backend/unattended"
	"sextant/shared/batch"
	"sextant/shared/excerpt"
)

const (
	// renewEvery is the time between two renewals of the leases, and looks for batches that were stopped.
	renewEvery = 5 * time.Second
	// lostAfter is how long the leases may not be renewed before the rows end. It is less than the lease.
	lostAfter = 20 * time.Second
	// idlePause is the time between two looks for a row while none waits.
	idlePause = 500 * time.Millisecond
	// drainLimit is how long rows may go on after the end of Work's context.
	drainLimit = 20 * time.Second
)

const errUnreachable = unattended.EndError("The queue could not be reached while it ran.")

// worker runs rows of a Shared store.
type worker struct {
	b      *Batches
	shared Shared

	mu sync.Mutex
	// active are the rows that run, by session.
	active map[string]activeRow
	// bad counts the consecutive rows of each batch that did not end as done.
	bad map[string]int
}

type activeRow struct {
	id     batch.RowID
	cancel context.CancelCauseFunc
}

// Work runs rows of all batches of a Shared store, in some browsers at once, until ctx ends. Rows that run then have 20
// seconds to end.
func (b *Batches) Work(ctx context.Context, browsers int) error {
	shared, ok := b.cfg.Store.(Shared)
	if !ok {
		return errors.New("only batches in a shared queue have workers")
	}
	w := &worker{b: b, shared: shared, active: map[string]activeRow{}, bad: map[string]int{}}
	keeping, stop := context.WithCancel(context.WithoutCancel(ctx))
	var keeper, rows sync.WaitGroup
	keeper.Go(func() { w.keep(keeping) })
	for range browsers {
		rows.Go(func() { w.run(ctx) })
	}
	defer context.AfterFunc(ctx, func() {
		time.AfterFunc(drainLimit, func() {
			w.end(func(activeRow) bool { return true }, errClosing)
			time.AfterFunc(unattended.StoreAgain, b.giveUp)
		})
	})()
	rows.Wait()
	stop()
	keeper.Wait()
	return b.cfg.Browsers.CloseIdle()
}

// run runs one row after the other.
func (w *worker) run(ctx context.Context) {
	for ctx.Err() == nil {
		if !w.runNext(ctx) {
			select {
			case <-ctx.Done():
			case <-time.After(idlePause):
			}
		}
	}
}

// runNext runs a row of the oldest batch that has one. It returns false if there is none.
func (w *worker) runNext(ctx context.Context) bool {
	all := w.b.Batches()
	for i := len(all) - 1; i >= 0; i-- {
		if all[i].State != batch.StateRunning {
			continue
		}
		one, row, ok, err := w.shared.Claim(ctx, all[i].ID)
		switch {
		case err != nil && ctx.Err() == nil:
			w.b.cfg.Log.Warn("no row could begin", "batch", all[i].ID, "err", err)
		case ok:
			w.runRow(ctx, one, row)
			return true
		}
	}
	return false
}

func (w *worker) runRow(ctx context.Context, one batch.Batch, row batch.Row) {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	session := Session(one.ID, row.Number)
	call, problem := w.b.callFor(one, row)
	if problem == nil {
		w.mu.Lock()
		w.active[session] = activeRow{batch.RowID{Batch: one.ID, Number: row.Number}, cancel}
		w.mu.Unlock()
		row = w.b.runRow(ctx, one, row, call)
		w.mu.Lock()
		delete(w.active, session)
		w.bad[one.ID]++
		if row.Status == batch.StatusDone {
			w.bad[one.ID] = 0
		}
		if w.bad[one.ID] == badRows && ctx.Err() == nil {
			problem = tooMany(row)
		}
		w.mu.Unlock()
	} else {
		endEarly(&row, "")
		unattended.Store(w.b.closed, w.b.cfg.Log, session, func(ctx context.Context) error {
			_, err := w.shared.UpdateRow(ctx, one.ID, row, batch.StatusRunning)
			return err
		})
	}
	if problem == nil {
		return
	}
	if err := w.b.Stop(ctx, one.ID, excerpt.Sentence(problem.Error())); err != nil && ctx.Err() == nil {
		w.b.cfg.Log.Error("a batch could not be stopped", "batch", one.ID, "err", err)
	}
}

// keep renews the leases until ctx ends, and ends rows whose batch was stopped, and rows of workers that are gone.
func (w *worker) keep(ctx context.Context) {
	renewed := time.Now()
	for {
		limited, cancel := context.WithTimeout(ctx, renewEvery)
		had := w.rows()
		held, err := w.shared.Renew(limited)
		if err == nil {
			renewed = time.Now()
			w.end(func(r activeRow) bool { return slices.Contains(had, r.id) && !slices.Contains(held, r.id) }, errLost)
			_, err = w.shared.Sweep(limited, func(r *batch.Row) { endEarly(r, "Its worker ended while it ran.") })
		}
		cancel()
		if err != nil && ctx.Err() == nil {
			w.b.cfg.Log.Warn("the queue cannot be reached", "err", err)
		}
		if time.Since(renewed) > lostAfter {
			w.end(func(activeRow) bool { return true }, errUnreachable)
		}
		if err == nil {
			w.endStopped()
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(renewEvery):
		}
	}
}

// endStopped ends the rows of batches that do not run any more.
func (w *worker) endStopped() {
	reasons := map[string]string{}
	for _, one := range w.b.Batches() {
		if one.State == batch.StateStopped {
			reasons[one.ID] = one.Reason
		}
	}
	for id, reason := range reasons {
		w.end(func(r activeRow) bool { return r.id.Batch == id }, unattended.EndError(reason))
	}
}

func (w *worker) end(which func(activeRow) bool, why error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, row := range w.active {
		if which(row) {
			row.cancel(why)
		}
	}
}

func (w *worker) rows() []batch.RowID {
	w.mu.Lock()
	defer w.mu.Unlock()
	var ids []batch.RowID
	for _, row := range w.active {
		ids = append(ids, row.id)
	}
	return ids
}

func tooMany(last batch.Row) error {
	return fmt.Errorf("%d consecutive rows did not end as done. The last: %s", badRows, last.Reason)
}

// recipeName returns the name of the recipe of a batch in this data folder. That of a batch from a shared queue is
// saved there under a name of its own.
func (b *Batches) recipeName(one batch.Batch) (string, error) {
	if one.Definition == nil {
		return one.Recipe, nil
	}
	rec := *one.Definition
	if recipes.Digest(rec) != one.Digest {
		return "", ErrChanged
	}
	const idLength = 12
	rec.Name = "queued-" + one.Digest[:idLength]
	b.saving.Lock()
	defer b.saving.Unlock()
	if have, err := b.cfg.Recipes.Get(rec.Name); err == nil && recipes.Digest(have) == one.Digest {
		return rec.Name, nil
	}
	return rec.Name, b.cfg.Recipes.Save(rec)
}
