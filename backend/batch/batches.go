// Package batch runs a recipe once for each row of a table, in several browsers at once.
//
// A person allows each batch what its rows need, on a permission card. A row that wants more is parked. A row begins
// once: if it ended early at a step that may have been done, its outcome is unknown, and only a person repeats it. The
// table in the store is the queue: it says which rows wait, and a start after a kill goes on with it (decision 21).
package batch

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"sextant/backend/recipes"
	"sextant/backend/unattended"
	"sextant/shared/batch"
	"sextant/shared/recipe"
	"sextant/shared/toolspec"
)

// Errors that callers distinguish. All of them can be read by a person.
var (
	ErrNotFound = errors.New("there is no such batch")
	ErrChanged  = errors.New("the recipe has changed since what it needs was shown")
	ErrUnsigned = errors.New("nobody has allowed what it needs yet")
	ErrRunning  = errors.New("it is running; stop it first")
)

// Store stores batches and rows; *batchstore.Store implements it.
type Store interface {
	Batches(ctx context.Context) ([]batch.Batch, error)
	AddBatch(ctx context.Context, one batch.Batch, rows []batch.Row) error
	ChangeBatch(ctx context.Context, id string, do func(*batch.Batch) error) (batch.Batch, error)
	DeleteBatch(ctx context.Context, id string) error
	Rows(ctx context.Context, id string, after, limit int, statuses ...batch.Status) ([]batch.Row, error)
	Counts(ctx context.Context, id string) (batch.Counts, error)
	SaveRows(ctx context.Context, id string, rows []batch.Row) error
	UpdateRow(ctx context.Context, id string, r batch.Row, from batch.Status) (bool, error)
}

// Shared is a Store that several programs use at the same time; *pgqueue.Queue implements it. A row that runs is held
// by one of them, whose UpdateRow returns false once it has lost the row.
type Shared interface {
	Store
	// Claim begins a row and returns it with its batch as it is then. ok is false if no row can begin now.
	Claim(ctx context.Context, id string) (one batch.Batch, r batch.Row, ok bool, err error)
	// Renew keeps the rows of claims for another while, and returns the claims that still hold theirs.
	Renew(ctx context.Context, claims []string) ([]string, error)
	// Sweep ends the rows of programs that are gone.
	Sweep(ctx context.Context, end func(*batch.Row)) (int, error)
}

// Browsers lends browsers to rows; *pool.Pool implements it.
type Browsers interface {
	Lease(session string)
	Release(session string)
	CloseIdle() error
}

// Config configures Batches.
type Config struct {
	Store    Store
	Browsers Browsers
	Recipes  *recipes.Recipes
	// CardUse returns what a call would use, as far as that is known before it runs.
	CardUse func(ctx context.Context, call toolspec.Call) toolspec.Card
	// Do runs a call through the pipeline.
	Do         func(ctx context.Context, call toolspec.Call) toolspec.Result
	Unattended *unattended.Runs
	// Runs is true in a program that goes on. Any other can only read and change batches.
	Runs bool
	// Changed is called after a change of a batch or its rows.
	Changed func(one batch.Batch)
	// Ended is called after a batch was done, or has stopped by itself.
	Ended func(one batch.Batch)
	Log   *slog.Logger
}

// Batches is the batches of a data folder. It is safe for concurrent use.
type Batches struct {
	cfg  Config
	wake chan struct{}
	stop context.CancelFunc
	// closed is closed by giveUp when ends of rows are no longer stored.
	closed chan struct{}
	giveUp func()
	wait   sync.WaitGroup

	// saving is held while a recipe of a shared queue is saved.
	saving sync.Mutex

	mu  sync.Mutex
	all []batch.Batch
	// running is the batch that runs, "" for none, and cancel ends it.
	running string
	cancel  context.CancelCauseFunc
}

// Open reads the batches and goes on with those that run.
func Open(ctx context.Context, cfg Config) (*Batches, error) {
	b := &Batches{cfg: cfg, wake: make(chan struct{}, 1), closed: make(chan struct{}), stop: func() {}}
	b.giveUp = sync.OnceFunc(func() { close(b.closed) })
	var err error
	if b.all, err = cfg.Store.Batches(ctx); err != nil || !cfg.Runs {
		return b, err
	}
	for _, one := range b.all {
		if err := b.closeInterrupted(ctx, one.ID); err != nil {
			return nil, err
		}
	}
	loop, stop := context.WithCancel(context.WithoutCancel(ctx))
	b.stop = stop
	b.wait.Go(func() { b.loop(loop) })
	return b, nil
}

// Close stops the rows that run and waits for their ends. The batches go on after the next Open.
func (b *Batches) Close() error {
	b.giveUp()
	b.stop()
	b.wait.Wait()
	return nil
}

