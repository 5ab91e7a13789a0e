package inspect

import (
	"context"
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"sextant/shared/toolspec"
)

// newDatabase makes a file with lamps, a view and a full-text index.
func newDatabase(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+(&url.URL{Path: path}).EscapedPath())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, q := range []string{
		"CREATE TABLE lamps (id INTEGER PRIMARY KEY, name TEXT, price REAL, picture BLOB, made TIMESTAMP)",
		"INSERT INTO lamps VALUES (1, 'desk', 49.5, x'0102', '2026-01-02 03:04:05'), (2, 'floor', NULL, NULL, NULL)",
		"CREATE VIEW cheap AS SELECT name FROM lamps WHERE price < 100",
		"CREATE VIEW evil AS SELECT load_extension('x')",
		"CREATE VIRTUAL TABLE words USING fts5(text)", "INSERT INTO words VALUES ('three bright lamps')",
	} {
		_, err := db.ExecContext(t.Context(), q)
		if err != nil && strings.Contains(err.Error(), "no such module: fts5") {
			t.Skip("the test was built without the tag sqlite_fts5")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestSQLQuery(t *testing.T) {
	tools, folder := newTools(t)
	path := filepath.Join(folder, "shop % ?.db")
	newDatabase(t, path)
	ask := func(query string) toolspec.Result {
		return run(t, tools, "sql_query", map[string]any{"path": "shop % ?.db", "query": query})
	}
	wantText(t, ask(""), "CREATE TABLE lamps", "CREATE VIEW cheap")
	r := ask("SELECT * FROM lamps ORDER BY id")
	wantText(t, r, "id | name | price | picture | made", "1 | desk | 49.5 | [blob, 2 bytes] | 2026-01-02T03:04:05Z",
		"2 | floor | NULL | NULL | NULL")
	if v := r.Value.(*table); len(v.Rows) != 2 || v.Rows[0][1] != "desk" || v.Truncated {
		t.Errorf("%+v", v)
	}
	wantText(t, ask("SELECT name FROM cheap"), "desk")
	wantText(t, ask("SELECT text FROM words WHERE words MATCH 'bright'"), "three bright lamps")
	recursive := "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 3) SELECT sum(i) AS s FROM n"
	wantText(t, ask(recursive), "s\n6")
	wantText(t, ask("PRAGMA table_info(lamps)"), "price")
	wantText(t, ask("PRAGMA user_version"), "0")
	wantText(t, ask("SELECT 1 WHERE 0"), "(no rows)")
	wantError(t, ask("SELECT * FROM lamp"), toolspec.UserError, "no such table: lamp", "Tables: lamps")
	wantError(t, ask("SELEC 1"), toolspec.UserError, "syntax error")
	r = run(t, tools, "sql_query", map[string]any{"path": path, "query": "SELECT name FROM lamps", "limit": 1})
	wantText(t, r, "[Cut: there is more")
	long := ask("SELECT replace(hex(zeroblob(3000)), '0', 'ü')")
	wantText(t, long, "… (6000 characters)")
	d := tools.Describe(callOf("sql_query", map[string]any{"path": "shop % ?.db", "query": "SELECT 1"}))
	if d.Target != path || len(d.Files) != 1 || d.Files[0].Path != path {
		t.Errorf("%+v", d)
	}
}

func TestDownloadedDatabaseIsUntrusted(t *testing.T) {
	tools, folder := newTools(t)
	tools.cfg.Downloads = filepath.Join(folder, "downloads")
	if err := os.Mkdir(tools.cfg.Downloads, 0o700); err != nil {
		t.Fatal(err)
	}
	newDatabase(t, filepath.Join(tools.cfg.Downloads, "shop.db"))
	newDatabase(t, filepath.Join(folder, "own.db"))
	for path, want := range map[string]int{"downloads/shop.db": 1, "own.db": 0} {
		for _, query := range []string{"SELECT name FROM lamps", "SELECT * FROM nowhere"} {
			if r := run(t, tools, "sql_query", map[string]any{"path": path, "query": query}); len(r.Sources) != want {
				t.Errorf("%s of %s: sources %v", query, path, r.Sources)
			}
		}
	}
}

func TestWritingSQLIsRefused(t *testing.T) {
	tools, folder := newTools(t)
	path := filepath.Join(folder, "shop.db")
	newDatabase(t, path)
	other := filepath.Join(folder, "other.db")
	newDatabase(t, other)
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{
		"INSERT INTO lamps (name) VALUES ('x')", "UPDATE lamps SET price = 1", "DELETE FROM lamps", "DROP TABLE lamps",
		"CREATE TABLE x (a)",
		"CREATE TEMP TABLE x (a)", "ALTER TABLE lamps RENAME TO x", "REPLACE INTO lamps (id) VALUES (1)",
		"CREATE INDEX i ON lamps (name)",
		"ATTACH '" + other + "' AS o", "ATTACH ':memory:' AS m", "DETACH main", "VACUUM", "VACUUM INTO '" + folder +
			"/copy.db'", "REINDEX", "ANALYZE",
		"BEGIN", "BEGIN IMMEDIATE", "SAVEPOINT s", "SELECT load_extension('x')", "SELECT * FROM evil",
		"SELECT writefile('" + folder + "/x', 'x')",
		"SELECT readfile('/etc/passwd')", "SELECT fts3_tokenizer('simple')", "PRAGMA user_version = 7",
		"PRAGMA user_version(7)", "PRAGMA journal_mode = WAL",
		"PRAGMA journal_mode", "PRAGMA writable_schema = ON", "PRAGMA query_only = OFF", "PRAGMA trusted_schema = ON",
		"PRAGMA temp_store_directory = '/tmp'",
		"PRAGMA schema_version = 1", "PRAGMA encoding = 'UTF-16'", "PRAGMA wal_checkpoint", "PRAGMA optimize",
		"PRAGMA incremental_vacuum",
		"SELECT 1; DELETE FROM lamps", "SELECT 1; ATTACH '" + other + "' AS o; SELECT * FROM o.lamps",
		"SELECT * FROM pragma_user_version; DELETE FROM lamps",
		"INSERT INTO words(words) VALUES ('rebuild')", "CREATE VIRTUAL TABLE v USING fts5(a)",
		"EXPLAIN DELETE FROM lamps",
	} {
		t.Run(query, func(t *testing.T) {
			r := run(t, tools, "sql_query", map[string]any{"path": "shop.db", "query": query})
			if r.Success {
				t.Errorf("the query ran: %s", r.Text)
			}
		})
	}
	if after, _ := os.ReadFile(path); string(after) != string(before) {
		t.Error("the file was changed")
	}
	entries, _ := os.ReadDir(folder)
	if len(entries) != 2 {
		t.Errorf("files were made: %v", entries)
	}
}

func TestEndlessQueryIsCanceled(t *testing.T) {
	tools, folder := newTools(t)
	newDatabase(t, filepath.Join(folder, "shop.db"))
	endless := "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT count(*) FROM n"
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan toolspec.Result)
	go func() {
		r, _ := tools.Execute(ctx, callOf("sql_query", map[string]any{"path": "shop.db", "query": endless}),
			toolspec.Definition{}, nil)
		done <- r
	}()
	cancel()
	if r := <-done; r.Success || r.ErrorType != "" {
		t.Errorf("%+v", r)
	}
	wantError(t, run(t, tools, "sql_query", map[string]any{"path": "shop.db", "query": "SELECT zeroblob(100000000)"}),
		toolspec.UserError, "too big")
}

func TestOtherFilesAreRefused(t *testing.T) {
	tools, folder := newTools(t)
	writeFile(t, filepath.Join(folder, "notes.txt"), "three lamps, and more than sixteen bytes")
	writeFile(t, filepath.Join(folder, "empty.db"), "")
	home := filepath.Dir(folder)
	newDatabaseAt := filepath.Join(home, ".ssh/keys.db")
	writeFile(t, newDatabaseAt, sqliteHead)
	if err := syscall.Mkfifo(filepath.Join(folder, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantError(t, run(t, tools, "sql_query", map[string]any{"path": "notes.txt"}), toolspec.UserError,
		"not a SQLite file")
	wantError(t, run(t, tools, "sql_query", map[string]any{"path": "pipe"}), toolspec.UserError, "not a regular file")
	wantError(t, run(t, tools, "sql_query", map[string]any{"path": "/dev/zero"}), toolspec.UserError,
		"not a regular file")
	wantError(t, run(t, tools, "sql_query", map[string]any{"path": "gone.db"}), toolspec.UserError, "there is no file")
	wantError(t, run(t, tools, "sql_query", map[string]any{"path": "~/.ssh/keys.db"}), toolspec.SecurityError,
		"closed to every tool")
	data := filepath.Join(filepath.Dir(home), "data/sextant.db")
	wantError(t, run(t, tools, "sql_query", map[string]any{"path": data}),
		toolspec.SecurityError, "Sextant's own data")
	wantError(t, run(t, tools, "sql_query", map[string]any{"path": "../x.db"}), toolspec.SecurityError,
		"leads out of the workspace")
	wantText(t, run(t, tools, "sql_query", map[string]any{"path": "empty.db"}), "(no rows)")
	wantError(t, run(t, tools, "sql_query", map[string]any{"path": "empty.db", "limit": 1001}),
		toolspec.ValidationError, "1 to 1000")
	if _, err := os.Stat(filepath.Join(folder, "gone.db")); err == nil {
		t.Error("a file was made")
	}
	writeFile(t, filepath.Join(folder, "broken.db"), sqliteHead+strings.Repeat("\xff", 5000))
	if r := run(t, tools, "sql_query", map[string]any{"path": "broken.db"}); r.Success {
		t.Errorf("%+v", r)
	}
}

func TestSensitiveDatabase(t *testing.T) {
	tools, folder := newTools(t)
	if err := os.Mkdir(filepath.Join(folder, ".vscode"), 0o700); err != nil {
		t.Fatal(err)
	}
	newDatabase(t, filepath.Join(folder, ".vscode/state.db"))
	if err := os.Symlink(".vscode/state.db", filepath.Join(folder, "plain.db")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{".vscode/state.db", "plain.db"} {
		t.Run(path, func(t *testing.T) {
			d := tools.Describe(callOf("sql_query", map[string]any{"path": path}))
			if len(d.Files) != 1 || d.Files[0].Sensitive == "" {
				t.Errorf("%+v", d.Files)
			}
		})
	}
}

func TestReadingAWALDatabaseLeavesNoFiles(t *testing.T) {
	tools, folder := newTools(t)
	path := filepath.Join(folder, "shop.db")
	newDatabase(t, path)
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	defer func() { _ = db.Close() }()
	for _, q := range []string{"PRAGMA journal_mode = WAL", "UPDATE lamps SET name = 'wall' WHERE id = 1"} {
		if _, err := db.ExecContext(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	ask := map[string]any{"path": "shop.db", "query": "SELECT name FROM lamps"}
	if _, err := os.Stat(path + "-wal"); err != nil {
		t.Fatal("the database is open and keeps no log, so the test shows nothing")
	}
	wantText(t, run(t, tools, "sql_query", ask), "wall") // only in the log
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	wantText(t, run(t, tools, "sql_query", ask), "wall")
	if entries, _ := os.ReadDir(folder); len(entries) != 1 {
		t.Errorf("beside the database lie %v", entries)
	}
}
