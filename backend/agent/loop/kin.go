package loop

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"sextant/backend/agent/llm"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// rights are what the model of a turn may do beside what the policy lets it.
type rights struct {
	// tools are the only ones, nil for all that are offered.
	tools    []string
	readOnly bool
	// calls and rounds bound the turn; 0 leaves that to the settings.
	calls, rounds int
}

// narrow is what a child of who has r may do: never more than r lets.
func (r rights) narrow(c Child) rights {
	if c.Tools != nil {
		all := r
		r.tools = slices.DeleteFunc(slices.Clone(c.Tools), func(name string) bool { return !all.named(name) })
	}
	r.readOnly = r.readOnly || c.ReadOnly
	r.calls, r.rounds = least(r.calls, c.Calls), least(r.rounds, c.Rounds)
	return r
}

func (r rights) named(name string) bool { return r.tools == nil || slices.Contains(r.tools, name) }

// allow reports whether a tool may be called.
func (r rights) allow(d toolspec.Definition) bool {
	return r.named(d.Name) && (!r.readOnly || d.Hints.ReadOnly)
}

// least is the smaller of two bounds, of which 0 is none.
func least(a, b int) int {
	if a <= 0 || b <= 0 {
		return max(a, b)
	}
	return min(a, b)
}

// kin is where a turn stands among those that handed on its task. Only its ledger changes.
type kin struct {
	// depth is 0 for what a person or program asked.
	depth  int
	model  string
	system string
	rights rights
	ledger *ledger
	// from is whose rights a child has; parent, call and title are what its conversation tells.
	from                toolspec.Provenance
	parent, call, title string
}

// ledger counts what a turn and all below it still may do.
type ledger struct {
	mu       sync.Mutex
	calls    int
	children int
}

// take counts one call; false when none is left.
func (g *ledger) take() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls--
	return g.calls >= 0
}

func (g *ledger) left() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.calls
}

// enter counts a child that begins; false when as many run as may.
func (g *ledger) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.children >= maxChildren {
		return false
	}
	g.children++
	return true
}

func (g *ledger) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.children--
}

type kinKey struct{}

// withKin lets what t calls find what it may hand on.
func (t *turn) withKin(ctx context.Context) context.Context {
	return context.WithValue(ctx, kinKey{}, t.kin)
}

// root is the kin of a turn that nobody handed a task, and of a call outside of any turn.
func root(ask Ask, calls int) *kin {
	k := &kin{model: ask.Model, system: ask.System, ledger: &ledger{calls: calls}}
	if len(ask.Tools) > 0 {
		k.rights.tools = ask.Tools
	}
	return k
}

// related finds the turn's place among others, and what its limits are there.
func (t *turn) related() {
	t.limits = t.loop.limits()
	if t.kin = t.ask.kin; t.kin == nil {
		t.kin = root(t.ask, t.limits.CallsPerTurn)
		return
	}
	t.limits.CallsPerTurn = least(t.limits.CallsPerTurn, t.kin.rights.calls)
	t.limits.Rounds = least(t.limits.Rounds, t.kin.rights.rounds)
}

// withheld are the definitions that a child's model is not to have, besides those that the ask leaves out.
func (k *kin) withheld(d toolspec.Definition) bool {
	return k.depth > 0 && (!k.rights.allow(d) || k.depth >= maxDepth && d.Name == toolspec.RunSubagent)
}

// inherit gives a child what its parent knows: what was read, and what the person typed.
func (t *turn) inherit() {
	t.typed = slices.Clone(t.ask.kin.from.TypedHosts)
	t.outside.add(t.ask.kin.from.Outside...)
}

// passed is the provenance of a child's calls.
func (t *turn) passed() toolspec.Provenance {
	p := t.ask.kin.from
	p.Child = toolspec.Child{Conversation: t.ask.Conversation, Turn: t.id, Title: t.ask.kin.title}
	p.Conversation = cmp.Or(p.Conversation, t.ask.Conversation)
	p.Turn = cmp.Or(p.Turn, t.id)
	p.TypedHosts, p.Outside = t.typed, t.outside.list()
	return p
}

// gathered is what the calls of a turn read and changed.
type gathered struct{ outside, local, changed sources }

func (g *gathered) add(r toolspec.Result) {
	g.outside.add(r.Sources...)
	g.local.add(r.Read...)
	g.changed.add(r.Changed...)
}

// children is how many of the first calls hand on a task and so run together, bounded by left.
func children(calls []chat.ToolCall, broken []llm.BrokenCall, left int) int {
	n := 0
	for n < len(calls) && n < maxChildren && n < left && calls[n].Name == toolspec.RunSubagent && problemOf(broken, calls[n]) == nil {
		n++
	}
	return n
}
