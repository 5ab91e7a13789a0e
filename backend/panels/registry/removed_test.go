package registry

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"sextant/shared/toolspec"
)

// removeDuringCall removes the panel's folder once a call has reached its backend, and returns the result of
// the call.
func removeDuringCall(t *testing.T, r *Registry, dir, tool, args string, reached <-chan struct{}) toolspec.Result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := toolspec.Call{ID: "c", Tool: tool, Args: json.RawMessage(args)}
	def := definition(t, r, tool)
	r.Describe(c)
	ended := make(chan toolspec.Result, 1)
	go func() {
		result, err := r.Execute(ctx, c, def, nil)
		if err != nil {
			t.Error(err)
		}
		ended <- result
	}()
	<-reached
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	result := <-ended
	if ctx.Err() != nil {
		t.Error("it ended with its deadline only")
	}
	return result
}

func TestRemovedPanelEndsItsCalls(t *testing.T) {
	t.Parallel()
	t.Run("an address", func(t *testing.T) {
		reached, over := make(chan struct{}), make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
			close(reached)
			<-req.Context().Done()
			close(over)
		}))
		defer server.Close()
		r, _, root := started(t, nil)
		write(t, root, "notes", minimal("notes", `,"backend":{"kind":"http","url":"`+server.URL+`"},
		  "tools":[{"name":"note_get","description":"x","endpoint":"GET /api/notes/all"}]`))
		waitFor(t, r, "notes")
		result := removeDuringCall(t, r, filepath.Join(root, "notes"), "note_get", `{}`, reached)
		mustFail(t, result, toolspec.UserError, "was removed while it worked on GET /api/notes/all",
			"whether it took effect is unknown")
		<-over
	})
	t.Run("a program that works", func(t *testing.T) {
		r, dir := rogue(t)
		mustSucceed(t, do(t, r, "good"))
		reached := make(chan struct{})
		go func() {
			defer close(reached)
			eventually(t, "the program has the call", func() bool {
				_,
					err := os.Stat(filepath.Join(dir, "hanging"))
				return err == nil
			})
		}()
		result := removeDuringCall(t, r, dir, "rogue_do", `{"what":"hang"}`, reached)
		mustFail(t, result, toolspec.UserError, "was removed while it worked on POST /api/rogue/do/hang")
	})
	t.Run("a program that starts", func(t *testing.T) {
		r, _, root := started(t, nil)
		write(
			t,
			root,
			"mute",
			minimal("mute", `,"backend":{"kind":"process","command":"sh","args":["-c","touch started; sleep 600"]},
		  "tools":[{"name":"mute_try","description":"x","endpoint":"GET /api/mute/x"}]`),
		)
		waitFor(t, r, "mute")
		reached := make(chan struct{})
		go func() {
			defer close(reached)
			eventually(t, "the program starts", func() bool {
				_,
					err := os.Stat(filepath.Join(root, "mute", "started"))
				return err == nil
			})
		}()
		result := removeDuringCall(t, r, filepath.Join(root, "mute"), "mute_try", `{}`, reached)
		mustFail(t, result, toolspec.UserError, "removed")
	})
}
