// Package pipeline runs calls: every call passes the same stages, whoever makes it.
//
// The stages are the functions in Pipeline.stages, in the order of that list. There is no second path,
// and nothing in a call's arguments skips a stage. A stage either continues the call or ends it with a
// Result. However a call ends, it is reported once as an event and once in the audit log.
//
// What a call acts on (its surface) and what it will do (its description) are resolved once and passed
// on. A description is read a second time only after a question, to refuse a call that would now do
// something else than what the person allowed.
//
// The contract: Do always returns a Result and never panics. A call that has an effect has an intent
// on disk before it runs. A stop is obeyed within 100 ms, even when the executor ignores it; the
// outcome is then unknown, and the Result says so. The deadline counts from the start of the execution
// and pauses while a question waits. A host that a running command connects to is judged by the same
// policy, in CheckHost.
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

	"sextant/backend/pipeline/approval"
	"sextant/backend/pipeline/catalog"
	"sextant/backend/pipeline/schema"
	"sextant/backend/policy"
	"sextant/backend/policy/taint"
	"sextant/backend/sandbox/secrets"
	"sextant/backend/store/pending"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// Executor runs the calls of one origin. Arguments are valid and have their defaults. Execute must
// return when ctx ends. out publishes output while the call runs (stream is stdout, stderr or
// progress); it may be called from any goroutine until Execute returns. An error is a fault of the
// executor; what the model should read and correct is a failed Result.
type Executor interface {
	Execute(
		ctx context.Context, call toolspec.Call, def toolspec.Definition, out func(stream, text string),
	) (toolspec.Result, error)
}

// Describer is an Executor that can say what a call will do before it runs. It reads only the
// arguments and the surface of the call, and must be quick.
type Describer interface {
	Describe(call toolspec.Call) toolspec.Description
}

// SurfaceResolver is an Executor whose calls act on a page. It is asked once for each call and must be
// quick; nil means that the call acts on none.
type SurfaceResolver interface {
	Surface(call toolspec.Call) *toolspec.Surface
}

// Refuser is an Executor that knows calls it will never run, such as one on a place that is closed to
// every tool. It must be quick; nil continues the call.
type Refuser interface {
	Refuse(call toolspec.Call) *toolspec.Result
}

// PageControl knows whether a person has taken over the page of the window's browser, and shows who
// acts on it.
type PageControl interface {
	// TakenOver reports whether a person has taken over the page.
	TakenOver() bool
	// WaitReturned waits until the person gives the page back. The error is the end of ctx or of the
	// browser.
	WaitReturned(ctx context.Context) error
	// SetActor shows who acts on the page now, "" for nobody.
	SetActor(caller toolspec.Caller)
}

// Dialer is told which hosts the person typed, so that tools may connect to them; *egress.Guard is one.
type Dialer interface {
	AllowTyped(host string)
}

// Recorder stores events and passes them on; *eventlog.Recorder is one.
type Recorder interface {
	Publish(ctx context.Context, events ...event.Event) ([]event.Event, error)
}

// Audit writes the audit rows before and after a call; *audit.Log is one.
type Audit interface {
	WriteIntent(ctx context.Context, row event.CallIntent) error
	WriteResult(ctx context.Context, id string, out event.CallResult) error
	WriteCall(ctx context.Context, row event.CallIntent, out event.CallResult) error
}

// Grants stores standing permissions; *sqlite.Store is one.
type Grants interface {
	Grants(ctx context.Context) ([]toolspec.Grant, error)
	AddGrant(ctx context.Context, g toolspec.Grant) error
}

// Blobs stores pictures; *blobs.Store is one.
type Blobs interface {
	Put(r io.Reader) (id string, err error)
}

