package mcpclient

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"sextant/backend/sandbox/secrets"

	"sextant/backend/mcp/config"
)

// TestSecretsInEnvAndHeaders: the header for the server's own host, the variable for
// the command that the secret was given to.
func TestSecretsInEnvAndHeaders(t *testing.T) {
	h, _ := remote(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program := func(name, ref string) string {
		return fmt.Sprintf(`%q: {"command": %s, "env": {%q: "x", "DB_KEY": %q}}`, name, strconv.Quote(self), serverMode,
			ref)
	}
	text := configText(
		program("near", "{{secret:db}}"), program("other", "{{secret:db}}"), program("lost", "{{secret:nobody}}"),
		`"far": {"url": "`+h.URL+`/mcp", "headers": {"Authorization": "{{secret:far}}"}}`,
		`"farther": {"url": "`+h.URL+`/mcp", "headers": {"Authorization": "{{secret:bank}}"}}`,
	)
	path := filepath.Join(t.TempDir(), "mcp-config.json")
	write(t, path, text)
	vault, err := secrets.Open(secrets.Config{Dir: filepath.Join(t.TempDir(), "secrets")})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []secrets.Secret{
		{Name: "db", Host: secrets.ServerHost("near"), Command: config.CommandOf(path, "near")},
		{Name: "far", Host: strings.TrimPrefix(h.URL, "http://")},
		{Name: "bank", Host: "bank.example"},
	} {
		if _, err := vault.Put(s, "Bearer k"); err != nil {
			t.Fatal(err)
		}
	}
	s, _, _ := startedWith(t, text, Config{Secrets: vault})
	waitForState(t, s, "near", stateReady)
	waitForState(t, s, "far", stateReady)
	if r := call(t, s, "near__env", `{}`); !strings.Contains(fmt.Sprint(r.Value), "DB_KEY=Bearer k") {
		t.Errorf("the program's environment: %v", r.Value)
	}
	for name, says := range map[string]string{
		"other": "bound to mcp:near", "lost": `no secret named "nobody"`, "farther": "bound to bank.example",
	} {
		t.Run(name, func(t *testing.T) {
			if v := waitForState(t, s, name, stateDown); !strings.Contains(v.Error, says) ||
				strings.Contains(v.Error, "Bearer k") {
				t.Errorf("%s failed with %q", name, v.Error)
			}
		})
	}
	for _, v := range s.List() {
		if strings.Contains(fmt.Sprintf("%+v", v), "Bearer k") {
			t.Errorf("the list tells %+v", v)
		}
	}
	if config.CommandOf(path, "far") != "" || config.CommandOf(path, "nobody") != "" {
		t.Error("a server that is no program has a command")
	}
	s.Close()
}
