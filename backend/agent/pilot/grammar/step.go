package grammar

import (
	"bytes"
	"encoding/json"
	"strings"

	"sextant/shared/chat"
)

// step is one command: a call, or something the pilot answers itself.
type Step struct {
	// said is the command in the person's words, canon in the plainest ones that read the same.
	Said, canon string
	Tool        string
	Args        json.RawMessage
	// local is help or tools, about what.
	Builtin, About string
	// open is true when it ends with a text that has no quotes, which may go on.
	open bool
	// verbatim is true when it took the rest of its line as it stood.
	verbatim bool
}

func call(tool string, args map[string]any) Step {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // addresses are shown to people as they are
	if err := enc.Encode(args); err != nil {
		return Step{Tool: tool, Args: json.RawMessage("{}")} // strings, numbers and lists of strings always encode
	}
	return Step{Tool: tool, Args: bytes.TrimSpace(b.Bytes())}
}

// trouble is why a sentence became no plan. Nothing of it runs.
type Problem struct {
	// said is what was not understood.
	Said string
	// part is true when it is one command of several.
	Partial bool
	// hint says what the command needs; empty when there is no such command.
	Hint string
	// asks is true when what was meant is asked back, offers are what it may have been.
	Ambiguous bool
	Offers    []chat.Offer
}

// short bounds what is quoted back.
func Abbreviate(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	r := []rune(s)
	if len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return s
}
