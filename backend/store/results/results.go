// Package results stores the text of results that are too long for one response, so that read_result can read them in
// parts.
//
// A result that Save returned can be read until its conversation is deleted or the limit of the total size is exceeded:
// then the oldest are deleted. Results outside conversations may be deleted after a day. A text is cut at MaxBytes, and
// the result says so. The package does not decide who may read a result; it stores the Owner.
//
// A result is a row of the store and a file with the same name. The row is added first and deleted first, so that Sweep
// can remove every file without a row.
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

	"sextant/backend/store/sqlite"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Limits: bytes of one text, bytes of all texts, and how long results outside conversations are stored at least, if
// there is space.
const (
	MaxBytes    = 64 << 20
	maxAll      = 1 << 30
	maxLooseAge = 24 * time.Hour
)

// ErrNotFound means that the result does not exist.
var ErrNotFound = errors.New("no such result")

// MetadataStore stores the metadata of results. *sqlite.Store implements it.
type MetadataStore interface {
	AddResult(ctx context.Context, r wire.StoredResult) error
	Result(ctx context.Context, id string) (wire.StoredResult, error)
	ResultIDs(ctx context.Context) ([]string, error)
	PruneResults(ctx context.Context, olderThan time.Time, maxBytes int64) error
}

// Store is a folder of results. It is safe for concurrent use.
type Store struct {
	dir  string
	rows MetadataStore
	mask func(text string) string
}

const draftPrefix = "unfinished-"

// New opens the folder dir and removes partly written files and expired results. If dir does not exist, it is created
// with mode 0700. mask removes secrets from drafts that are passed to Save, not from its text; nil removes nothing.
func New(ctx context.Context, dir string, rows MetadataStore, mask func(text string) string) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder for results: %w", err)
	}
	s := &Store{dir: dir, rows: rows, mask: mask}
	left, err := filepath.Glob(filepath.Join(dir, draftPrefix+"*"))
	if err != nil {
		return nil, fmt.Errorf("looking for unfinished results: %w", err)
	}
	for _, name := range left {
		if err := os.Remove(name); err != nil {
			return nil, fmt.Errorf("removing an unfinished result: %w", err)
		}
	}
	return s, s.prune(ctx)
}

func (s *Store) prune(ctx context.Context) error {
	if err := s.rows.PruneResults(ctx, time.Now().Add(-maxLooseAge), maxAll); err != nil {
		return err
	}
	return s.Sweep(ctx)
}

// Sweep removes files without a row, for example those of a deleted conversation.
func (s *Store) Sweep(ctx context.Context) error {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return fmt.Errorf("sweeping results: %w", err)
	}
	// Read the rows after the files, so that a file that got its row meanwhile remains.
	ids, err := s.rows.ResultIDs(ctx)
	if err != nil {
		return fmt.Errorf("sweeping results: %w", err)
	}
	slices.Sort(ids)
	var failed []error
	for _, e := range entries {
		if _, there := slices.BinarySearch(ids, e.Name()); !there && idPattern.MatchString(e.Name()) {
			if err := os.Remove(filepath.Join(s.dir, e.Name())); err != nil && !errors.Is(err, os.ErrNotExist) {
				failed = append(failed, err)
			}
		}
	}
	return errors.Join(failed...)
}

var idPattern = regexp.MustCompile(`^r_[a-z2-7]{12}$`)

// Save stores text under a new id and returns about with that id and the size of the text. If whole is a *Draft of this
// Store, Save stores it instead of text.
func (s *Store) Save(
	ctx context.Context, about wire.StoredResult, text string, whole toolspec.SpooledText,
) (wire.StoredResult, error) {
	d, ok := whole.(*Draft)
	if !ok {
		var err error
		if d, err = s.NewDraft(); err != nil {
			return about, err
		}
		if _, err := io.WriteString(d, text); err != nil {
			d.Discard()
			return about, fmt.Errorf("storing a result: %w", err)
		}
	}
	defer d.Discard()
	if err := d.finish(); err != nil {
		return about, fmt.Errorf("storing a result: %w", err)
	}
	if ok && s.mask != nil {
		if err := d.mask(s.mask); err != nil {
			return about, fmt.Errorf("storing a result: %w", err)
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
		return about, fmt.Errorf("storing a result: %w", err)
	}
	return about, s.enforceBound(ctx)
}

// enforceBound deletes old results if the limit may be exceeded. It measures the folder, which is faster than adding up
// the rows.
func (s *Store) enforceBound(ctx context.Context) error {
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
	return s.prune(ctx)
}

// Open returns the text and the metadata of a result. The caller must close the file. It returns ErrNotFound if the
// result is not stored completely.
func (s *Store) Open(ctx context.Context, id string) (*os.File, wire.StoredResult, error) {
	if !idPattern.MatchString(id) {
		return nil, wire.StoredResult{}, fmt.Errorf("result %q: %w", id, ErrNotFound)
	}
	about, err := s.rows.Result(ctx, id)
	if errors.Is(err, sqlite.ErrNotFound) {
		return nil, about, fmt.Errorf("result %s: %w", id, ErrNotFound)
	}
	if err != nil {
		return nil, about, err
	}
	f, err := os.Open(filepath.Join(s.dir, id))
	if errors.Is(err, os.ErrNotExist) {
		return nil, about, fmt.Errorf("result %s: %w", id, ErrNotFound)
	}
	if err != nil {
		return nil, about, fmt.Errorf("opening a result: %w", err)
	}
	// The file is not flushed before its row is, so it may be shorter after a power failure.
	if info, err := f.Stat(); err != nil || info.Size() != about.Bytes {
		_ = f.Close()
		return nil, about, fmt.Errorf("result %s: %w", id, ErrNotFound)
	}
	return f, about, nil
}
