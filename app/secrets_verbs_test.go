package app

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// verbWithInput runs a command line with text on stdin, and returns its exit code and all that it printed.
func verbWithInput(t *testing.T, flags map[string]string, stdin string, args ...string) (int, string) {
	t.Helper()
	var out, errs bytes.Buffer
	args = append(args, "--data", flags["data"], "--config", flags["config"])
	code := RunCLI(context.Background(), args, strings.NewReader(stdin), &out, &errs)
	return code, out.String() + errs.String()
}

func TestSecretsVerbsWorkWhileSextantRuns(t *testing.T) {
	t.Setenv("SEXTANT_KEYCHAIN", "off")
	flags := testFlags(t)
	sys := openWith(t, flags, OpenOptions{Serve: true})
	const value = "tr0ub4dor-and-3"
	code, printed := verbWithInput(
		t,
		flags,
		value+"\n",
		"secrets",
		"set",
		"git",
		"--host",
		"api.example.com",
		"--in",
		"header",
	)
	if code != exitDone || strings.Contains(printed, value) {
		t.Errorf("exit %d: %s", code, printed)
	}
	// The running Sextant knows the secret. A program reads everything except the value, and changes nothing.
	c := clientOf(t, sys)
	if status, b := c.do(http.MethodGet, "/api/secrets", nil); status != http.StatusOK ||
		!bytes.Contains(b, []byte(`"name":"git"`)) || bytes.Contains(b, []byte(value)) {
		t.Errorf("%d %s", status, b)
	}
	put := map[string]any{"host": "evil.example", "value": "something-else"}
	if status, b := c.do(http.MethodPut, "/api/secrets/git", put); status != http.StatusForbidden {
		t.Errorf("a program replaced a secret: %d %s", status, b)
	}
	if status, b := c.do(http.MethodDelete, "/api/secrets/git", nil); status != http.StatusForbidden {
		t.Errorf("a program deleted a secret: %d %s", status, b)
	}
	c = windowOf(t, sys)
	if status, b := c.do(http.MethodPut, "/api/secrets/bank",
		map[string]any{"host": "bank.example", "value": "tiny!"}); status != http.StatusBadRequest ||
		bytes.Contains(b, []byte("tiny!")) {
		t.Errorf("a short value: %d %s", status, b)
	}
	if status, b := c.do(http.MethodPut, "/api/secrets/bank",
		map[string]any{"host": "bank.example", "value": value}); status != http.StatusOK ||
		bytes.Contains(b, []byte(value)) {
		t.Errorf("storing: %d %s", status, b)
	}
	if status, b := c.do(http.MethodDelete, "/api/secrets/git", nil); status != http.StatusOK ||
		bytes.Contains(b, []byte(`"git"`)) {
		t.Errorf("deleting: %d %s", status, b)
	}
}

func TestOldKeyFileIsMovedAndStillWorks(t *testing.T) {
	flags := testFlags(t)
	old := filepath.Join(flags["data"], "secrets", "openai_api_key")
	if err := os.MkdirAll(filepath.Dir(old), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(old, []byte("sk-from-before"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		sys := openWith(t, flags, OpenOptions{})
		if got := sys.Settings.Get("openai_api_key"); got != "sk-from-before" {
			t.Errorf("the key is %q", got)
		}
		if _, err := os.Stat(old); !os.IsNotExist(err) {
			t.Errorf("its old file is still there: %v", err)
		}
		sys.Close()
	}
}
