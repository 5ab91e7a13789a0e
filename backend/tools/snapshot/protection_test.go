package snapshot_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sextant/backend/tools/snapshot"
	"sextant/shared/toolspec"
)

// copied reports whether a text is anywhere in the stored contents.
func (b *bench) copied(text string) bool {
	b.t.Helper()
	found := false
	err := filepath.WalkDir(filepath.Join(b.home, "data"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(path)
		found = found || bytes.Contains(body, []byte(text))
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return found
}

func TestForbiddenPathsAreNotCopied(t *testing.T) {
	b := newBench(t)
	b.sh("mkdir -p private/deep; echo dear diary > private/diary; echo deep diary > private/deep/d; echo sealed " +
		"letter > letter; ln -s private/diary way; echo open book > a")
	b.forbidden = []string{filepath.Join(b.work, "private"), filepath.Join(b.work, "letter")}
	r := b.bash("echo b > a; rm -f letter private/diary; ls private; cat way private/diary; true")
	if !slices.Equal(r.Changed, []string{filepath.Join(b.work, "a")}) {
		t.Errorf("%q %q", r.Changed, r.Text)
	}
	if !b.copied("open book") {
		t.Error("what may be read is not kept, so this proves nothing")
	}
	for _, text := range []string{"dear diary", "deep diary", "sealed letter"} {
		if b.copied(text) {
			t.Errorf("%q was copied", text)
		}
	}
	// A rule that is taken back while a command runs: what comes in sight was not made by it.
	run := b.Begin(context.Background(), b.call("bash", "t2", nil), b.work)
	b.forbidden = nil
	b.sh("echo c > a")
	if c := run.End(context.Background()); len(c.Files) != 1 || c.NotUndoableReason != "" {
		t.Errorf("%+v", c)
	}
	if r := b.bash("echo more >> private/diary"); !slices.Equal(r.Changed,
		[]string{filepath.Join(b.work, "private", "diary")}) {
		t.Errorf("without the rule: %q %q", r.Changed, r.Text)
	}
}

func TestRuleAddedDuringCommandAppliesToNextScan(t *testing.T) {
	b := newBench(t)
	b.sh("mkdir private; echo a > a")
	run := b.Begin(context.Background(), b.call("bash", "t1", nil), b.work)
	b.sh("echo dear diary > private/diary; echo b > a")
	b.forbidden = []string{filepath.Join(b.work, "private")}
	c := run.End(context.Background())
	if len(c.Files) != 1 || filepath.Base(c.Files[0].Path) != "a" ||
		!slices.Equal(c.UnwatchedPaths, []string{"private"}) {
		t.Errorf("%+v", c)
	}
	if b.copied("dear diary") {
		t.Error("it was copied")
	}
}

func TestCopiesOlderThanRuleAreRemoved(t *testing.T) {
	b := newBench(t)
	b.sh("echo dear diary > diary; echo a > a")
	b.bash("echo b > a")
	if !b.copied("dear diary") {
		t.Fatal("it was not copied before, so this proves nothing")
	}
	b.forbidden = []string{filepath.Join(b.work, "diary")}
	before := b.tree()
	if r := b.bash("echo c > a"); !slices.Equal(r.Changed, []string{filepath.Join(b.work, "a")}) {
		t.Errorf("%q %q", r.Changed, r.Text)
	}
	if b.copied("dear diary") {
		t.Error("it is still kept")
	}
	b.run("undo", "t1", map[string]any{})
	if b.tree() != before {
		t.Errorf("%s", b.tree())
	}
}

func TestNothingIsReadWithoutRules(t *testing.T) {
	unread := errors.New("the disk is gone")
	for _, c := range []struct {
		name, why string
		forbidden func(work string) ([]string, error)
	}{
		{
			"whole", "a rule forbids the folder",
			func(work string) ([]string, error) { return []string{filepath.Dir(work)}, nil },
		},
		{"unread", "the disk is gone", func(string) ([]string, error) { return nil, unread }},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, func(cfg *snapshot.Config) {
				cfg.ForbiddenPaths = func(_ context.Context, folder string) ([]string,
					error,
				) {
					return c.forbidden(folder)
				}
			})
			b.sh("echo dear diary > diary")
			run := b.Begin(context.Background(), b.call("bash", "t1", nil), b.work)
			b.sh("echo x > diary")
			if got := run.End(context.Background()); !strings.Contains(got.NotUndoableReason, c.why) ||
				len(got.Files) > 0 {
				t.Errorf("%+v", got)
			}
			if b.copied("dear diary") {
				t.Error("it was copied")
			}
		})
	}
}

