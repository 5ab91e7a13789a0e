// Package calls makes the calls of panels' pages and scripts through the pipeline. Their caller is the panel, never the
// user. The package adds the sources of what the panel has read to their provenance, and limits their number.
//
// The policy decides which tools a panel may call and when the user is asked.
package calls

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"sextant/backend/policy"
	"sextant/shared/toolspec"
)

const (
	burst  = 60
	rate   = 20
	atOnce = 16
	// maxDepth is how deep calls may be nested: a panel answers a call and makes a call, which a panel answers, and so
	// on.
	maxDepth = 3
	maxArgs  = 1 << 20
	maxRead  = 32
)

// manySources stands for all sources beyond maxRead.
const manySources = "more pages and servers"

// Gateway makes the calls of all panels. It is safe for concurrent use.
type Gateway struct {
	do  func(context.Context, toolspec.Call) toolspec.Result
	now func() time.Time

	mu     sync.Mutex
	panels map[string]*panelState
}

type panelState struct {
	sources  []string
	running  int
	tokens   float64
	refilled time.Time
}

// New returns a Gateway that executes calls with do.
func New(do func(context.Context, toolspec.Call) toolspec.Result) *Gateway {
	return &Gateway{do: do, now: time.Now, panels: map[string]*panelState{}}
}

// Request is a call that a panel wants to make.
type Request struct {
	Panel, Tool string
	Args        json.RawMessage
	// Interactive is true if the user can be asked. With a Parent, that of the Parent counts instead.
	Interactive bool
	// Parent is the provenance of the call that the panel is answering, nil for none. The new call belongs to the same
	// conversation and also gets its sources of outside text.
	Parent *toolspec.Provenance
}

type depthKey struct{}

// Call executes a call and returns its result. It refuses calls that exceed the limits of the package.
func (c *Gateway) Call(ctx context.Context, a Request) toolspec.Result {
	depth, _ := ctx.Value(depthKey{}).(int)
	switch {
	case depth >= maxDepth:
		return toolspec.Fail(toolspec.UserError,
			fmt.Sprintf("%s was not run: calls of the panel %s are nested more than %d deep", a.Tool, a.Panel,
				maxDepth),
			"Let it call the tools it needs directly.")
	case len(a.Args) > maxArgs:
		return toolspec.Fail(toolspec.ValidationError, "the arguments are larger than 1 MB", "Send less.")
	}
	if refusal := c.enter(a); refusal != nil {
		return *refusal
	}
	defer c.leave(a.Panel)
	call := toolspec.Call{Tool: a.Tool, Args: a.Args, Panel: a.Panel, From: c.from(a)}
	if len(call.Args) == 0 || string(call.Args) == "null" {
		call.Args = json.RawMessage("{}")
	}
	r := c.do(context.WithValue(ctx, depthKey{}, depth+1), call)
	c.note(a.Panel, r.Sources)
	return r
}

// from returns the provenance of a panel's call. It contains no hosts that the user typed and no approval in advance,
// because a page can invent both.
func (c *Gateway) from(a Request) toolspec.Provenance {
	from := toolspec.Provenance{
		Caller: toolspec.CallerPanel, Client: a.Panel, Interactive: a.Interactive,
		NeedsFullResults: true,
	}
	from.Outside = append(from.Outside, policy.PanelSource(a.Panel))
	if w := a.Parent; w != nil {
		from.Conversation, from.Turn, from.Session, from.Subagent = w.Conversation, w.Turn, w.Session, w.Subagent
		from.Interactive, from.RootCall, from.UnattendedRun = w.Interactive, w.RootCall, w.UnattendedRun
		from.Outside, from.Private = append(from.Outside, w.Outside...), w.Private
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	from.Outside = append(from.Outside, c.panels[a.Panel].sources...)
	slices.Sort(from.Outside)
	from.Outside = slices.Compact(from.Outside)
	return from
}

func (c *Gateway) enter(a Request) *toolspec.Result {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.panels[a.Panel]
	now := c.now()
	if p == nil {
		p = &panelState{tokens: burst, refilled: now}
		c.panels[a.Panel] = p
	}
	p.tokens = min(burst, p.tokens+now.Sub(p.refilled).Seconds()*rate)
	p.refilled = now
	what := ""
	switch {
	case p.running >= atOnce:
		what = fmt.Sprintf("%d calls of the panel %s are already running", atOnce, a.Panel)
	case p.tokens < 1:
		what = fmt.Sprintf("the panel %s calls more often than %d times a second", a.Panel, rate)
	default:
		p.tokens--
		p.running++
		return nil
	}
	r := toolspec.Fail(toolspec.UserError, a.Tool+" was not run: "+what,
		"Wait until earlier calls are answered, then call again.")
	return &r
}

func (c *Gateway) leave(panel string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.panels[panel].running--
}

// note records the sources of text that a panel received. They are never removed, because a page may store what it
// reads and load it again.
func (c *Gateway) note(panel string, sources []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.panels[panel]
	for _, s := range sources {
		switch {
		case s == policy.PanelSource(panel) || slices.Contains(p.sources, s):
		case len(p.sources) < maxRead:
			p.sources = append(p.sources, s)
		case !slices.Contains(p.sources, manySources):
			p.sources = append(p.sources, manySources)
		}
	}
}
