package loop

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"sextant/backend/agent/prompt"
	"sextant/shared/chat"
	"sextant/shared/event"
)

// Models read the notes in marked blocks; the pilot does not see them.
func (t *turn) attachmentNotes(list []chat.Attachment) []chat.Message {
	var out []chat.Message
	for _, a := range list {
		text := strings.ToValidUTF8(a.Text, "\uFFFD")
		if n := utf8.RuneCountInString(text); n > prompt.MaxResultChars {
			text = fmt.Sprintf(
				"%s\n… cut here: the first %d of %d characters.",
				string([]rune(text)[:prompt.MaxResultChars]),
				prompt.MaxResultChars,
				n,
			)
		}
		m := t.message(chat.RoleNote, strings.Join(strings.Fields(a.Title), " ")+"\n"+text)
		m.Outside, m.Private = []string{a.Source}, []string{a.Source}
		if a.File != nil {
			m.Files = []chat.File{*a.File}
		}
		out = append(out, m)
	}
	return out
}

func (t *turn) joinMessage(w event.WaitingMessage, m chat.Message) []event.Event {
	var events []event.Event
	for _, one := range append(t.attachmentNotes(w.Attachments), m) {
		t.messages = append(t.messages, one)
		t.outside.Add(one.Outside...)
		t.private.Add(one.Private...)
		events = append(events, t.event(event.MessageAdded, one))
	}
	return events
}
