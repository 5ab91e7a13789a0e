package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/app/config"
	mcpconfig "sextant/backend/mcp/config"
	"sextant/backend/mcp/importers"
)

func TestAPreviewShowsAllThatRunsAndHidesNothing(t *testing.T) {
	var out strings.Builder
	printPreview(&out, importers.Preview{Format: "a file", Servers: []importers.PreviewedServer{{
		Name: "a\x1b[2Jb", Line: "node x", Notes: []string{"note\x1b]0;t\a"},
		Entry: mcpconfig.Entry{
			Command: "node", Cwd: "/srv/\x1b[1m",
			Env: map[string]string{"NODE_OPTIONS": "--require ./evil.js"},
		},
	}}}, nil)
	for _, want := range []string{
		`a\u001b[2Jb`, `"NODE_OPTIONS=--require ./evil.js"`, `in the folder "/srv/\x1b[1m"`,
		`note\u001b]0;t\u0007`,
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in\n%s", want, out.String())
		}
	}
	if strings.ContainsAny(out.String(), "\x1b\a") {
		t.Errorf("control characters are printed: %q", out.String())
	}
}

func TestWhatAServerMayTouchIsShownAndChangedOnTheCommandLine(t *testing.T) {
	flags := testFlags(t)
	folder := t.TempDir()
	if code, _, errs := verb(t, flags, "mcp-servers", "grants", "files"); code != exitFailed ||
		!strings.Contains(errs, "no such MCP server") {
		t.Fatalf("got %d %s", code, errs)
	}
	path := filepath.Join(flags["config"], mcpconfig.FileName)
	if err := os.MkdirAll(flags["config"], 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`{"mcpServers": {"files": {"command": "node", "args": ["`+folder+
		`"], "more": 1}}, "other": true}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if ok, _, why := sandboxOf(&config.Config{
		DataDir:   flags["data"],
		ConfigDir: flags["config"],
	}).Confine.Available(); !ok {
		t.Skip(why)
	}
	for _, step := range []struct {
		args         []string
		words, wrote string
	}{
		{nil, "can read and change " + folder, `"more": 1}}`},
		{
			[]string{"--network", "api.example.com", "--read", folder, "--write", "none"},
			"can reach api.example.com and no other host", `"grants":{"network":["api.example.com"],"read":["` +
				folder + `"],"write":[]}`,
		},
		{[]string{"--sandbox", "off"}, "It runs as you", `"confine":"off"`},
		{[]string{"--reset"}, "the whole network", `"more":1}}, "other": true`},
	} {
		code, out, errs := verb(t, flags, append([]string{"mcp-servers", "grants", "files"}, step.args...)...)
		text, err := os.ReadFile(path)
		if code != exitDone || err != nil || !strings.Contains(out, step.words) ||
			!strings.Contains(string(text), step.wrote) {
			t.Errorf("%v: %d\n%s%s\n%s", step.args, code, out, errs, text)
		}
	}
}
