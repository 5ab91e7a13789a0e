package inspect

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"

	"github.com/mattn/go-sqlite3"
)

type readOnly struct{ path string }

func (r readOnly) Connect(context.Context) (driver.Conn, error) {
	address := "file:" + (&url.URL{Path: r.path}).EscapedPath() + "?mode=ro&_query_only=1&_busy_timeout=2000"
	if isIdleWAL(r.path) {
		address += "&immutable=1"
	}
	conn, err := r.Driver().Open(address)
	if err != nil {
		return nil, err
	}
	return conn, nil
}

// Even for reading, SQLite would create the log of an idle WAL database and its index again and leave them. Opening the
// database as immutable prevents that.
func isIdleWAL(path string) bool {
	if _, err := os.Lstat(path + "-wal"); !errors.Is(err, os.ErrNotExist) {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	head := make([]byte, 20)
	_, err = io.ReadFull(f, head)
	// Bytes 18 and 19 are the write and read versions; 2 means a write-ahead log.
	return err == nil && head[18] == 2 && head[19] == 2
}

func (r readOnly) Driver() driver.Driver { return &sqlite3.SQLiteDriver{ConnectHook: restrict} }

// The file may be malicious, so functions with side effects are disabled in its views too.
func restrict(c *sqlite3.SQLiteConn) error {
	for _, p := range []string{
		"PRAGMA trusted_schema=OFF", "PRAGMA cell_size_check=ON", "PRAGMA mmap_size=0",
		"PRAGMA cache_size=-8000",
	} {
		if _, err := c.Exec(p, nil); err != nil {
			return fmt.Errorf("preparing to read: %w", err)
		}
	}
	c.SetLimit(sqlite3.SQLITE_LIMIT_LENGTH, 10<<20)
	c.SetLimit(sqlite3.SQLITE_LIMIT_SQL_LENGTH, 100<<10)
	c.SetLimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
	c.SetLimit(sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0)
	c.RegisterAuthorizer(authorize)
	return nil
}

// authorize allows only reading. The codes are those of sqlite3_set_authorizer; first and second are the third and
// fourth argument of its callback.
func authorize(action int, first, second, _ string) int {
	switch action {
	case sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, recursive:
		return sqlite3.SQLITE_OK
	case sqlite3.SQLITE_FUNCTION:
		switch strings.ToLower(second) {
		case "load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "fts5_source_id":
			return sqlite3.SQLITE_DENY
		}
		return sqlite3.SQLITE_OK
	case sqlite3.SQLITE_PRAGMA:
		if isReadPragma(strings.ToLower(first), second) {
			return sqlite3.SQLITE_OK
		}
	}
	return sqlite3.SQLITE_DENY
}

// recursive is SQLITE_RECURSIVE, for which the driver has no constant.
const recursive = 33

// Some PRAGMAs write if they get a value.
func isReadPragma(name, value string) bool {
	switch name {
	case "table_info", "table_xinfo", "index_list", "index_info", "index_xinfo", "foreign_key_list", "table_list":
		return true
	case "database_list", "collation_list", "compile_options", "function_list", "data_version", "freelist_count",
		"page_count",
		"user_version", "schema_version", "application_id", "encoding", "page_size":
		return value == ""
	}
	return false
}
