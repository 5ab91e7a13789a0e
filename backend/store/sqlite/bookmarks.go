package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"sextant/backend/store/sqlrows"
	"sextant/shared/wire"
)

// Bookmarks returns all bookmarks, newest first.
func (s *Store) Bookmarks(ctx context.Context) ([]wire.Bookmark, error) {
	return sqlrows.Collect(ctx, s.reader, func(row *sql.Rows) (wire.Bookmark, error) {
		var b wire.Bookmark
		var at int64
		err := row.Scan(&b.URL, &b.Title, &b.Note, &at)
		b.Time = sqlrows.Time(at)
		return b, err
	}, "reading bookmarks", `SELECT url, title, note, time FROM bookmarks ORDER BY time DESC, url`)
}

// SaveBookmark stores b and replaces a bookmark with the same URL.
func (s *Store) SaveBookmark(ctx context.Context, b wire.Bookmark) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO bookmarks (url, title, note, time) VALUES (?, ?, ?, ?)`,
			b.URL, b.Title, b.Note, sqlrows.Nanos(b.Time))
		return err
	})
	if err != nil {
		return fmt.Errorf("storing a bookmark: %w", err)
	}
	return nil
}

// DeleteBookmark deletes the bookmark of a URL. there is false if there was none.
func (s *Store) DeleteBookmark(ctx context.Context, address string) (there bool, err error) {
	err = s.write(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `DELETE FROM bookmarks WHERE url = ?`, address)
		if err != nil {
			return err
		}
		n, err := done.RowsAffected()
		there = n > 0
		return err
	})
	if err != nil {
		return false, fmt.Errorf("deleting a bookmark: %w", err)
	}
	return there, nil
}
