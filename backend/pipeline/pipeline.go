// Package pipeline runs calls. A call passes the stages in Pipeline.stages, whoever makes it (decision 10). No argument
// of a call skips a stage. A stage either continues the call or ends it with a Result. A call is reported as an event
// and in the audit log however it ends.
//
// The surface and the description of a call are resolved once and passed on. After a question, the call is described
// again, to refuse it if it would now have another effect than the person allowed.
//
// Do always returns a Result; a panic of an executor does not escape. The intent of a call with an effect is on disk
// before the call runs. A stop takes effect within 100 ms, even if the executor ignores it; the Result then says that
// its effects so far remain. The deadline counts from the start of the execution and is paused while a question waits.
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

	"golang.org/x/time/rate"

	"sextant/backend/pipeline/approval"
	"sextant/backend/pipeline/catalog"
	"sextant/backend/pipeline/schema"
	"sextant/backend/policy"
	"sextant/backend/policy/taint"
	"sextant/backend/sandbox/secrets"
	"sextant/backend/store/pending"
	"sextant/backend/unattended"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// Executor runs the calls of one origin. The arguments are valid and include their defaults. Execute must return when
// ctx ends. out publishes output while the call runs; stream is stdout, stderr or progress. out may be called from any
// goroutine until Execute returns. An error is an unexpected failure; a failure that the model can correct is a failed
// Result.
type Executor interface {
	Execute(
		ctx context.Context, call toolspec.Call, def toolspec.Definition, out func(stream, text string),
	) (toolspec.Result, error)
}

// Describer is an Executor that can describe the effect of a call before it runs. Describe must be fast.
type Describer interface {
	Describe(call toolspec.Call) toolspec.Description
}

// SurfaceResolver is an Executor of calls that act on a page. Surface must be fast. It returns nil for a call that acts
// on no page.
type SurfaceResolver interface {
	Surface(call toolspec.Call) *toolspec.Surface
}

// Refuser is an Executor that refuses some calls whatever the person allows. Refuse must be fast; nil continues the
// call.
type Refuser interface {
	Refuse(call toolspec.Call) *toolspec.Result
}

// Trier is an Executor that can run some calls on a copy of the workspace folder first. Try returns nil if it cannot,
// or if the trial does not show what the call does.
type Trier interface {
	Try(ctx context.Context, call toolspec.Call) (*toolspec.Trial, error)
}

// PageControl reports who controls the page of the window's browser, and shows who acts on it.
type PageControl interface {
	// TakenOver reports whether the person has taken over the page.
	TakenOver() bool
	// WaitReturned waits until the person gives the page back. It fails if ctx or the browser ends.
	WaitReturned(ctx context.Context) error
	// SetActor shows who acts on the page now; "" is nobody.
	SetActor(caller toolspec.Caller)
}

// Dialer lets tools connect to hosts that the person typed; *egress.Guard implements it.
type Dialer interface {
	AllowTyped(host string)
}

// Recorder stores and distributes events; *eventlog.Recorder implements it.
type Recorder interface {
	Publish(ctx context.Context, events ...event.Event) ([]event.Event, error)
}

// Audit writes the audit rows before and after a call; *audit.Log implements it.
type Audit interface {
	WriteIntent(ctx context.Context, row event.CallIntent) error
	WriteResult(ctx context.Context, id string, out event.CallResult) error
	WriteCall(ctx context.Context, row event.CallIntent, out event.CallResult) error
}

// Grants stores lasting permissions; *sqlite.Store implements it.
type Grants interface {
	Grants(ctx context.Context) ([]toolspec.Grant, error)
	AddGrant(ctx context.Context, g toolspec.Grant) error
}

// Blobs stores pictures; *blobs.Store implements it.
type Blobs interface {
	Put(r io.Reader) (id string, err error)
}

