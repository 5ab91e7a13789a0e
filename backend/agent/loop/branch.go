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

// Branches is an optional interface of a History: the branches of a conversation, and which one Messages
// returns.
type Branches interface {
	Branches(ctx context.Context, conversation string) (list []event.Branch, active string, err error)
}

// Errors about branches.
var (
	// ErrNoQuestion means that the active branch has no user message with this id.
	ErrNoQuestion = errors.New("the active branch has no such user message; choose its branch first")
	// ErrNoBranch means that the conversation has no such branch.
	ErrNoBranch = errors.New("there is no such branch in this conversation")
)

// branchPoint is the user message at which a new branch begins: it is replaced, or answered again.
type branchPoint struct {
	message string
	again   bool
}

// Edit starts a turn in a new branch in which ask.Text replaces message. The old branch stays as it is, and
// nothing done outside the conversation is undone. Errors are those of Start, and ErrNoQuestion.
func (l *Loop) Edit(ctx context.Context, ask TurnRequest, message string) (string, error) {
	ask.branch = &branchPoint{message: message}
	return l.Start(ctx, ask)
}

// Retry starts a turn in a new branch that answers message again, possibly with another model; ask.Text is
// not used. Otherwise like Edit.
func (l *Loop) Retry(ctx context.Context, ask TurnRequest, message string) (string, error) {
	said, err := l.cfg.History.Messages(ctx, ask.Conversation)
	if err != nil {
		return "", fmt.Errorf("reading the conversation: %w", err)
	}
	i := findQuestion(said, message)
	if i < 0 {
		return "", ErrNoQuestion
	}
	ask.Text, ask.branch = said[i].Text, &branchPoint{message: message, again: true}
	return l.Start(ctx, ask)
}

// ChooseBranch makes a branch the active one, which the next turn continues. It fails with ErrBusy while a turn
// runs.
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

// whileIdle runs do while no turn can start in the conversation. It fails with ErrBusy while one runs; new
// asks wait.
func (l *Loop) whileIdle(ctx context.Context, conversation string, do func() error) error {
	return l.exclusively(ctx, conversation, func() error {
		// Unsaved events belong to the branch in which their turn ran.
		if err := l.saveUnsaved(ctx, conversation); err != nil {
			return err
		}
		return do()
	})
}

// exclusively is whileIdle without saving unsaved events first.
func (l *Loop) exclusively(ctx context.Context, conversation string, do func() error) error {
	run, cancel := context.WithCancelCause(ctx)
	ask := TurnRequest{Conversation: conversation}
	place, err := l.acquire(ctx, ask, cancel)
	if err != nil {
		cancel(nil)
		return err
	}
	defer l.wait.Done()
	t := &turn{loop: l, ask: ask, ctx: run, running: place}
	l.markEnding(t)
	defer l.release(t)
	return do()
}

// findQuestion is the index of a user message, -1 if there is none.
func findQuestion(said []chat.Message, id string) int {
	return slices.IndexFunc(said, func(m chat.Message) bool { return m.ID == id && m.Role == chat.RoleUser })
}

// turnStart is how a turn begins: the messages before it, its first events, and the question unless it is
// there already.
type turnStart struct {
	before []chat.Message
	events []event.Event
	mine   []chat.Message
}

// startBranch determines where the turn begins and which hosts the person opened by typing them. A program's
// words open none, also when they are asked again.
func (t *turn) startBranch(before []chat.Message, mine chat.Message) (turnStart, error) {
	// Nobody typed a subagent's task, whoever asks it again.
	mine.FromProgram = t.ask.Caller == toolspec.CallerHTTP || t.ask.lineage != nil
	if t.ask.lineage != nil {
		mine.Outside = t.ask.lineage.from.Outside
		t.inherit()
		return turnStart{before: before, mine: []chat.Message{mine}}, nil
	}
	mine.Outside = t.ask.From
	a := turnStart{before: before, mine: []chat.Message{mine}}
	closed := mine.FromProgram || len(mine.Outside) > 0
	old := ""
	if p := t.ask.branch; p != nil {
		i := findQuestion(before, p.message)
		if i < 0 {
			return a, ErrNoQuestion
		}
		b := event.Branch{ID: naming.ID("b")}
		if was := before[i]; was.FromProgram || len(was.Outside) > 0 {
			old, a.mine[0].FromProgram, a.mine[0].Outside = was.Text, mine.FromProgram || was.FromProgram, was.Outside
		}
		if p.again {
			a.before, a.mine = before[:i+1:i+1], nil
		} else {
			a.before, b.Instead = before[:i:i], p.message
		}
		if n := len(a.before); n > 0 {
			b.After = a.before[n-1].ID
		}
		a.events = []event.Event{t.event(event.BranchStarted, b)}
	}
	if !closed {
		t.typed = typedhosts.Added(t.ask.Text, old)
	}
	return a, nil
}