// closeInterrupted ends what the last process left running. Rows that changed nothing wait again.
func (b *Batches) closeInterrupted(ctx context.Context, id string) error {
	rows, err := b.cfg.Store.Rows(ctx, id, 0, maxRows, batch.StatusRunning)
	for _, r := range rows {
		endEarly(&r, "Sextant ended while it ran.")
		if _, err := b.cfg.Store.UpdateRow(ctx, id, r, batch.StatusRunning); err != nil {
			return err
		}
	}
	return err
}

// maxRows is more than a batch has.
const maxRows = 1_000_000

// endEarly ends a row that was not finished. A row that may have changed something is not run again by itself.
func endEarly(r *batch.Row, why string) {
	if !r.Acted {
		*r = waiting(*r)
		r.Tries--
		return
	}
	r.Status, r.Ended = batch.StatusUnknown, time.Now().UTC()
	r.Reason = why + " Its last step may have been done; look before you run it again."
}

// read reads the batches again if other programs may have changed them.
func (b *Batches) read() {
	if !b.isShared() {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), readLimit)
	defer cancel()
	all, err := b.cfg.Store.Batches(ctx)
	if err != nil {
		b.cfg.Log.Warn("the batches may have changed", "err", err)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all = all
}

const readLimit = 10 * time.Second

func (b *Batches) isShared() bool {
	_, shared := b.cfg.Store.(Shared)
	return shared
}

// Batches returns all batches, newest first.
func (b *Batches) Batches() []batch.Batch {
	b.read()
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.all)
}

// Get returns a batch, or ErrNotFound.
func (b *Batches) Get(id string) (batch.Batch, error) {
	b.read()
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := b.index(id); i >= 0 {
		return b.all[i], nil
	}
	return batch.Batch{}, ErrNotFound
}

// The caller must hold the lock.
func (b *Batches) index(id string) int {
	return slices.IndexFunc(b.all, func(one batch.Batch) bool { return one.ID == id })
}

// Rows returns at most limit rows after the one with the number after. Without statuses, it returns those of any.
func (b *Batches) Rows(
	ctx context.Context, id string, after, limit int, statuses ...batch.Status,
) ([]batch.Row, error) {
	return b.cfg.Store.Rows(ctx, id, after, limit, statuses...)
}

// TakeOver makes a row that runs wait before its next step, so that a person can act on its page.
func (b *Batches) TakeOver(id string, row int) error {
	return b.cfg.Unattended.TakeOver(Session(id, row))
}

// GiveBack lets a row that was taken over go on.
func (b *Batches) GiveBack(id string, row int) { b.cfg.Unattended.GiveBack(Session(id, row)) }

// Counts returns how many rows have each status.
func (b *Batches) Counts(ctx context.Context, id string) (batch.Counts, error) {
	return b.cfg.Store.Counts(ctx, id)
}

// Sign stores what the person allows each row, and lets the batch run. digest is that of the recipe whose needs the
// person saw. If the recipe is another one by now, the error is ErrChanged.
func (b *Batches) Sign(ctx context.Context, id, digest string, card toolspec.Card) error {
	if card.Acts < 0 {
		return errors.New("the number of acts is negative")
	}
	one, err := b.refresh(ctx, id)
	if err != nil {
		return err
	}
	if digest != one.Digest {
		return ErrChanged
	}
	return b.change(ctx, id, func(one *batch.Batch) {
		one.Card = &card
		start(one)
	})
}

// Proposal is a wider card for rows that were parked.
type Proposal struct {
	Card toolspec.Card `json:"card"`
	// Beyond lists what it adds to the card that the person signed, in words.
	Beyond []string `json:"beyond"`
}

// proposedRows is how many parked rows a Proposal looks at.
const proposedRows = 100

// Proposal returns a card with what parked rows of a batch wanted, and one act more. It is nil if none was parked.
func (b *Batches) Proposal(ctx context.Context, one batch.Batch) (*Proposal, error) {
	if one.Card == nil {
		return nil, nil
	}
	rows, err := b.cfg.Store.Rows(ctx, one.ID, 0, proposedRows, batch.StatusParked)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	p := Proposal{Card: *one.Card}
	for _, r := range rows {
		if r.Wanted != nil {
			p.Card = p.Card.Plus(*r.Wanted)
		}
	}
	p.Card.Acts, p.Card.SignIns = one.Card.Acts+1, one.Card.SignIns
	p.Beyond = one.Card.Beyond(p.Card)
	return &p, nil
}

// refresh reads again what the rows need, if the recipe has changed. Nobody has allowed that yet.
func (b *Batches) refresh(ctx context.Context, id string) (batch.Batch, error) {
	one, err := b.Get(id)
	if err != nil {
		return one, err
	}
	if one.Definition != nil {
		return one, nil // it does not change
	}
	rec, err := b.recipe(one.Recipe)
	if err != nil || recipes.Digest(rec) == one.Digest {
		return one, err
	}
	rows, err := b.cfg.Store.Rows(ctx, id, 0, maxRows)
	if err == nil {
		err = b.plan(ctx, rec, &one, rows)
	}
	if err == nil {
		err = b.cfg.Store.SaveRows(ctx, id, rows) // their hosts
	}
	if err != nil {
		return one, err
	}
	return one, b.change(ctx, id, func(old *batch.Batch) {
		old.Digest, old.Needs, old.Outputs, old.Parameters = one.Digest, one.Needs, one.Outputs, one.Parameters
		old.Card, old.State, old.Reason = nil, batch.StateUnsigned, ""
	})
}

