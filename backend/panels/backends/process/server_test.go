package process

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sextant/backend/panels/manifest"
	"sextant/shared/toolspec"
)

// server is a real MCP server, the test binary itself, in the panel's folder.
func (f *fixture) server(change func(*Panel)) *Runner {
	f.t.Helper()
	self, err := os.ReadFile(os.Args[0])
	if err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(f.path, "served"), self, 0o700); err != nil {
		f.t.Fatal(err)
	}
	return f.runner(false, func(p *Panel) {
		p.Backend = manifest.Backend{Kind: "mcp", Command: "./served", Args: []string{asServer}}
		if change != nil {
			change(p)
		}
	})
}

func (f *fixture) served(r *Runner, tool string, args map[string]any) (toolspec.Result, error) {
	f.t.Helper()
	text, err := json.Marshal(args)
	if err != nil {
		f.t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(f.t.Context(), 20*time.Second)
	defer cancel()
	result, _, err := r.CallTool(ctx, tool, text, func(string, string) {})
	return result, err
}

func TestMCPServerIsSandboxed(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	r := b.server(func(p *Panel) { p.Permissions.FS = []string{"~/plans"} })
	for name, may := range map[string]bool{
		"plans/plan.txt": true, ".ssh/id_ed25519": false, "letters/one.txt": false,
		"data/sextant.db": false,
	} {
		t.Run(name, func(t *testing.T) {
			got, err := b.served(r, "read", map[string]any{"path": filepath.Join(b.home, name)})
			if err != nil || (got.Success && got.Value != "") != may {
				t.Errorf("%s: %+v %v", name, got, err)
			}
		})
	}
	got, err := b.served(r, "none", nil)
	if err != nil || got.ErrorType != toolspec.UserError || !strings.Contains(got.Error, "refused none") {
		t.Errorf("%+v %v", got, err)
	}
}

func TestFailingMCPServerFailsOnlyItsCall(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	r := b.server(nil)
	first, err := b.served(r, "identity", nil)
	if err != nil || !first.Success {
		t.Fatalf("%+v %v; it printed %q", first, err, r.Output())
	}
	short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, _, err := r.CallTool(short, "hang", json.RawMessage("{}"), func(string, string) {}); err == nil {
		t.Error("an answer that never came came")
	}
	if same, err := b.served(r, "identity", nil); err != nil || same.Value != first.Value {
		t.Errorf("%+v %v", same, err)
	}
	if _, err := b.served(r, "die", nil); err == nil {
		t.Error("a dead server answered")
	}
	if why := r.ExitReason(); !strings.Contains(why, "exit 3: Error: out of paper") {
		t.Errorf("%q", why)
	}
	if next, err := b.served(r, "identity", nil); err != nil || !next.Success || next.Value == first.Value {
		t.Errorf("%+v %v", next, err)
	}
}

func TestNotAnMCPServer(t *testing.T) {
	t.Parallel()
	b := newFixture(t)
	for name, args := range map[string][]string{
		"stopped": {"-e", "console.error('no such mode'); process.exit(1)"},
		"greeted": {"-e", "console.log('hello')"},
	} {
		t.Run(name, func(t *testing.T) {
			r := b.runner(
				false,
				func(p *Panel) { p.Backend = manifest.Backend{Kind: "mcp", Command: "node", Args: args} },
			)
			if _, err := b.served(r, "x", nil); err == nil || !strings.Contains(err.Error(), "MCP server") &&
				!strings.Contains(err.Error(), "stopped") {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}
