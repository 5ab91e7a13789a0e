package batch

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"sextant/backend/recipes"
	"sextant/backend/unattended"
	"sextant/shared/batch"
	"sextant/shared/excerpt"
	"sextant/shared/recipe"
	"sextant/shared/toolspec"
)

// badRows is how many consecutive rows may end as other than done before the batch stops.
const badRows = 10

const errClosing = unattended.EndError("Sextant was closed while it ran.")

// Session returns the id of the session in which a row runs, which is also the id of its unattended run.
func Session(id string, row int) string { return id + "-" + strconv.Itoa(row) }

// loop runs batches one after the other, in the order in which they were added.
func (b *Batches) loop(ctx context.Context) {
	for {
		if one, ok := b.next(); ok {
			err := b.runBatch(ctx, one)
			if err == nil {
				continue
			}
			b.cfg.Log.Error("a batch cannot go on yet", "batch", one.ID, "err", err)
			select {
			case <-ctx.Done():
			case <-time.After(unattended.StoreAgain):
				continue
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-b.wake:
		}
	}
}

func (b *Batches) next() (batch.Batch, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, one := range slices.Backward(b.all) {
		if one.State == batch.StateRunning {
			return one, true
		}
	}
	return batch.Batch{}, false
}

// runBatch runs the rows of a batch that wait, until none does or the batch is stopped. An error means that its state
// is not stored.
func (b *Batches) runBatch(parent context.Context, one batch.Batch) error {
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(parent))
	defer cancel(nil)
	defer context.AfterFunc(parent, func() { cancel(errClosing) })()
	b.mu.Lock()
	b.running, b.cancel = one.ID, cancel
	if i := b.index(one.ID); i < 0 || b.all[i].State != batch.StateRunning {
		cancel(nil) // it was stopped meanwhile
	}
	b.mu.Unlock()
	rows, err := b.cfg.Store.Rows(ctx, one.ID, 0, maxRows, batch.StatusQueued)
	if err == nil {
		q := &queue{rows: rows, perHost: one.PerHost, busy: map[string]int{}, freed: make(chan struct{})}
		err = b.work(ctx, one, q)
	}
	if err := b.cfg.Browsers.CloseIdle(); err != nil {
		b.cfg.Log.Warn("closing the browsers of a batch", "err", err)
	}
	b.mu.Lock()
	b.running = ""
	b.mu.Unlock()
	switch {
	case parent.Err() != nil:
		return parent.Err()
	case ctx.Err() != nil:
		return nil // it was stopped
	}
	return b.finish(ctx, one.ID, err)
}

