// Package upload keeps the files that a person gives to a page of the browser, because Chromium reads them by path and
// possibly much later.
package upload

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// MaxBytes is the largest file that can be added by its content.
const MaxBytes = 100 << 20

// Store contains files by their ids until it is closed. It is safe for concurrent use.
type Store struct {
	dir   string
	mu    sync.Mutex
	paths map[string]string
}

// Open returns a store with a folder for contents. It deletes what an earlier run left there.
func Open(dir string) (*Store, error) {
	if err := os.RemoveAll(dir); err != nil {
		return nil, fmt.Errorf("clearing the folder of uploads: %w", err)
	}
	return &Store{dir: dir, paths: map[string]string{}}, nil
}

// Close deletes the contents.
func (s *Store) Close() error { return os.RemoveAll(s.dir) }

// Add stores a file with content and returns its id.
func (s *Store) Add(name string, content []byte) (id string, err error) {
	name = filepath.Base(strings.ReplaceAll(name, "\x00", ""))
	if name == "." || name == "/" || name == ".." {
		name = "file"
	}
	id = rand.Text()
	folder := filepath.Join(s.dir, id)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", fmt.Errorf("storing an upload: %w", err)
	}
	path := filepath.Join(folder, name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return "", fmt.Errorf("storing an upload: %w", err)
	}
	s.put(id, path)
	return id, nil
}

// AddPath returns an id for a file of the person that stays where it is.
func (s *Store) AddPath(path string) (id string) {
	id = rand.Text()
	s.put(id, path)
	return id
}

func (s *Store) put(id, path string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paths[id] = path
}

// Path returns where a file is, "" for an unknown id.
func (s *Store) Path(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.paths[id]
}
