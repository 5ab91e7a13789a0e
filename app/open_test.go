package app

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"sextant/app/config"
	"sextant/backend/sandbox/confine"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

func TestMain(m *testing.M) {
	confine.RunStep() // tests whose tools run commands start this binary as a step of a run
	if os.Getenv(asTool) != "" {
		serveATool()
		return
	}
	if filepath.Base(os.Args[0]) == programName {
		os.Exit(RunCLI(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
	}
	goleak.VerifyTestMain(m)
}

// programName is the file name under which this test binary is the sextant program.
const programName = "sextant"

// Program returns the path of a sextant program that a test may kill.
func Program(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), programName)
	if err := os.WriteFile(path, text, 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// testFlags are folders of a test's own.
func testFlags(t testing.TB) map[string]string {
	t.Helper()
	dir := t.TempDir()
	return map[string]string{
		"data": filepath.Join(dir, "data"), "config": filepath.Join(dir, "config"),
		"keychain": "off",
	}
}

// openTest opens a System on folders of the test's own and closes it with the test.
func openTest(t *testing.T, options OpenOptions) *System {
	t.Helper()
	return openWith(t, testFlags(t), options)
}

func openWith(t testing.TB, flags map[string]string, options OpenOptions) *System {
	t.Helper()
	config, err := config.Load(flags)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := OpenSystem(context.Background(), config, options, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sys.Close)
	return sys
}

// writeMCPConfig puts mcp-config.json where a run with flags looks for it.
func writeMCPConfig(t testing.TB, flags map[string]string, text string) {
	t.Helper()
	if err := os.MkdirAll(flags["config"], 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(flags["config"], "mcp-config.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// RunCLI runs the command line; app/cli, which imports this package, is plugged in by cli_test.go.
var RunCLI func(ctx context.Context, args []string, in io.Reader, out, errs io.Writer) int

// The exit codes of the command line.
const (
	exitDone    = 0
	exitFailed  = 1
	exitUsage   = 2
	exitRefused = 3
)

// runReport is what "sextant run --json" prints.
type runReport struct {
	Text   string
	Answer json.RawMessage
	Wrong  []string
	Status chat.Status
	Error  string
	Calls  []struct {
		Tool, Sentence, Error, Suggestion, Output string
		Status                                    event.CallStatus
		ErrorType                                 toolspec.ErrorType `json:"error_type"`
	}
}

// callerName names who asked for a call.
func callerName(r wire.CallRow) string {
	if r.Client != "" {
		return string(r.Caller) + ":" + r.Client
	}
	return string(r.Caller)
}

// verb runs a command line and returns code, stdout and stderr.
func verb(t *testing.T, flags map[string]string, args ...string) (int, string, string) {
	t.Helper()
	var out, errs bytes.Buffer
	args = append(args, "--data", flags["data"], "--config", flags["config"])
	code := RunCLI(context.Background(), args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

func TestFoldersAndDatabaseAreForTheirOwnerOnly(t *testing.T) {
	sys := openTest(t, OpenOptions{})
	for path, want := range map[string]os.FileMode{sys.Config.DataDir: 0o700, sys.Store.Path(): 0o600} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != want {
			t.Errorf("%s has mode %o, want %o", filepath.Base(path), info.Mode().Perm(), want)
		}
	}
}

func TestBrokenConfigFileIsReported(t *testing.T) {
	flags := testFlags(t)
	if err := os.MkdirAll(flags["config"], 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(flags["config"], "config.toml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("mode = \"full\"\nmodle = \"x\"\ntheme = \"pink\"\n")
	cfg, err := config.Load(flags)
	if err != nil {
		t.Fatal(err)
	}
	problems := strings.Join(cfg.Problems, "\n")
	if !strings.Contains(problems, "modle") || !strings.Contains(problems, "pink") {
		t.Errorf("problems: %s", problems)
	}
	if v, source, _ := cfg.FixedValue("mode"); v != "full" || source != config.SourceFile {
		t.Errorf("mode is %q from %q", v, source)
	}
	write("mode = ")
	if cfg, err = config.Load(flags); err != nil || len(cfg.Problems) != 1 {
		t.Errorf("err %v, problems %v", err, cfg.Problems)
	}
}

func TestSettingsFollowTheirOrder(t *testing.T) {
	flags := testFlags(t)
	sys := openWith(t, flags, OpenOptions{})
	ctx := context.Background()
	if got := sys.Settings.Get("mode"); got != "ask" {
		t.Errorf("default mode is %q", got)
	}
	if _, err := sys.Settings.Set(ctx, "mode", "workspace"); err != nil {
		t.Fatal(err)
	}
	if _, err := sys.Settings.Set(ctx, "mode", "wild"); err == nil {
		t.Error("a mode that does not exist was accepted")
	}
	if _, err := sys.Settings.Set(ctx, "addr", "0.0.0.0:80"); err == nil {
		t.Error("the window could change where the server listens")
	}
	sys.Close()
	t.Setenv("SEXTANT_MODE", "read-only")
	sys = openWith(t, flags, OpenOptions{})
	if v, source := sys.Settings.Lookup("mode"); v != "read-only" || source != config.SourceEnvironment {
		t.Errorf("mode is %q from %q, want read-only from the environment", v, source)
	}
	if _, err := sys.Settings.Set(ctx, "mode", "full"); err == nil {
		t.Error("a setting fixed by the environment was changed in the window")
	}
}
