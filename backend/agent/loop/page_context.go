package loop

import (
	"strings"

	"sextant/backend/agent/prompt"
	"sextant/shared/chat"
	"sextant/shared/event"
)

// PageContext is what an open page tells the model: text from outside. An empty Text withdraws what Source
// said before.
type PageContext struct {
	Source, Text string
}

// contextHead begins such a note, so that it is never taken for one of ours.
const (
	contextHead = "[What the page shows now, as the page itself says:]\n"
	contextGone = "[What the page said before no longer holds.]"
)

// notePageContexts tells the model what open pages say, if it is new. The notes are recorded like messages,
// so that they keep their place, and count as read from outside.
func (t *turn) notePageContexts() error {
	if t.isPilot || t.ask.lineage != nil || t.loop.cfg.Pages == nil {
		return nil
	}
	last := map[string]string{}
	for _, m := range prompt.ActiveMessages(t.messages) {
		if m.Role == chat.RoleNote && len(m.Outside) == 1 &&
			(m.Text == contextGone || strings.HasPrefix(m.Text, contextHead)) {
			last[m.Outside[0]] = m.Text
		}
	}
	for _, c := range t.loop.cfg.Pages(t.ask.Conversation, t.panel()) {
		text := contextHead + c.Text
		if c.Text == "" {
			text = contextGone
		}
		if before := last[c.Source]; text == before || c.Text == "" && before == "" {
			continue
		}
		m := t.message(chat.RoleNote, text)
		m.Outside = []string{c.Source}
		if err := t.loop.publish(t.ctx, t.event(event.MessageAdded, m)); err != nil {
			return err
		}
		t.messages = append(t.messages, m)
		t.outside.Add(c.Source)
	}
	return nil
}
