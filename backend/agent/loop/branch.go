package loop

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sextant/backend/agent/loop/naming"
	"sextant/backend/agent/loop/typedhosts"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// Branches is an optional interface of a History. It lists the branches of a conversation and says which one
// Messages returns.
type Branches interface {
	Branches(ctx context.Context, conversation string) (list []event.Branch, active string, err error)
}

// Errors of operations on branches.
var (
	// ErrNoMessage means that the active branch has no user message with this id.
	ErrNoMessage = errors.New("the active branch has no such user message; choose its branch first")
	// ErrNoBranch means that the conversation has no such branch.
	ErrNoBranch = errors.New("there is no such branch in this conversation")
)

type branchPoint struct {
	message string
	again   bool
}

// Edit starts a turn in a new branch in which request.Text replaces message. The old branch remains, and nothing done
// outside the conversation is undone. Errors are those of Start, and ErrNoMessage.
func (l *Loop) Edit(ctx context.Context, request TurnRequest, message string) (string, error) {
	request.branch = &branchPoint{message: message}
	return l.Start(ctx, request)
}

// Retry starts a turn in a new branch that answers message again, possibly with another model; request.Text is
// ignored. Otherwise it is like Edit.
func (l *Loop) Retry(ctx context.Context, request TurnRequest, message string) (string, error) {
	messages, err := l.cfg.History.Messages(ctx, request.Conversation)
	if err != nil {
		return "", fmt.Errorf("reading the conversation: %w", err)
	}
	i := findQuestion(messages, message)
	if i < 0 {
		return "", ErrNoMessage
	}
	request.Text, request.branch = messages[i].Text, &branchPoint{message: message, again: true}
	return l.Start(ctx, request)
}

// ChooseBranch makes branch the active branch, which the next turn continues; "" is the first branch. It fails with
// ErrBusy while a turn runs and with ErrNoBranch for an unknown branch.
func (l *Loop) ChooseBranch(ctx context.Context, conversation, branch string) error {
	return l.whileIdle(ctx, conversation, func() error {
		var list []event.Branch
		var active string
		if known, ok := l.cfg.History.(Branches); ok {
			var err error
			if list, active, err = known.Branches(ctx, conversation); err != nil {
				return err
			}
		}
		switch {
		case branch == active:
			return nil
		case branch != "" && !slices.ContainsFunc(list, func(b event.Branch) bool { return b.ID == branch }):
			return ErrNoBranch
		}
		return l.publish(ctx, event.New(event.BranchChosen, event.BranchRef{ID: branch}).InTurn(conversation, ""))
	})
}

// whileIdle makes new turns wait until do has returned. It fails with ErrBusy if a turn is running.
func (l *Loop) whileIdle(ctx context.Context, conversation string, do func() error) error {
	return l.exclusively(ctx, conversation, func() error {
		// Unsaved events belong to the branch in which their turn ran, so save them first.
		if err := l.saveUnsaved(ctx, conversation); err != nil {
			return err
		}
		return do()
	})
}

func (l *Loop) exclusively(ctx context.Context, conversation string, do func() error) error {
	run, cancel := context.WithCancelCause(ctx)
	request := TurnRequest{Conversation: conversation}
	place, err := l.acquire(ctx, request, cancel)
	if err != nil {
		cancel(nil)
		return err
	}
	defer l.wait.Done()
	t := &turn{loop: l, request: request, ctx: run, running: place}
	l.markEnding(t)
	defer l.release(t)
	return do()
}

func findQuestion(messages []chat.Message, id string) int {
	return slices.IndexFunc(messages, func(m chat.Message) bool { return m.ID == id && m.Role == chat.RoleUser })
}

type turnStart struct {
	before []chat.Message
	events []event.Event
	own    []chat.Message
}

// Text of a program or with sources permits no host, even if a person asks for it to be answered again.
func (t *turn) startBranch(before []chat.Message, own chat.Message) (turnStart, error) {
	// Nobody typed a subagent's task, whoever retries it.
	own.FromProgram = t.request.Caller == toolspec.CallerHTTP || t.request.lineage != nil
	if t.request.lineage != nil {
		own.Outside = t.request.lineage.from.Outside
		t.inherit()
		return turnStart{before: before, own: []chat.Message{own}}, nil
	}
	own.Outside = t.request.Sources
	a := turnStart{before: before, own: []chat.Message{own}}
	closed := own.FromProgram || len(own.Outside) > 0
	old := ""
	if p := t.request.branch; p != nil {
		i := findQuestion(before, p.message)
		if i < 0 {
			return a, ErrNoMessage
		}
		b := event.Branch{ID: naming.NewID("b")}
		if was := before[i]; was.FromProgram || len(was.Outside) > 0 {
			old, a.own[0].FromProgram, a.own[0].Outside = was.Text, own.FromProgram || was.FromProgram, was.Outside
		}
		if p.again {
			a.before, a.own = before[:i+1:i+1], nil
		} else {
			a.before, b.Replaces = before[:i:i], p.message
		}
		if n := len(a.before); n > 0 {
			b.After = a.before[n-1].ID
		}
		a.events = []event.Event{t.event(event.BranchStarted, b)}
	}
	if !closed {
		t.typed = typedhosts.Read(t.request.Text, old)
		t.typed.Hosts = append(t.typed.Hosts, t.request.TypedHosts...)
	}
	return a, nil
}
