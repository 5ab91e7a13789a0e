package inspect

import (
	"context"
	"database/sql"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/mattn/go-sqlite3"

	"sextant/backend/toolkit"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

//go:embed sql_query.md
var sqlQueryDoc string

const (
	defaultRows = 100
	maxRows     = 1000
	maxSQL      = 1 << 20 // bytes of all values
	maxCell     = 2000    // characters of one value
	sqlTime     = 15 * time.Second
	schemaSQL   = "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type DESC, name"
	sqliteHead  = "SQLite format 3\x00"
)

type sqlQueryParams struct {
	Path  string `json:"path"`
	Query string `json:"query"`
	Limit int    `json:"limit"`
}

func sqlQuery() tool {
	const name = "sql_query"
	return tool{
		def: define(name, "files", sqlQueryDoc,
			`{"type":"object","properties":{`+
				`"path":{"type":"string","minLength":1,"maxLength":4096,"description":"The SQLite file."},`+
				`"query":{"type":"string","maxLength":20000,"description":"One SELECT; default: list the tables."},`+
				`"limit":{"type":"integer","minimum":1,"maximum":1000,"default":100,"description":"Maximum rows."}},`+
				`"required":["path"],"additionalProperties":false}`,
			`{"path":"shop.db"}`, `{"path":"shop.db","query":"SELECT name, price FROM lamps ORDER BY price LIMIT 5"}`,
			`{"path":"shop.db","query":"PRAGMA table_info(lamps)","limit":20}`),
		paths: func(t *Tools, call toolspec.Call) ([]toolspec.FileUse, *toolspec.Result) {
			var p sqlQueryParams
			if bad := toolkit.Decode(call.Args, &p); bad != nil {
				return nil, bad
			}
			file, bad := t.locate(p.Path)
			if bad != nil {
				return nil, bad
			}
			return []toolspec.FileUse{file}, nil
		},
		describe: func(_ *Tools, call toolspec.Call) toolspec.Description {
			var p sqlQueryParams
			_ = json.Unmarshal(call.Args, &p)
			return toolspec.Description{Sentence: "Querying " + filepath.Base(p.Path)}
		},
		run: func(ctx context.Context, t *Tools, call toolspec.Call) toolspec.Result {
			var p sqlQueryParams
			if bad := toolkit.Decode(call.Args, &p); bad != nil {
				return *bad
			}
			return t.sqlQuery(ctx, p)
		},
	}
}

// A blob becomes the text "[blob, N bytes]". Long text is cut, and times are text.
type table struct {
	Columns   []string `json:"columns"`
	Rows      [][]any  `json:"rows"`
	Truncated bool     `json:"truncated,omitempty"`
}

func (t *Tools) sqlQuery(ctx context.Context, p sqlQueryParams) toolspec.Result {
	file, bad := t.locate(p.Path)
	if bad != nil {
		return *bad
	}
	real := file.Path
	if bad := checkSQLite(real); bad != nil {
		return *bad
	}
	limit := p.Limit
	if limit == 0 {
		limit = defaultRows
	}
	if limit < 1 || limit > maxRows {
		return toolspec.Fail(toolspec.ValidationError, fmt.Sprintf("limit is %d", limit),
			fmt.Sprintf("Send 1 to %d.", maxRows))
	}
	query := strings.TrimSpace(p.Query)
	if query == "" {
		query = schemaSQL
	}
	ctx, cancel := context.WithTimeout(ctx, sqlTime)
	defer cancel()
	db := sql.OpenDB(readOnly{real})
	defer func() { _ = db.Close() }()
	found, err := read(ctx, db, query, limit)
	if err != nil {
		failed := sqlFailure(ctx, db, err)
		failed.Sources = t.sources(real)
		return failed
	}
	result := toolspec.OK(found)
	result.Text = forModel(found.text(), found.Truncated, "Ask for fewer columns, or with WHERE and LIMIT.")
	result.Sentence = fmt.Sprintf("Read %d rows of %s", len(found.Rows), filepath.Base(real))
	result.Preview = []string{strings.Join(found.Columns, ", ")}
	result.Sources = t.sources(real)
	return result
}

// checkSQLite opens only a regular file, because opening a pipe or a device can block.
func checkSQLite(path string) *toolspec.Result {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return toolkit.Fail(toolspec.UserError, "there is no file "+path, "Check the folder with list_directory.")
	case err != nil:
		return toolkit.Fail(toolspec.UserError, err.Error(), "Send the path of a file that can be read.")
	case !info.Mode().IsRegular():
		return toolkit.Fail(toolspec.UserError, path+" is not a regular file", "Send the path of a SQLite file.")
	case info.Size() == 0:
		return nil // an empty database
	}
	f, err := os.Open(path)
	if err != nil {
		return toolkit.Fail(toolspec.UserError, err.Error(), "Send the path of a file that can be read.")
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, len(sqliteHead))
	if n, _ := f.Read(head); string(head[:n]) != sqliteHead {
		return toolkit.Fail(toolspec.UserError, path+" is not a SQLite file",
			"Send the path of one, or read it with read_file.")
	}
	return nil
}

