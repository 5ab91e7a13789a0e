// Package loop runs turns: the user's message, then model and tools in alternation until the model stops calling tools,
// a limit is reached, something fails or a person stops it.
//
// What happens is published as events in order. The events are the source of truth: a later turn is built from the
// messages that History derives from them. If the program dies during a turn, the next turn continues after the last
// event; calls without a result are answered as "outcome unknown" and do not run again automatically.
//
// The loop decides nothing about permissions. Its calls go to the CallRunner (the pipeline) with their provenance: who
// asked, which hosts the person typed, and which outside sources the conversation has read.
package loop

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/loop/allowance"
	"sextant/backend/agent/loop/budget"
	"sextant/backend/agent/loop/naming"
	"sextant/backend/agent/loop/pictures"
	"sextant/backend/agent/pilot"
	"sextant/backend/agent/prompt"
	"sextant/backend/agent/toolcalls/probe"
	"sextant/backend/store/pending"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// Tools lists the tools that can be called while panel is active.
type Tools interface {
	Definitions(panel string) []toolspec.Definition
}

// CallRunner runs one call. It returns soon after ctx is done.
type CallRunner interface {
	Do(ctx context.Context, call toolspec.Call) toolspec.Result
}

// Journal records events and returns them with their sequence numbers.
type Journal interface {
	Publish(ctx context.Context, events ...event.Event) ([]event.Event, error)
}

// History returns the messages of a conversation in order, none for an unknown one.
type History interface {
	Messages(ctx context.Context, conversation string) ([]chat.Message, error)
}

// ConversationReader is an optional interface of a History. With it, the loop keeps a title that a person set.
type ConversationReader interface {
	// Conversation returns one conversation, or an error if it does not exist yet.
	Conversation(ctx context.Context, id string) (chat.Conversation, error)
}

// Models opens models by name.
type Models interface {
	Open(name string) (llm.Model, error)
}

// FormatDetector detects how a model writes tool calls. usage is the usage of the detection, if it just took
// place.
type FormatDetector interface {
	Detect(ctx context.Context, name string, m llm.Model) (v probe.Result, usage chat.Usage, err error)
}

// Limits are the limits of one turn. A field that is not positive means 10.
type Limits struct {
	CallsPerTurn int
	// Rounds limits how often a model may answer with calls.
	Rounds int
}

// Config configures a Loop. Limits, Instructions and ActivePanel are read at the start of every turn, ActivePanel
// and Tools also between rounds.
type Config struct {
	Tools   Tools
	Calls   CallRunner
	Journal Journal
	// Pending queues events while the disk is full, and stores them in Journal later.
	Pending *pending.Queue
	History History
	// Pictures stores the pictures of results, and opens them and attached pictures for later requests. With nil only
	// the turn that took a picture sends it.
	Pictures pictures.Store
	Models   Models
	// Formats may be nil if every model supports native calls.
	Formats FormatDetector
	// Pilot answers turns of the model "pilot"; nil means a pilot with the zero Config.
	Pilot  llm.Model
	Limits func() Limits
	// Queue returns messages that wait for a running turn; with nil no message can wait.
	Queue Queue
	// Notes returns the notes that are appended to the system prompt, read at the start of every turn.
	Notes func() []string
	// PageContexts returns what open pages report to the model while panel is active; may be nil.
	PageContexts func(conversation, panel string) []prompt.PageContext
	// CoreTools names the tools that are always listed, however many there are.
	CoreTools []string
	// ContextShare is how full the context window may get, in percent, before older messages are summarized;
	// nil means 80.
	ContextShare func() int
	// SnapshotTools names the tools whose results list the elements of a page.
	SnapshotTools []string
	// ContextWindow returns the configured context window of models in tokens. If ContextWindow is nil or returns 0,
	// the window is detected for each model.
	ContextWindow func() int
	// Budget limits the cost of models; the zero value sets no limit.
	Budget budget.Config
	// MarkerSecret is the secret for the markers around outside text; "" generates one. If it is the same after a
	// restart, prompts keep their bytes.
	MarkerSecret string
	// Instructions returns what the person wants the model to follow, "" for nothing.
	Instructions func() string
	// ActivePanel returns the active panel, for requests that name no Panel.
	ActivePanel func() string
	Log         *slog.Logger
}

