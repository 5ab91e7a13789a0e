package blobs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// maxSingleSyncs is how many files are flushed one by one; for more, flushing the whole file system is faster.
const maxSingleSyncs = 16

// PutAll stores the n contents that content returns one after the other, and returns their ids in order. All
// are on disk when it returns. After a failure some may be stored, each of them complete.
func (s *Store) PutAll(n int, content func(i int) ([]byte, error)) (ids []string, err error) {
	var fresh []string
	temps := map[string]*os.File{}
	defer func() {
		for _, f := range temps {
			_ = f.Close() // it may be closed already
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	for i := range n {
		data, err := content(i)
		if err != nil {
			return nil, err
		}
		if int64(len(data)) > s.max {
			return nil, fmt.Errorf("storing a blob of %d bytes: %w", len(data), ErrTooLarge)
		}
		sum := sha256.Sum256(data)
		id := hex.EncodeToString(sum[:])
		ids = append(ids, id)
		if _, err := os.Stat(s.path(id)); err == nil || temps[id] != nil {
			continue
		}
		f, err := os.CreateTemp(s.dir, tempPrefix+"*")
		if err != nil {
			return nil, fmt.Errorf("storing blobs: %w", err)
		}
		temps[id], fresh = f, append(fresh, id)
		if _, err := f.Write(data); err != nil {
			return nil, fmt.Errorf("storing blobs: %w", err)
		}
		if len(fresh) > maxSingleSyncs {
			// Keep few descriptors open; the file is flushed with the whole file system.
			if err := f.Close(); err != nil {
				return nil, fmt.Errorf("storing blobs: %w", err)
			}
		}
	}
	return ids, s.finishAll(fresh, temps)
}

// finishAll flushes the files and renames them to their ids. It removes those it renamed from temps.
func (s *Store) finishAll(fresh []string, temps map[string]*os.File) error {
	if len(fresh) > maxSingleSyncs {
		if err := syncAll(s.dir, fresh, temps); err != nil {
			return fmt.Errorf("storing blobs: %w", err)
		}
	}
	for _, id := range fresh {
		f, path := temps[id], s.path(id)
		if len(fresh) <= maxSingleSyncs {
			if err := f.Sync(); err != nil {
				return fmt.Errorf("storing blobs: %w", err)
			}
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return fmt.Errorf("storing blobs: %w", err)
		}
		if err := os.Rename(f.Name(), path); err != nil {
			return fmt.Errorf("storing blobs: %w", err)
		}
		_ = f.Close() // it is flushed, and may be closed already
		delete(temps, id)
	}
	return nil
}
