package app

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/store/eventlog"
	"sextant/shared/chat"
	"sextant/shared/event"
)

func TestModelNamesConversations(t *testing.T) {
	for _, c := range []struct {
		name, setting string
		noWindow      bool
		title         openaitest.Answer
		rename        string // by the person, while the model is asked
		wantTitle     string
		wantAsked     int
	}{
		{
			name: "named", title: openaitest.Answer{Text: "“Lamps for the hall.”"},
			wantTitle: "Lamps for the hall", wantAsked: 1,
		},
		{
			name: "renamed meanwhile", title: openaitest.Answer{Text: "Lamps"}, rename: "Mine",
			wantTitle: "Mine", wantAsked: 1,
		},
		{
			name: "the model fails", title: openaitest.Answer{Status: http.StatusBadRequest, Body: "{}"},
			wantTitle: "find brass lamps", wantAsked: 1,
		},
		{name: "off", setting: "off", wantTitle: "find brass lamps"},
		{name: "no window", noWindow: true, wantTitle: "find brass lamps"},
	} {
		t.Run(c.name, func(t *testing.T) {
			model, err := openaitest.Start(openaitest.Answer{Text: "Three."}, openaitest.Answer{Text: "Four."})
			if err != nil {
				t.Fatal(err)
			}
			defer model.Close()
			t.Setenv("SEXTANT_OPENAI_BASE_URL", model.URL())
			t.Setenv("SEXTANT_OPENAI_API_KEY", "test")
			if c.setting != "" {
				t.Setenv("SEXTANT_MODEL_TITLES", c.setting)
			}
			sys := openWith(t, testFlags(t), OpenOptions{Serve: true})
			window := windowOf(t, sys)
			if !c.noWindow {
				until(t, dial(t, sys, strings.TrimPrefix(window.head.Get("Authorization"), "Bearer ")), "hello")
			}
			talk, err := sys.Loop.NewConversation(t.Context(), "")
			if err != nil {
				t.Fatal(err)
			}
			path := "/api/conversations/" + talk.ID
			asked := make(chan string, 5)
			model.Title = func(r openaitest.Request) openaitest.Answer {
				asked <- string(r.Body)
				if c.rename != "" {
					window.do(http.MethodPatch, path, map[string]string{"title": c.rename})
				}
				return c.title
			}
			rounds := sys.Events.Subscribe(eventlog.Filter{Kinds: []event.Kind{event.TurnEnded, event.RoundEnded}},
				eventlog.FromNow)
			defer rounds.Close()
			say := func(text string) {
				t.Helper()
				if status, b := window.do(http.MethodPost, path+"/messages",
					map[string]string{"text": text, "model": "openai/test"}); status >= 300 {
					t.Fatalf("%d %s", status, b)
				}
				for e := range rounds.C() {
					if e.Kind == event.TurnEnded {
						return
					}
				}
			}
			say("find brass lamps\nfor the hall")
			if c.wantAsked > 0 {
				body := <-asked
				if !strings.Contains(body, "for the hall") || !strings.Contains(body, "Three.") ||
					strings.Contains(body, `"tools"`) {
					t.Errorf("asked %s", body)
				}
				if c.title.Status == 0 { // wait until the answer was handled
					for e := range rounds.C() {
						if strings.Contains(string(e.Data), `"for":"title"`) {
							break
						}
					}
				}
			}
			say("and for the door?")
			if got := titleOf(t, sys, talk.ID, c.wantTitle); got != c.wantTitle {
				t.Errorf("the title is %q, want %q", got, c.wantTitle)
			}
			if n := len(asked); n > 0 {
				t.Errorf("asked for a title %d times more", n)
			}
		})
	}
}

// titleOf waits until a conversation has the title want, or returns its title after 20 s.
func titleOf(t *testing.T, sys *System, id, want string) string {
	t.Helper()
	changed := sys.Events.Subscribe(eventlog.Filter{Kinds: []event.Kind{event.ConversationUpdated}}, eventlog.FromNow)
	defer changed.Close()
	for {
		c, err := sys.Store.Conversation(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if c.Title == want || c.Status != chat.StatusDone {
			return c.Title
		}
		select {
		case <-changed.C():
		case <-time.After(20 * time.Second):
			return c.Title
		}
	}
}
