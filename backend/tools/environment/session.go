package environment

import (
	"strings"

	"sextant/backend/surfaces/browser"
)

// session is what the tools act on: one owner's tabs.
type session = *browser.Session

// about is the text of a tool's .md file as the model reads it.
func about(md string) string { return strings.TrimSpace(md) }
