package app

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"sextant/backend/api/transferroutes"
	"sextant/shared/chat"
)

func TestConversationsMoveBetweenFolders(t *testing.T) {
	t.Parallel()
	from := openWith(t, testFlags(t), OpenOptions{Serve: true})
	talk, err := from.Loop.NewConversation(t.Context(), "Lamps for the hall")
	if err != nil {
		t.Fatal(err)
	}
	says(t, from, talk.ID, "m1", chat.RoleUser, "Which brass lamps are <cheap>?")
	window := windowOf(t, from)
	export := func(c *client) []byte {
		t.Helper()
		status, file := c.do(http.MethodGet, "/api/conversations/"+talk.ID+"/export", nil)
		if status != http.StatusOK {
			t.Fatalf("%d %s", status, file)
		}
		return file
	}
	file := export(window)
	if status, b := window.do(http.MethodPost, "/api/conversations/import", json.RawMessage(file)); status !=
		http.StatusConflict {
		t.Fatalf("importing what is here: %d %s", status, b)
	}

	to := openWith(t, testFlags(t), OpenOptions{Serve: true})
	other := windowOf(t, to)
	status, b := other.do(http.MethodPost, "/api/conversations/import", json.RawMessage(file))
	var answer transferroutes.Imported
	if err := json.Unmarshal(b, &answer); status != http.StatusCreated || err != nil ||
		len(answer.Conversations) != 1 || answer.Conversations[0].Title != "Lamps for the hall" {
		t.Fatalf("%d %s, %v", status, b, err)
	}
	// A large file, of two conversations with 3 MB each.
	var large struct {
		Format        string            `json:"format"`
		Version       int               `json:"version"`
		Conversations []json.RawMessage `json:"conversations"`
	}
	if err := json.Unmarshal(file, &large); err != nil {
		t.Fatal(err)
	}
	long := strings.NewReplacer("brass lamps", strings.Repeat("brass ", 1<<19), talk.ID, "talk2", `"m1"`, `"m2"`)
	first := long.Replace(string(large.Conversations[0]))
	second := strings.NewReplacer("talk2", "talk3", `"m2"`, `"m3"`).Replace(first)
	large.Conversations = []json.RawMessage{json.RawMessage(first), json.RawMessage(second)}
	if status, b = other.do(http.MethodPost, "/api/conversations/import", large); status != http.StatusCreated {
		t.Fatalf("importing 6 MB: %d %.300s", status, b)
	}
	if again := export(other); !bytes.Equal(file, again) {
		t.Fatalf("%s became %s", file, again)
	}
	if status, b = other.do(http.MethodPost, "/api/conversations/import", map[string]any{"format": "x"}); status !=
		http.StatusBadRequest {
		t.Fatalf("%d %s", status, b)
	}
}

func TestConversationsAreFiledOverHTTP(t *testing.T) {
	t.Parallel()
	sys := openWith(t, testFlags(t), OpenOptions{Serve: true})
	talk, err := sys.Loop.NewConversation(t.Context(), "Lamps")
	if err != nil {
		t.Fatal(err)
	}
	window := windowOf(t, sys)
	change := func(body map[string]any, want int) (c chat.Conversation) {
		t.Helper()
		status, b := window.do(http.MethodPatch, "/api/conversations/"+talk.ID, body)
		if status != want {
			t.Fatalf("%v: %d %s", body, status, b)
		}
		_ = json.Unmarshal(b, &c)
		return c
	}
	change(map[string]any{"pinned": true, "folder": " Home\n improvement "}, http.StatusOK)
	c := change(map[string]any{"title": "Brass lamps", "archived": true}, http.StatusOK)
	if c.Title != "Brass lamps" || !c.Pinned || !c.Archived || c.Folder != "Home improvement" {
		t.Fatalf("%+v", c)
	}
	if c = change(map[string]any{"pinned": false, "folder": ""}, http.StatusOK); c.Pinned || c.Folder != "" ||
		c.Title != "Brass lamps" {
		t.Fatalf("%+v", c)
	}
	change(map[string]any{}, http.StatusBadRequest)
}
