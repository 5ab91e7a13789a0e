package secrets_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"
	"go.uber.org/goleak"

	"sextant/backend/sandbox/secrets"
	"sextant/shared/toolspec"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, dir string) *secrets.Vault {
	t.Helper()
	v, err := secrets.Open(secrets.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func put(t *testing.T, v *secrets.Vault, name, host, value string, places ...secrets.Place) {
	t.Helper()
	if _, err := v.Put(secrets.Secret{Name: name, Host: host, Places: places}, value); err != nil {
		t.Fatal(err)
	}
}

func TestValuesAreStoredPrivatelyAndNotListed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "secrets")
	v := open(t, dir)
	put(t, v, "git", "api.example.com", "tr0ub4dor&3x")
	for name, want := range map[string]os.FileMode{".": os.ModeDir | 0o700, "values.json": 0o600, "index.json": 0o600} {
		t.Run(name, func(t *testing.T) {
			info, err := os.Stat(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if info.Mode() != want {
				t.Errorf("got %v, want %v", info.Mode(), want)
			}
		})
	}
	again := open(t, dir)
	listed, err := json.Marshal([]any{again.List(), again.StorageInfo()})
	if err != nil || strings.Contains(string(listed), "tr0ub") || len(again.List()) != 1 {
		t.Errorf("the list is %s, %v", listed, err)
	}
	text, err := again.Fill("Bearer {{secret:git}}",
		secrets.Sink{Place: secrets.PlaceHeader, Origin: "https://api.example.com"}, nil)
	if err != nil || text != "Bearer tr0ub4dor&3x" {
		t.Errorf("filled %q, %v", text, err)
	}
	// Another process sees the use and the replaced value at once.
	if s := v.List()[0]; s.Uses != 1 || s.LastUsed == nil {
		t.Errorf("the use was not counted: %+v", s)
	}
	put(t, again, "git", "api.example.com", "another-value")
	if v.Mask("x another-value") != "x {{secret:git}}" {
		t.Error("a value that another process saved is not masked")
	}
	if err := v.Delete("git"); err != nil {
		t.Fatal(err)
	}
	if err := v.Delete("git"); !errors.Is(err, secrets.ErrNotFound) {
		t.Errorf("deleting twice: %v", err)
	}
	stored, err := os.ReadFile(filepath.Join(dir, "values.json"))
	if err != nil || strings.Contains(string(stored), "another") {
		t.Errorf("after deleting the file contains %s, %v", stored, err)
	}
}

func TestOpenAndPutRefuseSymlinks(t *testing.T) {
	base := t.TempDir()
	elsewhere := filepath.Join(base, "elsewhere")
	if err := os.Mkdir(elsewhere, 0o700); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(base, "secrets")
	if err := os.Symlink(elsewhere, dir); err != nil {
		t.Fatal(err)
	}
	if _, err := secrets.Open(secrets.Config{Dir: dir}); err == nil {
		t.Error("a symlink was opened as folder")
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	v := open(t, dir)
	put(t, v, "a", "a.example", "first-value")
	target := filepath.Join(elsewhere, "target")
	if err := os.WriteFile(target, []byte("{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"values.json", "index.json"} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(dir, name)
			before, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_ = os.Remove(file)
			if err := os.Symlink(target, file); err != nil {
				t.Fatal(err)
			}
			if _, err := v.Put(secrets.Secret{Name: "b", Host: "b.example"}, "second-value"); err == nil {
				t.Errorf("%s was written through a symlink", name)
			}
			if text, _ := os.ReadFile(target); string(text) != "{}" {
				t.Errorf("%s: the symlink was followed: %s", name, text)
			}
			_ = os.Remove(file)
			if err := os.WriteFile(file, before, 0o600); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestPutRefusesInvalidSecrets(t *testing.T) {
	v := open(t, t.TempDir())
	for name, s := range map[string]struct {
		secrets.Secret
		value string
	}{
		"upper-case name":   {secrets.Secret{Name: "Git", Host: "a.example"}, "long-enough"},
		"no name":           {secrets.Secret{Host: "a.example"}, "long-enough"},
		"no host":           {secrets.Secret{Name: "a"}, "long-enough"},
		"wildcard host":     {secrets.Secret{Name: "a", Host: "*.example.com"}, "long-enough"},
		"URL as host":       {secrets.Secret{Name: "a", Host: "https://a.example/"}, "long-enough"},
		"short value":       {secrets.Secret{Name: "a", Host: "a.example"}, "tiny!"},
		"value is not text": {secrets.Secret{Name: "a", Host: "a.example"}, "long-enough\xff"},
		"unknown place": {
			secrets.Secret{Name: "a", Host: "a.example", Places: []secrets.Place{"cookie"}}, "long-enough",
		},
		"env for a network host": {
			secrets.Secret{Name: "a", Host: "a.example", Places: []secrets.Place{secrets.PlaceEnv}},
			"long-enough",
		},
		"server without command": {secrets.Secret{Name: "a", Host: "mcp:files"}, "long-enough"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := v.Put(s.Secret, s.value)
			if !errors.Is(err, secrets.ErrInvalid) || strings.Contains(err.Error(), s.value) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestFillOnlyForBoundHost(t *testing.T) {
	v := open(t, t.TempDir())
	put(t, v, "plain", "api.example.com", "value-of-plain")
	put(t, v, "port", "API.example.com.:8443", "value-of-port")
	put(t, v, "clear", "localhost:80", "value-of-clear")
	put(t, v, "six", "[::1]:9000", "value-of-six", secrets.PlaceHeader)
	for _, tc := range []struct {
		name, origin string
		allowed      bool
	}{
		{"plain", "https://api.example.com", true},
		{"plain", "https://API.example.com:443", true},
		{"plain", "http://api.example.com", false},
		{"plain", "https://api.example.com:8443", false},
		{"plain", "https://x.api.example.com", false},
		{"plain", "https://api.example.com.evil.example", false},
		{"plain", "https://api.example.com@evil.example", false},
		{"plain", "https://evil.example#api.example.com", false},
		{"plain", "ftp://api.example.com", false},
		{"plain", "mcp:api.example.com", false},
		{"plain", "null", false},
		{"plain", "", false},
		{"port", "https://api.example.com:8443", true},
		{"port", "https://api.example.com", false},
		{"clear", "http://localhost", true},
		{"clear", "http://localhost:80", true},
		{"clear", "http://localhost:8080", false},
		{"six", "http://[::1]:9000", true},
		{"six", "http://[::1]:9001", false},
	} {
		t.Run(tc.name+" to "+tc.origin, func(t *testing.T) {
			sink := secrets.Sink{Place: secrets.PlaceHeader, Origin: tc.origin}
			text, err := v.Fill("{{secret:"+tc.name+"}}", sink, nil)
			var refusal *secrets.Refusal
			switch {
			case tc.allowed && (err != nil || text != "value-of-"+tc.name):
				t.Errorf("got %q, %v", text, err)
			case tc.allowed:
			case !errors.As(err, &refusal) || refusal.Kind != toolspec.SecurityError || text != "":
				t.Errorf("got %q, %v", text, err)
			case strings.Contains(err.Error(), "value-of") || !strings.Contains(err.Error(), "is bound to "):
				t.Errorf("the refusal is %v", err)
			}
		})
	}
	_, err := v.Fill("{{secret:six}}", secrets.Sink{Place: secrets.PlaceQuery, Origin: "http://[::1]:9000"}, nil)
	if err == nil || !strings.Contains(err.Error(), "must not be used in the query") {
		t.Errorf("another place: %v", err)
	}
	var refusal *secrets.Refusal
	_, err = v.Fill("{{secret:nobody}}",
		secrets.Sink{Place: secrets.PlaceHeader, Origin: "https://api.example.com"}, nil)
	if !errors.As(err, &refusal) || refusal.Kind != toolspec.UserError ||
		!strings.Contains(refusal.Suggestion, "clear, plain, port, six") {
		t.Errorf("an unknown name: %v", err)
	}
}

func TestFillForMCPServerNeedsSameCommand(t *testing.T) {
	v := open(t, t.TempDir())
	if _, err := v.Put(secrets.Secret{Name: "db", Host: "mcp:files", Command: "npx server ."},
		"value-of-db"); err != nil {
		t.Fatal(err)
	}
	text, err := v.Fill("{{secret:db}}", secrets.Sink{
		Place: secrets.PlaceEnv, Origin: secrets.ServerHost("files"),
		Command: "npx server .",
	}, nil)
	if err != nil || text != "value-of-db" {
		t.Errorf("%q, %v", text, err)
	}
	for _, sink := range []secrets.Sink{
		{Place: secrets.PlaceEnv, Origin: secrets.ServerHost("files"), Command: "npx other ."},
		{Place: secrets.PlaceEnv, Origin: secrets.ServerHost("other"), Command: "npx server ."},
		{Place: secrets.PlaceHeader, Origin: "https://files"},
	} {
		t.Run(sink.Command+sink.Origin, func(t *testing.T) {
			if text, err := v.Fill("{{secret:db}}", sink, nil); err == nil || text != "" {
				t.Errorf("%v got %q", sink, text)
			}
		})
	}
}

// The file of the key is removed only after the vault has stored the key.
func TestImportKeyFileLosesNothing(t *testing.T) {
	dir := t.TempDir()
	keyFile := filepath.Join(dir, "openai_api_key")
	if err := os.WriteFile(keyFile, []byte("sk-old"), 0o600); err != nil {
		t.Fatal(err)
	}
	blocked := filepath.Join(dir, "values.json.new")
	if err := os.MkdirAll(filepath.Join(blocked, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	v := open(t, dir)
	if err := v.ImportKeyFile("openai_api_key"); err == nil {
		t.Error("an import succeeded though the vault could not be written")
	}
	if text, _ := os.ReadFile(keyFile); string(text) != "sk-old" {
		t.Fatalf("the failed import left %q", text)
	}
	if err := os.RemoveAll(blocked); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := v.ImportKeyFile("openai_api_key"); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(keyFile); !os.IsNotExist(err) {
		t.Errorf("the file of the key still exists: %v", err)
	}
	again := open(t, dir)
	if key, ok := again.Key("openai_api_key"); !ok || key != "sk-old" {
		t.Errorf("the key is %q, %v", key, ok)
	}
	if len(again.List()) != 0 {
		t.Errorf("a key is listed as a secret: %+v", again.List())
	}
	if text, err := again.Fill("{{secret:openai_api_key}}",
		secrets.Sink{Place: secrets.PlaceHeader, Origin: "https://a.example"}, nil); err == nil {
		t.Errorf("a reference reached a key: %q", text)
	}
	if err := again.SetKey("openai_api_key", ""); err != nil {
		t.Fatal(err)
	}
	if _, ok := open(t, dir).Key("openai_api_key"); ok {
		t.Error("a deleted key still exists")
	}
}

// lockableKeychain is a keychain that can be locked.
type lockableKeychain struct {
	secrets.Keychain
	locked bool
}

func (k *lockableKeychain) Set(name, value string) error {
	if k.locked {
		return errors.New("locked")
	}
	return k.Keychain.Set(name, value)
}

// TestFileStoresValuesThatKeychainRefuses uses the keychain library's mock; TestSecretServiceStoresValues uses a
// real one.
func TestFileStoresValuesThatKeychainRefuses(t *testing.T) {
	keyring.MockInit()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/nowhere")
	dir := filepath.Join(t.TempDir(), "secrets")
	keychain, reason := secrets.DesktopKeychain(dir)
	if keychain == nil {
		t.Fatal(reason)
	}
	lockable := &lockableKeychain{Keychain: keychain}
	v, err := secrets.Open(secrets.Config{Dir: dir, Keychain: lockable})
	if err != nil {
		t.Fatal(err)
	}
	put(t, v, "one", "a.example", "value-of-one")
	if _, err := os.Stat(filepath.Join(dir, "values.json")); !os.IsNotExist(err) {
		t.Errorf("with a keychain values.json exists: %v", err)
	}
	lockable.locked = true
	put(t, v, "two", "a.example", "value-of-two")
	for i, want := range []string{"keychain", "file"} {
		if s := v.List()[i]; s.Storage != want || s.Missing {
			t.Errorf("%s is stored in %q, missing %v", s.Name, s.Storage, s.Missing)
		}
	}
	without, err := secrets.Open(secrets.Config{Dir: dir, NoKeychainReason: "it was uninstalled"})
	if err != nil {
		t.Fatal(err)
	}
	if s := without.List(); !s[0].Missing || s[1].Missing || without.StorageInfo().Reason != "it was uninstalled" {
		t.Errorf("without the keychain: %+v", s)
	}
	_, err = without.Fill("{{secret:one}}", secrets.Sink{Place: secrets.PlaceHeader, Origin: "https://a.example"}, nil)
	if err == nil || !strings.Contains(err.Error(), "keychain") {
		t.Errorf("a value that cannot be read: %v", err)
	}
	lockable.locked = false
	put(t, v, "two", "a.example", "value-of-two")
	if text, _ := os.ReadFile(filepath.Join(dir, "values.json")); strings.Contains(string(text), "value-of-two") {
		t.Error("a value that moved to the keychain is still in the file")
	}
	lockable.locked = true
	put(t, v, "two", "a.example", "value-of-two")
	if value, err := keychain.Get("secret/two"); err == nil {
		t.Errorf("a value that moved to the file is still in the keychain: %q", value)
	}
	if s := v.List()[1]; s.Storage != "file" || s.Missing {
		t.Errorf("after the move to the file: %+v", s)
	}
}
