package shell_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sextant/backend/sandbox/confine"
	"sextant/shared/toolspec"
)

// forEachSandbox calls each for every kind of sandbox that works here.
func forEachSandbox(t *testing.T, each func(t *testing.T, without ...string)) {
	t.Helper()
	tried := 0
	for _, without := range [][]string{nil, {"bubblewrap"}} {
		if ok, how, _ := confine.New(confine.Config{DisabledMechanisms: without}).Available(); ok {
			tried++
			t.Run(how, func(t *testing.T) { each(t, without...) })
		}
	}
	if tried == 0 {
		t.Skip("there is no sandbox here")
	}
}

// A command that does something else than its text says represents every misread one.
func TestCommandMisjudgedAsReadOnlyCannotWrite(t *testing.T) {
	forEachSandbox(t, func(t *testing.T, without ...string) {
		b := newBench(t, without...)
		bin := filepath.Join(b.ws, "bin")
		liar := "#!/bin/bash\necho lied\necho changed > kept\necho x > new\nrm -rf sub\necho x > " +
			"\"$XDG_CACHE_HOME\"\necho scratch > \"$TMPDIR/t\" && cat \"$TMPDIR/t\"\n"
		for path, body := range map[string]string{
			filepath.Join(bin, "grep"):  liar,
			filepath.Join(b.ws, "kept"): "as it was\n",
		} {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(body), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
		r := b.run("grep -rn TODO sub")
		// Both streams are read concurrently, so a line of one may be inside a line of the other.
		if !strings.Contains(r.Text, "lied") || !strings.Contains(r.Text, "scratch") {
			t.Errorf("it did not run, or had no temporary folder: %+v", r)
		}
		if body, err := os.ReadFile(filepath.Join(b.ws, "kept")); err != nil || string(body) != "as it was\n" {
			t.Errorf("a file was changed: %q %v", body, err)
		}
		if _, err := os.Stat(filepath.Join(b.ws, "new")); !os.IsNotExist(err) {
			t.Errorf("a file was made: %v", err)
		}
		if _, err := os.Stat(filepath.Join(b.ws, "sub")); err != nil {
			t.Errorf("a folder was deleted: %v", err)
		}
		if _, err := os.Stat(filepath.Join(b.home, "cache")); !os.IsNotExist(err) {
			t.Errorf("it had the cache: %v", err)
		}
		// With an approval the same program writes, so the sandbox prevented it above.
		if r := b.run("grep -rn TODO sub; touch asked"); !strings.Contains(r.Text, "lied") {
			t.Errorf("%+v", r)
		}
		if body, _ := os.ReadFile(filepath.Join(b.ws, "kept")); string(body) != "changed\n" {
			t.Errorf("a command that was asked about could not write: %q", body)
		}
	})
}

func TestReadOnlyCommandRunsInReadOnlyWorkspace(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	forEachSandbox(t, func(t *testing.T, without ...string) {
		b := newBench(t, without...)
		for _, args := range [][]string{
			{"init", "-q", "-b", "main", "."},
			{"config", "user.name", "n"},
			{"config", "user.email", "n@x.example"},
			{"add", "f"},
			{"commit", "-qm", "one"},
		} {
			if args[0] == "add" {
				if err := os.WriteFile(filepath.Join(b.ws, "f"), []byte("one\ntwo\n"), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			git := exec.Command("git", args...)
			git.Dir = b.ws
			if said, err := git.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, said)
			}
		}
		if err := os.WriteFile(filepath.Join(b.ws, "f"), []byte("one\nthree\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		for command, want := range map[string]string{
			"git status --short": " M f", "git diff": "\n-two\n+three", "git log --oneline | wc -l": "1",
			"grep -n three f": "2:three",
			"ls":              "f\nsub", "wc -l < f": "2", "sort -r f | head -1": "three", "cat <<< here": "here",
			"find . -name f":                        "./f",
			"diff <(echo a) <(echo a) && echo same": "same",
		} {
			if r := b.run(command); !r.Success || !strings.Contains(r.Text, want) || value(r, "exit_code") != 0 {
				t.Errorf("%s: %q, want %q", command, r.Text, want)
			}
		}
	})
}

func TestFoldersOutsideTheWorkspaceCountAsRead(t *testing.T) {
	b := newBench(t)
	if ok, _, why := confine.New(confine.Config{}).Available(); !ok {
		t.Skip(why)
	}
	home, err := filepath.EvalSymlinks(b.home)
	if err != nil {
		t.Fatal(err)
	}
	papers := filepath.Join(home, "papers")
	if err := os.MkdirAll(filepath.Join(papers, "old"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(papers, filepath.Join(b.ws, "docs")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dir, command, outside string }{
		{"", "grep -rn password", ""},
		{"sub", "cd .. && ls -la", ""},
		{"", "cd sub && ls", ""},
		{b.home, "grep -rn password", home},
		{"~", "ls -la", home},
		{"", "cd ~/papers && rg -n .", papers},
		{"", "(cd ..; ls)", home},
		{"", "pushd ~/papers; ls", papers},
		{"", "cd; ls", home},
		{"", "sh -c 'cd ~/papers; ls'", papers},
		{"docs", "ls", papers},
		{"", "cd docs && ls", papers},
		{"", "cd docs/o* && ls", papers + "/o*"},
		{"", "cat docs/*", papers + "/*"},
		{"", "cat docs/o?d/x", papers + "/o?d/x"},
		{"", "d=sub; [ -e x ] && d=~/papers; cd \"$d\"; ls", papers},
		{"", "cat sub/*", ""},
		{"", "cd /var/tmp && ls", ""},
	} {
		args, _ := json.Marshal(map[string]any{"command": c.command, "working_dir": c.dir})
		d := b.tools.Describe(toolspec.Call{Tool: "bash", Args: args})
		var outside []string
		for _, f := range d.Files {
			if f.Use == toolspec.UseRead && f.Path != filepath.Join(home, "project") &&
				!strings.HasPrefix(f.Path, filepath.Join(home, "project")+"/") {
				outside = append(outside, f.Path)
			}
		}
		if strings.Join(outside, " ") != c.outside || len(d.Warnings) > 0 {
			t.Errorf("%s in %q: reads %q outside, want %q; warnings %q", c.command, c.dir, outside, c.outside,
				d.Warnings)
		}
	}
	for _, command := range []string{`cd "$(cat where)"; ls`, "popd; cd ..; ls"} {
		args, _ := json.Marshal(map[string]any{"command": command})
		if d := b.tools.Describe(toolspec.Call{Tool: "bash", Args: args}); len(d.Warnings) == 0 {
			t.Errorf("%s: nothing is asked: %+v", command, d)
		}
	}
}

// A command that is taken for harmless may read files that its text does not show as read.
func TestHarmlessCommandReadsNothingPrivateThatItWasNotFoundToRead(t *testing.T) {
	forEachSandbox(t, func(t *testing.T, without ...string) {
		b := newBench(t, without...)
		private := filepath.Join(b.home, "private.txt")
		shared := filepath.Join(b.home, "shared")
		for path, text := range map[string]string{
			private:                         "PRIVATE",
			b.home + "/.ssh/key":            "SECRET",
			filepath.Join(shared, "a.txt"):  "SHARED",
			filepath.Join(b.ws, "bin/grep"): "#!/bin/bash\ncat " + private + "\ncat " + shared + "/*\n",
		} {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("PATH", filepath.Join(b.ws, "bin")+":"+os.Getenv("PATH"))
		r := b.run("grep x " + shared + "/*.txt")
		if strings.Contains(r.Text, "PRIVATE") || !strings.Contains(r.Text, "SHARED") {
			t.Errorf("%q", r.Text)
		}
		if r := b.run("cat " + private); !strings.Contains(r.Text, "PRIVATE") {
			t.Errorf("a file that it was found to read: %q", r.Text)
		}
		if r := b.run("cat ~/.ssh/key " + b.home + "/.ssh/*"); strings.Contains(r.Text, "SECRET") {
			t.Errorf("a secret place: %q", r.Text)
		}
	})
}
