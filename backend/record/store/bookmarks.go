package store

import (
	"context"
	"database/sql"
	"fmt"

	"sextant/shared/wire"
)

// Bookmarks are the pages that were kept, the newest first.
func (s *Store) Bookmarks(ctx context.Context) ([]wire.Bookmark, error) {
	return collect(ctx, s.reader, func(row *sql.Rows) (wire.Bookmark, error) {
		var b wire.Bookmark
		var at int64
		err := row.Scan(&b.URL, &b.Title, &b.Note, &at)
		b.Time = fromNanos(at)
		return b, err
	}, "reading bookmarks", `SELECT url, title, note, time FROM bookmarks ORDER BY time DESC, url`)
}

// KeepBookmark adds b, in place of one of the same address.
func (s *Store) KeepBookmark(ctx context.Context, b wire.Bookmark) error {
	err := s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO bookmarks (url, title, note, time) VALUES (?, ?, ?, ?)`, b.URL, b.Title, b.Note, nanos(b.Time))
		return err
	})
	if err != nil {
		return fmt.Errorf("keeping a bookmark: %w", err)
	}
	return nil
}

// DropBookmark removes the bookmark of an address; there is false when there was none.
func (s *Store) DropBookmark(ctx context.Context, address string) (there bool, err error) {
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
		return false, fmt.Errorf("removing a bookmark: %w", err)
	}
	return there, nil
}
