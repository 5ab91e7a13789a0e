// Package schedulestore stores schedules and their runs in the database.
package schedulestore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"sextant/backend/store/sqlrows"
	"sextant/shared/schedule"
)

// keptRuns is how many runs of a schedule are kept.
const keptRuns = 500

var errClaimed = errors.New("another process has claimed the times")

// Config contains what a Store needs of the database.
type Config struct {
	Reader sqlrows.Queryer
	// Write runs do in one transaction.
	Write func(ctx context.Context, do func(*sql.Tx) error) error
}

// Store stores schedules and runs. It is safe for concurrent use.
type Store struct{ cfg Config }

// New returns a Store.
func New(cfg Config) *Store { return &Store{cfg} }

// Schedules returns all schedules, oldest first.
func (s *Store) Schedules(ctx context.Context) ([]schedule.Schedule, error) {
	return sqlrows.Collect(ctx, s.cfg.Reader, scanSchedule, "reading the schedules",
		`SELECT data, last_slot FROM schedules ORDER BY rowid`)
}

func scanSchedule(row *sql.Rows) (schedule.Schedule, error) {
	var one schedule.Schedule
	var data []byte
	var slot int64
	if err := row.Scan(&data, &slot); err != nil {
		return one, err
	}
	err := json.Unmarshal(data, &one)
	one.LastSlot = sqlrows.Time(slot)
	return one, err
}

// SaveSchedule stores a schedule in place of the one with its id.
func (s *Store) SaveSchedule(ctx context.Context, one schedule.Schedule) error {
	data, err := json.Marshal(one)
	if err == nil {
		err = s.cfg.Write(ctx, func(tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, `INSERT INTO schedules (id, last_slot, data) VALUES (?, ?, ?)
				ON CONFLICT (id) DO UPDATE SET last_slot = excluded.last_slot, data = excluded.data`,
				one.ID, sqlrows.Nanos(one.LastSlot), data)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("storing a schedule: %w", err)
	}
	return nil
}

// DeleteSchedule deletes a schedule with its runs. Their conversations stay.
func (s *Store) DeleteSchedule(ctx context.Context, id string) error {
	err := s.cfg.Write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM schedules WHERE id = ?`, id)
		return err
	})
	if err != nil {
		return fmt.Errorf("deleting a schedule: %w", err)
	}
	return nil
}

// ClaimSlots stores runs for the times of a schedule after its LastSlot, and to as its new LastSlot. A time that has a
// run keeps it. It fails if the stored LastSlot is another one by now.
func (s *Store) ClaimSlots(ctx context.Context, one schedule.Schedule, to time.Time, runs []schedule.Run) error {
	err := s.cfg.Write(ctx, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, `UPDATE schedules SET last_slot = ? WHERE id = ? AND last_slot = ?`,
			sqlrows.Nanos(to), one.ID, sqlrows.Nanos(one.LastSlot))
		if err != nil {
			return err
		}
		if n, err := done.RowsAffected(); err != nil {
			return err
		} else if n == 0 {
			return errClaimed
		}
		for _, r := range runs {
			if err := insertRun(ctx, tx, r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("storing the times of a schedule: %w", err)
	}
	return nil
}

// insertRun stores a run, and removes old ones of its schedule.
func insertRun(ctx context.Context, tx *sql.Tx, r schedule.Run) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	var slot any
	if !r.Slot.IsZero() && r.Status != schedule.StatusMissed {
		slot = sqlrows.Nanos(r.Slot)
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO scheduled_runs (id, schedule, slot, status, queued, data)
		VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (schedule, slot) DO NOTHING`,
		r.ID, r.Schedule, slot, r.Status, sqlrows.Nanos(r.Queued), data)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM scheduled_runs WHERE schedule = ?1
		AND status NOT IN ('queued', 'running') AND rowid NOT IN (
		SELECT rowid FROM scheduled_runs WHERE schedule = ?1 ORDER BY rowid DESC LIMIT ?2)`, r.Schedule, keptRuns)
	return err
}

// AddRun stores a run that no time of its schedule led to.
func (s *Store) AddRun(ctx context.Context, r schedule.Run) error {
	err := s.cfg.Write(ctx, func(tx *sql.Tx) error { return insertRun(ctx, tx, r) })
	if err != nil {
		return fmt.Errorf("storing a run: %w", err)
	}
	return nil
}

// Files returns the files of a schedule's folder for which a run was added or that were there before, each with a stamp
// that changes with the file.
func (s *Store) Files(ctx context.Context, id string) (map[string]string, error) {
	all, err := sqlrows.Collect(ctx, s.cfg.Reader, func(row *sql.Rows) (f [2]string, err error) {
		return f, row.Scan(&f[0], &f[1])
	}, "reading the files of a schedule", `SELECT name, stamp FROM schedule_files WHERE schedule = ?`, id)
	files := map[string]string{}
	for _, f := range all {
		files[f[0]] = f[1]
	}
	return files, err
}

// ReplaceFiles stores the files of a schedule's folder in place of those that were stored before.
func (s *Store) ReplaceFiles(ctx context.Context, id string, files map[string]string) error {
	err := s.cfg.Write(ctx, func(tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM schedule_files WHERE schedule = ?`, id); err != nil {
			return err
		}
		return markFiles(ctx, tx, id, files)
	})
	if err != nil {
		return fmt.Errorf("storing the files of a schedule: %w", err)
	}
	return nil
}