// TurnRequest is the request of a person or program to run a turn.
type TurnRequest struct {
	// Conversation is the conversation of the turn; empty creates one.
	Conversation string
	Text         string
	// Attachments is outside text that is sent with Text. Sources contains the sources of Text if its sender did
	// not write it.
	Attachments []chat.Attachment
	Sources     []string
	// Model is provider/name or "pilot"; empty means pilot.
	Model string
	Panel string
	// Caller is the party that makes the calls; empty means model or pilot, depending on Model.
	Caller toolspec.Caller
	// Interactive is set if a person can be asked.
	Interactive bool
	YesTo       string
	// Session names the owner of the browser tabs to use, "" for the window.
	Session string
	// System is the exact system prompt; empty means the configured prompt with the notes.
	System string
	// Tools names the tools that the model may call; none means all. It does not restrict the tools that a listed tool
	// calls itself.
	Tools []string
	// Goal decides when the turn is done; if it is nil, the first answer without calls ends the turn.
	Goal Goal
	// Call is the only call of the turn, which then needs no model; nil for other turns. Text says what it does.
	Call *chat.ToolCall
	// TypedHosts are hosts that the person named in another place than Text.
	TypedHosts []string
	// Title and Folder are those of a new conversation; "" means a title from Text, and no folder.
	Title, Folder string
	// UnattendedRun is the run of a schedule whose calls the turn makes, "" for none. Began is called with the id of
	// the conversation once it is recorded; it may be nil.
	UnattendedRun string
	Began         func(conversation string)
	// Budget limits this turn in addition to the configured budgets.
	Budget budget.Limit
	// RaiseBudget first raises the conversation's budget by its amount: what was spent so far no longer counts.
	RaiseBudget bool
	// fromQueue is set for a message that waited, branch for a turn that begins a branch, and lineage for a subagent.
	fromQueue *event.WaitingMessage
	branch    *branchPoint
	lineage   *lineage
}

// Errors of Start and Run that callers distinguish.
var (
	// ErrBusy means that a turn runs in the conversation, or that it is being changed or deleted.
	ErrBusy = errors.New("a turn is running in this conversation; stop it or wait for its end")
	// ErrEmpty means that the message is empty.
	ErrEmpty = errors.New("the message is empty")
	// ErrTooLong means that the message is larger than MaxTextBytes.
	ErrTooLong = errors.New("the message is longer than 200,000 bytes")
	// ErrClosed means that the Loop was closed.
	ErrClosed = errors.New("the assistant is closing")
)

// MaxTextBytes limits one message of a person.
const MaxTextBytes = 200_000

const publishTimeout = 10 * time.Second

const stopWithin = 100 * time.Millisecond

// Loop runs turns, one at a time in each conversation. Safe for concurrent use.
type Loop struct {
	cfg Config

	wait sync.WaitGroup

	// queue is locked from reading the queue until the change is recorded, so that no message is sent twice or after
	// it was dropped. Lock it before mu.
	queue sync.Mutex

	mu               sync.Mutex
	closed           bool
	running          map[string]*runningTurn
	toolboxes        map[string]*prompt.Toolbox
	outside          map[string]*sharedLineage
	outsideSubagents allowance.Counter
}

type runningTurn struct {
	cancel  context.CancelCauseFunc
	request TurnRequest
	// ending is set while only the end remains to be recorded; done is closed after that.
	ending bool
	done   chan struct{}
}

// New returns a Loop. Close it before the components in cfg.
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
	if cfg.Instructions == nil {
		cfg.Instructions = func() string { return "" }
	}
	if cfg.ContextShare == nil {
		cfg.ContextShare = func() int { return 80 }
	}
	if cfg.ContextWindow == nil {
		cfg.ContextWindow = func() int { return 0 }
	}
	if cfg.ActivePanel == nil {
		cfg.ActivePanel = func() string { return "" }
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.MarkerSecret == "" {
		cfg.MarkerSecret = NewSecret()
	}
	return &Loop{
		cfg: cfg, running: map[string]*runningTurn{}, toolboxes: map[string]*prompt.Toolbox{},
		outside: map[string]*sharedLineage{},
	}
}

