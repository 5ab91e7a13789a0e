package app

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// A command prints a thousand times what a model gets; it reads on, searches, and finds all
// of it again after a restart, until the conversation is deleted.
func TestLongResultIsReadInParts(t *testing.T) {
	flags := testFlags(t)
	sys := openWith(t, flags, OpenOptions{Serve: true})
	talk, err := sys.Loop.NewConversation(t.Context(), "long")
	if err != nil {
		t.Fatal(err)
	}
	from := toolspec.Provenance{Caller: toolspec.CallerRun, Conversation: talk.ID, YesTo: "all"}
	do := func(sys *System, tool string, args map[string]any) toolspec.Result {
		t.Helper()
		b, err := json.Marshal(args)
		if err != nil {
			t.Fatal(err)
		}
		return sys.Pipeline.Do(t.Context(), toolspec.Call{Tool: tool, Args: b, From: from})
	}
	const lines = 400_000
	r := do(sys, "bash", map[string]any{"command": fmt.Sprintf("printf '\\033[31m'; seq 1 %d; exit 3", lines)})
	if !r.Success || r.Stored == nil || r.Stored.Lines != lines {
		t.Fatalf("%+v", r.Stored)
	}
	if len(r.Text) > 20<<10 || !strings.HasPrefix(r.Text, "exit code 3\n1\n2\n") ||
		!strings.Contains(r.Text, fmt.Sprintf("\n%d", lines)) {
		t.Errorf("%d bytes: %.40q", len(r.Text), r.Text)
	}
	read := map[string]any{"handle": r.Stored.Handle, "offset": 200_000, "limit": 2}
	if page := do(sys, "read_result", read); !strings.HasSuffix(page.Text, "\n200000\n200001\n") {
		t.Errorf("%q", page.Text)
	}
	if found := do(sys, "read_result", map[string]any{
		"handle":  r.Stored.Handle,
		"pattern": "^39999[89]$",
	}); !strings.Contains(found.Text, "399998:399998\n399999:399999\n") {
		t.Errorf("%q", found.Text)
	}
	if status, body := longResult(t, sys, sys.Token(), r.Stored.Handle); status == http.StatusOK {
		t.Errorf("a program reads somebody's result past read_result: %d bytes", len(body))
	}
	sys.Close()

	sys = openWith(t, flags, OpenOptions{Serve: true})
	if page := do(sys, "read_result", read); !page.Success {
		t.Errorf("after a restart: %+v", page)
	}
	other := from
	other.Conversation = ""
	if page := sys.Pipeline.Do(t.Context(), toolspec.Call{
		Tool: "read_result",
		Args: []byte(`{"handle":"` + r.Stored.Handle + `"}`), From: other,
	}); page.Success {
		t.Error("another one reads it")
	}
	if _, err := sys.Events.Publish(t.Context(),
		event.New(event.ConversationDeleted, event.Removal{ID: talk.ID}).InTurn(talk.ID, "")); err != nil {
		t.Fatal(err)
	}
	if page := do(sys, "read_result", read); page.Success {
		t.Error("it outlives its conversation")
	}
	sys.Close() // which waits for what follows the events
	if left, err := os.ReadDir(filepath.Join(flags["data"], "results")); err != nil || len(left) > 0 {
		t.Errorf("left on disk: %v, %v", left, err)
	}
}

// longResult asks the HTTP server for the whole of a result.
func longResult(t *testing.T, sys *System, token, handle string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+sys.Host()+"/api/results/"+handle,
		nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(b)
}
