// Package loop runs turns: one question of a person, then model and tools in alternation
// until the model stops calling, a limit is reached, something fails or a person stops it.
//
// Everything that happens is published as events in order, and what was published is the
// truth: the messages a later turn is built from come back from the History that the
// events were projected into. A turn that dies with the program therefore goes on from
// its last event; calls without a result are answered as "outcome unknown" and never run
// again by themselves.
//
// The loop decides nothing about permission: every call goes to the Caller (the
// Pipeline) with its provenance — who asked, which hosts the person typed, which outside
// sources the conversation has read.
package loop

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"sextant/backend/agent/dialect"
	"sextant/backend/agent/llm"
	"sextant/backend/agent/loop/allowance"
	"sextant/backend/agent/loop/budget"
	"sextant/backend/agent/loop/unsaved"
	"sextant/backend/agent/pilot"
	"sextant/backend/agent/prompt"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// Tools lists what can be called while panel is active.
type Tools interface {
	Definitions(panel string) []toolspec.Definition
}

// Caller runs one call. It returns soon after ctx is done.
type Caller interface {
	Do(ctx context.Context, call toolspec.Call) toolspec.Result
}

// Journal records events and gives them back with their sequence numbers.
type Journal interface {
	Publish(ctx context.Context, events ...event.Event) ([]event.Event, error)
}

// History gives the messages of a conversation in order; none for an unknown one.
type History interface {
	Messages(ctx context.Context, conversation string) ([]chat.Message, error)
}

// Conversations is what a History may also know: a title that a person gave is kept.
type Conversations interface {
	// Conversation gives one conversation; an error means that it is not there yet.
	Conversation(ctx context.Context, id string) (chat.Conversation, error)
}

// Models opens models by name.
type Models interface {
	Open(name string) (llm.Model, error)
}

// Dialects know how a model writes calls. usage is what finding it out cost just now.
type Dialects interface {
	Dialect(ctx context.Context, name string, m llm.Model) (v dialect.Verdict, usage chat.Usage, err error)
}

// Limits bound one turn (E2). Zero fields mean 10.
type Limits struct {
	CallsPerTurn int
	// Rounds is how often a model may answer with calls.
	Rounds int
}

// Config is what a Loop stands on. Limits, System and ActivePanel are asked at the start
// of every turn, ActivePanel and Tools also between rounds.
type Config struct {
	Tools   Tools
	Calls   Caller
	Journal Journal
	History History
	Models  Models
	// Dialects is nil when every model has calls of its own.
	Dialects Dialects
	// Pilot answers turns of the model "pilot"; nil means the plain one.
	Pilot  llm.Model
	Limits func() Limits
	// Queue keeps messages that wait for a running turn; nil when none can.
	Queue Queue
	// Notes are prompt notes appended to the system prompt, in force from the next turn.
	Notes func() []string
	// Pages is what pages tell the model in a conversation with that panel in front; nil for none.
	Pages func(conversation, panel string) []Context
	// Core names the tools that a model is always told, however many there are.
	Core []string
	// Share is how much of a model's window is filled, in percent, before the older part of a
	// conversation is summed up; nil means 80.
	Share func() int
	// Looks names the tools that look at a whole page.
	Looks []string
	// Window is how many tokens models read at once; 0 or nil leaves it to what is known of each.
	Window func() int
	// Spend bounds what models may cost; the zero value bounds nothing.
	Spend budget.Config
	// Secret is what the borders around text from outside are made of; "" makes one. Kept over
	// restarts, it keeps the bytes of a conversation's prompt.
	Secret string
	// System replaces the built-in system prompt when it gives a text.
	System func() string
	// ActivePanel is the window's; an Ask with a Panel of its own does not use it.
	ActivePanel func() string
	Log         *slog.Logger
}

