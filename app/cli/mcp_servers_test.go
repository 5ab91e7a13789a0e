package cli

import (
	"strings"
	"testing"

	mcpconfig "sextant/backend/mcp/config"
	"sextant/backend/mcp/importers"
)

func TestPreviewShowsWhatRunsAndEscapesControlCharacters(t *testing.T) {
	var out strings.Builder
	printPreview(&out, importers.Preview{Format: "a file", Servers: []importers.PreviewedServer{{
		Name: "a\x1b[2Jb", CommandOrURL: "node x", Notes: []string{"note\x1b]0;t\a"},
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
