package loop

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sextant/backend/agent/loop/typedhosts"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// Branches is what a History may also know: where a conversation parts, and which branch its
// Messages are of.
type Branches interface {
	Branches(ctx context.Context, conversation string) (list []event.Branch, active string, err error)
}

// Errors about branches.
var (
	// ErrNoQuestion means that no message of a person has this id in the branch that is shown.
	ErrNoQuestion = errors.New(
		"there is no such message of a person in the branch that is shown; choose its branch first",
	)
	// ErrNoBranch means that a conversation has no such branch.
	ErrNoBranch = errors.New("there is no such branch in this conversation")
)

// parting is where the branch of a turn begins: at a message of a person, which other words take
// the place of, or which is answered again.
type parting struct {
	message string
	again   bool
}

// Edit begins a turn in a new branch, where ask.Text stands in the place of message. The branch that
// message stands in stays as it is. Nothing that was done outside of the conversation is undone.
// Its errors are those of Start, and ErrNoQuestion.
func (l *Loop) Edit(ctx context.Context, ask Ask, message string) (string, error) {
	ask.parting = &parting{message: message}
	return l.Start(ctx, ask)
}

// Retry begins a turn in a new branch that answers message again, which need not be by the same
// model; ask.Text is not used. Errors and all else are as with Edit.
func (l *Loop) Retry(ctx context.Context, ask Ask, message string) (string, error) {
	said, err := l.cfg.History.Messages(ctx, ask.Conversation)
	if err != nil {
		return "", fmt.Errorf("reading the conversation: %w", err)
	}
	i := question(said, message)
	if i < 0 {
		return "", ErrNoQuestion
	}
	ask.Text, ask.parting = said[i].Text, &parting{message: message, again: true}
	return l.Start(ctx, ask)
}

// Choose makes a branch the active one: what is said next goes on from its end. It fails with ErrBusy
// while a turn runs.
func (l *Loop) Choose(ctx context.Context, conversation, branch string) error {
	return l.between(ctx, conversation, func() error {
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
		return l.publish(ctx, event.New(event.BranchChosen, event.BranchRef{ID: branch}).In(conversation, ""))
	})
}

// between does something while no turn can begin in the conversation; ErrBusy when one runs. Who asks
// meanwhile waits, as for the end of a turn.
func (l *Loop) between(ctx context.Context, conversation string, do func() error) error {
	return l.alone(ctx, conversation, func() error {
		// What a turn still owes belongs to the branch in which it ran.
		if err := l.settle(ctx, conversation); err != nil {
			return err
		}
		return do()
	})
}

// alone is between with what is owed left as it is.
func (l *Loop) alone(ctx context.Context, conversation string, do func() error) error {
	run, cancel := context.WithCancelCause(ctx)
	ask := Ask{Conversation: conversation}
	place, err := l.take(ctx, ask, cancel)
	if err != nil {
		cancel(nil)
		return err
	}
	defer l.wait.Done()
	t := &turn{loop: l, ask: ask, ctx: run, seat: place}
	l.end(t)
	defer l.leave(t)
	return do()
}

// question is where a person's message stands in what was said, -1 for nowhere.
func question(said []chat.Message, id string) int {
	return slices.IndexFunc(said, func(m chat.Message) bool { return m.ID == id && m.Role == chat.RoleUser })
}

// asking is how a turn begins: after what was said before, with what events, and with the question
// unless it stands there already.
type asking struct {
	before []chat.Message
	events []event.Event
	mine   []chat.Message
}

// part lets the turn that asks mine begin where its branch does, and finds which hosts a person
// opened by typing them. A program's own words open none, and do not when they are asked again.
func (t *turn) part(before []chat.Message, mine chat.Message) (asking, error) {
	// A task that was handed on is nobody's typing, whoever asks it again.
	mine.Program = t.ask.Caller == toolspec.CallerHTTP || t.ask.kin != nil
	if t.ask.kin != nil {
		mine.Outside = t.ask.kin.from.Outside
		t.inherit()
		return asking{before: before, mine: []chat.Message{mine}}, nil
	}
	mine.Outside = t.ask.From
	a := asking{before: before, mine: []chat.Message{mine}}
	closed := mine.Program || len(mine.Outside) > 0
	old := ""
	if p := t.ask.parting; p != nil {
		i := question(before, p.message)
		if i < 0 {
			return a, ErrNoQuestion
		}
		b := event.Branch{ID: newID("b")}
		if was := before[i]; was.Program || len(was.Outside) > 0 {
			old, a.mine[0].Program, a.mine[0].Outside = was.Text, mine.Program || was.Program, was.Outside
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
