package loop

import (
	"cmp"
	"context"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/loop/allowance"
	"sextant/backend/agent/loop/sourceset"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// lineage is a turn's place in the tree of subagents. Only its counter changes.
type lineage struct {
	// depth is 0 for a request of a person or program.
	depth               int
	model               string
	system              string
	rights              allowance.Rights
	counter             *allowance.Counter
	from                toolspec.Provenance
	parent, call, title string
}

type lineageKey struct{}

func (t *turn) withLineage(ctx context.Context) context.Context {
	return context.WithValue(ctx, lineageKey{}, t.lineage)
}

func rootLineage(request TurnRequest, calls int) *lineage {
	k := &lineage{model: request.Model, system: request.System, counter: allowance.NewCounter(calls)}
	if len(request.Tools) > 0 {
		k.rights.Tools = request.Tools
	}
	return k
}

func (t *turn) setLineage() {
	t.limits = t.loop.limits()
	if t.lineage = t.request.lineage; t.lineage == nil {
		t.lineage = rootLineage(t.request, t.limits.CallsPerTurn)
		return
	}
	t.limits.CallsPerTurn = allowance.MinLimit(t.limits.CallsPerTurn, t.lineage.rights.MaxCalls)
	t.limits.Rounds = allowance.MinLimit(t.limits.Rounds, t.lineage.rights.MaxRounds)
}

// hides reports whether d is withheld from a subagent's model, besides the tools that its request excludes.
func (l *lineage) hides(d toolspec.Definition) bool {
	return l.depth > 0 && (!l.rights.Allows(d) || l.depth >= maxDepth && d.Name == toolspec.RunSubagent)
}

func (t *turn) inherit() {
	t.typed.Text, t.typed.Hosts = t.request.lineage.from.TypedText, t.request.lineage.from.TypedHosts
	t.outside.Add(t.request.lineage.from.Outside...)
	t.private.Add(t.request.lineage.from.Private...)
}

func (t *turn) subagentProvenance() toolspec.Provenance {
	p := t.request.lineage.from
	p.Subagent = toolspec.Subagent{Conversation: t.request.Conversation, Turn: t.id, Title: t.request.lineage.title}
	p.Conversation = cmp.Or(p.Conversation, t.request.Conversation)
	p.Turn = cmp.Or(p.Turn, t.id)
	p.TypedHosts, p.TypedText = t.typed.Hosts, t.typed.Text
	p.Outside, p.Private = t.outside.List(), t.private.List()
	return p
}

type effects struct{ outside, private, changed sourceset.Set }

func (e *effects) add(r toolspec.Result) {
	e.outside.Add(r.Sources...)
	e.private.Add(r.PrivateSources...)
	e.changed.Add(r.Changed...)
}

func leadingSubagents(calls []chat.ToolCall, broken []llm.BrokenCall, left int) int {
	n := 0
	for n < len(calls) && n < allowance.MaxSubagents && n < left && calls[n].Name == toolspec.RunSubagent &&
		problemOf(broken, calls[n]) == nil {
		n++
	}
	return n
}
