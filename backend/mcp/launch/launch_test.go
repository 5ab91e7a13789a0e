package launch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/backend/mcp/config"
)

func TestMissingCommandError(t *testing.T) {
	for name, c := range map[string]struct{ command, want string }{
		"a name":         {"no-such-program", `command not found: "no-such-program"`},
		"with arguments": {"no-such-program server.mjs", "Put its arguments into the field for arguments"},
	} {
		t.Run(name, func(t *testing.T) {
			request := Request{Entry: config.Entry{Command: c.command}, Path: t.TempDir()}
			_, _, _, outside := (*Sandbox)(nil).Start(t.Context(), request)
			inside := checkExecutable(c.command, "", t.TempDir())
			for _, err := range []error{outside, inside} {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v", err)
				}
			}
		})
	}
	file := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := checkExecutable(file, "", ""); err == nil || !strings.Contains(err.Error(), "not an executable program") {
		t.Errorf("got %v", err)
	}
}
