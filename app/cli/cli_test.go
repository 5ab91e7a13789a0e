package cli

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"sextant/backend/sandbox/confine"
)

func TestMain(m *testing.M) {
	confine.Enter() // tests whose tools run commands start this binary as a step of a run
	goleak.VerifyTestMain(m)
}

// testFlags returns the flags of folders that belong to one test.
func testFlags(t *testing.T) map[string]string {
	t.Helper()
	t.Setenv("SEXTANT_KEYCHAIN", "off")
	dir := t.TempDir()
	return map[string]string{"data": filepath.Join(dir, "data"), "config": filepath.Join(dir, "config")}
}

// verb runs a command line and returns its exit code, stdout and stderr.
func verb(t *testing.T, flags map[string]string, args ...string) (int, string, string) {
	t.Helper()
	var out, errs bytes.Buffer
	args = append(args, "--data", flags["data"], "--config", flags["config"])
	code := Run(context.Background(), args, Streams{In: strings.NewReader(""), Out: &out, Err: &errs})
	return code, out.String(), errs.String()
}
