package files_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sextant/backend/policy/protectedpaths"
	"sextant/backend/store/blobs"
	"sextant/backend/store/sqlite"
	"sextant/backend/toolkit"
	"sextant/backend/tools/files"
	"sextant/shared/toolspec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is a home with a workspace, and the tools over a real store and real blobs.
type bench struct {
	// forbidden are paths that rules keep from every tool, unread why they cannot be read.
	forbidden []string
	unread    error
	*files.Tools
	t     *testing.T
	store *sqlite.Store
	home  string
	// work is the workspace folder, outside a folder beside it.
	work, outside string
	// conversation and turn are those of the calls.
	conversation, turn string
	client, session    string
	caller             toolspec.Caller
	calls              int
	last               string
	// later is added to the time. maxRead is what read_file may return, in bytes.
	later   time.Duration
	maxRead int
}

func newBench(t *testing.T) *bench {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{
		t: t, home: home, work: filepath.Join(home, "work"), outside: filepath.Join(home, "outside"),
		conversation: "k1", turn: "t1", caller: toolspec.CallerModel, maxRead: 1 << 20,
	}
	for _, dir := range []string{
		b.work, b.outside, filepath.Join(home, ".ssh"),
		filepath.Join(home, "data", "downloads"),
	} {
		b.folder(dir)
	}
	data := filepath.Join(home, "data")
	if b.store, err = sqlite.Open(context.Background(), filepath.Join(data, "sextant.db"),
		slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	kept, err := blobs.New(filepath.Join(data, "blobs"), 0)
	if err != nil {
		t.Fatal(err)
	}
	b.Tools = files.New(files.Config{
		Paths: toolkit.Paths{
			Folder: func() string { return b.work }, Home: home,
			Places: protectedpaths.New(protectedpaths.OwnFolders{
				Home: home, Data: data,
				Config: filepath.Join(home, "config"),
			}),
			Downloads: filepath.Join(data, "downloads"),
		},
		Blobs: kept, Changes: b.store, Trash: filepath.Join(data, "trash"),
		ForbiddenPaths: func(context.Context, string) ([]string, error) { return b.forbidden, b.unread },
		Now:            func() time.Time { return time.Now().Add(b.later) },
		MaxRead:        func() int { return b.maxRead },
	})
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
		if err := b.store.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func (b *bench) folder(path string) {
	b.t.Helper()
	if err := os.MkdirAll(path, 0o755); err != nil {
		b.t.Fatal(err)
	}
}

// path is a path of the workspace.
func (b *bench) path(rel string) string { return filepath.Join(b.work, filepath.FromSlash(rel)) }

// put writes a file of the workspace behind the tools' back.
func (b *bench) put(rel, content string) {
	b.t.Helper()
	path := rel
	if !filepath.IsAbs(rel) {
		path = b.path(rel)
	}
	b.folder(filepath.Dir(path))
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// holds checks the content of a file; "" means no file.
func (b *bench) holds(rel, want string) {
	b.t.Helper()
	path := rel
	if !filepath.IsAbs(rel) {
		path = b.path(rel)
	}
	got, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		b.t.Fatal(err)
	}
	if string(got) != want {
		b.t.Errorf("%s holds %q, want %q", rel, got, want)
	}
}

func (b *bench) call(tool, args string) toolspec.Call {
	b.calls++
	b.last = "c" + strconv.Itoa(b.calls)
	return toolspec.Call{
		ID: b.last, Tool: tool, Args: json.RawMessage(args),
		From: toolspec.Provenance{
			Caller: b.caller, Client: b.client, Session: b.session, Conversation: b.conversation,
			Turn: b.turn,
		},
	}
}

// run is a call as the Pipeline makes it: refused, or described and executed.
func (b *bench) run(ctx context.Context, call toolspec.Call) toolspec.Result {
	b.t.Helper()
	if r := b.Refuse(call); r != nil {
		return *r
	}
	b.Describe(call)
	r, err := b.Execute(ctx, call, toolspec.Definition{}, func(string, string) {})
	if err != nil {
		b.t.Fatalf("%s(%s): %v", call.Tool, call.Args, err)
	}
	return r
}

func (b *bench) do(tool, args string) toolspec.Result {
	b.t.Helper()
	return b.run(context.Background(), b.call(tool, args))
}

// ok runs a tool that must succeed.
func (b *bench) ok(tool, args string) toolspec.Result {
	b.t.Helper()
	r := b.do(tool, args)
	if !r.Success {
		b.t.Fatalf("%s(%s): %s: %s (%s)", tool, args, r.ErrorType, r.Error, r.Suggestion)
	}
	return r
}

// fails runs a tool that must fail, with words of the error or the suggestion.
func (b *bench) fails(tool, args string, kind toolspec.ErrorType, words ...string) toolspec.Result {
	b.t.Helper()
	r := b.do(tool, args)
	if r.Success {
		b.t.Errorf("%s(%s) came to pass: %s", tool, args, r.ModelText())
		return r
	}
	if r.ErrorType != kind {
		b.t.Errorf("%s(%s): %s, want %s (%s)", tool, args, r.ErrorType, kind, r.Error)
	}
	for _, w := range words {
		if !strings.Contains(r.Error+" "+r.Suggestion, w) {
			b.t.Errorf("%s(%s): %q is not said in: %s / %s", tool, args, w, r.Error, r.Suggestion)
		}
	}
	return r
}

// value reads a result's value as programs get it.
func value[T any](t *testing.T, r toolspec.Result) T {
	t.Helper()
	var v T
	data, err := json.Marshal(r.Value)
	if err == nil {
		err = json.Unmarshal(data, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (b *bench) says(r toolspec.Result, words ...string) {
	b.t.Helper()
	for _, w := range words {
		if !strings.Contains(r.ModelText(), w) {
			b.t.Errorf("%q is not in:\n%s", w, r.ModelText())
		}
	}
}