// Config is what a Pipeline works with. Pages, Dialer, CallTools, Secrets and Now may be left out.
type Config struct {
	Tools     *catalog.Registry
	Approvals *approval.Queue
	Recorder  Recorder
	Audit     Audit
	Grants    Grants
	Blobs     Blobs
	Results   Results
	// Pages decides whether calls may act on the window's page; nil allows all.
	Pages PageControl
	// Dialer hears of hosts that a person typed and a baseline call may use; nil hears nothing.
	Dialer Dialer
	// Pending queues what a full disk does not take; it stores in Recorder.
	Pending *pending.Queue
	// Policy returns the settings in force. It is asked for every call.
	Policy func() policy.Settings
	// CallTools returns the tools besides its own that a panel's manifest names; nil knows none.
	CallTools func(panel string) []string
	// Secrets are masked in everything that a call says and stores; nil knows none.
	Secrets *secrets.Vault
	Log     *slog.Logger
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Pipeline runs calls. Its methods may be called concurrently.
type Pipeline struct {
	cfg     Config
	stages  []stage
	checker *schema.Checker
	hosts   *hosts
	repeats *repeatCache
	// read remembers what was read, so that it is recognised on its way out.
	read  *taint.Memory
	typed typedText
	// secretUses are the uses of secrets that a person allowed.
	secretUses *secretUses

	mu        sync.Mutex
	executors map[toolspec.Origin]Executor
	running   map[string]*callState
	// actor is the turn whose call acted last on the window's page.
	actor string
	// calls counts calls from enter to leave. It grows only under mu and while closed is false.
	calls sync.WaitGroup
	// executions counts goroutines that run executors, including those that were given up on.
	executions sync.WaitGroup
	closed     bool
	// dropped counts the audit rows that were not queued.
	dropped int
}

// New returns a Pipeline without executors.
func New(c Config) *Pipeline {
	if c.Now == nil {
		c.Now = time.Now
	}
	p := &Pipeline{
		cfg: c, checker: schema.New(), hosts: newHosts(), repeats: newRepeatCache(), read: taint.New(),
		secretUses: &secretUses{contexts: map[string][]toolspec.SecretUse{}},
		executors:  map[toolspec.Origin]Executor{}, running: map[string]*callState{},
	}
	p.stages = []stage{
		p.selectTool, p.reach, p.validate, p.refuse, p.resolveSurface, p.describe, p.checkSecrets, p.repeat,
		p.policy, p.approve, p.intent, p.route, p.run,
	}
	return p
}

// Register makes e run the calls of an origin; a later one replaces an earlier one.
func (p *Pipeline) Register(origin toolspec.Origin, e Executor) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.executors[origin] = e
}

// callState is one call between enter and leave.
type callState struct {
	// call gets canonical arguments in validate and its surface in resolveSurface.
	call     toolspec.Call
	def      toolspec.Definition
	desc     toolspec.Description
	decision policy.Decision
	executor Executor
	// row is what the audit row says so far: the decision, its reason, the answer to a question.
	row event.CallIntent
	// asked is the question that a person answered with yes.
	asked string
	// status overrides what the Result says: declined, refused, stopped.
	status event.CallStatus
	// intent is true once the row before the effects is on disk.
	intent bool
	// intentFailed is true when the row of a call that only reads was not taken; only writes knows.
	intentFailed bool
	// announced is true once the start of the call was published.
	announced bool
	// writes are the call's events and audit rows that are being written, in order.
	writes queue
	// changes is the count of changing calls when the call began, for repeat.
	changes int64
	cancel  context.CancelCauseFunc
}

// stage is one step of a call: nil continues it, a Result ends it.
type stage func(ctx context.Context, c *callState) *toolspec.Result

// errStopped is the cause that a call's context ends with when the call is stopped.
var errStopped = errors.New("stopped")

