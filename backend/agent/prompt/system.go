package prompt

import (
	_ "embed"
	"strings"
)

//go:embed system.md
var builtin string

// WithInstructions returns the built-in prompt with the person's instructions, "" if they are blank.
func WithInstructions(text string) string {
	if text = strings.TrimSpace(text); text == "" {
		return ""
	}
	return strings.TrimSpace(builtin) + "\n\nInstructions of the person, which hold in every turn\n" + text
}

// System returns the system prompt of a turn: own, or the built-in prompt if own is blank, with the notes appended.
// Equal arguments give equal bytes, so that providers can cache it.
func System(own string, notes []string) string {
	text := strings.TrimSpace(builtin)
	if own = strings.TrimSpace(own); own != "" {
		text = own
	}
	if len(notes) == 0 {
		return text
	}
	var b strings.Builder
	b.WriteString(text + "\n\nNotes of the person, which hold in every turn:")
	for _, n := range notes {
		b.WriteString("\n- " + strings.Join(strings.Fields(n), " "))
	}
	return b.String()
}
