package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/backend/mcp/access"
)

func TestAdd(t *testing.T) {
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

func TestOnlyOneMemberIsChanged(t *testing.T) {
	for title, c := range map[string]struct{ before, name, after string }{
		"an empty entry": {`{"mcpServers":{"a":{}}}`, "a", `{"mcpServers":{"a":{ "disabled": true }}}`},
		"lines": {
			"{\"mcpServers\":{\"a\":{\n\t\"command\": \"x\"\n}}}", "a",
			"{\"mcpServers\":{\"a\":{\n\t\"command\": \"x\",\n\t\"disabled\": true\n}}}",
		},
		"spaces": {
			`{"mcpServers":{"a":{"disabled" : false, "command":"x"}}}`, "a",
			`{"mcpServers":{"a":{"disabled" : true, "command":"x"}}}`,
		},
		"a name with / and ~": {
			`{"mcpServers":{"a/b~":{"disabled":true}}}`, "a/b~",
			`{"mcpServers":{"a/b~":{"disabled":true}}}`,
		},
	} {
		t.Run(title, func(t *testing.T) {
			got, err := SetDisabled([]byte(c.before), c.name, true)
			if err != nil || string(got) != c.after {
				t.Errorf("%s\ngot  %s, %v\nwant %s", c.before, got, err, c.after)
			}
		})
	}
	if got, err := SetDisabled([]byte(`{"mcpServers":{"a":{}}}`), "a", false); err != nil ||
		string(got) != `{"mcpServers":{"a":{}}}` {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestConfigSymlinkIsKept(t *testing.T) {
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

func TestEntryErrors(t *testing.T) {
	for name, c := range map[string]struct {
		server string
		entry  Entry
		want   string
	}{
		"a program":            {"a", Entry{Command: "x"}, ""},
		"a remote server":      {"a", Entry{URL: "https://mcp.example/"}, ""},
		"neither":              {"a", Entry{}, "command or url is missing"},
		"both":                 {"a", Entry{Command: "x", URL: "https://mcp.example/"}, "both set"},
		"a name with a space":  {" a", Entry{Command: "x"}, "must begin with a letter or digit"},
		"a type":               {"a", Entry{Command: "x", Type: "pipe"}, `type "pipe" is unknown`},
		"NUL":                  {"a", Entry{Command: "x", Args: []string{"a\x00b"}}, "NUL"},
		"another scheme":       {"a", Entry{URL: "ftp://mcp.example/"}, "not an http or https address"},
		"sign-in of a program": {"a", Entry{Command: "x", OAuth: &OAuth{}}, "oauth needs a url"},
		"another grant": {
			"a",
			Entry{URL: "https://mcp.example/", OAuth: &OAuth{GrantType: "implicit"}},
			"is unknown",
		},
		"access of a remote one": {
			"a",
			Entry{URL: "https://mcp.example/", Sextant: &access.Override{}},
			"need a command",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := c.entry.Problem(c.server)
			if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestReplaceKeepsOrder(t *testing.T) {
	const text = "{\n  \"note\": 1, \"mcpServers\": {\"a\": 7, \"b\": {\"command\": \"y\"}}\n}"
	got, err := Replace([]byte(text), "a", Entry{Command: "x"})
	if want := strings.Replace(text, "7", `{"command":"x"}`, 1); err != nil || string(got) != want {
		t.Errorf("got %s, %v", got, err)
	}
	for _, name := range []string{"c", ""} {
		if _, err := Replace([]byte(text), name, Entry{Command: "x"}); !errors.Is(err, ErrUnknownServer) {
			t.Errorf("%q: %v", name, err)
		}
	}
	if _, err := SetDisabled([]byte(text), "a", true); !errors.Is(err, ErrUnknownServer) {
		t.Errorf("a server that is no object was changed: %v", err)
	}
}
