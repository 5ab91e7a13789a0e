package blobs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// maxSingleSyncs is the number of files above which flushing the whole file system is faster than flushing each file.
const maxSingleSyncs = 16

// PutAll stores n blobs and returns their ids in order. content returns the content of blob i. When PutAll returns, the
// contents are flushed to disk. After an error some may be stored.
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
			// Keep few descriptors open. The file is flushed with the whole file system.
			if err := f.Close(); err != nil {
				return nil, fmt.Errorf("storing blobs: %w", err)
			}
		}
	}
	return ids, s.finishAll(fresh, temps)
}

// finishAll flushes the files and renames them to their ids. It removes the renamed files from temps.
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
		_ = f.Close() // already flushed, and perhaps closed
		delete(temps, id)
	}
	return nil
}
