package mend

import (
	"encoding/json"
	"strings"
	"testing"

	"sextant/backend/tools/panels/manifest/loose"
	"sextant/backend/tools/panels/manifest/shape"
)

// FuzzEveryGuessKeepsTheRules makes each guess from any text; what stands in a mended example
// must be taken when it is copied back.
func FuzzEveryGuessKeepsTheRules(f *testing.F) {
	for _, seed := range []string{
		"", "POST http://evil.example/api/notes/{id}/../x?q=1#y", `get|\notes\%2e%2e`, "[Save](/save/:name)", "fetch `/a//b`",
		"GET /api/other/notes/{id}/{id}", "MyNotes 2000 — ünïcode", "9lives__x", "\xff\xfe\x00", strings.Repeat("long name ", 60), "{", "...", "*.example.com:443/x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		method, path, _ := strings.Cut(Endpoint(text, text, "field-notes"), " ")
		if why := shape.CheckPath(path, "field-notes"); why != "" || !strings.Contains("GET POST PUT PATCH DELETE", method) {
			t.Errorf("the endpoint %s %s made of %q is refused: %s", method, path, text, why)
		}
		if key := Key(text); !shape.IsKey(key) {
			t.Errorf("the key %q made of %q is refused", key, text)
		}
		if host := Host(text); host == "" || strings.ContainsAny(host, "/ @:?#") {
			t.Errorf("the host %q made of %q is refused", host, text)
		}
		if name := Name(text, '_', 61); len(name) > 1 && !shape.IsTool(name) {
			t.Errorf("the name %q made of %q is refused", name, text)
		}
		if n := len([]rune(Title(text))); n == 0 || n > shape.MaxTitle {
			t.Errorf("a title of %d characters was made of %q", n, text)
		}
		said := &loose.Node{Kind: loose.String, Text: text}
		for _, pointer := range []string{"/ui", "/backend", "/activity_bar", "/permissions", "/tools"} {
			if value := Member(pointer, said); value != "" && !json.Valid([]byte(value)) {
				t.Errorf("%s made of %q is no JSON: %s", pointer, text, value)
			}
		}
	})
}

func TestWhatOthersWriteIsMeantSo(t *testing.T) {
	read := func(text string) *loose.Node { return loose.Parse([]byte(text)).Root }
	for _, c := range []struct{ pointer, written, want string }{
		{"/ui", `"page.json"`, `{"kind": "declarative", "entry": "page.json"}`},
		{"/ui", `"main.html"`, `{"kind": "webview", "entry": "main.html"}`},
		{"/backend", `"node server.mjs --fast"`, `{"kind": "process", "command": "node", "args": ["server.mjs", "--fast"]}`},
		{"/backend", `"http://127.0.0.1:8800"`, `{"kind": "http", "url": "http://127.0.0.1:8800"}`},
		{"/backend", `"backend.js"`, `{"kind": "script", "file": "backend.js"}`},
		{"/activity_bar", `20`, `{"order": 20}`},
		{"/permissions", `["network", "shell", "clipboard"]`, `{"net": true, "exec": true}`},
		{"/tools", `{"keep": {"description": "Keeps."}}`, `[{"name": "keep", "description": "Keeps."}]`},
	} {
		var got, want any
		if json.Unmarshal([]byte(Member(c.pointer, read(c.written))), &got) != nil || json.Unmarshal([]byte(c.want), &want) != nil {
			t.Fatalf("%s of %s is %s", c.pointer, c.written, Member(c.pointer, read(c.written)))
		}
		if a, b := compact(t, got), compact(t, want); a != b {
			t.Errorf("%s of %s is %s, want %s", c.pointer, c.written, a, b)
		}
	}
	for written, want := range map[string]string{
		"https://x.example/notes/:id": "POST /api/field-notes/notes/{id}",
		"GET /api/other/list":         "GET /api/field-notes/list",
		"delete: notes/<id>":          "DELETE /api/field-notes/notes/{id}",
	} {
		if got := Endpoint(written, "field_notes_do", "field-notes"); got != want {
			t.Errorf("%s became %s, want %s", written, got, want)
		}
	}
}

func compact(t *testing.T, value any) string {
	t.Helper()
	b, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
