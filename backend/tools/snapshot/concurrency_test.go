package snapshot_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sextant/shared/toolspec"
)

func TestFileToolDuringCommandIsNotAttributedToIt(t *testing.T) {
	b := newBench(t)
	b.sh(project)
	run := b.Begin(context.Background(), b.call("bash", "t1", nil), b.work)
	b.sh("echo command > byc; echo command >> a.txt")
	b.run("read_file", "t2", map[string]any{"path": "a.txt"})
	b.run("write_file", "t2", map[string]any{"path": "dir/byt", "content": "tool"})
	b.run("edit_file", "t2", map[string]any{"path": "a.txt", "old": "one", "new": "uno"})
	run.End(context.Background())
	if got, want := b.states("t1"), "a.txt changed conflict command, byc made ready command"; got != want {
		t.Errorf("the command: %s, want %s", got, want)
	}
	if got, want := b.states("t2"), "dir/byt made ready, a.txt changed ready"; got != want {
		t.Errorf("the tool: %s, want %s", got, want)
	}
}

func TestConcurrentCommandsShareTheirChanges(t *testing.T) {
	b := newBench(t)
	b.sh(project)
	before := b.tree()
	first := b.Begin(context.Background(), b.call("bash", "t1", nil), b.work)
	b.sh("echo 1 > alone")
	second := b.Begin(context.Background(), b.call("bash", "t2", nil), b.work)
	b.sh("echo 2 > either")
	one := first.End(context.Background())
	b.sh("echo 3 > last")
	two := second.End(context.Background())
	var reported []string
	for _, f := range append(one.Files, two.Files...) {
		reported = append(reported, filepath.Base(f.Path)+" "+f.Note)
	}
	want := []string{
		"alone ", "either another command ran at the same time, and which of them changed it is not known",
		"last ",
	}
	if diff := cmp.Diff(want, reported); diff != "" {
		t.Errorf("reported changes (-want +got):\n%s", diff)
	}
	b.run("undo", "t1", map[string]any{"turn": "t1"})
	b.run("undo", "t2", map[string]any{"turn": "t2"})
	if b.tree() != before {
		t.Errorf("%s", b.tree())
	}
}

func TestChangesOfCanceledCommandAreRecorded(t *testing.T) {
	for name, without := range sandboxes {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.disableSandboxParts(without...)
			b.sh(project)
			before := b.tree()
			ctx, cancel := context.WithCancel(context.Background())
			call := b.call("bash", "t1", map[string]any{
				"command": "trap '' TERM INT; (while true; do echo x >> log; done) & while [ ! -s log ]; do :; " +
					"done; echo x > a.txt; echo ready; sleep 100",
			})
			r, err := b.shell.Execute(ctx, call, toolspec.Definition{}, func(_, text string) { cancel() })
			if err != nil || r.Success || len(r.Changed) != 2 {
				t.Fatalf("%+v %v", r, err)
			}
			b.run("undo", "t1", map[string]any{"turn": "t1"})
			if b.tree() != before {
				t.Errorf("%s", b.tree())
			}
		})
	}
}

// runUntilKilled is Sextant with a command that runs, until somebody kills it.
func runUntilKilled(home string) {
	b := openBench(&testing.B{}, home)
	b.calls = 100
	b.Begin(context.Background(), b.call("bash", "t1", nil), b.work)
	fmt.Println("runs")
	select {}
}

func TestRecoverAfterKill(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{t: t, home: home, work: filepath.Join(home, "work")}
	if err := os.MkdirAll(b.work, 0o755); err != nil {
		t.Fatal(err)
	}
	b.sh(project)
	before := b.tree()
	cmd := exec.Command(os.Args[0], "killed", home)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fscanln(out, new(string)); err != nil {
		t.Fatal(err)
	}
	b.sh("echo x > a.txt; rm -r src; echo n > n")
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()         // it was killed
	for start := range 2 { // the second finds nothing new
		b = openBench(t, home)
		if start == 1 {
			t.Cleanup(b.close)
		}
		if err := b.Recover(context.Background()); err != nil {
			t.Fatal(err)
		}
		all := b.changed("t1")
		if len(all) != 4 || !strings.Contains(all[0].Note, "Sextant ended while the command ran") {
			t.Errorf("%s: %+v", b.states("t1"), all)
		}
		if left, err := b.store.RunningCommands(context.Background()); err != nil || len(left) > 0 {
			t.Errorf("%v %v", left, err)
		}
		if start == 0 {
			b.close()
		}
	}
	b.run("undo", "t1", map[string]any{"turn": "t1"})
	if b.tree() != before {
		t.Errorf("%s\nwant\n%s", b.tree(), before)
	}
}