func (b *Batches) recipe(name string) (recipe.Recipe, error) {
	rec, err := b.cfg.Recipes.Get(name)
	if err != nil {
		return rec, fmt.Errorf("there is no recipe %s", name)
	}
	return rec, nil
}

func start(one *batch.Batch) {
	one.State, one.Reason, one.Ended = batch.StateRunning, "", time.Time{}
	if one.Started.IsZero() {
		one.Started = time.Now().UTC()
	}
}

// Start lets a stopped batch go on. If its recipe has changed, the error is ErrChanged, and Sign must be called first.
func (b *Batches) Start(ctx context.Context, id string) error {
	if err := b.mayRun(ctx, id); err != nil {
		return err
	}
	return b.change(ctx, id, start)
}

func (b *Batches) mayRun(ctx context.Context, id string) error {
	before, err := b.Get(id)
	if err != nil {
		return err
	}
	one, err := b.refresh(ctx, id)
	switch {
	case err != nil:
		return err
	case one.Digest != before.Digest:
		return ErrChanged
	case one.Card == nil:
		return ErrUnsigned
	}
	return nil
}

// Stop stops a batch. Rows that run end: those that changed nothing wait again, the outcome of others is unknown.
func (b *Batches) Stop(ctx context.Context, id, why string) error {
	err := b.change(ctx, id, func(one *batch.Batch) {
		if one.State == batch.StateRunning {
			one.State, one.Reason = batch.StateStopped, why
		}
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil && b.running == id {
		b.cancel(unattended.EndError(why))
	}
	return err
}

// ActedError is the error of Retry for rows that may have changed something.
type ActedError struct{ Rows int }

// Error implements error.
func (e ActedError) Error() string {
	return fmt.Sprintf("%d of these rows may have done something already, and would do it again", e.Rows)
}

// Retry lets rows wait again: the one with a number, or with 0 all with one of the statuses. It starts the batch, and
// returns how many there are. The error is an ActedError if one of them may have changed something, unless acted is
// set.
func (b *Batches) Retry(
	ctx context.Context, id string, number int, acted bool, statuses ...batch.Status,
) (int, error) {
	if err := b.mayRun(ctx, id); err != nil {
		return 0, err
	}
	after, limit := 0, maxRows
	if number > 0 {
		after, limit, statuses = number-1, 1, nil
	}
	rows, err := b.cfg.Store.Rows(ctx, id, after, limit, statuses...)
	if err != nil {
		return 0, err
	}
	var again []batch.Row
	problem := ActedError{}
	for _, r := range rows {
		if r.Status == batch.StatusQueued || r.Status == batch.StatusRunning || number > 0 && r.Number != number {
			continue
		}
		if r.Acted {
			problem.Rows++
		}
		again = append(again, waiting(r))
	}
	switch {
	case problem.Rows > 0 && !acted:
		return 0, problem
	case len(again) == 0:
		return 0, nil
	}
	if err := b.cfg.Store.SaveRows(ctx, id, again); err != nil {
		return 0, err
	}
	return len(again), b.change(ctx, id, start)
}

// waiting returns a row that waits, without what became of it.
func waiting(r batch.Row) batch.Row {
	return batch.Row{
		Number: r.Number, Cells: r.Cells, Hosts: r.Hosts, Status: batch.StatusQueued, Tries: r.Tries, Claim: r.Claim,
	}
}

// Delete deletes a batch with its rows.
func (b *Batches) Delete(ctx context.Context, id string) error {
	b.mu.Lock()
	i := b.index(id)
	if i < 0 {
		b.mu.Unlock()
		return ErrNotFound
	}
	one := b.all[i]
	if one.State == batch.StateRunning || b.running == id {
		b.mu.Unlock()
		return ErrRunning
	}
	err := b.cfg.Store.DeleteBatch(ctx, id)
	if err == nil {
		b.all = slices.Delete(b.all, i, i+1)
	}
	b.mu.Unlock()
	if err == nil {
		b.cfg.Changed(one)
	}
	return err
}

// change changes a stored batch.
func (b *Batches) change(ctx context.Context, id string, do func(*batch.Batch)) error {
	b.mu.Lock()
	one, err := b.cfg.Store.ChangeBatch(ctx, id, func(one *batch.Batch) error {
		do(one)
		return nil
	})
	if i := b.index(id); err == nil && i >= 0 {
		b.all[i] = one
	}
	b.mu.Unlock()
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return ErrNotFound
	case err != nil:
		return err
	}
	b.cfg.Changed(one)
	b.wakeUp()
	return nil
}

func (b *Batches) wakeUp() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}
