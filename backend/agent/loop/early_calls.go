package loop

import (
	"strings"

	"sextant/backend/agent/loop/naming"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

// earlyCalls are the calls of an answer that is still streaming. The first read-only calls start at once, up to
// parallelReads. The first call that acts, and everything after it, waits for the complete answer, because the calls
// of an answer that breaks off must not run and a click cannot be undone.
type earlyCalls struct {
	ids     []string
	running map[string]chan toolspec.Result
	blocked bool
	// said is the text of the answer so far.
	said strings.Builder
}

// purpose returns the last paragraph of what the model said before its calls.
func (e *earlyCalls) purpose() string {
	text := strings.TrimSpace(e.said.String())
	return text[strings.LastIndex(text, "\n\n")+1:]
}

func (t *turn) startEarly(defs []toolspec.Definition, c chat.ToolCall) {
	e := &t.early
	id := naming.NewID("")
	e.ids = append(e.ids, id)
	switch {
	case e.blocked || t.toolsClosed || !definition(defs, c).Hints.ReadOnly:
		e.blocked = true
		return
	case t.rounds > t.limits.Rounds || len(e.running) >= parallelReads ||
		len(e.running) >= min(t.limits.CallsPerTurn-t.called, t.lineage.counter.CallsLeft()):
		e.blocked = true
		return
	}
	if e.running == nil {
		e.running = map[string]chan toolspec.Result{}
	}
	done := make(chan toolspec.Result, 1)
	e.running[id] = done
	call := toolspec.Call{
		ID: id, Tool: c.Name, Args: c.Args, Panel: t.panel(), From: t.provenance(),
		Purpose: e.purpose(),
	}
	t.loop.wait.Go(func() { done <- t.callTool(call) })
}