// Start begins a turn in the background and returns its id once the message is recorded. The turn outlives ctx.
func (l *Loop) Start(ctx context.Context, request TurnRequest) (string, error) {
	t, err := l.begin(context.WithoutCancel(ctx), request)
	if err != nil {
		return "", err
	}
	go l.runQueue(t)
	return t.id, nil
}

// Run runs a whole turn and returns how it ended; ctx stops it. Errors are those of Start. If the turn's status is
// done, waiting messages start turns afterwards.
func (l *Loop) Run(ctx context.Context, request TurnRequest) (Outcome, error) {
	t, err := l.begin(ctx, request)
	if err != nil {
		return Outcome{}, err
	}
	defer l.wait.Done()
	o := t.run()
	if o.Status == chat.StatusDone {
		if next := l.startNext(t); next != nil {
			go l.runQueue(next)
		}
	}
	return o, nil
}

// Stop stops the turn that runs in conversation and reports whether there was one. It returns when the end is recorded,
// after 100 ms at most. Waiting messages do not start automatically.
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

// IsRunning reports whether a turn runs in conversation. A turn of which only the end remains to be recorded does not
// count.
func (l *Loop) IsRunning(conversation string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, ok := l.running[conversation]
	return ok && !s.ending
}

// IsBusy reports whether a turn runs in any conversation.
func (l *Loop) IsBusy() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.running) > 0
}

// Close stops the turns, waits until they have ended, and tries to save events that are still unsaved. Later requests
// fail with ErrClosed.
func (l *Loop) Close() {
	l.mu.Lock()
	l.closed = true
	for _, s := range l.running {
		s.cancel(errStopped)
	}
	l.mu.Unlock()
	l.wait.Wait()
	l.saveAtClose()
}

// On success the caller must call l.wait.Done.
func (l *Loop) begin(ctx context.Context, request TurnRequest) (*turn, error) {
	request.Text = strings.TrimSpace(request.Text)
	switch {
	case request.Text == "":
		return nil, ErrEmpty
	case len(request.Text) > MaxTextBytes:
		return nil, ErrTooLong
	}
	fresh := request.Conversation == ""
	if fresh {
		request.Conversation = naming.NewID("c")
	}
	if request.Model == "" || request.Call != nil {
		request.Model = llm.PilotName
	}
	run, cancel := context.WithCancelCause(ctx)
	place, err := l.acquire(ctx, request, cancel)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	t := &turn{loop: l, request: request, id: naming.NewID("t"), ctx: run, running: place}
	err = l.saveUnsaved(ctx, request.Conversation)
	if err == nil {
		err = t.recordStart(ctx, fresh)
	}
	if err == nil && request.Began != nil {
		request.Began(request.Conversation)
	}
	if err != nil {
		l.release(t)
		l.wait.Done()
		return nil, err
	}
	return t, nil
}

// acquire claims the conversation, or fails with ErrBusy. It waits for a turn that is only recording its end,
// because a caller that has seen the end may send the next message at once.
func (l *Loop) acquire(ctx context.Context, request TurnRequest, cancel context.CancelCauseFunc) (*runningTurn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for {
		if l.closed {
			return nil, ErrClosed
		}
		s, taken := l.running[request.Conversation]
		switch {
		case !taken:
			s = &runningTurn{cancel: cancel, request: request, done: make(chan struct{})}
			l.running[request.Conversation] = s
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

func (l *Loop) markEnding(t *turn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t.running.ending = true
}

func (l *Loop) release(t *turn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t.running.cancel(nil)
	delete(l.running, t.request.Conversation)
	close(t.running.done)
}

// NewConversation creates an empty conversation. Without a title, its first message gives it one.
func (l *Loop) NewConversation(ctx context.Context, title string) (chat.Conversation, error) {
	now := time.Now().UTC()
	c := chat.Conversation{
		ID:      naming.NewID("c"),
		Title:   strings.TrimSpace(title),
		Status:  chat.StatusDone,
		Created: now,
		Updated: now,
	}
	return c, l.publish(ctx, event.New(event.ConversationCreated, c).InTurn(c.ID, ""))
}

// publish records events, even if the turn is already stopped, within publishTimeout.
func (l *Loop) publish(ctx context.Context, events ...event.Event) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), publishTimeout)
	defer cancel()
	if _, err := l.cfg.Journal.Publish(ctx, events...); err != nil {
		return fmt.Errorf("recording the conversation: %w", err)
	}
	return nil
}
