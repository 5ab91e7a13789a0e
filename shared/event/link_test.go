package event_test

import (
	"strings"
	"testing"

	"sextant/shared/event"
)

func TestParseLink(t *testing.T) {
	for text, want := range map[string]event.Link{
		"sextant://conversation/c_0a1b":  {Kind: event.LinkConversation, Name: "c_0a1b"},
		"sextant://panel/code-editor":    {Kind: event.LinkPanel, Name: "code-editor"},
		"SEXTANT://recipe/order-lamp":    {Kind: event.LinkRecipe, Name: "order-lamp"},
		"sextant://new":                  {Kind: event.LinkMessage},
		"sextant://new?text=a%0A%26b":    {Kind: event.LinkMessage, Name: "a\n&b"},
		"sextant://open?url=http://a.b/": {Kind: event.LinkAddress, Name: "http://a.b/"},
		"sextant://open?url=https%3A%2F%2Fexample.com%2Fa%3Fb%3D1%26c": {
			Kind: event.LinkAddress, Name: "https://example.com/a?b=1&c",
		},
	} {
		t.Run(text, func(t *testing.T) {
			if got, err := event.ParseLink(text); err != nil || got != want {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestHostileLinksAreRefused(t *testing.T) {
	for _, text := range []string{
		"", "sextant:", "sextant://", "sextant:conversation/a", "sextant:///conversation/a", "http://conversation/a",
		"sextant://run/order-lamp", "sextant://tool/bash", "sextant://recipe/order-lamp?run=1", "sextant://recipe/",
		"sextant://recipe/a/b", "sextant://recipe/../settings", "sextant://recipe/%2e%2e%2fa", "sextant://recipe/a b",
		"sextant://recipe/a%00b", "sextant://recipe/a#run", "sextant://user:pass@recipe/a", "sextant://panel/-x",
		"sextant://panel/" + strings.Repeat("a", 101), "sextant://panel/ａ", "sextant://panel/<script>",
		"sextant://address/https://evil.example", "sextant://message/a", "sextant://new/a", "sextant://new?run=1",
		"sextant://new?text=a&send=1", "sextant://open", "sextant://open/x?url=https://a.b",
		"sextant://open?url=javascript:alert(1)", "sextant://open?url=file:///etc/passwd",
		"sextant://open?url=data:text/html,x", "sextant://open?url=chrome://settings", "sextant://open?url=https://",
		"sextant://open?url=https://user:pass@a.b", "sextant://open?url=sextant://panel/home",
		"sextant://open?url=" + strings.Repeat("a", 5000), "sextant://open?url=%zz", "--mode=full",
	} {
		t.Run(text, func(t *testing.T) {
			if got, err := event.ParseLink(text); err == nil {
				t.Errorf("got %+v", got)
			}
		})
	}
}
