// Package approval stores the questions that wait for the person's answer.
//
// A question is answered at most once, by the first answer that has its hash, is one of its choices and fits its form.
// The asker continues after the answer is stored. If the call is stopped, its question is closed with an empty answer.
// The package decides nothing and stores no grants.
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

// Reasons for which an answer is not accepted.
var (
	ErrNotFound    = errors.New("no such question")
	ErrAnswered    = errors.New("the question has already been answered")
	ErrStale       = errors.New("the answer belongs to another version of the question")
	ErrNotOffered  = errors.New("that answer was not offered")
	ErrInvalidForm = errors.New("the form is not filled in correctly")
)

// maxClosed limits the closed questions that are remembered in order to tell them from unknown ones.
const maxClosed = 1024

const maxReason = 4096

// Publisher stores and distributes events; *eventlog.Recorder implements it.
type Publisher interface {
	Publish(ctx context.Context, events ...event.Event) ([]event.Event, error)
}

// Queue contains the waiting questions. It is safe for concurrent use.
type Queue struct {
	events Publisher

	mu      sync.Mutex
	waiting []*question
	closed  []string
}

type question struct {
	event.Approval
	// taken is true while an answer is being stored, so that no other answer is accepted.
	taken bool
	// left is true if the asker stopped waiting while an answer was being stored.
	left   bool
	answer chan event.ApprovalAnswer
}

// New returns an empty Queue that publishes questions and answers to events.
func New(events Publisher) *Queue { return &Queue{events: events} }

// Ask publishes a question and waits for its answer. It sets ID and Asked if they are empty. If ctx ends first or the
// question cannot be stored, Ask returns an error that wraps the cause.
func (queue *Queue) Ask(ctx context.Context, a event.Approval) (event.ApprovalAnswer, error) {
	if a.ID == "" {
		a.ID = "q_" + strings.ToLower(rand.Text())
	}
	if a.Asked.IsZero() {
		a.Asked = time.Now().UTC()
	}
	q := &question{Approval: a, answer: make(chan event.ApprovalAnswer, 1)}
	// The question is queued before it is published, because a subscriber may answer at once.
	queue.mu.Lock()
	queue.waiting = append(queue.waiting, q)
	queue.mu.Unlock()
	if _, err := queue.events.Publish(ctx, q.inConversation(event.New(event.ApprovalAsked, a))); err != nil {
		queue.closeUnanswered(ctx, q)
		return event.ApprovalAnswer{}, fmt.Errorf("asking: %w", err)
	}
	select {
	case answer := <-q.answer:
		return answer, nil
	case <-ctx.Done():
		queue.closeUnanswered(ctx, q)
		return event.ApprovalAnswer{}, fmt.Errorf("waiting for an answer: %w", ctx.Err())
	}
}

func (q *question) inConversation(e event.Event) event.Event {
	return e.InTurn(q.Conversation, q.Turn).OfCall(q.Call)
}

// closeUnanswered closes a question that no call waits for, unless an answer is being stored.
func (queue *Queue) closeUnanswered(ctx context.Context, q *question) {
	queue.mu.Lock()
	taken := q.taken
	if taken {
		q.left = true
	} else {
		queue.remove(q)
	}
	queue.mu.Unlock()
	if !taken {
		queue.publishLapsed(ctx, q)
	}
}

func (queue *Queue) publishLapsed(ctx context.Context, q *question) {
	// The question must be closed in windows even if ctx has ended.
	closing := q.inConversation(event.New(event.ApprovalAnswered, event.ApprovalAnswer{ID: q.ID, Call: q.Call}))
	_, _ = queue.events.Publish(context.WithoutCancel(ctx), closing)
}

// Answer answers the question id. hash must be the hash of the question, and answer must be one of its choices.
// Otherwise the error is ErrNotFound, ErrAnswered, ErrStale or ErrNotOffered, or wraps ErrInvalidForm if a required
// field is not filled. If the answer cannot be stored, the question stays open.
func (queue *Queue) Answer(ctx context.Context, id string, answer event.Answer, reason, hash string) error {
	return queue.AnswerWith(ctx, id, Reply{Answer: answer, Reason: reason, Hash: hash})
}

