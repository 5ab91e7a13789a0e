package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"sextant/backend/store/transfer"
)

// KnownID returns an id of a file that the store has already, with the name of its table, or "" for none. Importing
// such a file would change what the store has.
func (s *Store) KnownID(ctx context.Context, in *transfer.Import) (table, id string, err error) {
	for _, t := range []struct{ table, query string }{
		{transfer.Conversations, `SELECT id FROM conversations WHERE id = ?`},
		{transfer.Messages, `SELECT id FROM messages WHERE id = ?`},
		{transfer.Turns, `SELECT id FROM turns WHERE id = ?`},
		{transfer.Branches, `SELECT id FROM branches WHERE id = ?`},
		{transfer.Calls, `SELECT call FROM events WHERE call = ? AND call <> '' LIMIT 1`},
	} {
		for _, id := range in.IDs(t.table) {
			var known string
			err := s.reader.QueryRowContext(ctx, t.query, id).Scan(&known)
			if err == nil {
				return t.table, known, nil
			}
			if !errors.Is(err, sql.ErrNoRows) {
				return "", "", fmt.Errorf("looking for known ids: %w", err)
			}
		}
	}
	return "", "", nil
}

// WithoutKnown returns an import without the conversations that are here already, and how many those are.
func (s *Store) WithoutKnown(ctx context.Context, in *transfer.Import) (*transfer.Import, int, error) {
	known := map[string]bool{}
	for _, id := range in.IDs(transfer.Conversations) {
		var found bool
		err := s.reader.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM conversations WHERE id = ?)`, id).Scan(&found)
		if err != nil {
			return nil, 0, fmt.Errorf("looking for known conversations: %w", err)
		}
		known[id] = found
	}
	return in.Without(known)
}
