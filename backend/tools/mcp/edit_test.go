package mcp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAddKeepsWhatIsThereAndRefusesANameTwice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", FileName)
	if err := Add(path, "files", Entry{Command: "server", Args: []string{"."}}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	withMore := strings.Replace(string(text), "{", `{"theirs": 1,`, 1)
	if err := os.WriteFile(path, []byte(withMore), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Add(path, "remote", Entry{URL: "https://mcp.example/mcp"}); err != nil {
		t.Fatal(err)
	}
	if err := Add(path, "files", Entry{Command: "other"}); err == nil {
		t.Error("a name that exists was taken")
	}
	text, err = os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"theirs": 1`, `"files"`, `"command": "server"`, `"remote"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is missing in %s", want, text)
		}
	}
}

func TestImportTellsWhatItLeftAloneAndRefusesABrokenFileWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), FileName)
	if err := Add(path, "a", Entry{Command: "mine"}); err != nil {
		t.Fatal(err)
	}
	added, skipped, err := Import(path, []byte(`{"mcpServers":{"a":{"command":"theirs"},"b":{"command":"x"}}}`))
	if err != nil || len(added) != 1 || added[0] != "b" || len(skipped) != 1 || skipped[0] != "a" {
		t.Fatalf("added %v, skipped %v, err %v", added, skipped, err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{`{`, `{}`, `{"mcpServers":{"c":{}}}`, `{"mcpServers":{"c":7}}`} {
		if _, _, err := Import(path, []byte(bad)); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("a refused import changed the file (%v)", err)
	}
}
