package terminal_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sextant/backend/sandbox/confine"
	"sextant/panels/terminal"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Tests run one after another: real shells must answer within limit.
func TestMain(m *testing.M) {
	confine.RunStep()
	goleak.VerifyTestMain(m)
}

// limit bounds every wait of these tests.
const limit = 20 * time.Second

func newTerminals(t *testing.T, bash func(context.Context, terminal.CommandRun) toolspec.Result) *terminal.Terminals {
	t.Helper()
	dir := t.TempDir()
	shell := filepath.Join(dir, "shell")
	// A shell without the person's start-up files, so that it prints what the test expects.
	if err := os.WriteFile(shell, []byte("#!/bin/sh\nPS1='> ' exec /bin/sh\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	all := terminal.New(terminal.Config{
		Confine: confine.New(confine.Config{Home: dir, TempDir: dir}), Shell: shell,
		Folder: func() string { return dir }, RunCommand: bash,
	})
	t.Cleanup(all.Close)
	return all
}

// waitForOutput watches a tab until words were printed, and returns all until then.
func waitForOutput(t *testing.T, tab *terminal.Tab, words string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	w, _ := tab.Watch()
	defer w.Close()
	var all bytes.Buffer
	for !strings.Contains(all.String(), words) {
		b, err := w.Next(ctx)
		if err != nil {
			t.Fatalf("%q was never shown (%v), but %q", words, err, all.String())
		}
		all.Write(b)
		w.Acknowledge(len(b))
	}
	return all.String()
}

// waitForTabs waits for a state of the tabs.
func waitForTabs(t *testing.T, all *terminal.Terminals, what string, fits func([]wire.Terminal) bool) []wire.Terminal {
	t.Helper()
	over := time.After(limit)
	for {
		tabs, changed := all.List()
		if fits(tabs) {
			return tabs
		}
		select {
		case <-changed:
		case <-over:
			t.Fatalf("never %s: %+v", what, tabs)
		}
	}
}

func TestShellRunsEndsAndRestarts(t *testing.T) {
	all := newTerminals(t, nil)
	tab, err := all.Open(90, 20)
	if err != nil {
		t.Fatal(err)
	}
	waitForOutput(t, tab, "> ")
	if err := tab.WriteInput([]byte("stty size; echo wo''rd\r")); err != nil {
		t.Fatal(err)
	}
	if text := waitForOutput(t, tab, "word"); !strings.Contains(text, "20 90") {
		t.Errorf("the size is not known: %q", text)
	}
	all.Resize(tab.Number(), 120, 40)
	_ = tab.WriteInput([]byte("stty size\r"))
	waitForOutput(t, tab, "40 120")
	_ = tab.WriteInput([]byte("exit 3\r"))
	waitForTabs(t, all, "ended", func(tabs []wire.Terminal) bool {
		return tabs[0].State == wire.TerminalEnded &&
			tabs[0].ExitCode == 3
	})
	if err := all.Restart(tab.Number()); err != nil {
		t.Fatal(err)
	}
	_ = waitForTabs(t, all, "running again", func(tabs []wire.Terminal) bool {
		return tabs[0].State == wire.TerminalRunning
	})
	typeUntil(t, tab, "echo ag''ain $((40+2))\r", "again 42")
	if err := all.CloseTab(tab.Number()); err != nil {
		t.Fatal(err)
	}
	if tabs, _ := all.List(); len(tabs) != 0 {
		t.Errorf("the closed tab is listed: %+v", tabs)
	}
}

// typeUntil types once the shell has begun to read: what is typed before waits in the terminal.
func typeUntil(t *testing.T, tab *terminal.Tab, text, words string) {
	t.Helper()
	if err := tab.WriteInput([]byte(text)); err != nil {
		t.Fatal(err)
	}
	waitForOutput(t, tab, words)
}

func TestLaterViewerGetsScrollback(t *testing.T) {
	all := newTerminals(t, nil)
	tab, err := all.Open(80, 24)
	if err != nil {
		t.Fatal(err)
	}
	typeUntil(t, tab, "echo fir''st\r", "first")
	w, replay := tab.Watch()
	defer w.Close()
	b, err := w.Next(t.Context())
	if err != nil || !bytes.Contains(b, []byte("first")) || replay < len("first") {
		t.Errorf("replay of %d bytes: %q, %v", replay, b, err)
	}
}