// Reply is an answer with everything that the person entered.
type Reply struct {
	Answer event.Answer
	Reason string
	Hash   string
	// FormValues contains the values of the question's form.
	FormValues map[string]any
	// EditedText is the new value of the question's EditArg, nil if the person did not edit it.
	EditedText *string
}

// AnswerWith is like Answer. If the values do not fit the form, the error wraps ErrInvalidForm and the question stays
// open. It is ErrNotOffered if the question offers no editing. A denial needs neither.
func (queue *Queue) AnswerWith(ctx context.Context, id string, r Reply) error {
	q, err := queue.take(id, r.Answer, r.Hash)
	if err != nil {
		return err
	}
	filled := r.FormValues
	if r.Answer != event.AnswerDeny {
		if filled, err = checkForm(q.Form, filled); err == nil && r.EditedText != nil && q.EditArg == "" {
			err = ErrNotOffered
		}
		if err != nil {
			queue.release(ctx, q)
			return err
		}
	}
	if len(r.Reason) > maxReason {
		r.Reason = strings.ToValidUTF8(r.Reason[:maxReason], "")
	}
	reply := event.ApprovalAnswer{ID: q.ID, Call: q.Call, Answer: r.Answer, Reason: r.Reason}
	if r.EditedText != nil && r.Answer != event.AnswerDeny {
		reply.Edited, reply.EditedText = true, *r.EditedText
	}
	_, err = queue.events.Publish(ctx, q.inConversation(event.New(event.ApprovalAnswered, reply)))
	if err != nil {
		queue.release(ctx, q)
		return fmt.Errorf("answering: %w", err)
	}
	queue.mu.Lock()
	defer queue.mu.Unlock()
	queue.remove(q)
	if reply.Answer != event.AnswerDeny {
		reply.FormValues = filled
	}
	q.answer <- reply
	return nil
}

// release makes a question wait again after its answer was not stored, or closes it if the asker has left.
func (queue *Queue) release(ctx context.Context, q *question) {
	queue.mu.Lock()
	q.taken = false
	left := q.left
	if left {
		queue.remove(q)
	}
	queue.mu.Unlock()
	if left {
		queue.publishLapsed(ctx, q)
	}
}

func (queue *Queue) take(id string, answer event.Answer, hash string) (*question, error) {
	queue.mu.Lock()
	defer queue.mu.Unlock()
	i := slices.IndexFunc(queue.waiting, func(q *question) bool { return q.ID == id })
	switch {
	case i < 0 && slices.Contains(queue.closed, id):
		return nil, ErrAnswered
	case i < 0:
		return nil, ErrNotFound
	}
	q := queue.waiting[i]
	offered := func(c event.Choice) bool { return c.Answer == answer }
	switch {
	case q.taken:
		return nil, ErrAnswered
	case q.Hash == "" || subtle.ConstantTimeCompare([]byte(q.Hash), []byte(hash)) != 1:
		return nil, ErrStale
	case !slices.ContainsFunc(q.Choices, offered):
		return nil, ErrNotOffered
	}
	q.taken = true
	return q, nil
}

// The caller must hold the lock.
func (queue *Queue) remove(q *question) {
	queue.waiting = slices.DeleteFunc(queue.waiting, func(other *question) bool { return other == q })
	if len(queue.closed) >= maxClosed {
		queue.closed = slices.Delete(queue.closed, 0, 1)
	}
	queue.closed = append(queue.closed, q.ID)
}

// WaitingApprovals returns the waiting questions, oldest first, without those whose answer is being stored.
func (queue *Queue) WaitingApprovals() []event.Approval {
	queue.mu.Lock()
	defer queue.mu.Unlock()
	all := make([]event.Approval, 0, len(queue.waiting))
	for _, q := range queue.waiting {
		if !q.taken {
			all = append(all, q.Approval)
		}
	}
	return all
}
