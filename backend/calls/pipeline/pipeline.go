// Package pipeline is the way of a call: what every call passes, whoever makes it.
//
// The stages stand in files of their own, in this order: select, reach, validate, refuse, describe,
// secrets, repeat, policy, approve, intent, route, run, report. There is no second way and nothing
// in a call's arguments skips a stage. A stage either lets the call go on or ends it with
// a Result; whichever way a call ends, it is reported once as an event and once in the
// audit log. What only reads is written down beside it, in order.
//
// The contract: Do always returns a Result, never panics through, and a call that has an
// effect has an intent on disk before. A stop is obeyed within 100 ms, also when the
// executor does not listen; then its outcome is not known and the Result says so. The
// deadline counts from the start of the execution, not while a question waits. A host that a
// command comes to while it runs is judged by the same policy, in Contact.
package pipeline

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"sextant/backend/calls/approval"
	"sextant/backend/calls/discovery"
	"sextant/backend/calls/schema"
	"sextant/backend/guard/copied"
	"sextant/backend/guard/policy"
	"sextant/backend/guard/secrets"
	"sextant/backend/record/audit"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// Executor runs calls of one origin. Arguments are valid and have their defaults. It must
// stop when ctx ends. out tells output while it runs (stream is stdout, stderr or
// progress); it may be called from any goroutine until Execute returns. An error is our
// own fault; what the model should read and mend is a failed Result.
type Executor interface {
	Execute(ctx context.Context, call toolspec.Call, def toolspec.Definition, out func(stream, text string)) (toolspec.Result, error)
}

// Describer is an Executor that can say beforehand what a call will do. It reads the
// call's arguments only and must be quick.
type Describer interface {
	Describe(call toolspec.Call) toolspec.Description
}

// Refuser is an Executor that knows calls it will never run, as on a place that is closed to
// every tool. It must be quick; nil lets the call go on.
type Refuser interface {
	Refuse(call toolspec.Call) *toolspec.Result
}

// Recorder stores events and hands them on; *events.Recorder is one.
type Recorder interface {
	Publish(ctx context.Context, events ...event.Event) ([]event.Event, error)
}

// Audit keeps the rows before and after; *audit.Log is one.
type Audit interface {
	Intent(ctx context.Context, row audit.Row) error
	Done(ctx context.Context, id string, out audit.Outcome) error
	Record(ctx context.Context, row audit.Row, out audit.Outcome) error
}

// Grants keeps standing permissions; *store.Store is one.
type Grants interface {
	Grants(ctx context.Context) ([]toolspec.Grant, error)
	AddGrant(ctx context.Context, g toolspec.Grant) error
}

// Blobs keeps pictures; *blobs.Store is one.
type Blobs interface {
	Put(r io.Reader) (id string, err error)
}

// Config is what a Pipeline works with. All fields but Now, Secrets and CallTools are needed.
type Config struct {
	Discovery *discovery.Discovery
	Desk      *approval.Desk
	Recorder  Recorder
	Audit     Audit
	Grants    Grants
	Blobs     Blobs
	Results   Results
	// Policy returns the settings in force; it is asked for every call.
	Policy func() policy.Settings
	// CallTools are the tools beside its own that a panel's manifest names; nil knows none.
	CallTools func(panel string) []string
	// Secrets are masked in all that a call tells and leaves; nil knows none.
	Secrets *secrets.Vault
	Log     *slog.Logger
	// Now is the clock, time.Now when nil.
	Now func() time.Time
}

// Pipeline runs calls. Its methods may be called concurrently.
type Pipeline struct {
	cfg     Config
	checker *schema.Checker
	hosts   *hosts
	memory  *memory
	// read knows what was read, so that it is known again on its way out.
	read  *copied.Memory
	given given
	// lent are the uses of secrets that were said yes to.
	lent *lent

	mu        sync.Mutex
	executors map[toolspec.Origin]Executor
	running   map[string]*flight
	// flights counts calls from enter to leave; it grows under mu and while not closed only.
	flights sync.WaitGroup
	// executions counts goroutines that run executors, also those given up on.
	executions sync.WaitGroup
	closed     bool
	// owed are rows that the audit log did not take, dropped counts those beyond what is kept.
	owed    []owed
	dropped int
	// paying is held while owed rows are written.
	paying sync.Mutex
	// unheard are events that found no room on the disk.
	unheard unheard
}

// New returns a Pipeline without executors.
func New(c Config) *Pipeline {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Pipeline{
		cfg: c, checker: schema.New(), hosts: newHosts(), memory: newMemory(), read: copied.New(), lent: &lent{talks: map[string][]toolspec.SecretUse{}},
		executors: map[toolspec.Origin]Executor{}, running: map[string]*flight{},
	}
}

// Register makes e run the calls of an origin; a later one replaces an earlier one.
func (p *Pipeline) Register(origin toolspec.Origin, e Executor) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.executors[origin] = e
}

// flight is one call on its way.
type flight struct {
	call     toolspec.Call
	def      toolspec.Definition
	desc     toolspec.Description
	decision policy.Decision
	// executor is set by route.
	executor Executor
	// verdict and reason are what the audit log says of the decision.
	verdict string
	reason  string
	// asked is the question that a person said yes to.
	asked string
	// answer and waited are what the audit log says of a question that was put.
	answer string
	waited time.Duration
	// status overrides what the Result says: declined, refused, stopped.
	status event.CallStatus
	// intent is true once the row before the effects is on disk.
	intent bool
	// unwritten is true when that row of a call that only looks was not taken; only writes knows.
	unwritten bool
	// announced is true once the start of the call was published.
	announced bool
	// writes are the call's events and audit rows on their way, in order.
	writes  queue
	begun   time.Time
	changes int64
	cancel  context.CancelCauseFunc
}

