package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"strings"
)

// maxCheckedAtOpen is the size in bytes of a database that Open checks. Checking a larger one would delay the window: a
// gigabyte takes from ten seconds to a minute.
const maxCheckedAtOpen = 32 << 20

// Unchecked reports whether the database is so large that Open did not check it. Check does.
func (s *Store) Unchecked() bool { return s.unchecked }

// Check reads the whole database. It returns an *OpenError for ErrDamaged if the file is damaged; Open then fails too,
// until the file is replaced. Check may run while the store is used.
func (s *Store) Check(ctx context.Context) error {
	err := checkIntegrity(ctx, s.reader)
	if err == nil {
		return nil
	}
	if err = toOpenError(s.path, err); errors.Is(err, ErrDamaged) {
		err = errors.Join(err, os.WriteFile(s.suspicion(), nil, 0o600))
	}
	return err
}

// suspicion is the file that exists if Check found damage, so that Open checks the database.
func (s *Store) suspicion() string { return s.path + ".damaged" }

func (s *Store) checkAtOpen(ctx context.Context) error {
	info, err := os.Stat(s.path)
	if err != nil {
		return fmt.Errorf("checking the database: %w", err)
	}
	_, err = os.Stat(s.suspicion())
	if s.unchecked = info.Size() > maxCheckedAtOpen && errors.Is(err, os.ErrNotExist); s.unchecked {
		return nil
	}
	if err := checkIntegrity(ctx, s.writer); err != nil {
		return err
	}
	if err := os.Remove(s.suspicion()); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("checking the database: %w", err)
	}
	return nil
}

func checkIntegrity(ctx context.Context, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, "PRAGMA quick_check(5)")
	if err != nil {
		return fmt.Errorf("checking the database: %w", err)
	}
	defer rows.Close()
	var found []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return fmt.Errorf("checking the database: %w", err)
		}
		if line != "ok" {
			found = append(found, strings.ReplaceAll(line, "\n", " "))
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("checking the database: %w", err)
	}
	if len(found) > 0 {
		return &OpenError{Kind: ErrDamaged, Detail: strings.Join(found, "; ")}
	}
	return nil
}
