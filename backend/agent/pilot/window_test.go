package pilot_test

import (
	"testing"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/pilot"
	"sextant/backend/agent/pilot/grammar"
	"sextant/shared/chat"
	"sextant/shared/event"
)

// The elements of a page that was listed in the conversation are meant only while the tab shows that page.
func TestListedElementsAreMeantOnlyOnTheirPage(t *testing.T) {
	for address, want := range map[string]bool{
		"https://shop.example/": true, "https://nosuch.example/": false, "": false,
	} {
		p := pilot.New(pilot.Config{Window: func(string) grammar.WindowState {
			return grammar.WindowState{
				Marks:     func() *event.Marks { return nil },
				Tabs:      func() []event.Tab { return []event.Tab{{ID: 1, URL: address}} },
				ActiveTab: func() int { return 1 },
				Tools:     definitions(tools),
			}
		}})
		messages := []chat.Message{
			{Role: chat.RoleUser, Text: "open shop.example"},
			{Role: chat.RoleTool, CallID: "c", Text: shop + "[3] button \"Buy\"\n", Status: chat.StatusDone},
			{Role: chat.RoleUser, Text: "click Buy"},
		}
		res, err := p.Stream(t.Context(), llm.Request{Messages: messages, Tools: offer(tools)}, func(llm.Delta) {})
		if err != nil {
			t.Fatal(err)
		}
		clicks := len(res.Calls) == 1 && res.Calls[0].Name == "click_element"
		if clicks != want {
			t.Errorf("%q: %+v", address, res)
		}
	}
}
