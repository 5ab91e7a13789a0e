// Package blobs stores large results, such as screenshots and file contents, in files named after the SHA-256 of their
// content. Events and results then contain an id. When Put returns, the content is flushed to disk. A partly written
// file is not visible under an id. Ids from outside are validated before they become part of a path.
package blobs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

// DefaultMaxBytes limits the size of one blob. It is enough for a screenshot of a long page.
const DefaultMaxBytes = 64 << 20

// Errors of Put and Open.
var (
	ErrTooLarge = errors.New("blob is too large")
	ErrNotFound = errors.New("no such blob")
)

// Store is a folder of blobs. It is safe for concurrent use.
type Store struct {
	dir string
	max int64
}

// Info describes a blob. MIME is detected from its first bytes.
type Info struct {
	ID   string
	Size int64
	MIME string
}

// New opens the folder dir and removes partly written files of an earlier process. If dir does not exist, it is created
// with mode 0700. maxBytes limits the size of one blob; 0 means DefaultMaxBytes.
func New(dir string, maxBytes int64) (*Store, error) {
	if maxBytes <= 0 {
		maxBytes = DefaultMaxBytes
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder for blobs: %w", err)
	}
	left, err := filepath.Glob(filepath.Join(dir, tempPrefix+"*"))
	if err != nil {
		return nil, fmt.Errorf("looking for unfinished blobs: %w", err)
	}
	for _, name := range left {
		if err := os.Remove(name); err != nil {
			return nil, fmt.Errorf("removing an unfinished blob: %w", err)
		}
	}
	return &Store{dir: dir, max: maxBytes}, nil
}

const tempPrefix = "unfinished-"

// Put stores everything that it reads from r and returns its id, 64 hexadecimal digits. It returns ErrTooLarge if the
// content exceeds the limit. After an error nothing is stored.
func (s *Store) Put(r io.Reader) (id string, err error) {
	f, err := os.CreateTemp(s.dir, tempPrefix+"*")
	if err != nil {
		return "", fmt.Errorf("storing a blob: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}()
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(f, sum), io.LimitReader(r, s.max+1))
	if err != nil {
		return "", fmt.Errorf("storing a blob: %w", err)
	}
	if n > s.max {
		return "", fmt.Errorf("storing a blob of over %d bytes: %w", s.max, ErrTooLarge)
	}
	id = hex.EncodeToString(sum.Sum(nil))
	if err := s.finish(f, id); err != nil {
		return "", fmt.Errorf("storing a blob: %w", err)
	}
	return id, nil
}

func (s *Store) finish(f *os.File, id string) error {
	if err := f.Sync(); err != nil {
		return err
	}
	path := s.path(id)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	// After the flush, a failed close loses nothing.
	_ = f.Close()
	return nil
}

// Open opens a blob for reading. The caller must close it. It returns ErrNotFound if the id is invalid or not stored.
func (s *Store) Open(id string) (io.ReadSeekCloser, Info, error) {
	if !validID(id) {
		return nil, Info{}, fmt.Errorf("blob %q: %w", id, ErrNotFound)
	}
	f, err := os.Open(s.path(id))
	if errors.Is(err, os.ErrNotExist) {
		return nil, Info{}, fmt.Errorf("blob %s: %w", id, ErrNotFound)
	}
	if err != nil {
		return nil, Info{}, fmt.Errorf("opening blob %s: %w", id, err)
	}
	info, err := describe(f, id)
	if err != nil {
		return nil, Info{}, errors.Join(fmt.Errorf("opening blob %s: %w", id, err), f.Close())
	}
	return f, info, nil
}

func describe(f *os.File, id string) (Info, error) {
	stat, err := f.Stat()
	if err != nil {
		return Info{}, err
	}
	head := make([]byte, 512)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return Info{}, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return Info{}, err
	}
	return Info{ID: id, Size: stat.Size(), MIME: http.DetectContentType(head[:n])}, nil
}

func validID(id string) bool {
	return len(id) == sha256.Size*2 && strings.Trim(id, "0123456789abcdef") == ""
}

// path distributes the files over 256 folders, so that listing a folder stays fast.
func (s *Store) path(id string) string { return filepath.Join(s.dir, id[:2], id) }
