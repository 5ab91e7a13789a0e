package prompt

import (
	"sextant/backend/agent/llm"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// PartSizes returns the bytes of a request's parts: definitions, results, and all other text.
func PartSizes(req llm.Request, defs []toolspec.Definition) event.Prompt {
	p := event.Prompt{Messages: len(req.System)}
	for _, d := range defs {
		p.Definitions += d.PromptBytes()
	}
	for _, m := range req.Messages {
		if m.Role == chat.RoleTool {
			p.Results += MessageSize(m)
		} else {
			p.Messages += MessageSize(m)
		}
	}
	return p
}

// RequestSize returns the bytes of a request's text, without images.
func RequestSize(req llm.Request) int {
	n := len(req.System)
	for _, f := range req.Tools {
		n += len(f.Function.Name) + len(f.Function.Description) + len(f.Function.Parameters)
	}
	for _, m := range req.Messages {
		n += MessageSize(m)
	}
	return n
}

// MessageSize returns the bytes of a message's text and calls, without images and reasoning.
func MessageSize(m chat.Message) int {
	n := len(m.Text)
	for _, c := range m.Calls {
		n += len(c.Name) + len(c.Args)
	}
	return n
}
