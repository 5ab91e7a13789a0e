package shell_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"sextant/shared/toolspec"
)

// try tries a command. The trial is discarded when the test ends.
func (b *bench) try(args map[string]any) *toolspec.Trial {
	b.t.Helper()
	body, err := json.Marshal(args)
	if err != nil {
		b.t.Fatal(err)
	}
	trial, err := b.tools.Try(b.t.Context(), toolspec.Call{Tool: "bash", Args: body})
	if err != nil {
		b.t.Fatal(err)
	}
	if trial != nil {
		b.t.Cleanup(trial.Discard)
	}
	return trial
}

// The pilot's answer is for the person, who needs no advice for models.
func TestTrialForThePilot(t *testing.T) {
	b := newBench(t)
	trial, err := b.tools.Try(t.Context(), toolspec.Call{
		Tool: "bash", Args: json.RawMessage(`{"command":"python3 -c 'print(2)'"}`),
		From: toolspec.Provenance{Caller: toolspec.CallerPilot},
	})
	if err != nil || trial == nil {
		t.Fatalf("%+v %v", trial, err)
	}
	defer trial.Discard()
	if r, err := trial.Apply(t.Context()); err != nil || r.Text != "2" {
		t.Errorf("%q %v", r.Text, err)
	}
}

func (b *bench) write(name, text string) {
	b.t.Helper()
	path := filepath.Join(b.ws, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) read(name string) string {
	body, _ := os.ReadFile(filepath.Join(b.ws, name))
	return string(body)
}

func TestTrialChangesNothingUntilItIsApplied(t *testing.T) {
	b := newBench(t)
	b.write("notes.txt", "one\ntwo\n")
	b.write("build/a", "a")
	b.write("build/b", "b")
	command := "sed -i s/two/three/ notes.txt && rm -r build && mkdir -p out/deep && echo new > out/deep/f && echo done"
	trial := b.try(map[string]any{"command": command})
	if trial == nil {
		t.Fatal("no trial")
	}
	if b.read("notes.txt") != "one\ntwo\n" || b.read("build/a") != "a" || b.read("out/deep/f") != "" {
		t.Error("the trial changed the folder")
	}
	at := func(name string) string { return filepath.Join(b.ws, name) }
	want := &toolspec.Trial{
		Files: []toolspec.FileUse{
			{Path: at("build"), Use: toolspec.UseDelete},
			{Path: at("notes.txt"), Use: toolspec.UseWrite},
			{Path: at("out"), Use: toolspec.UseWrite},
			{Path: at("out/deep"), Use: toolspec.UseWrite},
			{Path: at("out/deep/f"), Use: toolspec.UseWrite},
		},
		Question: "Change notes.txt, create out/, and delete build/ (2 files) with “sed -i s/two/three/ notes.txt && " +
			"rm -r build && mkdir -p out/deep && echo new >…”?",
		Diff: "deleted build/ (2 files)\nchanged notes.txt\n" +
			"--- notes.txt\n+++ notes.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n" +
			"created out/\ncreated out/deep/\ncreated out/deep/f\n" +
			"--- out/deep/f\n+++ out/deep/f\n@@ -0,0 +1 @@\n+new\n",
	}
	ignored := cmpopts.IgnoreFields(toolspec.Trial{}, "Apply", "Discard", "DurationMS", "Output")
	if diff := cmp.Diff(want, trial, ignored); diff != "" {
		t.Errorf("trial:\n%s", diff)
	}
	r, err := trial.Apply(t.Context())
	if err != nil || !r.Success || !strings.HasPrefix(r.Text, "done") {
		t.Errorf("applied: %+v %v", r, err)
	}
	if b.read("notes.txt") != "one\nthree\n" || b.read("build/a") != "" || b.read("out/deep/f") != "new\n" {
		t.Error("the changes were not made")
	}
}

func TestTrialWithoutChanges(t *testing.T) {
	b := newBench(t)
	b.write("sum.py", "import helper\nprint(sum(range(helper.N)))\n")
	b.write("helper.py", "N = 5\n")
	b.write("old/__pycache__/x.pyc", "old")
	for _, command := range []string{
		"python3 sum.py", "cd sub && python3 ../sum.py",
		"mkdir -p old/__pycache__ && echo > old/__pycache__/x.pyc; echo 10",
		"echo 10 > /tmp/x && cat /tmp/x",
	} {
		trial := b.try(map[string]any{"command": command})
		if trial == nil {
			t.Fatalf("%s: no trial", command)
		}
		if len(trial.Files) > 0 {
			t.Errorf("%s: changed %v", command, trial.Files)
		}
		r, err := trial.Apply(t.Context())
		if err != nil || !r.Success || !strings.HasPrefix(r.Text, "10\n") ||
			!strings.Contains(r.Text, "without network") {
			t.Errorf("%s: %+v %v", command, r, err)
		}
	}
	if b.read("old/__pycache__/x.pyc") != "old" {
		t.Error("a cache was changed")
	}
}

func TestTrialThatFails(t *testing.T) {
	b := newBench(t)
	b.write("f", "f")
	for _, command := range []string{"grep -q x f", "python3 -c 'raise SystemExit(3)'", "test -e g"} {
		trial := b.try(map[string]any{"command": command})
		if trial == nil || len(trial.Files) > 0 {
			t.Fatalf("%s: %+v", command, trial)
		}
		if r, err := trial.Apply(t.Context()); err != nil || !strings.HasPrefix(r.Text, "exit code ") {
			t.Errorf("%s: %+v %v", command, r, err)
		}
	}
}

func TestTrialInARepository(t *testing.T) {
	b := newBench(t)
	b.write("f", "f\n")
	git := func(args ...string) string {
		t.Helper()
		command := exec.Command("git", append([]string{"-C", b.ws}, args...)...)
		out, err := command.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return string(out)
	}
	git("init", "-q")
	git("config", "user.name", "Ana")
	git("config", "user.email", "ana@site.example")
	git("add", ".")
	git("commit", "-qm", "one")
	b.write("f", "f\n") // its time is newer than in the index
	if trial := b.try(map[string]any{"command": "git status --short"}); trial == nil || len(trial.Files) > 0 {
		t.Errorf("git status: %+v", trial)
	}
	b.write("g", "g\n")
	trial := b.try(map[string]any{"command": "git add g && git commit -qm two && rm f"})
	if trial == nil || trial.Question != "Change the git repository and delete f with "+
		"“git add g && git commit -qm two && rm f”?" || len(trial.Files) != 2 {
		t.Fatalf("%+v", trial)
	}
	if r, err := trial.Apply(t.Context()); err != nil || !r.Success {
		t.Errorf("%+v %v", r, err)
	}
	git("fsck", "--strict")
	if log := git("log", "--format=%s"); log != "two\none\n" {
		t.Errorf("the log is %q", log)
	}
	if status := git("status", "--short"); status != " D f\n" {
		t.Errorf("the status is %q", status)
	}
}

// A trial that shows nothing about the command must not look as if the command did nothing.
func TestTrialThatShowsNothing(t *testing.T) {
	b := newBench(t)
	b.write("f", "f")
	b.write("sub/.env", "KEY=1")
	b.write("id_rsa", "key")
	private := filepath.Join(b.home, "private.txt")
	if err := os.WriteFile(private, []byte("private"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range []map[string]any{
		{"command": "echo half > f; exit 1"},
		{"command": "no-such-program"},
		{"command": "sleep 30", "timeout": 1},
		{"command": "cat ../private.txt"},
		{"command": "python3 -c 'print(open(\"sub/.env\").read())'"},
		{"command": "cat id_*"},
		{"command": "rm id_rsa"},
		{"command": "ls " + b.home},
		{"command": "cat " + private},
		{"command": "true", "network": true},
		{"command": "curl -s http://127.0.0.1:9/"},
		{"command": "echo > ../outside"},
		{"command": "ls ../ ; true"},
		{"command": "true", "working_dir": b.home},
		{"command": "true", "working_dir": ".."},
		{"command": "true", "working_dir": "/tmp"},
		{"command": "for i in $(seq 2100); do echo > f$i; done"},
		{"command": "mkdir closed && chmod 0 closed && exit 3"},
	} {
		if trial := b.try(args); trial != nil {
			t.Errorf("%v: %+v", args, trial)
		}
	}
	started := time.Now()
	if b.try(map[string]any{"command": "sleep 30", "timeout": 9}) != nil || time.Since(started) > 3*time.Second {
		t.Error("a command that took too long was tried again")
	}
	if _, err := os.Stat(filepath.Join(b.home, "outside")); err == nil {
		t.Error("a trial wrote outside of the folder")
	}
	if b = newBench(t, "bubblewrap"); b.try(map[string]any{"command": "true"}) != nil {
		t.Error("a trial without bubblewrap")
	}
}

func TestTrialOfAFolderThatChangedSince(t *testing.T) {
	b := newBench(t)
	b.write("notes.txt", "one\n")
	trial := b.try(map[string]any{"command": "echo two >> notes.txt; echo x > new"})
	b.write("notes.txt", "mine\n")
	r, err := trial.Apply(t.Context())
	if err != nil || r.Success || r.Error != "notes.txt has changed in the meantime, so nothing was changed" {
		t.Errorf("%+v %v", r, err)
	}
	if b.read("notes.txt") != "mine\n" || b.read("new") != "" {
		t.Error("something was changed")
	}
}

// A trial must not reach more than the command would: its changes cannot leave the folder, and hooks stay as they are.
func TestTrialIsConfined(t *testing.T) {
	b := newBench(t)
	b.write(".git/hooks/post-commit", "old")
	b.write(".git/HEAD", "ref")
	outside := t.TempDir()
	trial := b.try(map[string]any{"command": "ln -s " + outside + " link; (echo bad > link/f) 2>/dev/null; " +
		"(echo bad > .git/hooks/post-commit) 2>/dev/null; true"})
	if trial == nil {
		t.Fatal("no trial")
	}
	if r, err := trial.Apply(t.Context()); err != nil || !r.Success {
		t.Errorf("%+v %v", r, err)
	}
	if left, _ := os.ReadDir(outside); len(left) > 0 || b.read(".git/hooks/post-commit") != "old" {
		t.Error("a trial changed something outside of its folder")
	}
	if to, err := os.Readlink(filepath.Join(b.ws, "link")); err != nil || to != outside {
		t.Errorf("the link: %q %v", to, err)
	}
}
