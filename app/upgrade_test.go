package app

import (
	"database/sql"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"sextant/app/config"
	"sextant/shared/toolspec"
)

// firstVersionFolders copies testdata/first-version, which the first version wrote (2026-11-23, before the packages and
// their words changed), into folders of the test. Its database is kept as SQL text.
func firstVersionFolders(t *testing.T) map[string]string {
	t.Helper()
	const from = "testdata/first-version"
	dir := t.TempDir()
	flags := map[string]string{
		"data": filepath.Join(dir, "data"), "config": filepath.Join(dir, "config"),
		"keychain": "off",
	}
	for name, to := range map[string]string{
		"panels":     filepath.Join(flags["data"], "panels"),
		"panel-data": filepath.Join(flags["data"], "panel-data"),
		"config":     flags["config"],
	} {
		if err := os.CopyFS(to, os.DirFS(filepath.Join(from, name))); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(from, "sextant.sql"))
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite3", filepath.Join(flags["data"], DatabaseName))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), string(text)); err != nil {
		t.Fatal(err)
	}
	return flags
}

func TestDataOfTheFirstVersionStillLoads(t *testing.T) {
	flags := firstVersionFolders(t)
	cfg, err := config.Load(flags)
	if err != nil {
		t.Fatal(err)
	}
	if len(cfg.Problems) != 0 {
		t.Errorf("config.toml: %v", cfg.Problems)
	}
	sys, err := OpenSystem(t.Context(), cfg, OpenOptions{}, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sys.Close)

	t.Run("conversation", func(t *testing.T) {
		list, err := sys.Store.Conversations(t.Context())
		if err != nil || len(list) != 1 || list[0].Title != "Lamps for the hall" {
			t.Fatalf("conversations: %+v, %v", list, err)
		}
		messages, err := sys.Store.Messages(t.Context(), list[0].ID)
		if err != nil || len(messages) != 30 || messages[0].Text != "read notes.txt" {
			t.Errorf("%d messages, %v", len(messages), err)
		}
	})
	t.Run("audit chain", func(t *testing.T) {
		if n, err := sys.Audit.Verify(t.Context()); err != nil || n != 16 {
			t.Errorf("%d entries, %v", n, err)
		}
	})
	t.Run("settings and grants", func(t *testing.T) {
		if got := sys.Settings.Get("theme"); got != "light" {
			t.Errorf("theme is %q", got)
		}
		if got := sys.Settings.Get("mode"); got != "full" {
			t.Errorf("mode is %q", got)
		}
		grants, err := sys.Store.Grants(t.Context())
		if err != nil || len(grants) != 1 || grants[0].Tool != "http_request" {
			t.Errorf("grants: %+v, %v", grants, err)
		}
	})
	t.Run("created tool", func(t *testing.T) {
		made, err := sys.Store.CreatedTools(t.Context())
		if err != nil || len(made) != 1 || made[0].Name != "first_line" {
			t.Errorf("created tools: %+v, %v", made, err)
		}
	})
	t.Run("MCP servers", func(t *testing.T) {
		var names []string
		for _, s := range sys.MCP.List() {
			names = append(names, s.Name)
		}
		if len(names) != 2 || names[0] != "clock" || names[1] != "remote" {
			t.Errorf("servers: %v", names)
		}
	})
	t.Run("dropped-in panel", func(t *testing.T) {
		for _, p := range sys.Panels.Panels() {
			if p.ID == "tally" && len(p.Problems) > 0 {
				t.Fatalf("problems: %v", p.ProblemLines())
			}
		}
		if err := sys.showPanel(t.Context(), "tally"); err != nil {
			t.Fatal(err)
		}
		r := sys.Pipeline.Do(t.Context(), toolspec.Call{
			Tool: "tally_add", Panel: "tally", Args: json.RawMessage(`{"name":"coffee","by":2}`),
			From: toolspec.Provenance{Caller: toolspec.CallerPerson, Interactive: true},
		})
		if text, err := json.Marshal(r.Value); !r.Success || err != nil ||
			string(text) != `{"name":"coffee","value":4}` {
			t.Errorf("tally_add: %+v %s", r, text)
		}
	})
}
