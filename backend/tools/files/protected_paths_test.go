package files_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"sextant/shared/toolspec"
)

func link(t *testing.T, target, at string) {
	t.Helper()
	if err := os.Symlink(target, at); err != nil {
		t.Fatal(err)
	}
}

func argsOf(t *testing.T, args map[string]any) string {
	t.Helper()
	b, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestProtectedPathsAreRefusedByEveryTool(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	key := filepath.Join(b.home, ".ssh", "id_ed25519")
	b.put(key, "PRIVATE")
	link(t, filepath.Join(b.home, ".ssh"), b.path("keys"))
	link(t, key, b.path("notes.txt"))
	paths := []string{
		key, "~/.ssh/id_ed25519", "keys/id_ed25519", "notes.txt", b.work + "/../.ssh/id_ed25519", "~/data/sextant.db",
		"~/data/blobs", "keys", "/proc/self/environ", "/proc/self/root" + key, "/proc/self/cwd/x", "/dev/fd/3",
		"/etc/shadow", "/proc/1/environ",
	}
	for _, path := range paths {
		for tool, args := range map[string]map[string]any{
			"read_file": {"path": path}, "write_file": {"path": path, "content": "x"},
			"edit_file":      {"path": path, "old": "PRIVATE", "new": "x"},
			"list_directory": {"path": path}, "file_info": {"path": path}, "find_files": {"path": path, "pattern": "*"},
			"search_files": {"path": path, "pattern": "PRIVATE"},
		} {
			r := b.fails(tool, argsOf(t, args), toolspec.SecurityError, "closed to every tool")
			if strings.Contains(r.ModelText(), "PRIVATE") {
				t.Errorf("%s(%s) shows it", tool, path)
			}
		}
	}
	for _, path := range []string{"../outside/x", "..", "a/../../x"} {
		b.fails("read_file", argsOf(t, map[string]any{"path": path}), toolspec.SecurityError,
			"leads out of the workspace")
	}
	b.fails("read_file", `{"path":""}`, toolspec.ValidationError)
	b.holds(key, "PRIVATE")
}

func TestSearchOfTheHomeFolderSkipsSecrets(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put(filepath.Join(b.home, ".ssh/id_rsa"), "needle in a key")
	b.put(filepath.Join(b.home, "outside/a.txt"), "needle here")
	b.put(".env", "TOKEN=needle")
	link(t, filepath.Join(b.home, ".ssh"), filepath.Join(b.outside, "more"))
	r := b.ok("search_files", `{"path":"~","pattern":"needle","ignored":true}`)
	b.says(r, "outside/a.txt:1: needle here", "1 sensitive file left out")
	if strings.Contains(r.Text, "key") || strings.Contains(r.Text, "TOKEN") {
		t.Errorf("%s", r.Text)
	}
	if r := b.ok("find_files", `{"path":"~","pattern":"id_rsa","ignored":true}`); strings.Contains(r.Text, ".ssh") {
		t.Errorf("%s", r.Text)
	}
	// A call that names the file was judged by the policy.
	b.says(b.ok("search_files", `{"path":".env","pattern":"needle"}`), "TOKEN=needle")
}

func TestPipesAndDevicesDoNotBlock(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if err := syscall.Mkfifo(b.path("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	b.fails("read_file", `{"path":"pipe"}`, toolspec.UserError, "a pipe")
	b.fails("write_file", `{"path":"pipe","content":"x"}`, toolspec.UserError, "a pipe")
	b.fails("edit_file", `{"path":"pipe","old":"a","new":"b"}`, toolspec.UserError, "a pipe")
	b.fails("read_file", `{"path":"/dev/zero"}`, toolspec.UserError, "a device")
	b.put("a.txt", "needle")
	b.says(b.ok("search_files", `{"pattern":"needle"}`), "a.txt:1")
	b.says(b.ok("list_directory", `{}`), "pipe  (a pipe)")
}

func TestLinkSwappedAfterApprovalIsNotFollowed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("safe/notes.txt", "safe")
	b.put(filepath.Join(b.outside, "notes.txt"), "other")
	for tool, args := range map[string]string{
		"read_file": `{"path":"dir/notes.txt"}`, "write_file": `{"path":"dir/notes.txt","content":"x"}`,
		"edit_file": `{"path":"dir/notes.txt","old":"other","new":"x"}`,
	} {
		_ = os.Remove(b.path("dir"))
		link(t, "safe", b.path("dir"))
		call := b.call(tool, args)
		if d := b.Describe(call); d.Target != b.path("safe/notes.txt") {
			t.Fatalf("%+v", d)
		}
		_ = os.Remove(b.path("dir"))
		link(t, b.outside, b.path("dir"))
		b.Describe(call) // looked at once more, and judged no more
		r, err := b.Execute(context.Background(), call, toolspec.Definition{}, nil)
		if err != nil || r.Success || r.ErrorType != toolspec.SecurityError ||
			!strings.Contains(r.Error, "another place") {
			t.Errorf("%s: %+v %v", tool, r, err)
		}
	}
	b.holds(filepath.Join(b.outside, "notes.txt"), "other")
}

// A racing swap wins sometimes against what was judged, but never gets at the other file.
func TestLinkSwappedDuringCallIsNotFollowed(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("safe/id", "safe")
	b.put(filepath.Join(b.home, ".ssh/id"), "PRIVATE")
	link(t, "safe", b.path("dir"))
	stop := make(chan struct{})
	var swapping sync.WaitGroup
	swapping.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			target := []string{"safe", filepath.Join(b.home, ".ssh")}[i%2]
			temp := b.path("next")
			if err := errors.Join(os.Symlink(target, temp), os.Rename(temp, b.path("dir"))); err != nil {
				t.Error(err)
				return
			}
		}
	})
	defer swapping.Wait()
	defer close(stop)
	read := 0
	for i := range 2000 {
		call := toolspec.Call{Tool: "read_file", Args: json.RawMessage(`{"path":"dir/id"}`)}
		if i%4 == 3 {
			call = toolspec.Call{
				ID: "w", Tool: "write_file",
				Args: json.RawMessage(`{"path":"dir/id","content":"safe"}`),
				From: toolspec.Provenance{Caller: toolspec.CallerPerson},
			}
		}
		r, err := b.Execute(context.Background(), call, toolspec.Definition{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(r.ModelText(), "PRIVATE") {
			t.Fatal("the key was read")
		}
		if r.Success {
			read++
		}
	}
	b.holds(filepath.Join(b.home, ".ssh/id"), "PRIVATE")
	if read == 0 {
		t.Error("no call came to pass, so nothing was tried")
	}
}
