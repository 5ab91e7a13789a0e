package prompt

import (
	"strings"

	"sextant/shared/chat"
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

// ContextNotes returns the texts of notes for reports of pages that messages do not contain yet.
func ContextNotes(messages []chat.Message, reports []PageContext) []PageContext {
	last := map[string]string{}
	for _, m := range ActiveMessages(messages) {
		if m.Role == chat.RoleNote && len(m.Outside) == 1 &&
			(m.Text == contextWithdrawn || strings.HasPrefix(m.Text, contextPrefix)) {
			last[m.Outside[0]] = m.Text
		}
	}
	var notes []PageContext
	for _, c := range reports {
		text := contextPrefix + c.Text
		if c.Text == "" {
			text = contextWithdrawn
		}
		if before := last[c.Source]; text != before && (c.Text != "" || before != "") {
			notes = append(notes, PageContext{Source: c.Source, Text: text})
		}
	}
	return notes
}
