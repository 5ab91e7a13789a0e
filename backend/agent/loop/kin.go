package loop

import (
	"cmp"
	"context"
	"slices"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/loop/allowance"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// kin is where a turn stands among those that handed on its task. Only its ledger changes.
type kin struct {
	// depth is 0 for what a person or program asked.
	depth  int
	model  string
	system string
	rights allowance.Rights
	ledger *allowance.Counter
	// from is whose rights a child has; parent, call and title are what its conversation tells.
	from                toolspec.Provenance
	parent, call, title string
}

type kinKey struct{}

// withKin lets what t calls find what it may hand on.
func (t *turn) withKin(ctx context.Context) context.Context {
	return context.WithValue(ctx, kinKey{}, t.kin)
}

// root is the kin of a turn that nobody handed a task, and of a call outside of any turn.
func root(ask Ask, calls int) *kin {
	k := &kin{model: ask.Model, system: ask.System, ledger: allowance.NewCounter(calls)}
	if len(ask.Tools) > 0 {
		k.rights.Tools = ask.Tools
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
	t.limits.CallsPerTurn = allowance.Min(t.limits.CallsPerTurn, t.kin.rights.Calls)
	t.limits.Rounds = allowance.Min(t.limits.Rounds, t.kin.rights.Rounds)
}

// withheld are the definitions that a child's model is not to have, besides those that the ask leaves out.
func (k *kin) withheld(d toolspec.Definition) bool {
	return k.depth > 0 && (!k.rights.Allow(d) || k.depth >= maxDepth && d.Name == toolspec.RunSubagent)
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
	for n < len(calls) && n < allowance.MaxSubagents && n < left && calls[n].Name == toolspec.RunSubagent && problemOf(broken, calls[n]) == nil {
		n++
	}
	return n
}
