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
	// said is the text of the answer so far, and purposes its last paragraph before each call that is in the text.
	said     strings.Builder
	purposes map[string]string
}

// purpose returns the last paragraph of the answer so far.
func (e *earlyCalls) purpose() string {
	paragraphs := strings.Split(strings.TrimSpace(e.said.String()), "\n\n")
	return paragraphs[len(paragraphs)-1]
}

// purposeOf returns what the model said before a call. The calls that are not in the text come after it.
func (e *earlyCalls) purposeOf(call string) string {
	if purpose, ok := e.purposes[call]; ok {
		return purpose
	}
	return e.purpose()
}

func (t *turn) startEarly(defs []toolspec.Definition, c chat.ToolCall) {
	e := &t.early
	id := naming.NewID("")
	e.ids = append(e.ids, id)
	if e.purposes == nil {
		e.purposes = map[string]string{}
	}
	e.purposes[id] = e.purpose()
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
		Purpose: e.purposes[id],
	}
	t.loop.wait.Go(func() { done <- t.callTool(call) })
}
