package app

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// aWorkspace is flags with a workspace folder of its own that holds notes.txt.
func aWorkspace(t *testing.T) (flags map[string]string, dir string) {
	t.Helper()
	flags = testFlags(t)
	dir = filepath.Join(t.TempDir(), "work")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("Call Ana.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	flags["workspace"] = dir
	return flags, dir
}

func notes(t *testing.T, dir string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "notes.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestGroupThatIsSwitchedOffIsNotOffered(t *testing.T) {
	flags, _ := aWorkspace(t)
	sys := openWith(t, flags, OpenOptions{})
	if _, ok := sys.Catalog.ForPanel("").Get("read_file"); !ok {
		t.Fatal("read_file is not there")
	}
	if _, err := sys.Settings.Set(t.Context(), "groups_off", "files"); err != nil {
		t.Fatal(err)
	}
	for _, name := range sys.Catalog.ForPanel("").Names() {
		if name == "read_file" || name == "undo" {
			t.Errorf("%s is offered", name)
		}
	}
	r := sys.Pipeline.Do(t.Context(), toolspec.Call{
		Tool: "read_file", Args: json.RawMessage(`{"path":"notes.txt"}`),
		From: toolspec.Provenance{Caller: toolspec.CallerPerson},
	})
	if r.Success {
		t.Error("it ran")
	}
	if _, err := sys.Settings.Set(t.Context(), "groups_off", "flies"); err == nil {
		t.Error("a group that there is not can be off")
	}
}

// aTurnOfWriting makes one change to notes.txt in the turn t1, as the assistant.
func aTurnOfWriting(t *testing.T, sys *System) {
	t.Helper()
	for _, call := range []toolspec.Call{
		{Tool: "read_file", Args: json.RawMessage(`{"path":"notes.txt"}`)},
		{Tool: "edit_file", Args: json.RawMessage(`{"path":"notes.txt","old":"Ana","new":"Bo"}`)},
		{Tool: "read_file", Args: json.RawMessage(`{"path":"notes.txt"}`)},
	} {
		call.From = toolspec.Provenance{Caller: toolspec.CallerModel, Conversation: "k1", Turn: "t1", YesTo: "all"}
		r := sys.Pipeline.Do(t.Context(), call)
		if !r.Success {
			t.Fatalf("%s: %s", call.Tool, r.Error)
		}
		if call.Tool == "read_file" && strings.Contains(r.ModelText(), "was made before") {
			t.Error("a read after a write was answered from before it")
		}
	}
}

func TestPersonUndoesTheFileChangesOfATurn(t *testing.T) {
	flags, dir := aWorkspace(t)
	sys := openWith(t, flags, OpenOptions{Serve: true})
	aTurnOfWriting(t, sys)
	if got := notes(t, dir); got != "Call Bo.\n" {
		t.Fatalf("%q", got)
	}
	if status, b := clientOf(t, sys).do(http.MethodGet, "/api/changes?turn=t1", nil); status != http.StatusForbidden {
		t.Errorf("a program reads what files held: %d %s", status, b)
	}
	window := windowOf(t, sys)
	var changes wire.Changes
	status, b := window.do(http.MethodGet, "/api/changes?turn=t1", nil)
	if err := json.Unmarshal(b, &changes); err != nil || status != http.StatusOK || len(changes.Files) != 1 {
		t.Fatalf("%d %s %v", status, b, err)
	}
	if f := changes.Files[0]; f.DisplayPath != "notes.txt" || f.State != wire.UndoReady || f.Added != 1 ||
		f.Removed != 1 ||
		!strings.Contains(f.Diff, "+Call Bo.") {
		t.Errorf("%+v", f)
	}
	status, b = window.do(http.MethodPost, "/api/changes/undo", map[string]string{"turn": "t1"})
	if r := result(t, b); status != http.StatusOK || !r.Success {
		t.Fatalf("%d %s", status, b)
	}
	if got := notes(t, dir); got != "Call Ana.\n" {
		t.Errorf("%q", got)
	}
	events, err := sys.Store.EventsAfter(t.Context(), 0, 1000)
	if err != nil {
		t.Fatal(err)
	}
	var reported []string
	for _, e := range events {
		var end event.CallEnd
		if e.Kind == event.CallEnded && json.Unmarshal(e.Data, &end) == nil && len(end.Changed) > 0 {
			reported = append(reported, end.Tool+" "+filepath.Base(end.Changed[0]))
		}
	}
	if strings.Join(reported, ", ") != "edit_file notes.txt, undo notes.txt" {
		t.Errorf("events tell of changes by %q", reported)
	}
}

func TestForbiddingRuleAppliesInALinkedWorkspace(t *testing.T) {
	flags, dir := aWorkspace(t)
	put(t, filepath.Join(dir, "private", "diary"), "dear diary\n")
	link := filepath.Join(filepath.Dir(dir), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	flags["workspace"] = link
	sys := openWith(t, flags, OpenOptions{})
	real := sys.realWorkspace()
	rule := toolspec.Grant{
		ID: "r1", Scope: toolspec.GrantForbid, Tool: toolspec.AnyTool, Folder: real,
		Paths: []string{filepath.Join(real, "private")},
	}
	if err := sys.Store.AddGrant(t.Context(), rule); err != nil {
		t.Fatal(err)
	}
	search := sys.Pipeline.Do(t.Context(), toolspec.Call{
		Tool: "search_files", Args: json.RawMessage(`{"pattern":"dear|Ana"}`),
		From: toolspec.Provenance{Caller: toolspec.CallerModel, Conversation: "k1", Turn: "t1", YesTo: "all"},
	})
	if text := search.ModelText(); !strings.Contains(text, "Ana") || strings.Contains(text, "dear diary") {
		t.Errorf("%s", text)
	}
	run := sys.CommandSnapshots.Begin(t.Context(), toolspec.Call{ID: "c1", Tool: "bash"}, link)
	put(t, filepath.Join(dir, "notes.txt"), "Call Bo.\n")
	put(t, filepath.Join(dir, "private", "diary"), "dear diary, again\n")
	if c := run.End(t.Context()); c.NotUndoableReason != "" || len(c.Files) != 1 {
		t.Errorf("%+v", c)
	}
	kept := ""
	for _, folder := range []string{"before", "blobs"} {
		err := filepath.WalkDir(filepath.Join(flags["data"], folder),
			func(path string, d os.DirEntry, err error) error {
				if err != nil || d.IsDir() {
					return err
				}
				body, err := os.ReadFile(path)
				kept += string(body)
				return err
			})
		if err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(kept, "Call Ana.") || strings.Contains(kept, "dear diary") {
		t.Errorf("kept: %q", kept)
	}
}
