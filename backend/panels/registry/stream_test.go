package registry

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"sextant/shared/toolspec"
)

// streaming is a panel whose tool answers as handler does, at an address or in this program.
func streaming(t *testing.T, inside bool, handler http.HandlerFunc) *Registry {
	t.Helper()
	tools := `"tools":[{"name":"note_run","description":"x","endpoint":"POST /api/notes/run"}]`
	if inside {
		r, _, _ := started(t, func(c *Config) {
			c.Builtin = fstest.MapFS{"notes/manifest.json": {Data: []byte(minimal("notes",
				`,"ui":{"kind":"builtin"},`+tools))}}
			c.Handlers = map[string]http.Handler{"notes": handler}
		})
		return r
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	r, _, root := started(t, nil)
	write(t, root, "notes", minimal("notes", `,"backend":{"kind":"http","url":"`+server.URL+`"},`+tools))
	waitFor(t, r, "notes")
	return r
}

func TestStreamedAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, contentType, first, rest, want string }{
		{"lines", "application/x-ndjson", `{"output":"half "}` + "\n", `{"result":{"n":2}}` + "\n", `{"n":2}`},
		{"events", "text/event-stream", "data: half\n\n", "event: result\ndata: \"done\"\n\n", `"done"`},
		{"text", "text/plain; charset=utf-8", "half ", "done", "half done"},
	} {
		for _, inside := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, inside %t", c.name, inside), func(t *testing.T) {
				shown := make(chan string, 10)
				r := streaming(t, inside, func(w http.ResponseWriter, req *http.Request) {
					w.Header().Set("Content-Type", c.contentType)
					fmt.Fprint(w, c.first)
					w.(http.Flusher).Flush()
					select {
					case got := <-shown:
						if strings.TrimSpace(got) != "half" {
							t.Errorf("shown %q", got)
						}
					case <-req.Context().Done():
						t.Error("it was not shown before the end")
					}
					fmt.Fprint(w, c.rest)
				})
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				result, err := r.Execute(ctx, toolspec.Call{ID: "c", Tool: "note_run", Args: json.RawMessage(`{}`)},
					definition(t, r, "note_run"),
					func(_, text string) { shown <- text })
				if err != nil {
					t.Fatal(err)
				}
				if got := mustSucceed(t, result); got != c.want {
					t.Errorf("got %s, want %s", got, c.want)
				}
			})
		}
	}
}

func TestFailedStreamKeepsText(t *testing.T) {
	t.Parallel()
	for _, inside := range []bool{false, true} {
		t.Run(fmt.Sprintf("inside=%t", inside), func(t *testing.T) {
			r := streaming(t, inside, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/x-ndjson")
				fmt.Fprintln(w, `{"output":"copied 3 files"}`)
				w.(http.Flusher).Flush()
				fmt.Fprintln(w, `{"error":{"message":"the disk is full"},"suggestion":"Make room."}`)
			})
			result := call(t, r, "note_run", `{}`)
			mustFail(t, result, toolspec.UserError, "the disk is full", "Make room.")
			if result.Text != "copied 3 files" {
				t.Errorf("what came is %q", result.Text)
			}
		})
	}
}

func TestEndlessStreamEndsWithCall(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	began := make(chan struct{})
	r := streaming(t, false, func(w http.ResponseWriter, req *http.Request) {
		defer close(over)
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: one\n\n")
		w.(http.Flusher).Flush()
		<-req.Context().Done()
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-began
		cancel()
	}()
	result, err := r.Execute(ctx, toolspec.Call{ID: "c", Tool: "note_run", Args: json.RawMessage(`{}`)},
		definition(t, r, "note_run"),
		func(string, string) { close(began) })
	if err != nil {
		t.Fatal(err)
	}
	mustFail(t, result, toolspec.SystemError, "ended early")
	<-over
}

func TestEndlessStreamIsBounded(t *testing.T) {
	t.Parallel()
	for _, inside := range []bool{false, true} {
		r := streaming(t, inside, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.(http.Flusher).Flush()
			for {
				if _, err := w.Write(make([]byte, 64<<10)); err != nil {
					return
				}
			}
		})
		mustFail(t, call(t, r, "note_run", `{}`), toolspec.SystemError, "is too large")
	}
}

func TestHandlerStreamPanic(t *testing.T) {
	t.Parallel()
	r := streaming(t, true, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.(http.Flusher).Flush()
		panic("a fault of it")
	})
	mustFail(t, call(t, r, "note_run", `{}`), toolspec.SystemError, "had an internal error", "a fault of it")
}
