package loop

import (
	"slices"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/prompt"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// detectWindow asks the model's service for the context window if none is configured. The most a model
// supports is only an upper bound: the server may have loaded it with less.
func (t *turn) measure() {
	m, ok := t.voice.Model.(llm.Sized)
	if !ok || t.loop.cfg.Window() > 0 {
		return
	}
	n, loaded := m.Window(t.ctx)
	if n > 0 && !loaded {
		n = min(n, prompt.Window(t.ask.Model))
	}
	t.reads = n
}

// window is the context window of the turn's model: as configured, as its service reports, or as its name
// suggests; smaller after a question was refused as too long.
func (t *turn) window() int {
	if t.holds > 0 {
		return t.holds
	}
	if n := t.loop.cfg.Window(); n > 0 {
		return n
	}
	if t.reads > 0 {
		return t.reads
	}
	return prompt.Window(t.ask.Model)
}

// chooseTools selects the tools that the next question lists. Tools of the active panel that it does not list
// are named in a note, which is recorded like a message, so that it keeps its place.
func (t *turn) offer(all []toolspec.Definition) ([]toolspec.Definition, error) {
	if t.isPilot {
		return all, nil
	}
	t.rereads = slices.ContainsFunc(all, func(d toolspec.Definition) bool { return d.Name == toolspec.ReadResult })
	o := t.loop.toolbox(t.ask.Conversation).Offer(all, t.loop.cfg.Core, t.window())
	t.voice.Known = nil
	if o.Searching {
		t.voice.Known = all
	}
	var notes []string
	for _, m := range prompt.Sent(t.messages) { // what a summary replaced is no longer listed
		if m.Role == chat.RoleNote && len(m.Outside) == 0 && prompt.OfPanel(m.Text) {
			notes = append(notes, m.Text)
		}
	}
	if !o.Searching {
		return o.Told, nil // what an earlier note listed is in the request now
	}
	text := prompt.NewNote(o.Note, notes)
	if text == "" {
		return o.Told, nil
	}
	m := t.message(chat.RoleNote, text)
	if err := t.loop.publish(t.ctx, t.event(event.MessageAdded, m)); err != nil {
		return nil, err
	}
	t.messages = append(t.messages, m)
	return o.Told, nil
}

// toolbox is that of a conversation. Only its turn uses it.
func (l *Loop) toolbox(conversation string) *prompt.Toolbox {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.boxes[conversation]
	if b == nil {
		b = &prompt.Toolbox{}
		l.boxes[conversation] = b
	}
	return b
}
