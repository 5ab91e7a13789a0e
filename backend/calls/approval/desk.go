// Package approval is the Desk where questions wait for a person.
//
// The contract: a question is answered at most once, by the first answer that carries its
// hash and is one of its choices; every door (window, key, HTTP) answers here. Whoever
// asked goes on only after the answer is stored. A question whose call was stopped lapses:
// it is closed with an empty answer. The Desk decides nothing and keeps no grants.
package approval

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"sextant/shared/event"
)

// Why an answer is not taken.
var (
	ErrUnknown    = errors.New("no such question")
	ErrAnswered   = errors.New("the question was answered already")
	ErrHash       = errors.New("the answer is for something other than what was asked")
	ErrNotOffered = errors.New("that answer was not offered")
	ErrForm       = errors.New("the form is not filled in")
)

// remembered is how many closed questions are still told apart from unknown ones.
const remembered = 1024

// maxReason bounds the reason a person gives, in bytes.
const maxReason = 4096

// Publisher stores events and hands them on; *events.Recorder is one.
type Publisher interface {
	Publish(ctx context.Context, events ...event.Event) ([]event.Event, error)
}

// Desk holds the waiting questions. Its methods may be called concurrently.
type Desk struct {
	events Publisher

	mu      sync.Mutex
	waiting []*question
	closed  []string
}

type question struct {
	event.Approval
	// taken is true while an answer is being stored; it is then no longer for others.
	taken bool
	// left is true when whoever asked is gone while an answer was being stored.
	left   bool
	answer chan event.ApprovalAnswer
}

// New returns an empty Desk that tells events what is asked and answered.
func New(events Publisher) *Desk { return &Desk{events: events} }

// Ask puts a question and waits for its answer. It fills in ID and Asked when empty. On
// the end of ctx the question lapses and the context's error is returned.
func (d *Desk) Ask(ctx context.Context, a event.Approval) (event.ApprovalAnswer, error) {
	if a.ID == "" {
		a.ID = "q_" + strings.ToLower(rand.Text())
	}
	if a.Asked.IsZero() {
		a.Asked = time.Now().UTC()
	}
	q := &question{Approval: a, answer: make(chan event.ApprovalAnswer, 1)}
	// On the Desk before it is told: whoever hears of it can answer at once.
	d.mu.Lock()
	d.waiting = append(d.waiting, q)
	d.mu.Unlock()
	if _, err := d.events.Publish(ctx, q.place(event.New(event.ApprovalAsked, a))); err != nil {
		d.lapse(ctx, q)
		return event.ApprovalAnswer{}, fmt.Errorf("asking: %w", err)
	}
	select {
	case answer := <-q.answer:
		return answer, nil
	case <-ctx.Done():
		d.lapse(ctx, q)
		return event.ApprovalAnswer{}, fmt.Errorf("waiting for an answer: %w", ctx.Err())
	}
}

func (q *question) place(e event.Event) event.Event {
	return e.In(q.Conversation, q.Turn).Of(q.Call)
}

// lapse closes a question nobody waits for any more, unless an answer is just being taken.
func (d *Desk) lapse(ctx context.Context, q *question) {
	d.mu.Lock()
	taken := q.taken
	if taken {
		q.left = true
	} else {
		d.remove(q)
	}
	d.mu.Unlock()
	if !taken {
		d.tellLapsed(ctx, q)
	}
}

func (d *Desk) tellLapsed(ctx context.Context, q *question) {
	// The end of the call must not keep the question open for everybody who watches.
	closing := q.place(event.New(event.ApprovalAnswered, event.ApprovalAnswer{ID: q.ID, Call: q.Call}))
	_, _ = d.events.Publish(context.WithoutCancel(ctx), closing)
}

// Answer closes the question id. hash must be the question's own, answer one of its
// choices. It fails with ErrUnknown, ErrAnswered, ErrHash or ErrNotOffered, or when the
// answer cannot be stored; then the question waits on.
func (d *Desk) Answer(ctx context.Context, id string, answer event.Answer, reason, hash string) error {
	return d.Fill(ctx, id, answer, nil, reason, hash)
}

// Fill is Answer for a question that is a form: filled is what a yes fills in. It fails with
// ErrForm, too, and the question waits on.
func (d *Desk) Fill(ctx context.Context, id string, answer event.Answer, filled map[string]any, reason, hash string) error {
	q, err := d.take(id, answer, hash)
	if err != nil {
		return err
	}
	if answer != event.AnswerDeny {
		if filled, err = checked(q.Form, filled); err != nil {
			d.giveBack(ctx, q)
			return err
		}
	}
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "")
	}
	said := event.ApprovalAnswer{ID: q.ID, Call: q.Call, Answer: answer, Reason: reason}
	_, err = d.events.Publish(ctx, q.place(event.New(event.ApprovalAnswered, said)))
	if err != nil {
		d.giveBack(ctx, q)
		return fmt.Errorf("answering: %w", err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.remove(q)
	if said.Answer != event.AnswerDeny {
		said.Filled = filled
	}
	q.answer <- said
	return nil
}

// giveBack lets a question wait on whose answer could not be stored.
func (d *Desk) giveBack(ctx context.Context, q *question) {
	d.mu.Lock()
	q.taken = false
	left := q.left
	if left {
		d.remove(q)
	}
	d.mu.Unlock()
	if left {
		d.tellLapsed(ctx, q)
	}
}

func (d *Desk) take(id string, answer event.Answer, hash string) (*question, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.waiting, func(q *question) bool { return q.ID == id })
	switch {
	case i < 0 && slices.Contains(d.closed, id):
		return nil, ErrAnswered
	case i < 0:
		return nil, ErrUnknown
	}
	q := d.waiting[i]
	offered := func(c event.Choice) bool { return c.Answer == answer }
	switch {
	case q.taken:
		return nil, ErrAnswered
	case q.Hash == "" || subtle.ConstantTimeCompare([]byte(q.Hash), []byte(hash)) != 1:
		return nil, ErrHash
	case !slices.ContainsFunc(q.Choices, offered):
		return nil, ErrNotOffered
	}
	q.taken = true
	return q, nil
}

// remove takes q off the Desk; the caller holds the lock.
func (d *Desk) remove(q *question) {
	d.waiting = slices.DeleteFunc(d.waiting, func(other *question) bool { return other == q })
	if len(d.closed) >= remembered {
		d.closed = slices.Delete(d.closed, 0, 1)
	}
	d.closed = append(d.closed, q.ID)
}

// Waiting returns the questions that wait, the oldest first.
func (d *Desk) Waiting() []event.Approval {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := make([]event.Approval, 0, len(d.waiting))
	for _, q := range d.waiting {
		if !q.taken {
			all = append(all, q.Approval)
		}
	}
	return all
}
