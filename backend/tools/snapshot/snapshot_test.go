package snapshot_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sextant/backend/tools/snapshot"
)

// project is a folder with one of everything.
const project = `printf 'one\ntwo\n' > a.txt; mkdir -p src/deep empty; echo b > src/b.go; echo c > src/deep/c.go
echo run > tool.sh; chmod 755 tool.sh; ln -s a.txt link; printf '\0\1' > pic; ln -s /etc/passwd out`

func TestCommandChangesAreListedAndUndone(t *testing.T) {
	for _, c := range []struct{ name, command, states string }{
		{"changes", "echo three >> a.txt", "a.txt changed ready command"},
		{
			"makes", "mkdir -p new/in && echo x > new/in/f && echo y > g",
			"g made ready command, new/in/f made ready command",
		},
		{"deletes", "rm a.txt pic", "a.txt removed ready command, pic removed ready command"},
		{
			"deletes a tree", "rm -r src empty",
			"empty removed ready command, src/b.go removed ready command, src/deep/c.go removed ready command",
		},
		{
			"renames", "mv a.txt z.txt && mv src lib",
			"a.txt removed ready command, lib/b.go made ready command, lib/deep/c.go made ready command, src/b.go " +
				"removed ready command, src/deep/c.go removed ready command, z.txt made ready command",
		},
		{
			"sets modes", "chmod 600 tool.sh && chmod 700 src",
			"src changed ready command, tool.sh changed ready command",
		},
		{
			"relinks", "ln -sfn pic link && ln -s src more && rm out",
			"link changed ready command, more made ready command, out removed ready command",
		},
		{"makes an empty folder", "mkdir -p x/y", "x/y made ready command"},
		{
			"puts a folder in a file's place", "rm a.txt && mkdir a.txt && echo q > a.txt/q",
			"a.txt changed ready command, a.txt/q made ready command",
		},
		{
			"puts a file in a folder's place", "rm -r src && echo q > src",
			"src changed ready command, src/b.go removed ready command, src/deep/c.go removed ready command",
		},
		{"puts a link in a file's place", "rm a.txt && ln -s pic a.txt", "a.txt changed ready command"},
		{
			"writes with the same size and times",
			"cp -p a.txt k && printf 'two\none\n' > a.txt && touch -r k a.txt && rm k", "a.txt changed ready command",
		},
		{"writes through a link inside", "echo new > link", "a.txt changed ready command"},
		{
			"changes names with odd characters",
			`printf x > $'new\nline' && printf y > '-rf' && mkdir 'a b' && echo > 'a b/é'`, "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			b.sh(project)
			before := b.tree()
			r := b.bash(c.command)
			after := b.tree()
			if before == after || len(r.Changed) == 0 || !strings.Contains(r.Text, "Changed: ") ||
				!strings.Contains(r.Sentence, "changed") {
				t.Fatalf("%q %q %q", r.Text, r.Sentence, r.Changed)
			}
			if got := b.states("t1"); c.states != "" && got != c.states {
				t.Errorf("got %s\nwant %s", got, c.states)
			}
			b.run("undo", "t1", map[string]any{"turn": "t1", "preview": true})
			if b.tree() != after {
				t.Fatal("a preview changed something")
			}
			undo := b.run("undo", "t1", map[string]any{"turn": "t1"})
			if got := b.tree(); got != before {
				t.Fatalf("after the undo:\n%s\nbefore:\n%s\n%s", got, before, undo.ModelText())
			}
			// And the undo is undone.
			b.run("undo", "t1", map[string]any{"call": fmt.Sprintf("c%d", b.calls)})
			if got := b.tree(); got != after {
				t.Fatalf("done again:\n%s\nafter the command:\n%s", got, after)
			}
		})
	}
}

func TestCommandDiffIsShown(t *testing.T) {
	b := newBench(t)
	b.sh(project)
	b.bash("sed -i s/two/2/ a.txt; chmod 644 tool.sh; ln -sfn pic link")
	var shown []string
	for _, f := range b.changed("t1") {
		shown = append(shown, f.Diff+f.Note)
	}
	all := strings.Join(shown, "\n")
	for _, want := range []string{"-two\n+2", "permissions -rwxr-xr-x before, -rw-r--r-- after", "-a.txt\n", "+pic"} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is not in:\n%s", want, all)
		}
	}
}

func TestUndoTurnOfCommandsAndFileTools(t *testing.T) {
	b := newBench(t)
	b.sh(project)
	before := b.tree()
	b.bash("echo 1 >> a.txt")
	b.run("read_file", "t1", map[string]any{"path": "a.txt"})
	b.run("edit_file", "t1", map[string]any{"path": "a.txt", "old": "one", "new": "uno"})
	b.bash("echo 2 >> a.txt; chmod 600 a.txt")
	b.run("write_file", "t1", map[string]any{"path": "n.txt", "content": "n"})
	b.bash("mv n.txt m.txt")
	if got, want := b.states("t1"), "a.txt changed ready command, m.txt made ready command"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	b.run("undo", "t1", map[string]any{"turn": "t1"})
	if got := b.tree(); got != before {
		t.Errorf("%s\nwant\n%s", got, before)
	}
}

