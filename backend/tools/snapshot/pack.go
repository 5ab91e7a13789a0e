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

// Names in the folder of one watched folder.
const (
	indexName = "index"
	packName  = "pack"
)

// maxWaste is how many bytes nobody needs a pack may hold before it is made anew.
const maxWaste = 64 << 20

// pack holds contents one behind the other in a file, each once.
type pack struct {
	file *os.File
	size int64
	// at is where each content stands, by its sum; fresh says that some is not flushed.
	at    map[string]int64
	fresh bool
}

// put appends a content and notes in now where it stands.
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
	now.At, p.at[now.Sum], p.fresh = p.size, p.size, true
	p.size += now.Len
	return nil
}

// errLost says that a content is not what was put by.
var errLost = errors.New("it is not kept any more")

// get reads the content of s.
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

// saved is the form of the index file.
type savedIndex struct {
	Path   string
	Index  index
	Passed []string
}

// open makes the folder's pack ready, with what is known from before.
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
		return fmt.Errorf("making a folder for what is kept: %w", err)
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
	_ = os.Chtimes(file.Name(), now, now) // tells trim that it is in use
	f.k.trim()
	return nil
}

// waste is how many bytes of the pack belong to nothing that is known.
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

// load reads the saved index; one that cannot be read is none.
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
		if f.secret(filepath.Join(f.path, filepath.FromSlash(rel))) { // since then
			f.barredCopy = true
			delete(s.Index, rel)
		}
		if st.At >= 0 && st.At+st.Len > f.pack.size { // cut off
			delete(s.Index, rel)
		}
	}
	f.passed = s.Passed
	if s.Index == nil {
		return index{} // it held nothing, which is not the same as not known
	}
	return s.Index
}

// save puts the pack and the index on disk, when they are not there as they are.
func (f *folder) save() error {
	if f.saved != nil && !f.pack.fresh && maps.Equal(f.saved, f.known) {
		return nil
	}
	path := filepath.Join(f.dir, indexName)
	if f.known == nil {
		// Nothing is known that a later state could be compared with.
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
	err = gob.NewEncoder(file).Encode(savedIndex{f.path, f.known, f.passed})
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		return fmt.Errorf("keeping what the workspace holds: %w", err)
	}
	f.saved, f.pack.fresh = f.known, false
	return nil
}

// trim removes what is kept of the folders that were used the longest ago, all but a few.
func (k *Keeper) trim() {
	entries, _ := os.ReadDir(k.cfg.Dir) // none is none
	type kept struct {
		dir  string
		used time.Time
	}
	var all []kept
	for _, e := range entries {
		dir := filepath.Join(k.cfg.Dir, e.Name())
		info, err := os.Stat(filepath.Join(dir, packName))
		if err != nil {
			continue
		}
		all = append(all, kept{dir, info.ModTime()})
	}
	slices.SortFunc(all, func(a, b kept) int { return b.used.Compare(a.used) })
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, old := range all[min(len(all), maxFolders):] {
		open := false
		for _, f := range k.folders {
			open = open || f.dir == old.dir
		}
		if open {
			continue
		}
		if err := os.RemoveAll(old.dir); err != nil {
			k.cfg.Logger.Warn("what was kept of a folder is still there", "err", err)
		}
	}
}
