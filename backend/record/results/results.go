// Package results keeps the text of results that are too long to be handed out in one piece, so
// that read_result can read them in parts.
//
// The contract: what Keep acknowledged can be read until its conversation is deleted, over
// restarts too; of a program that has no conversation, for a day. A text is at most MaxBytes
// long, the rest of it is not kept and the answer says so; all together take at most a fixed
// space, and the oldest go first. The text is valid UTF-8 whatever was given. Who may read a
// result is not decided here: its Owner stands beside it.
//
// A result is a row of the store and a file of the same name. The row comes first and goes
// first, so that a file without a row is one that Sweep removes.
package results

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"sextant/backend/record/store"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Bounds: bytes of one text, bytes of all, and how long those outside of conversations stay.
const (
	MaxBytes = 64 << 20
	maxAll   = 1 << 30
	looseFor = 24 * time.Hour
)

// ErrUnknown means that no such result is kept.
var ErrUnknown = errors.New("no such result")

// Rows keeps what is known of results; *store.Store is one.
type Rows interface {
	AddResult(ctx context.Context, r wire.KeptResult) error
	Result(ctx context.Context, id string) (wire.KeptResult, error)
	ResultIDs(ctx context.Context) ([]string, error)
	ForgetResults(ctx context.Context, loose time.Time, maxBytes int64) error
}

// Store is a folder of results. Its methods may be called concurrently.
type Store struct {
	dir  string
	rows Rows
	mask func(text string) string
}

// unfinished begins the names of files that no row stands for yet.
const unfinished = "unfinished-"

// New opens the folder dir (made 0700 when missing), removes what an ended process left
// half-written and forgets what is too old. mask hides what must never be kept in what tools
// wrote themselves; nil hides nothing.
func New(ctx context.Context, dir string, rows Rows, mask func(text string) string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder for results: %w", err)
	}
	s := &Store{dir: dir, rows: rows, mask: mask}
	left, err := filepath.Glob(filepath.Join(dir, unfinished+"*"))
	if err != nil {
		return nil, fmt.Errorf("looking for unfinished results: %w", err)
	}
	for _, name := range left {
		if err := os.Remove(name); err != nil {
			return nil, fmt.Errorf("removing an unfinished result: %w", err)
		}
	}
	return s, s.forget(ctx)
}

// forget forgets what is too old or too much, and removes its files.
func (s *Store) forget(ctx context.Context) error {
	if err := s.rows.ForgetResults(ctx, time.Now().Add(-looseFor), maxAll); err != nil {
		return err
	}
	return s.Sweep(ctx)
}

// Sweep removes the files that no row stands for any more, as after a conversation was deleted.
func (s *Store) Sweep(ctx context.Context) error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("sweeping results: %w", err)
	}
	// The rows are read after the files: a file that got its row in between stays.
	ids, err := s.rows.ResultIDs(ctx)
	if err != nil {
		return fmt.Errorf("sweeping results: %w", err)
	}
	slices.Sort(ids)
	var failed []error
	for _, e := range entries {
		if _, there := slices.BinarySearch(ids, e.Name()); !there && handle.MatchString(e.Name()) {
			if err := os.Remove(filepath.Join(s.dir, e.Name())); err != nil && !errors.Is(err, os.ErrNotExist) {
				failed = append(failed, err)
			}
		}
	}
	return errors.Join(failed...)
}

// handle is what the id of a result looks like.
var handle = regexp.MustCompile(`^r_[a-z2-7]{12}$`)

// Keep keeps text under a new id and returns about with it and with what the text measures.
// whole, when it is not nil, is a Draft of this Store and is kept instead of text.
func (s *Store) Keep(ctx context.Context, about wire.KeptResult, text string, whole toolspec.Whole) (wire.KeptResult, error) {
	d, ok := whole.(*Draft)
	if !ok {
		var err error
		if d, err = s.Draft(); err != nil {
			return about, err
		}
		if _, err := io.WriteString(d, text); err != nil {
			d.Discard()
			return about, fmt.Errorf("keeping a result: %w", err)
		}
	}
	defer d.Discard()
	if err := d.finish(); err != nil {
		return about, fmt.Errorf("keeping a result: %w", err)
	}
	if ok && s.mask != nil {
		if err := d.hide(s.mask); err != nil {
			return about, fmt.Errorf("keeping a result: %w", err)
		}
	}
	about.ID = "r_" + strings.ToLower(rand.Text())[:12]
	about.Bytes, about.Lines, about.Cut = d.bytes, d.lines, d.cut
	if about.Time.IsZero() {
		about.Time = time.Now().UTC()
	}
	if err := s.rows.AddResult(ctx, about); err != nil {
		return about, err
	}
	if err := os.Rename(d.file.Name(), filepath.Join(s.dir, about.ID)); err != nil {
		return about, fmt.Errorf("keeping a result: %w", err)
	}
	return about, s.forgetMuch(ctx)
}

// forgetMuch makes room when there may be too much. The space is looked at in the folder, which
// is quicker than in the rows.
func (s *Store) forgetMuch(ctx context.Context) error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("measuring results: %w", err)
	}
	var all int64
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			all += info.Size()
		}
	}
	if all <= maxAll {
		return nil
	}
	return s.forget(ctx)
}

// Open returns the text of a result from its beginning, and what is known of it; the caller
// closes it. It fails with ErrUnknown for an id that is not one or is not kept any more.
func (s *Store) Open(ctx context.Context, id string) (*os.File, wire.KeptResult, error) {
	if !handle.MatchString(id) {
		return nil, wire.KeptResult{}, fmt.Errorf("result %q: %w", id, ErrUnknown)
	}
	about, err := s.rows.Result(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		return nil, about, fmt.Errorf("result %s: %w", id, ErrUnknown)
	}
	if err != nil {
		return nil, about, err
	}
	f, err := os.Open(filepath.Join(s.dir, id))
	if errors.Is(err, os.ErrNotExist) {
		return nil, about, fmt.Errorf("result %s: %w", id, ErrUnknown)
	}
	if err != nil {
		return nil, about, fmt.Errorf("opening a result: %w", err)
	}
	// The file is not flushed before its row: after a power cut it may be shorter.
	if info, err := f.Stat(); err != nil || info.Size() != about.Bytes {
		_ = f.Close()
		return nil, about, fmt.Errorf("result %s: %w", id, ErrUnknown)
	}
	return f, about, nil
}
