package blobs

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// fewEnough is how many files are flushed one by one; for more, flushing all that the disk holds
// back is quicker.
const fewEnough = 16

// PutAll keeps n contents, which content hands over one after the other, and returns their ids in
// order. All are on disk when it returns. When it fails some may be kept, each of them whole.
func (s *Store) PutAll(n int, content func(i int) ([]byte, error)) (ids []string, err error) {
	var fresh []string
	temps := map[string]*os.File{}
	defer func() {
		for _, f := range temps {
			_ = f.Close() // it may be closed by now
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	for i := range n {
		data, err := content(i)
		if err != nil {
			return nil, err
		}
		if int64(len(data)) > s.max {
			return nil, fmt.Errorf("keeping a blob of %d bytes: %w", len(data), ErrTooLarge)
		}
		sum := sha256.Sum256(data)
		id := hex.EncodeToString(sum[:])
		ids = append(ids, id)
		if _, err := os.Stat(s.path(id)); err == nil || temps[id] != nil {
			continue
		}
		f, err := os.CreateTemp(s.dir, tempPrefix+"*")
		if err != nil {
			return nil, fmt.Errorf("keeping blobs: %w", err)
		}
		temps[id], fresh = f, append(fresh, id)
		if _, err := f.Write(data); err != nil {
			return nil, fmt.Errorf("keeping blobs: %w", err)
		}
		if len(fresh) > fewEnough {
			// Descriptors are few; what is not flushed here is flushed with all the rest.
			if err := f.Close(); err != nil {
				return nil, fmt.Errorf("keeping blobs: %w", err)
			}
		}
	}
	return ids, s.finishAll(fresh, temps)
}

// finishAll flushes the files and gives them their names. What it named is taken out of temps.
func (s *Store) finishAll(fresh []string, temps map[string]*os.File) error {
	if len(fresh) > fewEnough {
		if err := syncAll(s.dir, fresh, temps); err != nil {
			return fmt.Errorf("keeping blobs: %w", err)
		}
	}
	for _, id := range fresh {
		f, path := temps[id], s.path(id)
		if len(fresh) <= fewEnough {
			if err := f.Sync(); err != nil {
				return fmt.Errorf("keeping blobs: %w", err)
			}
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return fmt.Errorf("keeping blobs: %w", err)
		}
		if err := os.Rename(f.Name(), path); err != nil {
			return fmt.Errorf("keeping blobs: %w", err)
		}
		_ = f.Close() // flushed before; a second close is none
		delete(temps, id)
	}
	return nil
}