// A program that prints without end waits for who watches it, and is still interrupted at once.
func TestFloodIsThrottledAndInterruptible(t *testing.T) {
	all := newTerminals(t, nil)
	tab, err := all.Open(80, 24)
	if err != nil {
		t.Fatal(err)
	}
	waitForOutput(t, tab, "> ")
	w, _ := tab.Watch()
	defer w.Close()
	_ = tab.WriteInput([]byte("yes flood\r"))
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	taken := 0
	for {
		// Nothing is acknowledged as drawn, so output stops by itself.
		short, stop := context.WithTimeout(ctx, 500*time.Millisecond)
		b, err := w.Next(short)
		stop()
		if err != nil {
			break
		}
		taken += len(b)
	}
	if taken == 0 || taken > 300<<10 {
		t.Fatalf("%d bytes were sent without acknowledgement", taken)
	}
	_ = tab.WriteInput([]byte{3})
	_ = tab.WriteInput([]byte("echo quiet $((6*7))\r"))
	w.Acknowledge(taken)
	var all2 []byte
	for !bytes.Contains(all2, []byte("quiet 42")) {
		b, err := w.Next(ctx)
		if err != nil {
			t.Fatalf("after the flood: %v", err)
		}
		w.Acknowledge(len(b))
		all2 = append(all2[max(0, len(all2)-100):], b...)
	}
}

func TestSlowViewerIsNotifiedOfDroppedOutput(t *testing.T) {
	all := newTerminals(t, nil)
	tab, err := all.Open(80, 24)
	if err != nil {
		t.Fatal(err)
	}
	waitForOutput(t, tab, "> ")
	typeUntil(t, tab, "head -c 3000000 /dev/zero | tr '\\0' 'x' | fold -w 70; echo en''d\r", "end")
	_, replay := tab.Watch()
	if replay > 1<<20 || replay < 500<<10 {
		t.Errorf("%d bytes are kept", replay)
	}
}

func TestCloseEndsChildProcesses(t *testing.T) {
	all := newTerminals(t, nil)
	tab, err := all.Open(80, 24)
	if err != nil {
		t.Fatal(err)
	}
	waitForOutput(t, tab, "> ")
	typeUntil(t, tab, "setsid sleep 876543 & sleep 876543 & echo st''arted\r", "started")
	all.Close()
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		if line, _ := os.ReadFile("/proc/" + e.Name() + "/cmdline"); bytes.Contains(line, []byte("876543")) {
			t.Errorf("left: %s", bytes.ReplaceAll(line, []byte{0}, []byte{' '}))
		}
	}
	if _, err := all.Open(80, 24); err == nil {
		t.Error("a shell was opened after the end")
	}
}

// call answers one of the panel's endpoints as the Registry would ask.
func call(t *testing.T, all *terminal.Terminals, method, path, args string) (int, map[string]any, *toolspec.Result) {
	t.Helper()
	v := &toolspec.CallContext{Call: toolspec.Call{
		ID: "c1", Tool: "terminal_run", Args: json.RawMessage(args),
		From: toolspec.Provenance{Caller: toolspec.CallerModel, Turn: "t"},
	}}
	req := httptest.NewRequestWithContext(toolspec.WithCallContext(t.Context(), v), method, path, nil)
	w := httptest.NewRecorder()
	all.Handler().ServeHTTP(w, req)
	var out map[string]any
	_ = json.Unmarshal(w.Body.Bytes(), &out)
	return w.Code, out, v.Answer
}

func TestAssistantReadsOnlySharedTabs(t *testing.T) {
	all := newTerminals(t, nil)
	tab, err := all.Open(80, 24)
	if err != nil {
		t.Fatal(err)
	}
	typeUntil(t, tab, "echo pri''vate\r", "private")
	path := "/api/terminal/tabs/" + strconv.Itoa(tab.Number())
	if code, out, _ := call(t, all, "GET", path, "{}"); code != 403 ||
		strings.Contains(out["error"].(string), "private\n") {
		t.Errorf("an unshared terminal was read: %d %v", code, out)
	}
	if _, out, _ := call(t, all, "GET", "/api/terminal/tabs", "{}"); strings.Contains(mustJSON(out), "echo") {
		t.Errorf("the list tells what is in an unshared terminal: %v", out)
	}
	if code, _, _ := call(t, all, "POST", path+"/stop", "{}"); code != 403 {
		t.Errorf("the person's shell was stopped: %d", code)
	}
	if err := all.SetShared(tab.Number(), true); err != nil {
		t.Fatal(err)
	}
	code, _, answer := call(t, all, "GET", path+"?lines=50", "{}")
	if code != 200 || answer == nil || !strings.Contains(answer.Text, "private") || len(answer.Sources) == 0 {
		t.Errorf("shared: %d %+v", code, answer)
	}
}

func mustJSON(v any) string {
	b, _ := json.Marshal(v)
	return string(b)
}

