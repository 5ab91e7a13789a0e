package grammar

import (
	"bytes"
	"encoding/json"
	"strings"

	"sextant/shared/chat"
	"sextant/shared/excerpt"
)

// Step is one command: a call, or something the pilot answers itself.
type Step struct {
	// Said is the command in the person's words, canon in the plainest words that read the same.
	Said, canon string
	Tool        string
	Args        json.RawMessage
	// Builtin is help or tools, About its topic.
	Builtin, About string
	// open is true if it ends with an unquoted text, which may continue.
	open bool
	// verbatim is true if it took the rest of its line literally.
	verbatim bool
}

func call(tool string, args map[string]any) Step {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // addresses are shown to people unescaped
	if err := enc.Encode(args); err != nil {
		return Step{Tool: tool, Args: json.RawMessage("{}")} // strings, numbers and lists of strings always encode
	}
	return Step{Tool: tool, Args: bytes.TrimSpace(b.Bytes())}
}

// Problem is why a message became no plan. Nothing of it runs.
type Problem struct {
	// Said is what was not understood.
	Said string
	// Partial is true if it is one command of several.
	Partial bool
	// Hint says what the command needs; empty if there is no such command.
	Hint string
	// Ambiguous is true if the user is asked what was meant; Offers are the choices.
	Ambiguous bool
	Offers    []chat.Offer
}

// Abbreviate limits what is quoted back.
func Abbreviate(s string) string { return excerpt.Runes(strings.Join(strings.Fields(s), " "), 60) }