func TestProtectedPathsAreNotCopied(t *testing.T) {
	b := newBench(t)
	// The home as the workspace's own folder: what is secret in it is secret here.
	b.work = b.home
	b.sh(`mkdir -p .ssh .aws; echo "top key" > .ssh/id_ed25519; echo "top cloud" > .aws/credentials; echo "top netrc" > .netrc
		echo open > a; ln -s .ssh/id_ed25519 way`)
	run := b.Begin(context.Background(), b.call("bash", "t1", nil), b.work)
	b.sh(`echo "other key" > .ssh/id_ed25519; echo "other netrc" > .netrc; echo changed > a`)
	c := run.End(context.Background())
	for _, f := range c.Files {
		if filepath.Base(f.Path) != "a" {
			t.Errorf("%+v", f)
		}
	}
	if c.NotUndoableReason != "" || len(c.Files) != 1 || !b.copied("changed") {
		t.Errorf("%+v", c)
	}
	for _, text := range []string{"top key", "top cloud", "top netrc", "other key", "other netrc"} {
		if b.copied(text) {
			t.Errorf("%q was copied", text)
		}
	}
}

func TestPipesAndSocketsDoNotBlock(t *testing.T) {
	b := newBench(t)
	b.sh("mkfifo old taken; echo a > a; echo f > f")
	before := b.tree()
	r := b.bash(`mkfifo new; rm old; echo b > a; rm f; mkfifo f; mkdir d; mkfifo d/s`)
	if got, want := b.states("t1"),
		"a changed ready command, d/s made ready command, f changed ready command, new made ready command, old "+
			"removed conflict command"; got != want {
		t.Errorf("got %s\nwant %s\n%s", got, want, r.Text)
	}
	undo := b.run("undo", "t1", map[string]any{"turn": "t1"})
	if !strings.Contains(undo.ModelText(), "old (it was a pipe before, which cannot be restored)") {
		t.Errorf("%s", undo.ModelText())
	}
	b.sh("mkfifo old")
	if got := b.tree(); got != before {
		t.Errorf("%s\nwant\n%s", got, before)
	}
}

func TestNumberOfChangesIsBounded(t *testing.T) {
	b := newBench(t)
	b.sh("mkdir d; cd d; seq 1 1001 | split -l 1 -a 4 - f")
	before := b.tree()
	r := b.bash("cd d && for f in *; do echo x >> $f; done && rm fa*")
	if len(r.Changed) == 0 || !strings.Contains(r.Sentence, "1,001 files changed") {
		t.Fatalf("%q", r.Sentence)
	}
	b.run("undo", "t1", map[string]any{"turn": "t1"})
	if b.tree() != before {
		t.Error("not all came back")
	}
	if r := b.bash("mkdir e; cd e; seq 1 2100 | split -l 1 -a 4 - g"); !strings.Contains(r.Text,
		"cannot be undone: it changed more than 2,000 files") {
		t.Errorf("%q", r.Text)
	}
	if r := b.bash("echo x > d/faaaa"); len(r.Changed) != 1 {
		t.Errorf("after it: %q", r.Text)
	}
}

