package config

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

func TestOnlyOneMemberOfTheFileIsChanged(t *testing.T) {
	for _, c := range []struct{ before, name, after string }{
		{`{"mcpServers":{"a":{}}}`, "a", `{"mcpServers":{"a":{ "disabled": true }}}`},
		{"{\"mcpServers\":{\"a\":{\n\t\"command\": \"x\"\n}}}", "a", "{\"mcpServers\":{\"a\":{\n\t\"command\": \"x\",\n\t\"disabled\": true\n}}}"},
		{`{"mcpServers":{"a":{"disabled" : false, "command":"x"}}}`, "a", `{"mcpServers":{"a":{"disabled" : true, "command":"x"}}}`},
		{`{"mcpServers":{"a/b~":{"disabled":true}}}`, "a/b~", `{"mcpServers":{"a/b~":{"disabled":true}}}`},
	} {
		got, err := SetDisabled([]byte(c.before), c.name, true)
		if err != nil || string(got) != c.after {
			t.Errorf("%s\ngot  %s, %v\nwant %s", c.before, got, err, c.after)
		}
	}
	if got, err := SetDisabled([]byte(`{"mcpServers":{"a":{}}}`), "a", false); err != nil || string(got) != `{"mcpServers":{"a":{}}}` {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestALinkedConfigStaysALink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target.json"), filepath.Join(dir, "mcp-config.json")
	if err := os.WriteFile(target, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(target, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := Write(link, []byte("{} ")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is now %v, %v", info, err)
	}
	if info, err = os.Stat(target); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the mode is now %v, %v", info.Mode(), err)
	}
}
