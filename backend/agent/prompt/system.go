package prompt

import (
	_ "embed"
	"strings"
)

//go:embed system.md
var builtin string

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