// Do runs call through all stages and returns its outcome. It fills in Call.ID when that is empty; a
// given id must never have been used before. The end of ctx stops the call.
func (p *Pipeline) Do(ctx context.Context, call toolspec.Call) toolspec.Result {
	if call.ID == "" {
		call.ID = newID("c")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := p.newCall(call)
	c.cancel = cancel
	if problem := p.enter(c); problem != nil {
		return *problem
	}
	defer p.finish(c)
	for _, next := range p.stages {
		if ctx.Err() != nil {
			return p.report(ctx, c, c.stopped())
		}
		if result := next(ctx, c); result != nil {
			return p.report(ctx, c, *result)
		}
	}
	return p.report(ctx, c, toolspec.Fail(toolspec.SystemError, "it ended without a result", ""))
}

func newID(kind string) string { return kind + "_" + strings.ToLower(rand.Text()) }

func (p *Pipeline) newCall(call toolspec.Call) *callState {
	c := &callState{call: call}
	c.row.Started, c.row.Decision = p.cfg.Now().UTC(), "none"
	return c
}

func (p *Pipeline) enter(c *callState) *toolspec.Result {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		r := toolspec.Fail(toolspec.SystemError, c.errorText("Sextant is closing, so it did not run"),
			"Start Sextant, then try again.")
		return &r
	}
	if _, twice := p.running[c.call.ID]; twice {
		r := toolspec.Fail(toolspec.ValidationError, c.errorText("a call with the id "+c.call.ID+" is already running"),
			"Leave the id out, or use a new one.")
		return &r
	}
	p.running[c.call.ID] = c
	p.calls.Add(1)
	return nil
}

// finish waits until everything about a call is written. A call that only reads does not wait for
// that, unless a turn's next event must come after it; Close waits in its place.
func (p *Pipeline) finish(c *callState) {
	if !c.readsOnly() || c.call.From.Turn != "" {
		c.writes.wait()
		p.leave(c)
		return
	}
	go func() {
		c.writes.wait()
		p.leave(c)
	}()
}

// readsOnly reports whether a baseline tool is called that only reads and does not scroll the page. Its audit row need
// not be written first.
func (c *callState) readsOnly() bool {
	return c.def.Hints.ReadOnly && c.def.Origin == toolspec.OriginBaseline && !c.desc.ScrollsPage
}

func (p *Pipeline) leave(c *callState) {
	defer p.calls.Done()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.running, c.call.ID)
}

// Cancel stops a running or waiting call and reports whether there was one. Its Do returns
// within 100 ms.
func (p *Pipeline) Cancel(callID string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	c, ok := p.running[callID]
	if ok {
		c.cancel(errStopped)
	}
	return ok
}

// RunningCall is a call that has begun and not ended.
type RunningCall struct {
	ID           string
	Tool         string
	Conversation string
	Turn         string
	Started      time.Time
}

// Running lists the calls that have begun and not ended, the oldest first.
func (p *Pipeline) Running() []RunningCall {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]RunningCall, 0, len(p.running))
	for _, c := range p.running {
		all = append(all, RunningCall{
			ID: c.call.ID, Tool: c.call.Tool, Started: c.row.Started,
			Conversation: c.call.From.Conversation, Turn: c.call.From.Turn,
		})
	}
	slices.SortFunc(all, func(a, b RunningCall) int {
		if c := a.Started.Compare(b.Started); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
	return all
}

// EndTurn drops what was remembered of a turn: results of repeated calls, and that it acts on the
// window's page.
func (p *Pipeline) EndTurn(turn string) {
	p.repeats.forget(turn)
	p.endActor(turn)
}

// IsHostAllowed reports whether a person opened host (host or host:port) in session, by typing it or by
// the setting. The dialer and the browser's proxy ask it.
func (p *Pipeline) IsHostAllowed(session, host string) bool {
	return policy.HostMatches(host, p.cfg.Policy().AllowHosts) ||
		policy.HostMatchesExactly(host, p.hosts.opened(session))
}

// Close stops every call and waits until each is reported and no executor runs, or ctx ends. What
// the reports are written to must stay open until then.
func (p *Pipeline) Close(ctx context.Context) error {
	p.mu.Lock()
	p.closed = true
	for _, c := range p.running {
		c.cancel(errStopped)
	}
	p.mu.Unlock()
	done := make(chan struct{})
	go func() {
		// Only a call starts an execution, so none begins after the last call.
		p.calls.Wait()
		p.executions.Wait()
		close(done)
	}()
	select {
	case <-done:
		if err := p.cfg.Pending.FlushAll(context.WithoutCancel(ctx)); err != nil {
			return fmt.Errorf("closing: %w", err)
		}
		return nil
	case <-ctx.Done():
		return errors.New("closing: a call did not end in time")
	}
}
