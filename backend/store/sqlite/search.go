package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"sextant/backend/store/search"
	"sextant/backend/store/sqlrows"
	"sextant/shared/chat"
	"sextant/shared/wire"
)

// Search finds messages (search.Reader.Find), and sets which of them the active branch shows.
func (s *Store) Search(ctx context.Context, req search.Request) (wire.SearchPage, error) {
	page, err := s.searcher.Find(ctx, req)
	if err != nil {
		return page, err
	}
	paths := map[string][]pathStep{}
	for i := range page.Hits {
		h := &page.Hits[i]
		path, known := paths[h.Conversation]
		if !known {
			if path, err = s.branchSteps(ctx, h.Conversation); err != nil {
				return page, err
			}
			paths[h.Conversation] = path
		}
		h.Shown = slices.ContainsFunc(path, func(p pathStep) bool { return p.branch == h.Branch && h.Seq <= p.upto })
	}
	return page, nil
}

// pathStep is a branch of the active path, with the position of its last message that counts.
type pathStep struct {
	branch string
	upto   int64
}

func (s *Store) branchSteps(ctx context.Context, conversation string) ([]pathStep, error) {
	return sqlrows.Collect(ctx, s.reader, func(row *sql.Rows) (pathStep, error) {
		var p pathStep
		return p, row.Scan(&p.branch, &p.upto)
	}, "reading branches", branchPath+`SELECT in_branch, upto FROM path`, conversation)
}

// backlogBatch is the number of messages that are indexed in one transaction, so that other writes wait little.
const backlogBatch = 250

// IndexBacklog indexes a batch of the messages from before the index existed, the newest first. It returns false when
// none is left.
func (s *Store) IndexBacklog(ctx context.Context) (left bool, err error) {
	err = s.write(ctx, func(tx *sql.Tx) error {
		var upto int64
		if err := tx.QueryRowContext(ctx, `SELECT COALESCE(MAX(upto), 0) FROM search_backlog`).Scan(&upto); err != nil {
			return err
		}
		if left = upto > 0; !left {
			return nil
		}
		batch, err := sqlrows.Collect(ctx, tx, scanMessage, "reading messages to index", `SELECT `+messageColumns+`
			FROM messages WHERE rowid <= ? ORDER BY rowid DESC LIMIT ?`, upto, backlogBatch)
		if err != nil {
			return err
		}
		slices.Reverse(batch) // the index takes ascending rows faster
		for _, m := range batch {
			if err := search.Put(ctx, tx, m); err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, `UPDATE search_backlog SET upto = COALESCE((SELECT MAX(rowid) FROM messages
			WHERE rowid < (SELECT MIN(rowid) FROM (SELECT rowid FROM messages WHERE rowid <= ?
			ORDER BY rowid DESC LIMIT ?))), 0)`, upto, backlogBatch)
		return err
	})
	if err != nil {
		return left, fmt.Errorf("indexing older messages: %w", err)
	}
	return left, nil
}

// indexEnded gives messages a status that ends them, and indexes them. where selects them.
func indexEnded(ctx context.Context, tx *sql.Tx, status chat.Status, where string, args ...any) error {
	ended, err := sqlrows.Collect(ctx, tx, scanMessage, "ending messages",
		`UPDATE messages SET status = ?1 WHERE `+where+` RETURNING `+messageColumns, append([]any{status}, args...)...)
	if err != nil {
		return err
	}
	for _, m := range ended {
		if err := search.Put(ctx, tx, m); err != nil {
			return err
		}
	}
	return nil
}
