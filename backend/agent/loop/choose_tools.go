package loop

import (
	"slices"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/prompt"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// detectWindow asks the model's service for the context window if none is configured. The largest size a model
// supports is only an upper bound: the server may have loaded the model with less.
func (t *turn) detectWindow() {
	m, ok := t.adapter.Model.(llm.ContextWindowReporter)
	if !ok || t.loop.cfg.ContextWindow() > 0 {
		return
	}
	n, loaded := m.ContextWindow(t.ctx)
	if n > 0 && !loaded {
		n = min(n, prompt.DefaultContextWindow(t.request.Model))
	}
	t.serviceWindow = n
}

func (t *turn) window() int {
	if t.refusedWindow > 0 {
		return t.refusedWindow
	}
	if n := t.loop.cfg.ContextWindow(); n > 0 {
		return n
	}
	if t.serviceWindow > 0 {
		return t.serviceWindow
	}
	return prompt.DefaultContextWindow(t.request.Model)
}

// chooseTools selects the tools that the next request lists. If not all are listed, a note describes the active
// panel's tools; it is recorded like a message, so that it keeps its place.
func (t *turn) chooseTools(all []toolspec.Definition) ([]toolspec.Definition, error) {
	if t.isPilot {
		return all, nil
	}
	t.canReread = slices.ContainsFunc(all, func(d toolspec.Definition) bool { return d.Name == toolspec.ReadResult })
	o := t.loop.toolbox(t.request.Conversation).Select(all, t.loop.cfg.CoreTools, t.window())
	t.adapter.AlsoCallable = nil
	if o.Searching {
		t.adapter.AlsoCallable = all
	}
	var notes []string
	for _, m := range prompt.ActiveMessages(t.messages) { // the model no longer sees notes that a summary replaced
		if m.Role == chat.RoleNote && len(m.Outside) == 0 && prompt.IsPanelNote(m.Text) {
			notes = append(notes, m.Text)
		}
	}
	if !o.Searching {
		return o.Listed, nil // the request itself lists the tools of earlier notes
	}
	text := prompt.NextNote(o.Note, notes)
	if text == "" {
		return o.Listed, nil
	}
	m := t.message(chat.RoleNote, text)
	if err := t.loop.publish(t.ctx, t.event(event.MessageAdded, m)); err != nil {
		return nil, err
	}
	t.messages = append(t.messages, m)
	return o.Listed, nil
}

func (l *Loop) toolbox(conversation string) *prompt.Toolbox {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.toolboxes[conversation]
	if b == nil {
		b = &prompt.Toolbox{}
		l.toolboxes[conversation] = b
	}
	return b
}
