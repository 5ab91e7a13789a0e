// Package callers makes the calls of panels: what a panel's page or script asks for becomes a call
// of the Pipeline like any other, by the panel and never by the person in front of it. It adds
// what only it knows: what the panel has read so far, and how much it may ask.
//
// Which tools a panel may call is the policy's matter, and so is what is asked.
package callers

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"sextant/backend/guard/policy"
	"sextant/shared/toolspec"
)

// Bounds of what one panel may ask.
const (
	// burst is how many calls may come at once after a rest, rate how many a second after that.
	burst = 60
	rate  = 20
	// atOnce bounds the calls that run or wait for an answer, so that nobody is asked more.
	atOnce = 16
	// maxDepth bounds calls of a panel's script that lead to the same panel's script again.
	maxDepth = 3
	// maxArgs bounds the arguments of one call in bytes.
	maxArgs = 1 << 20
	// maxRead bounds the sources that are told apart of what a panel has read.
	maxRead = 32
)

// many stands for the sources beyond maxRead.
const many = "more pages and servers"

// Callers are the panels as callers. Their methods may be called concurrently.
type Callers struct {
	do  func(context.Context, toolspec.Call) toolspec.Result
	now func() time.Time

	mu     sync.Mutex
	panels map[string]*one
}

// one is what is known of one panel.
type one struct {
	read    []string
	running int
	tokens  float64
	filled  time.Time
}

// New makes Callers whose calls are done by do.
func New(do func(context.Context, toolspec.Call) toolspec.Result) *Callers {
	return &Callers{do: do, now: time.Now, panels: map[string]*one{}}
}

// Ask is one call that a panel wants made.
type Ask struct {
	Panel, Tool string
	Args        json.RawMessage
	// Interactive is true when a person can be asked.
	Interactive bool
	// Within is the provenance of the call that the panel answers meanwhile, nil for none: what
	// it does then is shown where that call is, and is tainted by what that one has read.
	Within *toolspec.Provenance
}

type depthKey struct{}

// Call takes one call its whole way.
func (c *Callers) Call(ctx context.Context, a Ask) toolspec.Result {
	depth, _ := ctx.Value(depthKey{}).(int)
	switch {
	case depth >= maxDepth:
		return toolspec.Fail(toolspec.UserError, fmt.Sprintf("%s was not run: calls of the panel %s lead to each other more than %d deep", a.Tool, a.Panel, maxDepth),
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

// from is the provenance of a panel's call. No host counts as typed and nothing as allowed
// beforehand: a page can make up what it likes.
func (c *Callers) from(a Ask) toolspec.Provenance {
	from := toolspec.Provenance{Caller: toolspec.CallerPanel, Client: a.Panel, Interactive: a.Interactive, Unpaged: true}
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

// enter takes a place for a call, or says that the panel asks too much.
func (c *Callers) enter(a Ask) *toolspec.Result {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.panels[a.Panel]
	now := c.now()
	if p == nil {
		p = &one{tokens: burst, filled: now}
		c.panels[a.Panel] = p
	}
	p.tokens = min(burst, p.tokens+now.Sub(p.filled).Seconds()*rate)
	p.filled = now
	what := ""
	switch {
	case p.running >= atOnce:
		what = fmt.Sprintf("%d calls of the panel %s are under way already", atOnce, a.Panel)
	case p.tokens < 1:
		what = fmt.Sprintf("the panel %s calls more often than %d times a second", a.Panel, rate)
	default:
		p.tokens--
		p.running++
		return nil
	}
	r := toolspec.Fail(toolspec.UserError, a.Tool+" was not run: "+what, "Wait until earlier calls are answered, then call again.")
	return &r
}

func (c *Callers) leave(panel string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.panels[panel].running--
}

// note keeps where text came from that a panel has got. It is kept until the program ends: a page
// that is shown anew may have stored what it read.
func (c *Callers) note(panel string, sources []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := c.panels[panel]
	for _, s := range sources {
		switch {
		case s == policy.PanelSource(panel) || slices.Contains(p.read, s):
		case len(p.read) < maxRead:
			p.read = append(p.read, s)
		case !slices.Contains(p.read, many):
			p.read = append(p.read, many)
		}
	}
}
