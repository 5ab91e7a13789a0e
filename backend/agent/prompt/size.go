package prompt

import (
	"sextant/backend/agent/llm"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// Parts is the size of a request's parts in bytes.
func Parts(req llm.Request, defs []toolspec.Definition) event.Prompt {
	p := event.Prompt{Messages: len(req.System)}
	for _, d := range defs {
		p.Definitions += d.PromptBytes()
	}
	for _, m := range req.Messages {
		if m.Role == chat.RoleTool {
			p.Results += MessageBytes(m)
		} else {
			p.Messages += MessageBytes(m)
		}
	}
	return p
}

// Bytes is the size of a request in bytes.
func Bytes(req llm.Request) int {
	n := len(req.System)
	for _, f := range req.Tools {
		n += len(f.Function.Name) + len(f.Function.Description) + len(f.Function.Parameters)
	}
	for _, m := range req.Messages {
		n += MessageBytes(m)
	}
	return n
}

// MessageBytes is the size of a message with its calls.
func MessageBytes(m chat.Message) int {
	n := len(m.Text)
	for _, c := range m.Calls {
		n += len(c.Name) + len(c.Args)
	}
	return n
}
