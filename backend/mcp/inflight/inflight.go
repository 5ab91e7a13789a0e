// Package inflight keeps track of the tool calls that wait for an MCP server's answer. What the server
// sends in between (questions to the person, progress) is matched to the call it belongs to: by the
// context of a request, by the task or progress token it names, or, where an older server says nothing,
// because only one call is under way.
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

// MaxQuestions bounds how often a server may ask the person in one call.
const MaxQuestions = 10

// Registry holds the calls of one server that are under way. Its methods may be called concurrently; the
// zero value is ready.
type Registry struct {
	mu    sync.Mutex
	calls map[*Call]bool
	// tokens counts the progress tokens given out.
	tokens int64
}

// Call is one call under way.
type Call struct {
	// Context is the call's own; Request is what is called.
	Context context.Context //nolint:containedctx // the life of the call
	Request toolspec.Call

	questions atomic.Int32
	// asking holds a value while a question of the call is open.
	asking chan struct{}

	// Guarded by Registry.mu.
	token    string
	progress *progressReporter
	task     string
	registry *Registry
}

type contextKey struct{}

// Begin registers a call; end must be called when it is over.
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

// Idle reports whether no call is under way.
func (r *Registry) Idle() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.calls) == 0
}

// FromContext is the call that ctx belongs to, nil for none.
func FromContext(ctx context.Context) *Call {
	c, _ := ctx.Value(contextKey{}).(*Call)
	return c
}

// Find is the call that a request with that metadata belongs to: the one whose task it names, the one
// whose context it came with, or the only one. It is nil if that is unknown.
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

// Pause stops the call's deadline until resume. inner ends with ctx and with the call.
func (c *Call) Pause(ctx context.Context) (inner context.Context, resume func()) {
	inner, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(c.Context, cancel)
	restart := deadline.Pause(c.Context)
	return inner, func() { restart(); stop(); cancel() }
}

// Ask waits until no other question of the call is open. ok is false if there were too many questions, or
// ctx ended; otherwise done must be called after the question.
func (c *Call) Ask(ctx context.Context) (done func(), ok bool) {
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

// SetTask notes the id of the task that the server answered the call with.
func (c *Call) SetTask(id string) {
	c.registry.mu.Lock()
	defer c.registry.mu.Unlock()
	c.task = id
}

// Report tells the person line, which is text from outside, as progress of the call.
func (c *Call) Report(line string) {
	c.registry.mu.Lock()
	p := c.progress
	c.registry.mu.Unlock()
	p.report(line)
}

// TrackProgress sends the progress of the call to output until end. The server is given token to report
// under.
func (c *Call) TrackProgress(output func(stream, text string)) (token string, end func()) {
	p := &progressReporter{output: output}
	r := c.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	r.tokens++
	c.token, c.progress = "call-"+strconv.FormatInt(r.tokens, 10), p
	return c.token, p.end
}

// Progress reports a progress notification to the call whose token it carries. One that belongs to no
// call is late, or made up, and dropped.
func (r *Registry) Progress(p *sdk.ProgressNotificationParams) {
	token, ok := p.ProgressToken.(string)
	if !ok {
		return
	}
	if c := r.find(func(c *Call) bool { return c.token == token }); c != nil {
		c.Report(progressLine(p))
	}
}