// Ask is one thing a person or program wants done.
type Ask struct {
	// Conversation is where it is asked; empty makes a new one.
	Conversation string
	Text         string
	// Attached is text from outside that goes with it, From where its words come from if not from the asker.
	Attached []chat.Attached
	From     []string
	// Model is provider/name or "pilot"; empty means pilot.
	Model string
	Panel string
	// Caller is who asks for the calls; empty means model or pilot by Model.
	Caller toolspec.Caller
	// Interactive is true when a person can be asked.
	Interactive bool
	YesTo       string
	// Session names whose browser tabs are meant, "" the window's.
	Session string
	// System is the system prompt, byte for byte; empty is that of the settings with the notes.
	System string
	// Tools are the only ones that may be called, by name; none means all that are offered. What a
	// tool of the list calls by itself is its own.
	Tools []string
	// Goal is what the turn has to come to; nil takes the first answer without calls.
	Goal Goal
	// Budget is one more that the turn has to keep; it can only narrow.
	Budget budget.Limit
	// Raise allows the conversation what its budget was once more.
	Raise bool
	// waited is set when it is a message that waited, parting when it begins a branch, kin when a
	// subagent is asked.
	waited  *event.Waiting
	parting *parting
	kin     *kin
}

// Errors of Start and Run that callers tell apart.
var (
	// ErrBusy means that a turn runs in the conversation.
	ErrBusy = errors.New("a turn is running in this conversation; stop it or wait for its end")
	// ErrEmpty means that there is nothing to answer.
	ErrEmpty = errors.New("the message is empty")
	// ErrTooLong means that the message is larger than MaxTextBytes.
	ErrTooLong = errors.New("the message is longer than 200,000 bytes")
	// ErrClosed means that the Loop was closed.
	ErrClosed = errors.New("the assistant is closing")
)

// MaxTextBytes bounds one message of a person.
const MaxTextBytes = 200_000

// stopWithin is how long Stop waits for the end.
const stopWithin = 100 * time.Millisecond

// Loop runs turns, one at a time in each conversation. Safe for concurrent use.
type Loop struct {
	cfg Config

	wait sync.WaitGroup

	// queue is held from reading what waits until what came of it is recorded, so that nothing
	// is taken twice or after it was dropped. It is taken before mu.
	queue sync.Mutex

	mu      sync.Mutex
	closed  bool
	running map[string]*seat
	boxes   map[string]*prompt.Toolbox
	debts   unsaved.Events
	outer   map[string]*outer
	// outsiders counts the children of all calls outside of turns: a program chooses its own name.
	outsiders allowance.Counter
}

// seat is the place of the one turn that may run in a conversation.
type seat struct {
	cancel context.CancelCauseFunc
	ask    Ask
	// ending is true while only the end is still to be recorded; done is closed after.
	ending bool
	done   chan struct{}
}