func TestUsersChangesAreNotUndone(t *testing.T) {
	b := newBench(t)
	b.sh(project)
	b.bash("echo 1 >> a.txt; echo 1 > new; mkdir d; echo 1 > d/one")
	b.sh("echo mine >> a.txt; echo mine > d/two")
	b.bash("echo 2 > other")
	r := b.run("undo", "t1", map[string]any{"turn": "t1"})
	if !strings.Contains(r.ModelText(), "a.txt (it was changed since)") {
		t.Errorf("%s", r.ModelText())
	}
	b.sh("grep -q mine a.txt; grep -q mine d/two; test ! -e new; test ! -e d/one; test ! -e other")
	if got := b.states("t1"); strings.Contains(got, "d/two") {
		t.Errorf("the user's file is attributed to the command: %s", got)
	}
}

func TestReadOnlyCommandHasNothingToUndo(t *testing.T) {
	b := newBench(t)
	b.sh(project)
	for _, command := range []string{
		"cat a.txt", "touch a.txt", "echo x > a.tmp && rm a.tmp",
		"cp a.txt k && mv k a.txt",
	} {
		if r := b.bash(command); len(r.Changed) > 0 || strings.Contains(r.Text, "hange") {
			t.Errorf("%s: %+v", command, r)
		}
	}
	if got := b.states("t1"); got != "" {
		t.Errorf("got %s", got)
	}
}

func TestOversizedFolderIsNotWatched(t *testing.T) {
	for _, c := range []struct {
		name, command, why string
		change             func(*snapshot.Config)
	}{
		{
			"files", "seq 1 30 | xargs touch", "the workspace is larger than 20 files",
			func(c *snapshot.Config) { c.MaxFiles = 20 },
		},
		{
			"bytes", "head -c 3000000 /dev/zero > big", "the workspace is larger than 2 MB",
			func(c *snapshot.Config) { c.MaxBytes = 2 << 20 },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, c.change)
			b.sh("echo a > a.txt")
			for range 2 { // one that grows over the bound, one that begins over it
				r := b.bash(c.command)
				if !strings.Contains(r.Text, "The changes of this command cannot be undone: "+c.why) ||
					!strings.Contains(r.Sentence, c.why) {
					t.Errorf("%q %q", r.Text, r.Sentence)
				}
			}
			if got := b.states("t1"); got != "" {
				t.Errorf("got %s", got)
			}
			b.sh("find . -mindepth 1 -delete; echo a > a.txt")
			if r := b.bash("echo b > a.txt"); len(r.Changed) != 1 {
				t.Errorf("small again: %q", r.Text)
			}
		})
	}
}

func TestLargeFileIsReportedButNotStored(t *testing.T) {
	b := newBench(t)
	b.sh("head -c 17000000 /dev/zero > big; echo a > a.txt")
	b.bash("echo x >> big; echo b > a.txt")
	if got, want := b.states("t1"), "a.txt changed ready command, big changed conflict command"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	r := b.run("undo", "t1", map[string]any{"turn": "t1"})
	b.sh(`test "$(cat a.txt)" = a; tail -c 2 big | grep -q x`)
	if !strings.Contains(r.ModelText(), "larger than 16") {
		t.Errorf("%s", r.ModelText())
	}
}

func TestUnwatchedFoldersAreReported(t *testing.T) {
	b := newBench(t)
	b.sh("mkdir -p node_modules/x .git/objects target; echo 1 > node_modules/x/a; echo x > .git/HEAD; echo t > " +
		"target/CACHEDIR.TAG; echo a > a")
	r := b.bash("rm -r node_modules; echo y > .git/HEAD; echo z > target/z; echo b > a")
	if !slices.Equal(r.Changed, []string{filepath.Join(b.work, "a")}) ||
		!strings.Contains(r.Text, "Not watched, so undo does not cover it: target, node_modules") {
		t.Errorf("%q %q", r.Changed, r.Text)
	}
	// What is watched cannot be taken out of sight.
	b.sh("mkdir src; echo 1 > src/a")
	b.bash("echo t > src/CACHEDIR.TAG")
	if r := b.bash("echo 2 > src/a"); len(r.Changed) != 1 {
		t.Errorf("%q", r.Text)
	}
}

func TestLinksAreNotFollowed(t *testing.T) {
	b := newBench(t)
	outside := filepath.Join(b.home, "outside")
	b.sh("mkdir ../outside; echo secret > ../outside/f; ln -s ../outside in; ln -s ../outside/f f; echo a > a; " +
		"mkdir d; echo d > d/f")
	r := b.bash("echo b > a; rm -r d; ln -s ../outside d")
	for _, path := range r.Changed {
		if strings.HasPrefix(path, outside) {
			t.Errorf("%s was looked at", path)
		}
	}
	b.run("undo", "t1", map[string]any{"turn": "t1"})
	b.sh(`test "$(cat d/f)" = d; test ! -L d; test "$(cat ../outside/f)" = secret`)
}