func TestAssistantCommandRunsInTab(t *testing.T) {
	var asked terminal.CommandRun
	all := newTerminals(t, func(_ context.Context, r terminal.CommandRun) toolspec.Result {
		asked = r
		r.OnStart(discardScreen{})
		r.OnOutput([]byte("\x1b[32mgreen\x1b[0m\r\n"))
		return toolspec.Result{
			Success: true, Value: map[string]any{"exit_code": 2, "output": "green"},
			Sources: []string{"a command with network"}, Changed: []string{"/x"},
		}
	})
	code, _, answer := call(t, all, "POST", "/api/terminal/run",
		`{"command":"make \u001b]0;evil\u0007all","network":true,"wait":9}`)
	if code != 200 || answer == nil || !answer.Success || answer.Value.(map[string]any)["tab"] != 1 ||
		len(answer.Changed) > 0 {
		t.Fatalf("%d %+v", code, answer)
	}
	var args map[string]any
	if json.Unmarshal(asked.Args, &args) != nil || args["network"] != true || args["wait"] != nil ||
		asked.Call.From.Caller != toolspec.CallerModel {
		t.Errorf("the shell tool was asked %s by %+v", asked.Args, asked.Call.From)
	}
	tabs, _ := all.List()
	if len(tabs) != 1 || !tabs[0].Assistant || tabs[0].State != wire.TerminalEnded || tabs[0].ExitCode != 2 {
		t.Errorf("%+v", tabs)
	}
	tab, _ := all.Find(1)
	if text := waitForOutput(t, tab, "exit 2"); !strings.Contains(text, "$ make ]0;evilall") ||
		!strings.Contains(text, "\x1b[32mgreen") {
		t.Errorf("%q", text)
	}
	_, _, read := call(t, all, "GET", "/api/terminal/tabs/1", "{}")
	if !strings.Contains(read.Text, "green\n") || strings.Contains(read.Text, "\x1b") || len(read.Sources) != 1 {
		t.Errorf("%+v", read)
	}
}

// discardScreen is a terminal that takes everything.
type discardScreen struct{}

func (discardScreen) Write(b []byte) (int, error) { return len(b), nil }
func (discardScreen) Resize(uint16, uint16) error { return nil }

func TestBackgroundCommandRunsUntilStopped(t *testing.T) {
	all := newTerminals(t, func(ctx context.Context, r terminal.CommandRun) toolspec.Result {
		r.OnStart(discardScreen{})
		r.OnOutput([]byte("listening\r\n"))
		<-ctx.Done()
		return toolspec.Fail(toolspec.UserError, "stopped while it ran", "")
	})
	_, _, answer := call(t, all, "POST", "/api/terminal/run", `{"command":"serve","wait":1}`)
	if answer == nil || !answer.Success || !strings.Contains(answer.Text, "listening") ||
		answer.Value.(map[string]any)["running"] != true || len(answer.Sources) == 0 {
		t.Fatalf("%+v", answer)
	}
	if code, out, _ := call(t, all, "POST", "/api/terminal/tabs/1/stop", "{}"); code != 200 {
		t.Fatalf("%d %v", code, out)
	}
	waitForTabs(t, all, "stopped", func(tabs []wire.Terminal) bool { return tabs[0].State == wire.TerminalEnded })
	if code, _, _ := call(t, all, "POST", "/api/terminal/tabs/1/stop", "{}"); code != 404 {
		t.Errorf("stopped twice: %d", code)
	}
}

func TestRefusedCommandIsNotShown(t *testing.T) {
	all := newTerminals(t, func(context.Context, terminal.CommandRun) toolspec.Result {
		return toolspec.Fail(toolspec.PermissionError, "declined by you", "Ask.")
	})
	_, _, answer := call(t, all, "POST", "/api/terminal/run", `{"command":"rm -rf ."}`)
	if answer == nil || answer.Success || answer.ErrorType != toolspec.PermissionError {
		t.Errorf("%+v", answer)
	}
	tabs, _ := all.List()
	if tabs[0].State != wire.TerminalFailed || tabs[0].Reason != "declined by you" {
		t.Errorf("%+v", tabs)
	}
}

func TestCanceledCallStopsCommand(t *testing.T) {
	ended := make(chan struct{})
	all := newTerminals(t, func(ctx context.Context, r terminal.CommandRun) toolspec.Result {
		r.OnStart(discardScreen{})
		<-ctx.Done()
		close(ended)
		return toolspec.Fail(toolspec.UserError, "stopped while it ran", "")
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	v := &toolspec.CallContext{Call: toolspec.Call{Args: json.RawMessage(`{"command":"sleep 9"}`)}}
	go func() {
		tabs, changed := all.List()
		for len(tabs) == 0 || tabs[0].State != wire.TerminalRunning {
			<-changed
			tabs, changed = all.List()
		}
		cancel(errors.New("stopped"))
	}()
	all.Handler().ServeHTTP(httptest.NewRecorder(),
		httptest.NewRequestWithContext(toolspec.WithCallContext(ctx, v), "POST",
			"/api/terminal/run", nil))
	<-ended
}