func TestBackgroundProcessEndsWithCommand(t *testing.T) {
	for name, without := range sandboxes {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.disableSandboxParts(without...)
			b.sh("echo a > a")
			before := b.tree()
			r := b.bash(`(while true; do echo x >> log; done) & setsid bash -c 'while true; do echo y >> log2; done' & while [ ! -s log ] || [ ! -s log2 ]; do :; done; echo b > a`)
			if got, want := b.states("t1"),
				"a changed ready command, log made ready command, log2 made ready command"; got != want {
				t.Errorf("got %s\nwant %s\n%s", got, want, r.Text)
			}
			b.run("undo", "t1", map[string]any{"turn": "t1"})
			if b.tree() != before {
				t.Errorf("%.2000s", b.tree())
			}
		})
	}
}

func TestFilesOutsideFolderAreReportedWithoutSandbox(t *testing.T) {
	b := newBench(t)
	b.disableSandboxParts("bubblewrap", "landlock")
	b.sh("echo a > a")
	r := b.bash("echo b > a; echo out > ../outside; cat ../outside > in")
	if !strings.Contains(r.Text, "Not watched, so undo does not cover it: "+filepath.Join(b.home, "outside")+".") {
		t.Errorf("%q", r.Text)
	}
	if got, want := b.states("t1"), "a changed ready command, in made ready command"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSlowFolderIsNotWatched(t *testing.T) {
	b := newBench(t, func(c *snapshot.Config) { c.WalkTimeout = time.Nanosecond })
	b.sh("echo words of no haste > a")
	for range 2 {
		if r := b.bash("echo b > a"); !strings.Contains(r.Text,
			"cannot be undone: reading the workspace takes longer") {
			t.Errorf("%q", r.Text)
		}
	}
	if b.copied("words of no haste") {
		t.Error("it was read")
	}
}

func TestCommandStoppedBeforeItsStart(t *testing.T) {
	b := newBench(t)
	b.sh(project)
	before := b.tree()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := b.shell.Execute(ctx, b.call("bash", "t1", map[string]any{"command": "echo x > a.txt"}),
		toolspec.Definition{}, func(string, string) {})
	if err == nil && r.Success || b.tree() != before {
		t.Errorf("%+v %v", r, err)
	}
	b.bash("echo y > a.txt")
	b.run("undo", "t1", map[string]any{"turn": "t1"})
	if b.tree() != before {
		t.Errorf("%s", b.tree())
	}
}

func TestSettledWaitsForStoppedCommands(t *testing.T) {
	b := newBench(t)
	b.sh(project)
	before := b.tree()
	ctx, cancel := context.WithCancel(context.Background())
	run := b.Begin(ctx, b.call("bash", "t1", nil), b.work)
	running := b.Begin(context.Background(), b.call("bash", "t2", nil), b.work) // nobody waits for it
	b.sh("echo x > a.txt")
	cancel()
	states := make(chan string, 1)
	asks := make(chan struct{})
	go func() {
		close(asks)
		states <- b.states("t1")
	}()
	<-asks
	run.End(context.Background())
	if got := <-states; got != "a.txt changed ready command" {
		t.Errorf("got %q", got)
	}
	running.End(context.Background())
	b.run("undo", "t1", map[string]any{"turn": "t1"})
	if b.tree() != before {
		t.Errorf("%s", b.tree())
	}
}

func TestFileToolInUnwatchedFolderIsNotAttributedToCommand(t *testing.T) {
	b := newBench(t)
	b.sh("mkdir -p node_modules/x private; echo 1 > node_modules/x/a; echo a > a")
	b.forbidden = []string{filepath.Join(b.work, "private")}
	run := b.Begin(context.Background(), b.call("bash", "t1", nil), b.work)
	for _, path := range []string{"node_modules/x/b", "private/p", "new/node_modules/c"} {
		b.run("write_file", "t2", map[string]any{"path": path, "content": "tool"})
	}
	if c := run.End(context.Background()); len(c.Files) > 0 {
		t.Errorf("%+v", c.Files)
	}
}
