package snapshot_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"sextant/backend/policy/protectedpaths"
	"sextant/backend/sandbox/confine"
	"sextant/backend/store/blobs"
	"sextant/backend/store/sqlite"
	"sextant/backend/toolkit"
	"sextant/backend/tools/files"
	"sextant/backend/tools/shell"
	"sextant/backend/tools/snapshot"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Tests run one after another: they measure how long the scan of a folder takes.
func TestMain(m *testing.M) {
	confine.RunStep()
	if len(os.Args) == 3 && os.Args[1] == "killed" {
		runUntilKilled(os.Args[2])
	}
	goleak.VerifyTestMain(m)
}

// bench is a workspace with what watches it and the tools that change it, on real parts.
type bench struct {
	t     testing.TB
	home  string
	work  string
	calls int
	// forbidden is what rules keep from commands.
	forbidden []string
	store     *sqlite.Store
	*snapshot.Watcher
	files *files.Tools
	shell *shell.Tools
}

func openBench(t testing.TB, home string, change ...func(*snapshot.Config)) *bench {
	t.Helper()
	b := &bench{t: t, home: home, work: filepath.Join(home, "work")}
	data := filepath.Join(home, "data")
	check := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	check(os.MkdirAll(b.work, 0o755))
	var err error
	b.store, err = sqlite.Open(context.Background(), filepath.Join(data, "sextant.db"), slog.New(slog.DiscardHandler))
	check(err)
	kept, err := blobs.New(filepath.Join(data, "blobs"), 0)
	check(err)
	known := protectedpaths.New(protectedpaths.OwnFolders{Home: home, Data: data})
	cfg := snapshot.Config{
		Dir: filepath.Join(data, "before"), Places: known, Blobs: kept, ChangeLog: b.store,
		ForbiddenPaths: func(context.Context, string) ([]string, error) { return b.forbidden, nil },
	}
	for _, c := range change {
		c(&cfg)
	}
	b.Watcher = snapshot.New(cfg)
	folder := func() string { return b.work }
	b.files = files.New(files.Config{
		Paths: toolkit.Paths{Folder: folder, Home: home, Places: known}, Blobs: kept, Changes: b.store,
		Watcher:        b.Watcher,
		ForbiddenPaths: func(context.Context, string) ([]string, error) { return b.forbidden, nil },
	})
	b.shell = shell.New(shell.Config{
		Folder: folder, Home: home, Places: known,
		Sandbox: confine.New(confine.Config{Home: home, SecretPaths: []string{data}}), Snapshots: b.Watcher,
		ForbiddenPaths: func(context.Context) ([]string, error) { return b.forbidden, nil },
	})
	return b
}

// disableSandboxParts replaces the tool for commands by one with parts of the sandbox off.
func (b *bench) disableSandboxParts(parts ...string) {
	b.t.Helper()
	b.shell = shell.New(shell.Config{
		Folder: func() string { return b.work }, Home: b.home,
		Places: protectedpaths.New(protectedpaths.OwnFolders{Home: b.home}), Snapshots: b.Watcher,
		Sandbox: confine.New(confine.Config{
			Home: b.home, SecretPaths: []string{filepath.Join(b.home, "data")},
			DisabledMechanisms: parts,
		}),
		ForbiddenPaths: func(context.Context) ([]string, error) { return b.forbidden, nil },
	})
}

// sandboxes are all, some, and none of the walls that a command can run behind.
var sandboxes = map[string][]string{
	"all walls": nil, "no namespaces": {"bubblewrap"},
	"none": {"bubblewrap", "landlock"},
}

func (b *bench) close() {
	for _, close := range []func() error{b.files.Close, b.Watcher.Close, b.store.Close} {
		if err := close(); err != nil {
			b.t.Error(err)
		}
	}
}

func newBench(t testing.TB, change ...func(*snapshot.Config)) *bench {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := openBench(t, home, change...)
	t.Cleanup(b.close)
	return b
}

// sh changes the workspace behind everybody's back.
func (b *bench) sh(command string) {
	b.t.Helper()
	cmd := exec.Command("bash", "-ec", command)
	cmd.Dir = b.work
	if out, err := cmd.CombinedOutput(); err != nil {
		b.t.Fatalf("%s: %v\n%s", command, err, out)
	}
}

// tree is all that the workspace holds, in words.
func (b *bench) tree() string {
	b.t.Helper()
	var all []string
	err := filepath.WalkDir(b.work, func(path string, d os.DirEntry, err error) error {
		if err != nil || path == b.work {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		line := info.Mode().String() + " " + path[len(b.work)+1:]
		switch {
		case info.Mode().IsRegular():
			body, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %q", body)
		case info.Mode()&os.ModeSymlink != 0:
			to, _ := os.Readlink(path)
			line += " -> " + to
		}
		all = append(all, line)
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return strings.Join(all, "\n")
}

func (b *bench) call(tool, turn string, args map[string]any) toolspec.Call {
	b.calls++
	body, err := json.Marshal(args)
	if err != nil {
		b.t.Fatal(err)
	}
	return toolspec.Call{
		ID: fmt.Sprintf("c%d", b.calls), Tool: tool, Args: body,
		From: toolspec.Provenance{Caller: toolspec.CallerModel, Conversation: "k1", Turn: turn},
	}
}

// run is a call of bash or of a tool for files in a turn.
func (b *bench) run(tool, turn string, args map[string]any) toolspec.Result {
	b.t.Helper()
	call := b.call(tool, turn, args)
	execute := b.files.Execute
	if tool == "bash" {
		execute = b.shell.Execute
	} else {
		b.files.Describe(call)
	}
	r, err := execute(context.Background(), call, toolspec.Definition{}, func(string, string) {})
	if err != nil {
		b.t.Fatalf("%s(%s): %v", tool, call.Args, err)
	}
	return r
}

func (b *bench) bash(command string) toolspec.Result {
	b.t.Helper()
	r := b.run("bash", "t1", map[string]any{"command": command})
	if !r.Success {
		b.t.Fatalf("%s: %+v", command, r)
	}
	return r
}

// changed are the changes of a turn, as the window gets them.
func (b *bench) changed(turn string) []wire.ChangedFile {
	b.t.Helper()
	all, err := b.files.Changes(context.Background(), turn)
	if err != nil {
		b.t.Fatal(err)
	}
	return all
}

func (b *bench) states(turn string) string {
	var out []string
	for _, f := range b.changed(turn) {
		out = append(out, strings.TrimSpace(f.DisplayPath+" "+f.Change+" "+string(f.State)+" "+f.ChangedBy))
	}
	return strings.Join(out, ", ")
}
