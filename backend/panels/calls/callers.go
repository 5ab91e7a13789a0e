// Package calls makes the calls of panels' pages and scripts. They go through the pipeline like any
// other call, with the panel as the caller and never the user. The package adds what the panel has
// read so far, and limits how much it may call.
//
// Which tools a panel may call, and when the user is asked, is decided by the policy.
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

// Limits of one panel.
const (
	// burst is how many calls may come at once, rate how many a second after that.
	burst = 60
	rate  = 20
	// atOnce bounds the calls that run or wait for approval.
	atOnce = 16
	// maxDepth bounds calls of a panel's script that lead to the same script again.
	maxDepth = 3
	// maxArgs bounds the arguments of one call in bytes.
	maxArgs = 1 << 20
	// maxRead bounds the sources recorded of what a panel has read.
	maxRead = 32
)

// manySources represents the sources beyond maxRead.
const manySources = "more pages and servers"

// Caller makes calls for all panels. It is safe for concurrent use.
type Caller struct {
	do  func(context.Context, toolspec.Call) toolspec.Result
	now func() time.Time

	mu     sync.Mutex
	panels map[string]*panelState
}

// panelState is the state of one panel.
type panelState struct {
	read    []string
	running int
	tokens  float64
	filled  time.Time
}

// New returns a Caller that executes calls with do.
func New(do func(context.Context, toolspec.Call) toolspec.Result) *Caller {
	return &Caller{do: do, now: time.Now, panels: map[string]*panelState{}}
}

// Request is a call that a panel wants to make.
type Request struct {
	Panel, Tool string
	Args        json.RawMessage
	// Interactive is true when the user can be asked.
	Interactive bool
	// Within is the provenance of the call that the panel is answering, nil for none. The new call
	// then belongs to the same conversation and is tainted by what that one has read.
	Within *toolspec.Provenance
}

type depthKey struct{}

// Call executes one call.
func (c *Caller) Call(ctx context.Context, a Request) toolspec.Result {
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

// from is the provenance of a panel's call. No host counts as typed by the user and nothing as
// approved beforehand, because a page can make up anything.
func (c *Caller) from(a Request) toolspec.Provenance {
	from := toolspec.Provenance{
		Caller: toolspec.CallerPanel, Client: a.Panel, Interactive: a.Interactive,
		Unpaged: true,
	}
	from.Outside = append(from.Outside, policy.PanelSource(a.Panel))
	if w := a.Within; w != nil {
		from.Conversation, from.Turn, from.Session, from.Child = w.Conversation, w.Turn, w.Session, w.Child
		from.Interactive, from.Root = w.Interactive, w.Root
		from.Outside = append(from.Outside, w.Outside...)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	from.Outside = append(from.Outside, c.panels[a.Panel].read...)
	slices.Sort(from.Outside)
	from.Outside = slices.Compact(from.Outside)
	return from
}

// enter counts a call, or refuses it because the panel calls too much.
func (c *Caller) enter(a Request) *toolspec.Result {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.panels[a.Panel]
	now := c.now()
	if p == nil {
		p = &panelState{tokens: burst, filled: now}
		c.panels[a.Panel] = p
	}
	p.tokens = min(burst, p.tokens+now.Sub(p.filled).Seconds()*rate)
	p.filled = now
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

func (c *Caller) leave(panel string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.panels[panel].running--
}

// note records the sources of text that a panel received. They are kept until the program ends,
// because a page that is reloaded may have stored what it read.
func (c *Caller) note(panel string, sources []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.panels[panel]
	for _, s := range sources {
		switch {
		case s == policy.PanelSource(panel) || slices.Contains(p.read, s):
		case len(p.read) < maxRead:
			p.read = append(p.read, s)
		case !slices.Contains(p.read, manySources):
			p.read = append(p.read, manySources)
		}
	}
}