func read(ctx context.Context, db *sql.DB, query string, limit int) (*table, error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	found := &table{Rows: [][]any{}}
	if found.Columns, err = rows.Columns(); err != nil {
		return nil, err
	}
	used := 0
	for rows.Next() {
		if len(found.Rows) == limit || used > maxSQL {
			found.Truncated = true
			return found, nil
		}
		cells := make([]any, len(found.Columns))
		into := make([]any, len(cells))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		for i := range cells {
			cells[i] = cell(cells[i])
			if s, ok := cells[i].(string); ok {
				used += len(s)
			}
			used += 8
		}
		found.Rows = append(found.Rows, cells)
	}
	return found, rows.Err()
}

func cell(v any) any {
	switch v := v.(type) {
	case []byte:
		return fmt.Sprintf("[blob, %d bytes]", len(v))
	case time.Time:
		return v.Format(time.RFC3339Nano)
	case string:
		v = strings.ToValidUTF8(v, "\ufffd")
		if n := utf8.RuneCountInString(v); n > maxCell {
			return excerpt.TruncateRunes(v, maxCell) + fmt.Sprintf(" (%d characters)", n)
		}
		return v
	}
	return v
}

func (t *table) text() string {
	var b strings.Builder
	b.WriteString(strings.Join(t.Columns, " | ") + "\n")
	for _, row := range t.Rows {
		for i, v := range row {
			if i > 0 {
				b.WriteString(" | ")
			}
			if v == nil {
				v = "NULL"
			}
			b.WriteString(strings.ReplaceAll(fmt.Sprint(v), "\n", "\n    "))
		}
		b.WriteByte('\n')
	}
	if len(t.Rows) == 0 {
		b.WriteString("(no rows)\n")
	}
	return b.String()
}

func sqlFailure(ctx context.Context, db *sql.DB, err error) toolspec.Result {
	var problem sqlite3.Error
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return toolspec.Fail(toolspec.SystemError, "the query did not finish within "+sqlTime.String(),
			"Ask for less, with WHERE and LIMIT.")
	case ctx.Err() != nil:
		return toolspec.Fail("", "stopped", "")
	case errors.As(err, &problem) && (problem.Code == sqlite3.ErrAuth || problem.Code == sqlite3.ErrReadonly ||
		problem.Code == sqlite3.ErrPerm),
		strings.Contains(err.Error(), "not authorized"), strings.Contains(err.Error(), "prohibited"):
		return toolspec.Fail(toolspec.PermissionError, "only reading is allowed: "+err.Error(), "Ask with SELECT.")
	}
	next := "List the tables with an empty query first."
	tables, listErr := read(ctx, db, "SELECT name FROM sqlite_schema WHERE type IN ('table','view') LIMIT 30", 30)
	if listErr == nil && len(tables.Rows) > 0 {
		var names []string
		for _, row := range tables.Rows {
			names = append(names, fmt.Sprint(row[0]))
		}
		next = "Tables: " + strings.Join(names, ", ") + "."
	}
	return toolspec.Fail(toolspec.UserError, err.Error(), next)
}
