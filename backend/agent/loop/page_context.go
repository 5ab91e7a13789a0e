package loop

import (
	"strings"

	"sextant/backend/agent/prompt"
	"sextant/shared/chat"
	"sextant/shared/event"
)

// PageContext is outside text that an open page reports to the model. An empty Text withdraws the previous text
// of Source.
type PageContext struct {
	Source, Text string
}

// contextPrefix begins a note with a page's text, so that the text is never taken for a note of Sextant.
// contextWithdrawn is the note that withdraws it.
const (
	contextPrefix    = "[What the page shows now, as the page itself says:]\n"
	contextWithdrawn = "[What the page said before no longer holds.]"
)

// notePageContexts adds notes with the new reports of open pages. The notes are recorded like messages, so that
// they keep their place, and count as outside text.
func (t *turn) notePageContexts() error {
	if t.isPilot || t.request.lineage != nil || t.loop.cfg.PageContexts == nil {
		return nil
	}
	last := map[string]string{}
	for _, m := range prompt.ActiveMessages(t.messages) {
		if m.Role == chat.RoleNote && len(m.Outside) == 1 &&
			(m.Text == contextWithdrawn || strings.HasPrefix(m.Text, contextPrefix)) {
			last[m.Outside[0]] = m.Text
		}
	}
	for _, c := range t.loop.cfg.PageContexts(t.request.Conversation, t.panel()) {
		text := contextPrefix + c.Text
		if c.Text == "" {
			text = contextWithdrawn
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
