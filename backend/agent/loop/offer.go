package loop

import (
	"slices"
	"time"

	"sextant/backend/agent/prompt"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// sized is what a Model may also know: how many tokens it reads at once, 0 when it does not.
type sized interface{ Window() int }

// window is how many tokens the turn's model reads at once: as set, as the model says, as its name
// lets expect; after a question was refused as too long, less than that.
func (t *turn) window() int {
	if t.holds > 0 {
		return t.holds
	}
	if n := t.loop.cfg.Window(); n > 0 {
		return n
	}
	if m, ok := t.voice.Model.(sized); ok {
		if n := m.Window(); n > 0 {
			return n
		}
	}
	return prompt.Window(t.ask.Model)
}

// offer is what of all tools the next question tells. The tools of the panel in front that it does
// not tell stand in a note, which is recorded like any message, so that it stays where it is.
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
	var told []string
	for _, m := range prompt.Sent(t.messages) { // what a summary stands for is not told any more
		if m.Role == chat.RoleNote && prompt.OfPanel(m.Text) {
			told = append(told, m.Text)
		}
	}
	if !o.Searching {
		return o.Told, nil // what a note told earlier stands in the request now
	}
	text := prompt.NewNote(o.Note, told)
	if text == "" {
		return o.Told, nil
	}
	m := chat.Message{
		ID: newID("m"), Conversation: t.ask.Conversation, Turn: t.id, Role: chat.RoleNote,
		Text: text, Status: chat.StatusDone, Time: time.Now().UTC(),
	}
	if err := t.loop.publish(t.ctx, t.event(event.MessageAdded, m)); err != nil {
		return nil, err
	}
	t.messages = append(t.messages, m)
	return o.Told, nil
}

// toolbox is that of a conversation; its turn alone uses it.
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
