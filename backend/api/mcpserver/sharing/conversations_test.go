package sharing

import (
	"strings"
	"testing"

	"sextant/shared/chat"
)

func TestLongConversationIsBoundedAndSaysSo(t *testing.T) {
	plain := func(s string) string { return s }
	list := []chat.Message{}
	for range 20 {
		list = append(list, chat.Message{Role: chat.RoleUser, Text: strings.Repeat("é", 50_000)})
	}
	list = append(list, chat.Message{
		Role: chat.RoleAssistant, Text: "last",
		Calls: []chat.ToolCall{{Name: "click_element", Args: []byte(`{"a": "` + strings.Repeat("x", 900) + `"}`)}},
	})
	text := conversationText(chat.Conversation{Title: "a\n# b"}, list, plain)
	if len(text) > maxConversation+1000 || !strings.Contains(text, "17 earlier messages are left out") ||
		!strings.Contains(text, "bytes more)") ||
		!strings.Contains(text, "> last") || !strings.Contains(text, "> called click_element {") ||
		strings.Contains(text, "\n# b") {
		t.Errorf("%d bytes: %.300s … %s", len(text), text, text[len(text)-500:])
	}
}