// stage is one step: nil lets the call go on, a Result ends it.
type stage func(ctx context.Context, f *flight) *toolspec.Result

// errStopped is the cause that a flight's context ends with when it is stopped.
var errStopped = errors.New("stopped")

// Do takes a call its whole way and returns its outcome. Call.ID is filled in when empty;
// a given one must never have been used before. The end of ctx stops the call.
func (p *Pipeline) Do(ctx context.Context, call toolspec.Call) toolspec.Result {
	if call.ID == "" {
		call.ID = newID("c")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	f := &flight{call: call, cancel: cancel, begun: p.cfg.Now(), verdict: "none"}
	if problem := p.enter(f); problem != nil {
		return *problem
	}
	defer p.finish(f)
	for _, next := range []stage{
		p.selectTool, p.reach, p.validate, p.refuse, p.describe, p.secrets, p.repeat, p.policy, p.approve, p.intent, p.route, p.run,
	} {
		if ctx.Err() != nil {
			return p.report(ctx, f, f.stopped())
		}
		if result := next(ctx, f); result != nil {
			return p.report(ctx, f, *result)
		}
	}
	return p.report(ctx, f, toolspec.Fail(toolspec.SystemError, "it came to no result", ""))
}

func newID(kind string) string { return kind + "_" + strings.ToLower(rand.Text()) }

func (p *Pipeline) enter(f *flight) *toolspec.Result {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		r := toolspec.Fail(toolspec.SystemError, f.errorText("Sextant is closing, so it did not run"), "Start Sextant, then try again.")
		return &r
	}
	if _, twice := p.running[f.call.ID]; twice {
		r := toolspec.Fail(toolspec.ValidationError, f.errorText("a call with the id "+f.call.ID+" runs already"),
			"Leave the id out, or use a new one.")
		return &r
	}
	p.running[f.call.ID] = f
	p.flights.Add(1)
	return nil
}

// finish waits until all of a call is written down. Who only looked does not wait for that, but
// where a turn's next event must come after; Close waits for it then.
func (p *Pipeline) finish(f *flight) {
	if !f.looks() || f.call.From.Turn != "" {
		f.writes.wait()
		p.leave(f)
		return
	}
	go func() {
		f.writes.wait()
		p.leave(f)
	}()
}

// looks reports whether the call is one of our own tools that only read: it has no effect that
// a row must come before.
func (f *flight) looks() bool {
	return f.def.Hints.ReadOnly && f.def.Origin == toolspec.OriginBaseline && !f.desc.Moves
}

func (p *Pipeline) leave(f *flight) {
	defer p.flights.Done()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.running, f.call.ID)
}

// Cancel stops a running or waiting call and reports whether there was one. Its Do returns
// within 100 ms.
func (p *Pipeline) Cancel(callID string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	f, ok := p.running[callID]
	if ok {
		f.cancel(errStopped)
	}
	return ok
}

// Running is a call on its way.
type Running struct {
	ID           string
	Tool         string
	Conversation string
	Turn         string
	Started      time.Time
}

// Running lists the calls on their way, the oldest first.
func (p *Pipeline) Running() []Running {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]Running, 0, len(p.running))
	for _, f := range p.running {
		all = append(all, Running{
			ID: f.call.ID, Tool: f.call.Tool, Started: f.begun,
			Conversation: f.call.From.Conversation, Turn: f.call.From.Turn,
		})
	}
	slices.SortFunc(all, func(a, b Running) int {
		if c := a.Started.Compare(b.Started); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return all
}

// EndTurn forgets what was remembered for answering repeated calls of a turn.
func (p *Pipeline) EndTurn(turn string) { p.memory.forget(turn) }

// HostOpen reports whether a person opened host (host or host:port) in session, by typing
// it or by the setting. The dialer and the browser's proxy ask it.
func (p *Pipeline) HostOpen(session, host string) bool {
	return policy.Opened(host, p.cfg.Policy().AllowHosts) || policy.Typed(host, p.hosts.opened(session))
}

// OpenHost opens host in session because a person typed it outside of any call: in the
// address bar, or on the command line.
func (p *Pipeline) OpenHost(session, host string) { p.hosts.open(session, []string{host}) }

// Close stops every call and waits until each is reported and no executor runs any more, or
// ctx ends. What the reports are written to must stay open until then.
func (p *Pipeline) Close(ctx context.Context) error {
	p.mu.Lock()
	p.closed = true
	for _, f := range p.running {
		f.cancel(errStopped)
	}
	p.mu.Unlock()
	done := make(chan struct{})
	go func() {
		// Only a flight starts an execution, so none begins after the last flight.
		p.flights.Wait()
		p.executions.Wait()
		close(done)
	}()
	select {
	case <-done:
		if err := p.pay(ctx); err != nil {
			return fmt.Errorf("closing: %w", err)
		}
		return nil
	case <-ctx.Done():
		return errors.New("closing: a call did not come to its end in time")
	}
}
