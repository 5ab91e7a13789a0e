package snapshot

import (
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const (
	indexName = "index"
	packName  = "pack"
)

const maxWaste = 64 << 20

// pack stores contents one after the other in a file, each only once.
type pack struct {
	file *os.File
	size int64
	// at contains the offset of each content by its hash; dirty is true if some contents are not synced.
	at    map[string]int64
	dirty bool
}

func (p *pack) put(content []byte, now *state) error {
	sum := sha256.Sum256(content)
	now.Sum, now.Len = hex.EncodeToString(sum[:]), int64(len(content))
	if at, ok := p.at[now.Sum]; ok {
		now.At = at
		return nil
	}
	if _, err := p.file.WriteAt(content, p.size); err != nil {
		return err
	}
	now.At, p.at[now.Sum], p.dirty = p.size, p.size, true
	p.size += now.Len
	return nil
}

var errLost = errors.New("it is no longer stored")

func (p *pack) get(s state) ([]byte, error) {
	content := make([]byte, s.Len)
	if _, err := p.file.ReadAt(content, s.At); err != nil && !(errors.Is(err, io.EOF) && s.Len == 0) {
		return nil, errLost
	}
	if sum := sha256.Sum256(content); hex.EncodeToString(sum[:]) != s.Sum {
		return nil, errLost
	}
	return content, nil
}

func (p *pack) close() error {
	if p.file == nil {
		return nil
	}
	err := p.file.Close()
	*p = pack{}
	return err
}

type savedIndex struct {
	Path   string
	Index  index
	Passed []string
}

func (f *folder) open() error {
	if f.pack.file != nil {
		if f.waste() < maxWaste || len(f.running) > 0 {
			return nil
		}
		if err := f.forget(); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return fmt.Errorf("creating the folder of stored contents: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(f.dir, packName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return errors.Join(err, file.Close())
	}
	f.pack = pack{file: file, size: info.Size(), at: map[string]int64{}}
	f.known = f.load()
	for _, s := range f.known {
		if s.Sum != "" && s.At >= 0 {
			f.pack.at[s.Sum] = s.At
		}
	}
	f.saved = f.known
	now := time.Now()
	_ = os.Chtimes(file.Name(), now, now) // marks the pack as recently used for trim
	f.watcher.trim()
	return nil
}

func (f *folder) waste() int64 {
	live := int64(0)
	seen := map[int64]bool{}
	for _, s := range f.known {
		if s.Sum != "" && s.At >= 0 && !seen[s.At] {
			seen[s.At] = true
			live += s.Len
		}
	}
	return f.pack.size - live
}

func (f *folder) load() index {
	file, err := os.Open(filepath.Join(f.dir, indexName))
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	var s savedIndex
	if err := gob.NewDecoder(file).Decode(&s); err != nil || s.Path != f.path {
		return nil
	}
	for rel, st := range s.Index {
		if f.secret(filepath.Join(f.path, filepath.FromSlash(rel))) { // the path became secret
			f.forbiddenCopy = true
			delete(s.Index, rel)
		}
		if st.At >= 0 && st.At+st.Len > f.pack.size { // the pack was truncated
			delete(s.Index, rel)
		}
	}
	f.skipped = s.Passed
	if s.Index == nil {
		return index{} // an empty folder, not an unknown one
	}
	return s.Index
}

func (f *folder) save() error {
	if f.saved != nil && !f.pack.dirty && maps.Equal(f.saved, f.known) {
		return nil
	}
	path := filepath.Join(f.dir, indexName)
	if f.known == nil {
		// Without a known state, there is nothing to compare the next walk with.
		f.saved = nil
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := f.pack.file.Sync(); err != nil {
		return err
	}
	file, err := os.OpenFile(path+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	err = gob.NewEncoder(file).Encode(savedIndex{f.path, f.known, f.skipped})
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return fmt.Errorf("storing the state of the workspace: %w", err)
	}
	f.saved, f.pack.dirty = f.known, false
	return nil
}

func (w *Watcher) trim() {
	entries, _ := os.ReadDir(w.cfg.Dir) // after an error, fewer packs are removed
	type stored struct {
		dir  string
		used time.Time
	}
	var all []stored
	for _, e := range entries {
		dir := filepath.Join(w.cfg.Dir, e.Name())
		info, err := os.Stat(filepath.Join(dir, packName))
		if err != nil {
			continue
		}
		all = append(all, stored{dir, info.ModTime()})
	}
	slices.SortFunc(all, func(a, b stored) int { return b.used.Compare(a.used) })
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, old := range all[min(len(all), maxFolders):] {
		open := false
		for _, f := range w.folders {
			open = open || f.dir == old.dir
		}
		if open {
			continue
		}
		if err := os.RemoveAll(old.dir); err != nil {
			w.cfg.Logger.Warn("the stored contents of a folder were not removed", "err", err)
		}
	}
}
