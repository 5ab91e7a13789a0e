// Package inflight keeps track of the tool calls that wait for an MCP server's answer. It matches what the
// server sends meanwhile (questions to the person, progress) to a call: by the context of the request, by the
// task or progress token that it names, or, if it names none, because only one call is running.
package inflight

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/mcp/tasks"
	"sextant/backend/pipeline/deadline"
	"sextant/shared/toolspec"
)

// MaxQuestions bounds the questions that a server may ask in one call.
const MaxQuestions = 10

// Registry holds the running calls of one server. Its methods may be called concurrently; the zero value is
// ready.
type Registry struct {
	mu     sync.Mutex
	calls  map[*Call]bool
	tokens int64
}

// Call is one running call.
type Call struct {
	// Context is the context of the call, with the call as a value.
	Context context.Context //nolint:containedctx // the lifetime of the call
	Request toolspec.Call

	questions atomic.Int32
	// asking is a semaphore: one question of the call is open at a time.
	asking chan struct{}

	// Registry.mu guards token, progress and task.
	token    string
	progress *progressReporter
	task     string
	registry *Registry
}

type contextKey struct{}

// Begin registers a call. inner is ctx with the call as a value, see FromContext. The caller must call end when the
// call is over.
func (r *Registry) Begin(ctx context.Context, request toolspec.Call) (inner context.Context, end func()) {
	c := &Call{Request: request, asking: make(chan struct{}, 1), registry: r}
	c.Context = context.WithValue(ctx, contextKey{}, c)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls == nil {
		r.calls = map[*Call]bool{}
	}
	r.calls[c] = true
	return c.Context, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.calls, c)
	}
}

// IsIdle reports whether no call is running.
func (r *Registry) IsIdle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.calls) == 0
}

// FromContext returns the call that ctx belongs to, nil for none.
func FromContext(ctx context.Context) *Call {
	c, _ := ctx.Value(contextKey{}).(*Call)
	return c
}

// Find returns the call that a server's request belongs to, or nil. If meta names a task, that is the call with
// this task; otherwise the call of ctx, or else the only running call.
func (r *Registry) Find(ctx context.Context, meta map[string]any) *Call {
	if id := tasks.RelatedID(meta); id != "" {
		return r.find(func(c *Call) bool { return c.task == id })
	}
	if c := FromContext(ctx); c != nil {
		return c
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.calls) == 1 {
		for only := range r.calls {
			return only
		}
	}
	return nil
}

func (r *Registry) find(is func(*Call) bool) *Call {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.calls {
		if is(c) {
			return c
		}
	}
	return nil
}

// Pause stops the call's deadline until resume is called, which the caller must do. inner ends with ctx, with the
// call's context or with resume.
func (c *Call) Pause(ctx context.Context) (inner context.Context, resume func()) {
	inner, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.Context, cancel)
	restart := deadline.Pause(c.Context)
	return inner, func() { restart(); stop(); cancel() }
}

// BeginQuestion waits until no other question of the call is open. ok is false if this would be more than MaxQuestions,
// or if ctx ended. Otherwise the caller must call done after the question.
func (c *Call) BeginQuestion(ctx context.Context) (done func(), ok bool) {
	if c.questions.Add(1) > MaxQuestions {
		return nil, false
	}
	select {
	case c.asking <- struct{}{}:
		return func() { <-c.asking }, true
	case <-ctx.Done():
		return nil, false
	}
}

// SetTask records the id of the task that the server answered the call with.
func (c *Call) SetTask(id string) {
	c.registry.mu.Lock()
	defer c.registry.mu.Unlock()
	c.task = id
}

// Report passes line, which is text from outside, to the output of TrackProgress. It may drop lines that come too fast.
func (c *Call) Report(line string) {
	c.registry.mu.Lock()
	p := c.progress
	c.registry.mu.Unlock()
	p.report(line)
}

// TrackProgress sends the lines of Report to output, which may be nil, until end is called. The server must name token
// in its progress notifications.
func (c *Call) TrackProgress(output func(stream, text string)) (token string, end func()) {
	p := &progressReporter{output: output}
	r := c.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tokens++
	c.token, c.progress = "call-"+strconv.FormatInt(r.tokens, 10), p
	return c.token, p.end
}

// ReportProgress reports a notification to the running call with its token, if there is one.
func (r *Registry) ReportProgress(p *sdk.ProgressNotificationParams) {
	token, ok := p.ProgressToken.(string)
	if !ok {
		return
	}
	if c := r.find(func(c *Call) bool { return c.token == token }); c != nil {
		c.Report(progressLine(p))
	}
}
