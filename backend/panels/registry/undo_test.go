package registry

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"sextant/backend/store/sqlite"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// undoHarness is a panel whose tool answers as a test wants; asked are the requests to its endpoints.
type undoHarness struct {
	*Registry
	mu           sync.Mutex
	answer       string
	status       int
	asked        []string
	db           *sqlite.Store
	root, server string
}

func newUndoHarness(t *testing.T, undo string) *undoHarness {
	t.Helper()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "sextant.db"), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	u := &undoHarness{db: db, status: http.StatusOK, answer: "{}"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		body, _ := io.ReadAll(req.Body)
		u.mu.Lock()
		defer u.mu.Unlock()
		u.asked = append(u.asked, req.Method+" "+req.RequestURI+" "+string(body))
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(u.status)
		_, _ = io.WriteString(w, u.answer)
	}))
	t.Cleanup(server.Close)
	u.server = server.URL
	u.Registry, _, u.root = started(t, func(c *Config) { c.Undos = db })
	write(t, u.root, "notes", u.manifest(undo))
	if p := waitFor(t, u.Registry, "notes"); !p.Usable {
		t.Fatalf("%+v", p)
	}
	return u
}

func (u *undoHarness) manifest(undo string) string {
	return minimal("notes", `,"backend":{"kind":"http","url":"`+u.server+`"},
	  "tools":[{"name":"note_add","description":"x","endpoint":"POST /api/notes/add/{id}","undo":"`+undo+`","user_description":"Note {id}","parameters":{"id":{"type":"string"},"text":{"type":"string"}}}]`)
}

// callTool calls the tool in a turn and reports whether the call can be undone.
func (u *undoHarness) callTool(t *testing.T, id, answer string) bool {
	t.Helper()
	u.mu.Lock()
	u.answer = answer
	u.mu.Unlock()
	c := toolspec.Call{
		ID: id, Tool: "note_add", Args: json.RawMessage(`{"id":"a b","text":"x"}`),
		From: toolspec.Provenance{Caller: toolspec.CallerModel, Conversation: "c1", Turn: "t1"},
	}
	result, err := u.Execute(t.Context(), c, definition(t, u.Registry, "note_add"), nil)
	if err != nil {
		t.Fatal(err)
	}
	mustSucceed(t, result)
	return result.Undoable
}

func (u *undoHarness) kept(t *testing.T, call string) wire.PanelUndo {
	t.Helper()
	list, err := u.PanelUndos(context.Background(), "", "", "", call)
	if err != nil || len(list) != 1 {
		t.Fatalf("%v, %v", list, err)
	}
	return list[0]
}

func TestUndoCallsDeclaredRoute(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ undo, answer, want string }{
		{"POST /api/notes/undo/{number}", `{"number":7}`, "POST /api/notes/undo/7 {}"},
		{"POST /api/notes/undo/{id}", `{"number":7}`, "POST /api/notes/undo/a%20b {}"},
		{"POST /api/notes/undo/{id}", `{"undo":{"id":"x/y"}}`, ""},
		{
			"POST /api/notes/undo", `{"undo":{"was":{"text":"old"}},"more":1}`,
			`POST /api/notes/undo {"was":{"text":"old"}}`,
		},
		{"DELETE /api/notes/{number}", `{"undo":{"number":8,"x":1},"number":7}`, "DELETE /api/notes/8 "},
		{"POST /api/notes/undo/{missing}", `{"number":7}`, ""},
		{"POST /api/notes/undo", `{"undo":false}`, ""},
	} {
		t.Run(c.undo, func(t *testing.T) {
			u := newUndoHarness(t, c.undo)
			if can := u.callTool(t, "1", c.answer); can != (c.want != "") {
				t.Errorf("%s after %s: undoable %t", c.undo, c.answer, can)
			}
			if c.want == "" {
				return
			}
			one := u.kept(t, "1")
			if one.Sentence != "Note a b" || one.Turn != "t1" || one.State != wire.UndoReady {
				t.Errorf("kept %+v", one)
			}
			mustSucceed(t, u.UndoCall(t.Context(), one))
			if got := u.asked[len(u.asked)-1]; got != c.want {
				t.Errorf("asked %q, want %q", got, c.want)
			}
			mustFail(t, u.UndoCall(t.Context(), one), toolspec.SystemError, "being undone already")
			mustFail(t, u.UndoCall(t.Context(), u.kept(t, "1")), toolspec.UserError, "undone already")
			if len(u.asked) != 2 {
				t.Errorf("it was undone twice: %q", u.asked)
			}
		})
	}
}

func TestRefusedUndoCanBeRetried(t *testing.T) {
	t.Parallel()
	u := newUndoHarness(t, "POST /api/notes/undo")
	u.callTool(t, "1", `{}`)
	u.mu.Lock()
	u.status, u.answer = http.StatusConflict, `{"error":"the note was changed since"}`
	u.mu.Unlock()
	mustFail(t, u.UndoCall(t.Context(), u.kept(t, "1")), toolspec.UserError, "the note was changed since")
	if one := u.kept(t, "1"); one.State != wire.UndoConflict || !strings.Contains(one.Reason, "changed since") {
		t.Errorf("kept %+v", one)
	}
	u.mu.Lock()
	u.status, u.answer = http.StatusOK, `{}`
	u.mu.Unlock()
	mustSucceed(t, u.UndoCall(t.Context(), u.kept(t, "1")))
}

func TestUndoAfterPanelChanged(t *testing.T) {
	t.Parallel()
	u := newUndoHarness(t, "POST /api/notes/undo")
	u.callTool(t, "1", `{}`)
	write(t, u.root, "notes", u.manifest("DELETE /api/notes/undo"))
	accept(t, u.Registry, "notes")
	mustFail(t, u.UndoCall(t.Context(), u.kept(t, "1")), toolspec.UserError,
		"has changed and undoes note_add differently")
	write(t, u.root, "notes", minimal("notes", `,"tools":[]`))
	eventually(t, "its tool is gone", func() bool { return len(u.AllDefinitions()) == 0 })
	mustFail(t, u.UndoCall(t.Context(), u.kept(t, "1")), toolspec.UserError, "which could undo it, was removed")
}

func TestUndoRouteOfAnotherPanel(t *testing.T) {
	t.Parallel()
	for _, undo := range []string{
		"POST /api/other/undo", "GET /api/notes/undo", "POST http://evil.example/",
		"POST /api/notes/../ai", "undo", "POST /api/notes/%2e",
	} {
		t.Run(undo, func(t *testing.T) {
			r, _, root := started(t, nil)
			write(t, root, "notes", minimal("notes", `,"backend":{"kind":"http","url":"http://127.0.0.1:9"},
			  "tools":[{"name":"note_add","description":"x","endpoint":"POST /api/notes/add","undo":"`+undo+`"}]`))
			if p := waitFor(t, r, "notes"); p.Usable || len(p.Problems) != 1 ||
				p.Problems[0].Pointer != "/tools/0/undo" || !strings.Contains(p.Problems[0].Fix, "/api/notes/") {
				t.Errorf("%s: %+v", undo, p)
			}
		})
	}
}