// New makes a Loop. Close it before what it stands on.
func New(cfg Config) *Loop {
	if cfg.Pilot == nil {
		cfg.Pilot = pilot.New(pilot.Config{})
	}
	if cfg.Limits == nil {
		cfg.Limits = func() Limits { return Limits{} }
	}
	if cfg.Notes == nil {
		cfg.Notes = func() []string { return nil }
	}
	if cfg.System == nil {
		cfg.System = func() string { return "" }
	}
	if cfg.Share == nil {
		cfg.Share = func() int { return 80 }
	}
	if cfg.Window == nil {
		cfg.Window = func() int { return 0 }
	}
	if cfg.ActivePanel == nil {
		cfg.ActivePanel = func() string { return "" }
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Secret == "" {
		cfg.Secret = NewSecret()
	}
	return &Loop{cfg: cfg, running: map[string]*seat{}, boxes: map[string]*prompt.Toolbox{}, outer: map[string]*outer{}}
}

// Start begins a turn in the background and returns its id once the person's message is
// recorded. The turn outlives ctx; Stop and Close end it.
func (l *Loop) Start(ctx context.Context, ask Ask) (string, error) {
	t, err := l.begin(context.WithoutCancel(ctx), ask)
	if err != nil {
		return "", err
	}
	go l.follow(t)
	return t.id, nil
}

// Run does a whole turn and returns how it ended; ctx stops it. The error is one of Start's:
// a turn that began always has an Outcome. What waited for its end begins by itself then.
func (l *Loop) Run(ctx context.Context, ask Ask) (Outcome, error) {
	t, err := l.begin(ctx, ask)
	if err != nil {
		return Outcome{}, err
	}
	defer l.wait.Done()
	o := t.run()
	if o.Status == chat.StatusDone {
		if next := l.next(t); next != nil {
			go l.follow(next)
		}
	}
	return o, nil
}

// Stop ends the turn that runs in conversation; false when none does. It returns when the
// end is recorded, after 100 ms at most. Messages that wait are kept, and do not begin
// by themselves.
func (l *Loop) Stop(conversation string) bool {
	l.mu.Lock()
	s, ok := l.running[conversation]
	l.mu.Unlock()
	if !ok {
		return false
	}
	s.cancel(errStopped)
	bound := time.NewTimer(stopWithin)
	defer bound.Stop()
	select {
	case <-s.done:
	case <-bound.C:
	}
	return true
}

// Running reports whether a turn runs in conversation.
func (l *Loop) Running(conversation string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok := l.running[conversation]
	return ok && !s.ending
}

// Close stops every turn and waits for their ends. Later asks are refused.
func (l *Loop) Close() {
	l.mu.Lock()
	l.closed = true
	for _, s := range l.running {
		s.cancel(errStopped)
	}
	l.mu.Unlock()
	l.wait.Wait()
	l.settleLast()
}

// begin checks ask, takes the conversation, and records the person's message. On success
// one Done on l.wait is owed.
func (l *Loop) begin(ctx context.Context, ask Ask) (*turn, error) {
	ask.Text = strings.TrimSpace(ask.Text)
	switch {
	case ask.Text == "":
		return nil, ErrEmpty
	case len(ask.Text) > MaxTextBytes:
		return nil, ErrTooLong
	}
	fresh := ask.Conversation == ""
	if fresh {
		ask.Conversation = newID("c")
	}
	if ask.Model == "" {
		ask.Model = llm.PilotName
	}
	run, cancel := context.WithCancelCause(ctx)
	place, err := l.take(ctx, ask, cancel)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	t := &turn{loop: l, ask: ask, id: newID("t"), ctx: run, seat: place}
	err = l.settle(ctx, ask.Conversation)
	if err == nil {
		err = t.open(ctx, fresh)
	}
	if err != nil {
		l.leave(t)
		l.wait.Done()
		return nil, err
	}
	return t, nil
}

// take makes the conversation ours, or says who has it. A turn that only records its end
// is waited for: who sees the end may ask again at once.
func (l *Loop) take(ctx context.Context, ask Ask, cancel context.CancelCauseFunc) (*seat, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		if l.closed {
			return nil, ErrClosed
		}
		s, taken := l.running[ask.Conversation]
		switch {
		case !taken:
			s = &seat{cancel: cancel, ask: ask, done: make(chan struct{})}
			l.running[ask.Conversation] = s
			l.wait.Add(1)
			return s, nil
		case !s.ending:
			return nil, ErrBusy
		}
		l.mu.Unlock()
		select {
		case <-s.done:
		case <-ctx.Done():
		}
		l.mu.Lock()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
}

// end marks that t only records its end.
func (l *Loop) end(t *turn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t.seat.ending = true
}

// leave frees the conversation of t.
func (l *Loop) leave(t *turn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t.seat.cancel(nil)
	delete(l.running, t.ask.Conversation)
	close(t.seat.done)
}

// NewConversation begins an empty conversation; its first message gives it a title when
// title is empty.
func (l *Loop) NewConversation(ctx context.Context, title string) (chat.Conversation, error) {
	now := time.Now().UTC()
	c := chat.Conversation{
		ID:      newID("c"),
		Title:   strings.TrimSpace(title),
		Status:  chat.StatusDone,
		Created: now,
		Updated: now,
	}
	return c, l.publish(ctx, event.New(event.ConversationCreated, c).In(c.ID, ""))
}

// publish records events although the turn may already be stopped.
func (l *Loop) publish(ctx context.Context, events ...event.Event) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer cancel()
	if _, err := l.cfg.Journal.Publish(ctx, events...); err != nil {
		return fmt.Errorf("recording the conversation: %w", err)
	}
	return nil
}
