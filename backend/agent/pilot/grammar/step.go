package grammar

import (
	"bytes"
	"encoding/json"

	"sextant/shared/chat"
)

// Step is one command: a call, or something the pilot answers itself.
type Step struct {
	// Text is the command as the person wrote it, canonical in the plainest words with the same meaning.
	Text, canonical string
	Tool            string
	Args            json.RawMessage
	// Builtin is "help" or "tools", and About its topic; "" for a call.
	Builtin, About string
	// Panel is the panel whose tool it is, "" for none.
	Panel string
	// state is the state that the element gets, "" for any.
	state    string
	open     bool
	verbatim bool
	// targets are the arguments that name an element; Resolve adds them to args. named is the match with the targets.
	targets map[string]Target
	args    map[string]any
	named   match
}

func call(tool string, args map[string]any) Step {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // addresses are shown to people unescaped
	if err := enc.Encode(args); err != nil {
		return Step{Tool: tool, Args: json.RawMessage("{}")} // cannot happen: args always encode
	}
	return Step{Tool: tool, Args: bytes.TrimSpace(b.Bytes())}
}

// Problem says why a message is not a plan. Then none of its commands run.
type Problem struct {
	// Text is the part that was not understood.
	Text string
	// Partial is set if Text is one command of several.
	Partial bool
	// Hint says what the command needs; empty if there is no such command.
	Hint string
	// Ambiguous is set if the user is asked what was meant; Offers are the choices.
	Ambiguous bool
	Offers    []chat.Offer
}
