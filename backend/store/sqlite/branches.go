package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"sextant/backend/store/sqlrows"
	"sextant/shared/event"
)

// branchPath selects the branches from the active one of conversation ?1 back to the first, each with the position of
// its last message that counts: the one after which the next branch forks.
const branchPath = `WITH RECURSIVE path (in_branch, upto) AS (
		SELECT branch, 9223372036854775807 FROM conversations WHERE id = ?1
		UNION ALL
		SELECT p.branch, p.position FROM path
			JOIN branches AS b ON b.id = path.in_branch
			JOIN messages AS p ON p.id = b.after_message
	) `

// Branches returns the branches of a conversation except the first one, and the id of the active branch, "" for the
// first one.
func (s *Store) Branches(ctx context.Context, conversation string) (list []event.Branch, active string, err error) {
	err = s.reader.QueryRowContext(ctx, `SELECT branch FROM conversations WHERE id = ?`, conversation).Scan(&active)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, "", fmt.Errorf("reading branches: %w", err)
	}
	list, err = sqlrows.Collect(ctx, s.reader, func(row *sql.Rows) (event.Branch, error) {
		var b event.Branch
		return b, row.Scan(&b.ID, &b.After, &b.Replaces)
	}, "reading branches",
		`SELECT id, after_message, instead FROM branches WHERE conversation = ? ORDER BY position`, conversation)
	return list, active, err
}

func projectBranch(ctx context.Context, tx *sql.Tx, e event.Event) error {
	var b event.Branch
	if err := json.Unmarshal(e.Data, &b); err != nil {
		return err
	}
	if err := ensureConversation(ctx, tx, e.Conversation, e.Time); err != nil {
		return err
	}
	if e.Kind == event.BranchStarted {
		if b.ID == "" {
			return errors.New("a branch without an id")
		}
		if err := checkRow(ctx, tx, "messages", b.After, e.Conversation); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO branches (id, conversation, after_message, instead, position)
			VALUES (?, ?, ?, ?, ?)`, b.ID, e.Conversation, b.After, b.Replaces, e.Seq); err != nil {
			return err
		}
	} else if err := checkRow(ctx, tx, "branches", b.ID, e.Conversation); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `UPDATE conversations SET branch = ? WHERE id = ?`, b.ID, e.Conversation)
	return err
}

func checkRow(ctx context.Context, tx *sql.Tx, table, id, conversation string) error {
	if id == "" {
		return nil
	}
	var there bool
	err := tx.QueryRowContext(ctx,
		`SELECT EXISTS (SELECT 1 FROM `+table+` WHERE id = ? AND conversation = ?)`, id, conversation).Scan(&there)
	if err == nil && !there {
		err = fmt.Errorf("%s has no %q: %w", table, id, ErrNotFound)
	}
	return err
}
