package registry

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"sextant/backend/panels/manifest"
	"sextant/shared/toolspec"
)

func TestLocalHTTPBackend(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		fmt.Fprintf(w, "%s %s %s", req.Method, req.URL, req.Header.Get("X-Sextant-Token"))
	}))
	defer server.Close()
	r, _, root := started(t, nil)
	put(
		t,
		root,
		"notes",
		map[string]string{manifest.FileName: minimal("notes", `,"backend":{"kind":"http","url":"`+server.URL+`/base/"},
	  "tools":[{"name":"note_get","description":"x","endpoint":"GET /api/notes/{id}","parameters":{"id":{"type":"integer"}}}]`)},
	)
	waitFor(t, r, "notes")
	d := definition(t, r, "note_get")
	if d.Hints.Confirm || !strings.Contains(string(d.Parameters), `"required":["id"]`) {
		t.Errorf("got %+v, %s", d.Hints, d.Parameters)
	}
	if got := mustSucceed(t, call(t, r, "note_get", `{"id":7}`)); got != "GET /base/api/notes/7 " {
		t.Errorf("got %q", got)
	}
	server.Close()
	mustFail(t, call(t, r, "note_get", `{"id":7}`), toolspec.SystemError, "cannot be reached", "refused",
		"Other panels are not affected")
}

// asked is a RoundTripper in place of egress; it records the requests.
type asked struct{ urls []string }

func (a *asked) RoundTrip(req *http.Request) (*http.Response, error) {
	a.urls = append(a.urls, req.URL.String())
	w := httptest.NewRecorder()
	w.WriteString("from outside")
	return w.Result(), nil
}

func TestRemoteHTTPBackendUsesEgress(t *testing.T) {
	t.Parallel()
	text := minimal(
		"notes",
		`,"permissions":{"net":["api.example.com"]},"backend":{"kind":"http","url":"https://api.example.com"},
	  "tools":[{"name":"note_get","description":"x","endpoint":"GET /api/notes/all"}]`,
	)
	way := &asked{}
	r, _, root := started(t, func(c *Config) { c.Egress = way })
	put(t, root, "notes", map[string]string{manifest.FileName: text})
	waitFor(t, r, "notes")
	if got := mustSucceed(t, call(t, r, "note_get", `{}`)); got != "from outside" || len(way.urls) != 1 ||
		way.urls[0] != "https://api.example.com/api/notes/all" {
		t.Errorf("got %q over %v", got, way.urls)
	}
	d := r.Describe(toolspec.Call{Tool: "note_get"})
	if len(d.Hosts) != 1 || d.Hosts[0] != "api.example.com" ||
		!strings.HasPrefix(d.Target, "GET https://api.example.com/") {
		t.Errorf("got %+v", d)
	}

	without, _, root := started(t, nil)
	put(t, root, "notes", map[string]string{manifest.FileName: text})
	waitFor(t, without, "notes")
	mustFail(t, call(t, without, "note_get", `{}`), toolspec.PermissionError, "is not on this machine")
}

func TestBuiltInHandler(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"notes/manifest.json": {Data: []byte(minimal("notes", `,"ui":{"kind":"builtin"},"tools":[
	  {"name":"note_put","description":"x","endpoint":"PUT /api/notes/{id}","parameters":{"id":{"type":"integer"},"text":{"type":"string"}}},
	  {"name":"note_break","description":"x","endpoint":"POST /api/notes/break"},
	  {"name":"note_flood","description":"x","endpoint":"POST /api/notes/flood"}]`))}}
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /api/notes/{id}", func(w http.ResponseWriter, req *http.Request) {
		body := make([]byte, 100)
		n, _ := req.Body.Read(body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"id": %s, "body": %s}`, req.PathValue("id"), body[:n])
	})
	mux.HandleFunc("POST /api/notes/break", func(http.ResponseWriter, *http.Request) { panic("broken inside") })
	mux.HandleFunc("POST /api/notes/flood", func(w http.ResponseWriter, _ *http.Request) {
		for {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return
			}
		}
	})
	r, _, _ := started(t, func(c *Config) { c.Builtin, c.Handlers = files, map[string]http.Handler{"notes": mux} })
	got := call(t, r, "note_put", `{"id":3,"text":"hi"}`)
	if text := mustSucceed(t, got); text != `{"id":3,"body":{"text":"hi"}}` || len(got.Sources) != 0 {
		t.Errorf("got %s from %v", text, got.Sources)
	}
	mustFail(t, call(t, r, "note_break", `{}`), toolspec.SystemError, "had an internal error: broken inside",
		"Other tools are not affected")
	mustFail(t, call(t, r, "note_flood", `{}`), toolspec.SystemError, "larger than 5 MB")
	mustFail(t, call(t, r, "note_put", `{"text":"hi"}`), toolspec.ValidationError, "id is missing")

	without, _, _ := started(t, func(c *Config) { c.Builtin = files })
	p, _ := panel(without, "notes")
	if len(p.Tools) != 0 || !strings.Contains(strings.Join(p.ProblemLines(), "\n"),
		"note_put is off: this build has no handler for it") {
		t.Errorf("got %+v", p)
	}
}

func TestCallOfRemovedTool(t *testing.T) {
	t.Parallel()
	r, _, _ := started(t, nil)
	result, err := r.Execute(t.Context(), toolspec.Call{Tool: "gone"},
		toolspec.Definition{Name: "gone", Owner: "notes"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	mustFail(t, result, toolspec.UserError, "gone does not exist any more: the notes panel was removed or changed")
	if d := r.Describe(toolspec.Call{Tool: "gone"}); d.Sentence != "Running gone" {
		t.Errorf("got %+v", d)
	}
}

func TestPageOnlyToolIsHiddenFromModel(t *testing.T) {
	t.Parallel()
	r, _, root := started(t, nil)
	put(
		t,
		root,
		"notes",
		map[string]string{manifest.FileName: minimal("notes", `,"backend":{"kind":"process","command":"node"},"tools":[
	  {"name":"note_draw","description":"x","endpoint":"GET /api/notes/draw","visibility":["app"]},
	  {"name":"note_show","description":"x","endpoint":"GET /api/notes/show","visibility":["model","app"]}]`)},
	)
	waitFor(t, r, "notes")
	if defs := r.Definitions("notes"); len(defs) != 1 || defs[0].Name != "note_show" {
		t.Errorf("got %v", defs)
	}
}
