package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"sextant/backend/store/metrics"
	"sextant/backend/store/search"
)

// ErrReadOnly is returned by every write to a Store from OpenReadOnly.
var ErrReadOnly = errors.New("opened for reading only")

// OpenReadOnly opens the SQLite file at path for reading, even while another process owns it. It takes no lock. It
// returns fs.ErrNotExist if there is no file.
func OpenReadOnly(ctx context.Context, path string) (*Store, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("finding the data folder: %w", err)
	}
	info, err := os.Stat(abs)
	if err != nil {
		return nil, fmt.Errorf("opening the database: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("opening the database %s: %w", abs, fs.ErrInvalid)
	}
	s := &Store{path: abs, log: slog.New(slog.DiscardHandler)}
	if s.reader, err = sql.Open("sqlite3", dsn(abs, "mode=ro&_query_only=1")); err != nil {
		return nil, fmt.Errorf("opening for reading: %w", err)
	}
	s.reader.SetMaxOpenConns(readers)
	s.Reader, s.searcher = metrics.NewReader(s.reader), search.NewReader(s.reader)
	if err := s.reader.PingContext(ctx); err != nil {
		return nil, errors.Join(toOpenError(abs, err), s.closeConnections())
	}
	return s, nil
}
