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
	// active are the rows that run, by session. An entry stays until the end of its row is stored.
	active map[string]activeRow
	// bad counts the consecutive rows of each batch that did not end as done.
	bad map[string]int
}

type activeRow struct {
	batch, claim string
	cancel       context.CancelCauseFunc
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
			return w.runRow(ctx, one, row)
		}
	}
	return false
}

// runRow runs a row that was claimed. It returns false if the row waits again.
func (w *worker) runRow(ctx context.Context, one batch.Batch, row batch.Row) bool {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(nil)
	session := Session(one.ID, row.Number)
	call, problem := w.b.callFor(one, row)
	began := problem == nil && w.add(session, activeRow{one.ID, row.Claim, cancel})
	if began {
		row = w.b.runRow(ctx, one, row, call)
		problem = w.remove(ctx, session, one.ID, row)
	} else {
		// Its recipe is not as it was allowed, or this worker lost the row before and has not ended it yet.
		endEarly(&row, "")
		w.b.storeEnd(one.ID, row)
	}
	if problem != nil {
		if err := w.b.Stop(ctx, one.ID, excerpt.Sentence(problem.Error())); err != nil {
			w.b.cfg.Log.Error("a batch could not be stopped", "batch", one.ID, "err", err)
		}
	}
	return began
}

// add notes a row that runs. It returns false if one with the same session has not ended.
func (w *worker) add(session string, row activeRow) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, runs := w.active[session]; runs {
		return false
	}
	w.active[session] = row
	return true
}

// remove notes that a row has ended. It returns why its batch should stop, nil if it should go on.
func (w *worker) remove(ctx context.Context, session, id string, row batch.Row) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.active, session)
	switch {
	case row.Status == batch.StatusDone:
		w.bad[id] = 0
	case ctx.Err() == nil: // nobody ended it
		w.bad[id]++
	}
	if w.bad[id] < badRows {
		return nil
	}
	w.bad[id] = 0
	return tooMany(row)
}

// keep renews the leases until ctx ends, and ends rows whose batch was stopped, and rows of workers that are gone.
func (w *worker) keep(ctx context.Context) {
	renewed := time.Now()
	for {
		limited, cancel := context.WithTimeout(ctx, renewEvery)
		claims := w.claims()
		held, err := w.shared.Renew(limited, claims)
		if err == nil {
			renewed = time.Now()
			w.end(func(r activeRow) bool {
				return slices.Contains(claims, r.claim) && !slices.Contains(held, r.claim)
			}, errLost)
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
		w.end(func(r activeRow) bool { return r.batch == id }, unattended.EndError(reason))
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

func (w *worker) claims() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []string
	for _, row := range w.active {
		all = append(all, row.claim)
	}
	return all
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