// Config configures a Pipeline. PageControl, Dialer, CallTools, Secrets and Now may be nil.
type Config struct {
	Tools     *catalog.Registry
	Approvals *approval.Queue
	Recorder  Recorder
	Audit     Audit
	Grants    Grants
	Blobs     Blobs
	Results   Results
	// PageControl decides whether calls may act on the window's page. Nil allows all calls.
	PageControl PageControl
	// Dialer gets the hosts that a person typed and that a baseline call may use.
	Dialer Dialer
	// Pending queues the events and audit rows that a full disk rejects. It stores events in Recorder.
	Pending *pending.Queue
	// Policy returns the current settings. It is called for every call.
	Policy func() policy.Settings
	// CallTools returns the tools of others that a panel's manifest names. Nil is none.
	CallTools func(panel string) []string
	// OpenTool returns the name of the tool that opens a panel.
	OpenTool func(panel string) string
	// PageAddress returns the address of the active tab of a session, "" for none.
	PageAddress func(session string) string
	// SignedIn reports whether the person may be signed in on the page of a session's active tab. Nil is never.
	SignedIn func(session string) bool
	// Unattended knows the runs that nobody watches. It is used for their calls only.
	Unattended UnattendedRuns
	// Secrets contains the secrets to mask in everything that a call reports and stores.
	Secrets *secrets.Vault
	Log     *slog.Logger
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Pipeline runs calls. It is safe for concurrent use.
type Pipeline struct {
	cfg        Config
	stages     []stage
	checker    *schema.Checker
	hosts      *hosts
	rates      *rates
	repeats    *repeatCache
	read       *taint.Memory
	typed      typedText
	secretUses *secretUses

	mu        sync.Mutex
	executors map[toolspec.Origin]Executor
	running   map[string]*callState
	// actor is the turn of the last call that acted on the window's page.
	actor string
	// calls counts calls from enter to leave. It grows only under mu and while closed is false.
	calls sync.WaitGroup
	// executions counts goroutines that run executors, including abandoned ones.
	executions sync.WaitGroup
	closed     bool
	dropped    int
}

// New returns a Pipeline without executors.
func New(c Config) *Pipeline {
	if c.Now == nil {
		c.Now = time.Now
	}
	p := &Pipeline{
		cfg: c, checker: schema.New(), hosts: newHosts(), repeats: newRepeatCache(), read: taint.New(),
		rates:      &rates{perSecond: callsPerSecond, limiters: map[caller]*rate.Limiter{}},
		secretUses: &secretUses{contexts: map[string][]toolspec.SecretUse{}},
		executors:  map[toolspec.Origin]Executor{}, running: map[string]*callState{},
	}
	p.stages = []stage{
		p.selectTool, p.reach, p.validate, p.refuse, p.awaitReturn, p.resolveSurface, p.describe,
		p.limitRate, p.checkSecrets, p.repeat, p.policy, p.approve, p.intent, p.route, p.run,
	}
	return p
}

// Register makes e run the calls of an origin and replaces an earlier executor.
func (p *Pipeline) Register(origin toolspec.Origin, e Executor) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.executors[origin] = e
}

type callState struct {
	// call gets canonical arguments in validate and its surface in resolveSurface.
	call     toolspec.Call
	def      toolspec.Definition
	desc     toolspec.Description
	decision policy.Decision
	// trial is set if the call ran on a copy.
	trial    *toolspec.Trial
	executor Executor
	// row is the audit row so far: the decision, its reason, the answer to a question.
	row event.CallIntent
	// asked is the question that the person answered by allowing the call.
	asked string
	// edited is true if the person changed an argument before allowing the call.
	edited bool
	status event.CallStatus
	intent bool
	// intentFailed is true if the intent of a call that only reads could not be written. Only functions in writes
	// access it.
	intentFailed bool
	announced    bool
	// writes contains the call's events and audit rows that are being written, in order.
	writes queue
	// changes is the number of changing calls when the call began, for repeat.
	changes int64
	cancel  context.CancelCauseFunc
}

type stage func(ctx context.Context, c *callState) *toolspec.Result

var errStopped = errors.New("stopped")

// Do runs call through the stages and returns its outcome. A call without an ID gets one; any other ID must be new. If
// ctx ends, the call is stopped.
func (p *Pipeline) Do(ctx context.Context, call toolspec.Call) (result toolspec.Result) {
	if call.ID == "" {
		call.ID = newID("c")
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c := p.newCall(call)
	c.cancel = cancel
	ctx, observed := unattended.ObserveCall(ctx)
	defer func() { observed(c.def.Name, string(result.ErrorType)) }()
	if problem := p.enter(c); problem != nil {
		return *problem
	}
	defer p.finish(c)
	defer p.discardTrial(c)
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

// For a call that only reads, finish waits in the background, except in a turn, whose next event must come after the
// call's.
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

// readsOnly reports whether the call uses a baseline tool that only reads and does not scroll the page. Its audit row
// need not be written before it runs.
func (c *callState) readsOnly() bool {
	return c.def.Hints.ReadOnly && c.def.Origin == toolspec.OriginBaseline && !c.desc.ScrollsPage
}

func (p *Pipeline) leave(c *callState) {
	defer p.calls.Done()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.running, c.call.ID)
}

// Cancel stops a running or waiting call and reports whether there was one. Do then returns within 100 ms and the time
// to write its events and rows.
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

// RunningCalls returns the calls that have begun and not ended, oldest first.
func (p *Pipeline) RunningCalls() []RunningCall {
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

// EndTurn drops the stored results of a turn's calls, and shows that the turn no longer acts on the window's page.
func (p *Pipeline) EndTurn(turn string) {
	p.repeats.forget(turn)
	p.endActor(turn)
}

// IsHostAllowed reports whether host (host or host:port) is in the setting AllowHosts or was opened by the person in
// session. The dialer and the browser's proxy call it.
func (p *Pipeline) IsHostAllowed(session, host string) bool {
	return policy.HostMatches(host, p.cfg.Policy().AllowHosts) ||
		policy.HostMatchesExactly(host, p.hosts.opened(session))
}

// Close stops every call and waits until no executor runs, or until ctx ends. Then it writes what a full disk rejected.
// The stores must stay open until it returns.
func (p *Pipeline) Close(ctx context.Context) error {
	p.mu.Lock()
	p.closed = true
	for _, c := range p.running {
		c.cancel(errStopped)
	}
	p.mu.Unlock()
	done := make(chan struct{})
	go func() {
		// Only calls start executions, so none starts after the last call.
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
