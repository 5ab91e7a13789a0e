// Package unattended knows the runs that nobody watches, and keeps their calls within their permission cards.
package unattended

import (
	"context"
	"errors"
	"sync"

	"sextant/shared/toolspec"
)

// EndError ends a run. Its text is the reason that people see.
type EndError string

// Error implements error.
func (e EndError) Error() string { return string(e) }

// ErrParked ends a run that wanted something that its card does not list.
const ErrParked = EndError("It was parked.")

// Run is a run that has begun.
type Run struct {
	// Card lists what the run may use. It is nil if a person watches the run and answers its questions.
	Card *toolspec.Card
	// Cancel ends the run.
	Cancel context.CancelCauseFunc
	// BeforeAct is called before each allowed call. Its error refuses the call. It may be nil.
	BeforeAct func(use toolspec.Card) error

	usage Usage
	// returned is closed when a person gives the run's page back, nil while nobody has taken it over.
	returned chan struct{}
}

// Usage is what a run used, and why it was parked.
type Usage struct {
	Used toolspec.Card
	// Parked is true if the run was parked. Reason says why, Question is what it wanted to do, as a question, and
	// Wanted is what its card would have to list as well, nil if a card cannot allow it.
	Parked           bool
	Reason, Question string
	Wanted           *toolspec.Card
}

// Runs is the runs that have begun and not ended. It is safe for concurrent use.
type Runs struct {
	mu     sync.Mutex
	active map[string]*Run
}

// New returns Runs without a run.
func New() *Runs { return &Runs{active: map[string]*Run{}} }

// Begin adds a run.
func (r *Runs) Begin(id string, run Run) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.active[id] = &run
}

// End removes a run, so that none of its calls is allowed any more.
func (r *Runs) End(id string) Usage {
	r.mu.Lock()
	defer r.mu.Unlock()
	run, ok := r.active[id]
	if !ok {
		return Usage{}
	}
	delete(r.active, id)
	if run.returned != nil {
		close(run.returned)
	}
	return run.usage
}

// ErrEnded is the error for a run that has ended.
var ErrEnded = errors.New("the run has ended")

// byHand is what a person may do on the page of a run.
const byHand = "by hand"

// TakeOver makes the calls of a run wait until GiveBack, so that a person can act on its page. What the person does
// counts as an act of the run.
func (r *Runs) TakeOver(id string) error {
	r.mu.Lock()
	run, ok := r.active[id]
	if !ok {
		r.mu.Unlock()
		return ErrEnded
	}
	if run.returned == nil {
		run.returned = make(chan struct{})
	}
	before := run.BeforeAct
	r.mu.Unlock()
	if before == nil {
		return nil
	}
	err := before(toolspec.Card{Tools: []string{byHand}})
	if err != nil {
		r.GiveBack(id)
	}
	return err
}

// GiveBack lets the calls of a run go on.
func (r *Runs) GiveBack(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if run, ok := r.active[id]; ok && run.returned != nil {
		close(run.returned)
		run.returned = nil
	}
}

// IsTakenOver reports whether a person has taken over the page of a run.
func (r *Runs) IsTakenOver(id string) bool { return r.returned(id) != nil }

func (r *Runs) returned(id string) <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if run, ok := r.active[id]; ok && run.returned != nil {
		return run.returned
	}
	return nil
}

// AwaitReturn waits while a person has taken over the page of a run, or until ctx ends.
func (r *Runs) AwaitReturn(ctx context.Context, id string) {
	if returned := r.returned(id); returned != nil {
		select {
		case <-returned:
		case <-ctx.Done():
		}
	}
}

// Card returns the permission card of a run, nil for a watched one. ok is false if the run has ended.
func (r *Runs) Card(id string) (card *toolspec.Card, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	run, ok := r.active[id]
	if !ok {
		return nil, false
	}
	return run.Card, true
}

// Use notes what an allowed call of a run uses. An error refuses the call; it can be read by a person. A run that has
// used up the acts of its card is parked.
func (r *Runs) Use(id string, use toolspec.Card) error {
	r.mu.Lock()
	run, ok := r.active[id]
	switch {
	case !ok:
		r.mu.Unlock()
		return ErrEnded
	case run.Card != nil && run.usage.Used.Acts+use.Acts > run.Card.Acts:
		r.mu.Unlock()
		r.Park(id, "It has acted as often as the permission card allows, and wanted to go on.", "", toolspec.Card{})
		return errors.New("it has acted as often as the permission card allows")
	}
	run.usage.Used = run.usage.Used.Plus(use)
	before := run.BeforeAct
	r.mu.Unlock()
	if before == nil {
		return nil
	}
	return before(use)
}

// Park ends a run because of a call that uses more than its card lists, or that no card allows. question says what the
// call does.
func (r *Runs) Park(id, reason, question string, use toolspec.Card) {
	r.mu.Lock()
	defer r.mu.Unlock()
	run, ok := r.active[id]
	if !ok || run.usage.Parked {
		return
	}
	run.usage.Parked, run.usage.Reason, run.usage.Question = true, reason, question
	if run.Card != nil && len(run.Card.Beyond(use)) > 0 {
		run.usage.Wanted = &use
	}
	run.Cancel(ErrParked)
}
