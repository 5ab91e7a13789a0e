package loop

import (
	"cmp"
	"context"
	"slices"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/loop/allowance"
	"sextant/backend/agent/loop/sourceset"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// lineage is a turn's place in the tree of subagents. Only its counter changes.
type lineage struct {
	// depth is 0 for what a person or program asked.
	depth   int
	model   string
	system  string
	rights  allowance.Rights
	counter *allowance.Counter
	// from holds the rights of a subagent; parent, call and title are shown with its conversation.
	from                toolspec.Provenance
	parent, call, title string
}

type lineageKey struct{}

// withLineage lets calls of t start subagents.
func (t *turn) withLineage(ctx context.Context) context.Context {
	return context.WithValue(ctx, lineageKey{}, t.lineage)
}

// rootLineage is the lineage of a turn that is no subagent, and of calls outside any turn.
func rootLineage(ask TurnRequest, calls int) *lineage {
	k := &lineage{model: ask.Model, system: ask.System, counter: allowance.NewCounter(calls)}
	if len(ask.Tools) > 0 {
		k.rights.Tools = ask.Tools
	}
	return k
}

// setLineage sets the turn's lineage and its limits there.
func (t *turn) setLineage() {
	t.limits = t.loop.limits()
	if t.lineage = t.ask.lineage; t.lineage == nil {
		t.lineage = rootLineage(t.ask, t.limits.CallsPerTurn)
		return
	}
	t.limits.CallsPerTurn = allowance.Min(t.limits.CallsPerTurn, t.lineage.rights.Calls)
	t.limits.Rounds = allowance.Min(t.limits.Rounds, t.lineage.rights.Rounds)
}

// hides reports whether a subagent's model does not get d, besides what the ask excludes.
func (l *lineage) hides(d toolspec.Definition) bool {
	return l.depth > 0 && (!l.rights.Allow(d) || l.depth >= maxDepth && d.Name == toolspec.RunSubagent)
}

// inherit gives a subagent what its parent knows: the sources read and the hosts the person typed.
func (t *turn) inherit() {
	t.typed = slices.Clone(t.ask.lineage.from.TypedHosts)
	t.outside.Add(t.ask.lineage.from.Outside...)
}

// subagentProvenance is the provenance of a subagent's calls.
func (t *turn) subagentProvenance() toolspec.Provenance {
	p := t.ask.lineage.from
	p.Subagent = toolspec.Subagent{Conversation: t.ask.Conversation, Turn: t.id, Title: t.ask.lineage.title}
	p.Conversation = cmp.Or(p.Conversation, t.ask.Conversation)
	p.Turn = cmp.Or(p.Turn, t.id)
	p.TypedHosts, p.Outside = t.typed, t.outside.List()
	return p
}

// effects are what the calls of a turn read and changed.
type effects struct{ outside, local, changed sourceset.Set }

func (e *effects) add(r toolspec.Result) {
	e.outside.Add(r.Sources...)
	e.local.Add(r.LocalSources...)
	e.changed.Add(r.Changed...)
}

// leadingSubagents is how many of the first calls start subagents and so run in parallel, at most left.
func leadingSubagents(calls []chat.ToolCall, broken []llm.BrokenCall, left int) int {
	n := 0
	for n < len(calls) && n < allowance.MaxSubagents && n < left && calls[n].Name == toolspec.RunSubagent &&
		problemOf(broken, calls[n]) == nil {
		n++
	}
	return n
}