// finish ends a batch of which no row waits, or that cannot go on because of problem.
func (b *Batches) finish(ctx context.Context, id string, problem error) error {
	queued, err := b.cfg.Store.Rows(ctx, id, 0, 1, batch.StatusQueued)
	switch {
	case err != nil:
		return err
	case problem == nil && len(queued) > 0:
		return nil // some were added meanwhile
	}
	err = b.change(ctx, id, func(one *batch.Batch) {
		switch {
		case one.State != batch.StateRunning: // its recipe has changed
		case problem != nil:
			one.State, one.Reason = batch.StateStopped, excerpt.Sentence(problem.Error())
		default:
			one.State, one.Ended = batch.StateDone, time.Now().UTC()
		}
	})
	if one, getErr := b.Get(id); err == nil && getErr == nil {
		b.cfg.Ended(one)
	}
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// work runs the rows of a queue in one.Browsers browsers. It returns why the batch cannot go on, nil if it can or its
// rows are done.
func (b *Batches) work(ctx context.Context, one batch.Batch, q *queue) error {
	var workers sync.WaitGroup
	var mu sync.Mutex
	var problem error
	bad := 0
	note := func(row batch.Row, err error) {
		mu.Lock()
		defer mu.Unlock()
		bad++
		if row.Status == batch.StatusDone {
			bad = 0
		}
		if err == nil && bad == badRows {
			err = tooMany(row)
		}
		if err != nil && problem == nil && ctx.Err() == nil {
			problem = err
			q.drop() // rows that run go on to their ends
		}
	}
	for range min(one.Browsers, len(q.rows)) {
		workers.Go(func() {
			for {
				row, ok := q.take(ctx)
				if !ok {
					return
				}
				row, err := b.runQueued(ctx, one.ID, row)
				q.free(row)
				note(row, err)
			}
		})
	}
	workers.Wait()
	return problem
}

// runQueued begins a row that waits and runs it to its end. An error is about the batch, not the row.
func (b *Batches) runQueued(ctx context.Context, id string, row batch.Row) (batch.Row, error) {
	one, err := b.Get(id)
	if err != nil {
		return row, err
	}
	call, err := b.callFor(one, row)
	if err != nil {
		return row, err
	}
	row.Status, row.Started, row.Tries = batch.StatusRunning, time.Now().UTC(), row.Tries+1
	if ok, err := b.cfg.Store.UpdateRow(ctx, one.ID, row, batch.StatusQueued); err != nil || !ok {
		return row, err
	}
	return b.runRow(ctx, one, row, call), nil
}

// callFor returns the call that runs a row. Its error is about the batch.
func (b *Batches) callFor(one batch.Batch, row batch.Row) (toolspec.Call, error) {
	if one.Card == nil {
		return toolspec.Call{}, ErrUnsigned
	}
	name, err := b.recipeName(one)
	if err != nil {
		return toolspec.Call{}, err
	}
	prepared, err := b.cfg.Recipes.Prepare(name, valuesOf(one, row))
	switch {
	case err != nil:
		return toolspec.Call{}, err
	case recipes.Digest(prepared.Recipe) != one.Digest:
		return toolspec.Call{}, ErrChanged
	}
	args, err := json.Marshal(prepared.Values)
	session := Session(one.ID, row.Number)
	return toolspec.Call{Tool: recipes.ToolName(name), Args: args, From: toolspec.Provenance{
		Caller: toolspec.CallerRun, Session: session, UnattendedRun: session, InBrowser: true, NeedsFullResults: true,
		TypedHosts: one.Card.Hosts, // no model chooses among them
	}}, err
}

// errLost ends a row that another worker has ended meanwhile.
const errLost = unattended.EndError("Another worker has taken over its row.")

// runRow runs a row that has begun to its end.
func (b *Batches) runRow(ctx context.Context, one batch.Batch, row batch.Row, call toolspec.Call) batch.Row {
	b.cfg.Changed(one)
	session := call.From.Session
	running, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	running, observed := unattended.Observe(running, "row", attribute.String("sextant.batch", one.ID),
		attribute.Int("sextant.row", row.Number), attribute.String("sextant.recipe", one.Recipe))
	defer func() { observed(string(row.Status), row.Status == batch.StatusDone) }()
	var mu sync.Mutex
	noteAct := func(use toolspec.Card) error {
		mu.Lock()
		defer mu.Unlock()
		if row.Acted || onlyOpens(use) {
			return nil
		}
		acted := row
		acted.Acted = true
		ok, err := b.cfg.Store.UpdateRow(context.WithoutCancel(ctx), one.ID, acted, batch.StatusRunning)
		if err == nil && !ok {
			cancel(errLost)
			err = errLost
		}
		if err == nil {
			row = acted
		}
		return err
	}
	b.cfg.Unattended.Begin(session, unattended.Run{Card: one.Card, Cancel: cancel, BeforeAct: noteAct})
	b.cfg.Browsers.Lease(session)
	result := b.cfg.Do(running, call)
	usage := b.cfg.Unattended.End(session)
	b.cfg.Browsers.Release(session)
	mu.Lock()
	defer mu.Unlock()
	end(ctx, &row, result, usage)
	b.storeEnd(one.ID, row)
	b.cfg.Changed(one)
	return row
}

func (b *Batches) storeEnd(id string, row batch.Row) {
	session := Session(id, row.Number)
	unattended.Store(b.closed, b.cfg.Log, session, func(ctx context.Context) error {
		ok, err := b.cfg.Store.UpdateRow(ctx, id, row, batch.StatusRunning)
		if err == nil && !ok {
			b.cfg.Log.Warn("a row was ended by another worker", "row", session)
		}
		return err
	})
}

// onlyOpens reports whether a call opens or selects pages, which can be repeated.
func onlyOpens(use toolspec.Card) bool {
	for _, tool := range use.Tools {
		if tool != "navigate_page" && tool != "browser_tabs" {
			return false
		}
	}
	return true
}

// end sets how the run of a row ended.
func end(ctx context.Context, row *batch.Row, result toolspec.Result, usage unattended.Usage) {
	var report recipe.Run
	if text, err := json.Marshal(result.Value); err == nil {
		_ = json.Unmarshal(text, &report) // a call that did not run has none
	}
	row.Ended, row.Step, row.Results = time.Now().UTC(), report.Step, textsOf(report.Values)
	row.Reason = report.Reason
	if row.Reason == "" && !result.Success {
		row.Reason = result.Error
	}
	row.Reason = excerpt.Sentence(row.Reason)
	switch {
	case usage.Parked:
		row.Status, row.Reason, row.Wanted = batch.StatusParked, usage.Reason, usage.Wanted
	case result.Success:
		row.Status, row.Reason, row.Step = batch.StatusDone, "", 0
	case ctx.Err() != nil:
		endEarly(row, context.Cause(ctx).Error())
	case report.Uncertain && row.Acted:
		row.Status = batch.StatusUnknown
	default:
		row.Status = batch.StatusFailed
	}
}

// queue is the rows that wait, in their order.
type queue struct {
	perHost int

	mu   sync.Mutex
	rows []batch.Row
	// busy counts the rows that run by host. freed is closed when one of them ends.
	busy  map[string]int
	freed chan struct{}
}

// take removes the first row whose hosts are free and returns it. It waits for one. It returns false if no row is left,
// or after the end of ctx.
func (q *queue) take(ctx context.Context) (batch.Row, bool) {
	for {
		q.mu.Lock()
		if len(q.rows) == 0 || ctx.Err() != nil {
			q.mu.Unlock()
			return batch.Row{}, false
		}
		full := func(host string) bool { return q.perHost > 0 && q.busy[host] >= q.perHost }
		i := slices.IndexFunc(q.rows, func(r batch.Row) bool { return !slices.ContainsFunc(r.Hosts, full) })
		if i >= 0 {
			row := q.rows[i]
			q.rows = slices.Delete(q.rows, i, i+1)
			for _, h := range row.Hosts {
				q.busy[h]++
			}
			q.mu.Unlock()
			return row, true
		}
		freed := q.freed
		q.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
		}
	}
}

// drop removes all rows.
func (q *queue) drop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.rows = nil
}

// free notes that a row has ended.
func (q *queue) free(row batch.Row) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, h := range row.Hosts {
		q.busy[h]--
	}
	close(q.freed)
	q.freed = make(chan struct{})
}