func markFiles(ctx context.Context, tx *sql.Tx, id string, files map[string]string) error {
	for name, stamp := range files {
		if _, err := tx.ExecContext(ctx, `INSERT INTO schedule_files (schedule, name, stamp)
			SELECT id, ?2, ?3 FROM schedules WHERE id = ?1
			ON CONFLICT (schedule, name) DO UPDATE SET stamp = excluded.stamp`, id, name, stamp); err != nil {
			return err
		}
	}
	return nil
}

// MarkFiles stores files of a schedule's folder with their stamps, together with the runs that they led to. It stores
// no file of a schedule that was deleted.
func (s *Store) MarkFiles(ctx context.Context, id string, files map[string]string, runs ...schedule.Run) error {
	err := s.cfg.Write(ctx, func(tx *sql.Tx) error {
		if err := markFiles(ctx, tx, id, files); err != nil {
			return err
		}
		for _, r := range runs {
			if err := insertRun(ctx, tx, r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("storing the files of a schedule: %w", err)
	}
	return nil
}

// UpdateRun stores a run if its stored status is still from. It returns false if it is another one, so that a run
// begins and ends once.
func (s *Store) UpdateRun(ctx context.Context, r schedule.Run, from schedule.Status) (bool, error) {
	data, err := json.Marshal(r)
	var n int64
	if err == nil {
		err = s.cfg.Write(ctx, func(tx *sql.Tx) error {
			done, err := tx.ExecContext(ctx,
				`UPDATE scheduled_runs SET status = ?, data = ? WHERE id = ? AND status = ?`,
				r.Status, data, r.ID, from)
			if err != nil {
				return err
			}
			n, err = done.RowsAffected()
			return err
		})
	}
	if err != nil {
		return false, fmt.Errorf("storing a run: %w", err)
	}
	return n == 1, nil
}

// ScheduledRuns returns the newest limit runs of a schedule, newest first.
func (s *Store) ScheduledRuns(ctx context.Context, id string, limit int) ([]schedule.Run, error) {
	return sqlrows.Collect(ctx, s.cfg.Reader, sqlrows.ScanJSON[schedule.Run], "reading runs",
		`SELECT data FROM scheduled_runs WHERE schedule = ? ORDER BY queued DESC, rowid DESC LIMIT ?`, id, limit)
}

// LastRun returns the newest run of a schedule with one of these statuses, nil for none. Without watched, it leaves out
// runs that a person watched.
func (s *Store) LastRun(
	ctx context.Context, id string, watched bool, statuses ...schedule.Status,
) (*schedule.Run, error) {
	list, err := json.Marshal(statuses)
	if err != nil {
		return nil, fmt.Errorf("reading runs: %w", err)
	}
	found, err := sqlrows.Collect(ctx, s.cfg.Reader, sqlrows.ScanJSON[schedule.Run], "reading runs",
		`SELECT data FROM scheduled_runs WHERE schedule = ? AND status IN (SELECT value FROM json_each(?))
		AND (? OR json_extract(CAST(data AS TEXT), '$.watched') IS NULL) ORDER BY queued DESC, rowid DESC LIMIT 1`,
		id, string(list), watched)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return &found[0], nil
}

// OpenRuns returns the runs that have not ended, oldest first.
func (s *Store) OpenRuns(ctx context.Context) ([]schedule.Run, error) {
	return sqlrows.Collect(ctx, s.cfg.Reader, sqlrows.ScanJSON[schedule.Run], "reading runs",
		`SELECT data FROM scheduled_runs WHERE status IN ('queued', 'running') ORDER BY rowid`)
}
