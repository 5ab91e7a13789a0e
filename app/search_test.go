package app

import (
	"encoding/json"
	"net/http"
	"net/url"
	"testing"

	"sextant/shared/chat"
	"sextant/shared/wire"
)

func TestSearchRoute(t *testing.T) {
	t.Parallel()
	sys := openWith(t, testFlags(t), OpenOptions{Serve: true})
	window := windowOf(t, sys)
	talk, err := sys.Loop.NewConversation(t.Context(), "Lamps for the hall")
	if err != nil {
		t.Fatal(err)
	}
	says(t, sys, talk.ID, "m1", chat.RoleUser, "Which brass lamps are cheap?")
	says(t, sys, talk.ID, "m2", chat.RoleAssistant, "The brass lamp for 79 €.")
	ask := func(query string, status int) (page wire.SearchPage, body []byte) {
		t.Helper()
		got, body := window.do(http.MethodGet, "/api/search?"+query, nil)
		if got != status {
			t.Fatalf("%s: %d %s", query, got, body)
		}
		if status == http.StatusOK {
			if err := json.Unmarshal(body, &page); err != nil {
				t.Fatal(err)
			}
		}
		return page, body
	}
	page, _ := ask("q=brass+lam&limit=1", http.StatusOK)
	if len(page.Hits) != 1 || page.Hits[0].Message != "m2" || page.Hits[0].Title != "Lamps for the hall" ||
		!page.Hits[0].Shown || page.Next == 0 {
		t.Fatalf("%+v", page)
	}
	if page, _ = ask("q="+url.QueryEscape(`") OR (rowid:*`), http.StatusOK); len(page.Hits) != 0 {
		t.Fatalf("%+v", page)
	}
	if page, _ = ask("q=brass&conversation=none", http.StatusOK); len(page.Hits) != 0 {
		t.Fatalf("%+v", page)
	}
	ask("q=who:you", http.StatusBadRequest)
	ask("q=x&limit=900", http.StatusUnprocessableEntity)
}
