package inspect

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"sextant/backend/policy/protectedpaths"
	"sextant/backend/sandbox/confine"
	"sextant/backend/toolkit"
	"sextant/shared/toolspec"
)

// Tests run one after another: one changes PATH, and the others start git.
func TestMain(m *testing.M) {
	confine.RunStep()
	goleak.VerifyTestMain(m)
}

// newTools makes the tools on a workspace of the test's own.
func newTools(t *testing.T) (*Tools, string) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(dir, "home")
	folder := filepath.Join(home, "work")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	own := protectedpaths.New(protectedpaths.OwnFolders{
		Home: home, Data: filepath.Join(dir, "data"),
		Config: filepath.Join(dir, "config"),
	})
	return New(Config{
		Paths:          toolkit.Paths{Folder: func() string { return folder }, Home: home, Places: own},
		Sandbox:        confine.New(confine.Config{Home: home}),
		ForbiddenPaths: func(context.Context, string) ([]string, error) { return nil, nil },
	}), folder
}

func callOf(tool string, args map[string]any) toolspec.Call {
	b, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	return toolspec.Call{Tool: tool, Args: b}
}

func run(t *testing.T, tools *Tools, tool string, args map[string]any) toolspec.Result {
	t.Helper()
	r, err := tools.Execute(t.Context(), callOf(tool, args), toolspec.Definition{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func wantText(t *testing.T, r toolspec.Result, want ...string) {
	t.Helper()
	if !r.Success {
		t.Fatalf("it failed: %s (%s)", r.Error, r.Suggestion)
	}
	for _, w := range want {
		if !strings.Contains(r.ModelText(), w) {
			t.Errorf("%.600q does not say %q", r.ModelText(), w)
		}
	}
}

func wantError(t *testing.T, r toolspec.Result, kind toolspec.ErrorType, want ...string) {
	t.Helper()
	if r.Success || r.ErrorType != kind {
		t.Fatalf("success is %v, kind %q, want %q: %.600s", r.Success, r.ErrorType, kind, r.ModelText())
	}
	for _, w := range want {
		if !strings.Contains(r.Error+"\n"+r.Suggestion, w) {
			t.Errorf("%q · %q does not say %q", r.Error, r.Suggestion, w)
		}
	}
}

// writeFile writes a file and the folders above it.
func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// gitIn runs git as a person would.
func gitIn(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Ada",
		"GIT_AUTHOR_EMAIL=ada@example.com",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}
