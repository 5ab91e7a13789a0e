package shell_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"sextant/backend/policy/protectedpaths"
	"sextant/backend/sandbox/confine"
	"sextant/backend/tools/shell"
	"sextant/shared/toolspec"
)

// Tests run one after another: they measure the time limits of real commands.
func TestMain(m *testing.M) {
	confine.RunStep()
	goleak.VerifyTestMain(m)
}

// bench is the tool with a home, a workspace in it, and what it streamed.
type bench struct {
	t        *testing.T
	home, ws string
	tools    *shell.Tools

	mu       sync.Mutex
	streamed map[string]string
	heard    func(stream, text string)
}

func newBench(t *testing.T, without ...string) *bench {
	t.Helper()
	b := &bench{t: t, home: t.TempDir(), streamed: map[string]string{}}
	b.ws = filepath.Join(b.home, "project")
	if err := os.MkdirAll(filepath.Join(b.ws, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	b.tools = shell.New(shell.Config{
		Folder: func() string { return b.ws }, Home: b.home,
		Places:         protectedpaths.New(protectedpaths.OwnFolders{Home: b.home}),
		Sandbox:        confine.New(confine.Config{Home: b.home, DisabledMechanisms: without}),
		Cache:          filepath.Join(b.home, "cache"),
		ForbiddenPaths: noRules,
	})
	return b
}

// noRules forbids no path.
func noRules(context.Context) ([]string, error) { return nil, nil }

func (b *bench) call(ctx context.Context, args map[string]any) toolspec.Result {
	b.t.Helper()
	body, err := json.Marshal(args)
	if err != nil {
		b.t.Fatal(err)
	}
	r, err := b.tools.Execute(ctx, toolspec.Call{Tool: "bash", Args: body}, toolspec.Definition{},
		func(stream, text string) {
			b.mu.Lock()
			b.streamed[stream] += text
			heard := b.heard
			b.mu.Unlock()
			if heard != nil {
				heard(stream, text)
			}
		})
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

func (b *bench) run(command string) toolspec.Result {
	b.t.Helper()
	return b.call(b.t.Context(), map[string]any{"command": command})
}

func value(r toolspec.Result, key string) any {
	v, _ := r.Value.(map[string]any)
	return v[key]
}

func TestCommandOutputAndExitCode(t *testing.T) {
	b := newBench(t)
	r := b.run("echo out; echo err >&2; echo made > f; exit 3")
	if !r.Success || value(r, "exit_code") != 3 || !strings.HasPrefix(r.Text, "exit code 3\n") {
		t.Errorf("%+v", r)
	}
	for stream, want := range map[string]string{"stdout": "out\n", "stderr": "err\n"} {
		if b.streamed[stream] != want {
			t.Errorf("%s streamed %q", stream, b.streamed[stream])
		}
		if !strings.Contains(r.Text, strings.TrimSpace(want)) {
			t.Errorf("%q misses %q", r.Text, want)
		}
	}
	if body, err := os.ReadFile(filepath.Join(b.ws, "f")); err != nil || string(body) != "made\n" {
		t.Errorf("the workspace: %q %v", body, err)
	}
	if r := b.run("true"); r.Text != "exit code 0, no output" {
		t.Errorf("nothing printed: %q", r.Text)
	}
	if r := b.run("echo hi"); r.Text != "hi" {
		t.Errorf("a plain answer: %q", r.Text)
	}
}

func TestOutputStreamsWhileItRuns(t *testing.T) {
	b := newBench(t)
	// The command goes on only once what it printed was heard.
	b.heard = func(_, text string) {
		if strings.Contains(text, "first") {
			if err := os.WriteFile(filepath.Join(b.ws, "go"), nil, 0o644); err != nil {
				t.Error(err)
			}
		}
	}
	r := b.run("echo first; until [ -e go ]; do sleep 0.01; done; echo second")
	if !r.Success || r.Text != "first\nsecond" {
		t.Errorf("%+v", r)
	}
}

func TestLongOutputKeepsHeadAndTail(t *testing.T) {
	b := newBench(t)
	r := b.run("echo begin; seq 1 200000; echo end")
	left, _ := value(r, "left_out_bytes").(int)
	if !strings.HasPrefix(r.Text, "begin\n1\n2\n") || !strings.HasSuffix(r.Text, "200000\nend") ||
		len(r.Text) > 101<<10 {
		t.Errorf("%d bytes: %.40q … %q", len(r.Text), r.Text, r.Text[len(r.Text)-40:])
	}
	// begin, end and the numbers are 1,288,905 bytes, the sum of what is returned and what is left out.
	kept := len(r.Text) - len("… bytes left out …\n") - len("1234567")
	if left < 1_288_905-kept-100 || left > 1_288_905-kept+100 || !strings.Contains(r.Text, "bytes left out") {
		t.Errorf("left out %d, kept %d", left, kept)
	}
}

func TestEscapeSequencesAreRemoved(t *testing.T) {
	b := newBench(t)
	r := b.run(`printf '\033[31mred\033[0m\033]0;title\007 \x00\xff end'`)
	if r.Text != "red \uFFFD end" {
		t.Errorf("%q", r.Text)
	}
}

func TestTimedOutCommandReturnsItsOutput(t *testing.T) {
	b := newBench(t)
	r := b.call(t.Context(), map[string]any{"command": "echo so far; sleep 600", "timeout": 3})
	if r.Success || value(r, "timed_out") != true || !strings.Contains(r.ModelText(), "timed out") ||
		!strings.Contains(r.ModelText(), "so far") {
		t.Errorf("%+v", r)
	}
}

// The first trial of bubblewrap lasts longer than the command may.
func TestSandboxCheckDoesNotCountAsCommandTime(t *testing.T) {
	real, err := exec.LookPath("bwrap")
	if err != nil {
		t.Skip("no bubblewrap")
	}
	b := newBench(t)
	bin := t.TempDir()
	slow := fmt.Sprintf("#!/bin/sh\n[ -e '%[1]s/tried' ] || { : > '%[1]s/tried'; sleep 3.5; }\nexec %[2]s \"$@\"\n",
		bin, real)
	if err := os.WriteFile(filepath.Join(bin, "bwrap"), []byte(slow), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	r := b.call(t.Context(), map[string]any{"command": "echo hi", "timeout": 3})
	if r.Text != "hi" {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(filepath.Join(bin, "tried")); err != nil {
		t.Errorf("the slow one was not tried: %v", err)
	}
}

func TestCancelledCommandReturnsItsOutput(t *testing.T) {
	b := newBench(t)
	ctx, cancel := context.WithCancel(t.Context())
	b.heard = func(string, string) { cancel() }
	r := b.call(ctx, map[string]any{"command": "echo so far; sleep 600"})
	if r.Success || value(r, "cancelled") != true || !strings.Contains(r.ModelText(), "so far") {
		t.Errorf("%+v", r)
	}
}

func TestWorkingDirectoryMustExist(t *testing.T) {
	b := newBench(t)
	for dir, want := range map[string]string{
		"sub": b.ws + "/sub", "": b.ws, b.ws + "/sub": b.ws + "/sub",
		"~/project": b.ws,
	} {
		r := b.call(t.Context(), map[string]any{"command": "pwd", "working_dir": dir})
		if r.Text != want {
			t.Errorf("%q: %q %s", dir, r.Text, r.Error)
		}
	}
	for _, dir := range []string{"nowhere", "/etc/passwd", "~/.ssh"} {
		if err := os.MkdirAll(filepath.Join(b.home, ".ssh"), 0o700); err != nil {
			t.Fatal(err)
		}
		if r := b.call(t.Context(), map[string]any{"command": "pwd", "working_dir": dir}); r.Success {
			t.Errorf("%q: %q", dir, r.Text)
		}
	}
}

func TestCommandDescription(t *testing.T) {
	b := newBench(t)
	describe := func(args map[string]any) toolspec.Description {
		body, _ := json.Marshal(args)
		return b.tools.Describe(toolspec.Call{Tool: "bash", Args: body})
	}
	d := describe(map[string]any{"command": "rm -r sub", "description": "Look at a file"})
	if d.Target != "rm -r sub" || !d.RunsProgram || d.Network || len(d.Files) != 1 ||
		d.Files[0].Use != toolspec.UseDelete || d.Files[0].Path != b.ws+"/sub" {
		t.Errorf("%+v", d)
	}
	if strings.Contains(d.Sentence, "Look at a file") {
		t.Errorf("the model's words became the question: %q", d.Sentence)
	}
	if d := describe(map[string]any{"command": "./x", "network": true}); !d.Network {
		t.Errorf("%+v", d)
	}
	if d := describe(map[string]any{"command": "cat ~/.ssh/id_rsa"}); len(d.Files) != 1 || d.Files[0].Sensitive == "" ||
		len(d.Warnings) == 0 {
		t.Errorf("%+v", d)
	}
	if err := os.Symlink(filepath.Join(b.home, ".bashrc"), filepath.Join(b.ws, "innocent")); err != nil {
		t.Fatal(err)
	}
	if d := describe(map[string]any{"command": "echo x >> innocent"}); len(d.Files) != 1 || d.Files[0].Path != b.home+
		"/.bashrc" || d.Files[0].Sensitive == "" {
		t.Errorf("a link: %+v", d)
	}
}

func TestCommandDeclaresTimeout(t *testing.T) {
	b := newBench(t)
	for args, ms := range map[string]int{
		`{"command":"ls"}`:               30_000,
		`{"command":"ls","timeout":3}`:   3000,
		`{"command":"ls","timeout":300}`: 299_000,
	} {
		if d := b.tools.Describe(toolspec.Call{Tool: "bash", Args: json.RawMessage(args)}); d.LimitMS != ms {
			t.Errorf("%s: %d ms", args, d.LimitMS)
		}
	}
}

func TestDescriptionWithoutSandbox(t *testing.T) {
	b := newBench(t, "bubblewrap", "landlock")
	d := b.tools.Describe(toolspec.Call{Tool: "bash", Args: json.RawMessage(`{"command":"ls"}`)})
	if !strings.Contains(d.Unconfined, "Landlock") {
		t.Errorf("%+v", d)
	}
	// The policy asked: then it runs.
	if r := b.run("echo hi"); r.Text != "hi" || value(r, "sandbox") != "no sandbox" {
		t.Errorf("%+v", r)
	}
}
