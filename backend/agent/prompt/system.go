package prompt

import (
	_ "embed"
	"strings"
)

//go:embed system.md
var builtin string

// System returns the system prompt of a turn. Its bytes depend only on the settings and notes, so that providers
// can cache it.
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
