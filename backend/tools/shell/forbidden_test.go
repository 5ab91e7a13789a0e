package shell_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/backend/policy/protectedpaths"
	"sextant/backend/sandbox/confine"
	"sextant/backend/tools/shell"
	"sextant/shared/toolspec"
)

func TestCommandDoesNotSeeForbiddenPaths(t *testing.T) {
	b := newBench(t)
	diary := filepath.Join(b.ws, "private", "diary")
	if err := os.MkdirAll(filepath.Dir(diary), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(diary, []byte("dear diary\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	forbidden, broken := []string{filepath.Dir(diary)}, error(nil)
	c := confine.New(confine.Config{Home: b.home})
	if ok, _, why := c.Available(); !ok {
		t.Skip(why)
	}
	if r := b.run("grep -rh . ."); !strings.Contains(r.Text, "dear diary") {
		t.Fatalf("without a rule it reads nothing: %+v", r)
	}
	b.tools = shell.New(shell.Config{
		Folder: func() string { return b.ws }, Home: b.home,
		Places: protectedpaths.New(protectedpaths.OwnFolders{Home: b.home}), Sandbox: c,
		ForbiddenPaths: func(context.Context) ([]string, error) { return forbidden, broken },
	})
	// Harmless ones are asked for by nobody, and the others write.
	for _, command := range []string{
		"grep -rh . .", "cat private/diary", "cat pri*/dia*",
		"echo x > f; cat private/diary; cp -r private p; cat p/*",
	} {
		if r := b.run(command); strings.Contains(r.Text, "dear diary") {
			t.Errorf("%s: %+v", command, r)
		}
	}
	inside := b.call(t.Context(), map[string]any{"command": "ls", "working_dir": "private"})
	if inside.Success || inside.ErrorType != toolspec.PermissionError ||
		!strings.Contains(inside.Error, "a rule forbids") {
		t.Errorf("in the folder itself: %+v", inside)
	}
	broken = errors.New("the disk is gone")
	if r := b.run("echo hi"); r.Success {
		t.Errorf("without its rules it ran: %+v", r)
	}
}
