package loop

import (
	"sextant/backend/agent/prompt"
	"sextant/shared/chat"
	"sextant/shared/event"
)

// notePageContexts adds notes with the new reports of open pages. The notes are recorded like messages, so that
// they keep their place, and count as outside text.
func (t *turn) notePageContexts() error {
	if t.isPilot || t.request.lineage != nil || t.loop.cfg.PageContexts == nil {
		return nil
	}
	reports := t.loop.cfg.PageContexts(t.request.Conversation, t.panel())
	for _, note := range prompt.ContextNotes(t.messages, reports) {
		m := t.message(chat.RoleNote, note.Text)
		m.Outside = []string{note.Source}
		if err := t.loop.publish(t.ctx, t.event(event.MessageAdded, m)); err != nil {
			return err
		}
		t.messages = append(t.messages, m)
		t.outside.Add(note.Source)
	}
	return nil
}
