package shell_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sextant/backend/sandbox/confine"
	"sextant/shared/toolspec"
)

func TestAutorunFilesAreReported(t *testing.T) {
	b := newBench(t)
	file := func(name, body string) {
		t.Helper()
		path := filepath.Join(b.ws, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(body), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file("old/.envrc", "as it was\n")
	file("sub/.git/hooks/pre-push.sample", "x\n")
	for _, c := range []struct {
		command  string
		reported []string
	}{
		{"echo x > f; cp sub/.git/hooks/pre-push.sample sub/.git/hooks/pre-commit.sample", nil},
		{"cat old/.envrc; true > g", nil},
		{"echo x > .envrc", []string{".envrc"}},
		{
			"echo y > sub/.git/hooks/pre-commit; mkdir -p a/.vscode; echo '{}' > a/.vscode/tasks.json; exit 3",
			[]string{"a/.vscode/tasks.json", "sub/.git/hooks/pre-commit"},
		},
		{"cp -p old/.envrc keep; echo 'as it is!' > old/.envrc; touch -r keep old/.envrc", []string{"old/.envrc"}},
		{"ln -s ../f a/.envrc; mkfifo sub/.envrc", []string{"a/.envrc", "sub/.envrc"}},
		{"rm .envrc", nil},
	} {
		r := b.run(c.command)
		got, _ := value(r, "runs_later").([]string)
		if !slices.Equal(got, c.reported) {
			t.Errorf("%s: reported %q, want %q: %+v", c.command, got, c.reported, r)
		}
		for _, name := range c.reported {
			if !strings.Contains(r.ModelText(), name) || !strings.Contains(r.Sentence, name) {
				t.Errorf("%s: %q, %q", c.command, r.ModelText(), r.Sentence)
			}
		}
	}
}

func TestHomeFolderAsWorkspaceIsReadOnly(t *testing.T) {
	b := newBench(t)
	if ok, _, why := confine.New(confine.Config{}).Available(); !ok {
		t.Skip(why)
	}
	project := b.ws
	b.ws = b.home
	describe := func(command string) []string {
		args, _ := json.Marshal(map[string]any{"command": command})
		return b.tools.Describe(toolspec.Call{Tool: "bash", Args: args}).Warnings
	}
	if said := describe("echo x > .zshenv"); !slices.ContainsFunc(said,
		func(w string) bool { return strings.Contains(w, "home folder") }) {
		t.Errorf("the question says %q", said)
	}
	if said := describe("ls"); len(said) > 0 {
		t.Errorf("a command that only reads is asked about: %q", said)
	}
	r := b.run("echo x > .zshenv")
	if _, err := os.Lstat(filepath.Join(b.home, ".zshenv")); !os.IsNotExist(err) ||
		!strings.Contains(r.ModelText(), "home folder") {
		t.Errorf("%v: %+v", err, r)
	}
	b.ws = project
	if said := describe("echo x > f"); len(said) > 0 {
		t.Errorf("in a project: %q", said)
	}
	if r := b.run("echo x > f && cat f"); r.Text != "x" {
		t.Errorf("in a project: %+v", r)
	}
}
