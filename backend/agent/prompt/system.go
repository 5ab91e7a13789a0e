package prompt

import (
	_ "embed"
	"strings"
)

//go:embed system.md
var builtin string

// System returns the system prompt of a turn: the built-in prompt, the person's instructions, which may be blank, and
// the notes. Equal arguments give equal bytes, so that providers can cache it.
func System(instructions string, notes []string) string {
	text := strings.TrimSpace(builtin)
	if instructions = strings.TrimSpace(instructions); instructions != "" {
		text += "\n\nInstructions of the person, which hold in every turn\n" + instructions
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
