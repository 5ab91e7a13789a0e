package prompt

import (
	"encoding/json"
	"slices"

	"sextant/shared/chat"
)

// RepairResults puts exactly one result for each call after the message with the call. A result is missing if the
// program ended during the call; then providers refuse the conversation, so the model is told that the outcome is
// unknown.
func RepairResults(in []chat.Message) []chat.Message {
	results := map[string]chat.Message{}
	for _, m := range in {
		if m.Role == chat.RoleTool {
			results[m.CallID] = m
		}
	}
	out := make([]chat.Message, 0, len(in))
	for _, m := range in {
		switch {
		case m.Role == chat.RoleTool:
			continue
		case m.Role == chat.RoleAssistant && m.Text == "" && len(m.Calls) == 0:
			continue
		}
		m.Calls = slices.Clone(m.Calls)
		out = append(out, m)
		for i, c := range m.Calls {
			if !isObject(c.Args) {
				m.Calls[i].Args = json.RawMessage("{}")
			}
			r, ok := results[c.ID]
			if !ok {
				r = chat.Message{
					Conversation: m.Conversation, Turn: m.Turn, Role: chat.RoleTool, CallID: c.ID,
					Status: chat.StatusInterrupted,
					Text: "interrupted: Sextant ended while this call ran; its outcome is unknown. Check the " +
						"current state before doing it again.",
				}
			}
			out = append(out, r)
		}
	}
	return out
}

func isObject(raw json.RawMessage) bool {
	var o map[string]json.RawMessage
	return json.Unmarshal(raw, &o) == nil && o != nil
}
