package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/sandbox/confine"
)

func TestMain(m *testing.M) {
	confine.RunStep() // the commands of a script start this binary as a step of a sandboxed run
	testscript.Main(leakChecked{m}, map[string]func(){
		"sextant": func() { os.Exit(Main(os.Args[1:])) },
	})
}

// leakChecked runs tests and fails when they leave goroutines behind.
type leakChecked struct{ tests testscript.TestingM }

// Run implements testscript.TestingM.
func (l leakChecked) Run() int {
	code := l.tests.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		_, _ = os.Stderr.WriteString(err.Error() + "\n")
		return 1
	}
	return code
}

// TestScripts runs the command lines in testdata/script. Each script has its own folders for data and configuration.
func TestScripts(t *testing.T) {
	examples, err := filepath.Abs("../../docs/examples")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("SEXTANT_DATA", filepath.Join(env.WorkDir, "data"))
			env.Setenv("SEXTANT_CONFIG", filepath.Join(env.WorkDir, "config"))
			env.Setenv("SEXTANT_KEYCHAIN", "off")
			env.Setenv("EXAMPLES", examples)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":   exits,
			"model":   serveModel,
			"waitfor": waitFor,
		},
		Condition: func(name string) (bool, error) {
			if name != "sandbox" {
				return false, fmt.Errorf("unknown condition %s", name)
			}
			ok, _, _ := confine.New(confine.Config{}).Available()
			return ok, nil
		},
	})
}

// exits runs a command that must end with an exit code: exits CODE PROGRAM [ARG …].
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM [ARG …]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err, code := ts.Exec(args[1], args[2:]...), 0
	var failed *exec.ExitError
	switch {
	case errors.As(err, &failed):
		code = failed.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

// waitFor waits until a file exists: waitfor FILE.
func waitFor(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: waitfor FILE")
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if _, err := os.Stat(ts.MkAbs(args[0])); err == nil {
			return
		}
		if time.Now().After(end) {
			ts.Fatalf("there is no %s after a minute", args[0])
		}
	}
}

// serveModel starts a local model service with the answers of a JSON file, and connects Sextant to it: model FILE.
func serveModel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: model FILE")
	}
	var turns []openaitest.Answer
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &turns))
	service, err := openaitest.Start(turns...)
	ts.Check(err)
	ts.Defer(service.Close)
	ts.Setenv("SEXTANT_OPENAI_BASE_URL", service.URL())
	ts.Setenv("SEXTANT_OPENAI_API_KEY", "test")
}
