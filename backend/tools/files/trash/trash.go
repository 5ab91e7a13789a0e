// Package trash keeps removed files and folders until they are restored. Putting an item into the trash deletes items
// that are older than thirty days.
//
// Each item has its own folder in the trash, with the removed file or folder and an item.json that records its original
// path. An item is moved to the trash by a rename. From another file system it is copied, up to a limit, and removed
// once the copy is complete. Links are not followed. The package checks no permissions: the caller opens the folders.
package trash

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"sextant/shared/wire"
)

const (
	metadataName = "item.json"
	contentName  = "thing"
	maxAge       = 30 * 24 * time.Hour
	// maxCopied and maxEntries limit the bytes and entries copied from another file system.
	maxCopied  = 1 << 30
	maxEntries = 20_000
	maxItems   = 1000
)

// ErrTooLarge is returned for an item on another file system that is too large to copy.
var ErrTooLarge = errors.New("it is on another disk than the trash and larger than 1 GB or 20,000 files")

// ErrNotFound is returned for an id that is not in the trash.
var ErrNotFound = errors.New("it is no longer in the trash")

var validID = regexp.MustCompile(`^[a-z2-7]{26}$`)

// Bin is a trash folder. It is safe for concurrent use.
type Bin struct {
	dir string
	now func() time.Time
	mu  sync.Mutex
}

// New returns the trash in dir, an absolute path, or "" for a trash that accepts nothing. It creates the folder when it
// is first needed.
func New(dir string, now func() time.Time) *Bin { return &Bin{dir: dir, now: now} }

// errNotRemoved is wrapped by the error of a move whose copy is complete.
var errNotRemoved = errors.New("a complete copy is in the trash, but the original, or a part of it, is still there")

// Put moves the entry base of the open folder from to the trash; path is the entry's absolute path.
func (bin *Bin) Put(from *os.Root, base, path string) (wire.TrashItem, error) {
	bin.mu.Lock()
	defer bin.mu.Unlock()
	if bin.dir == "" {
		return wire.TrashItem{}, errors.New("there is no trash folder")
	}
	bin.sweep()
	info, err := from.Lstat(base)
	if err != nil {
		return wire.TrashItem{}, err
	}
	item := wire.TrashItem{
		ID: strings.ToLower(rand.Text()), Path: path, Name: base, Folder: info.IsDir(),
		Time: bin.now(),
	}
	if !info.IsDir() {
		item.Size = info.Size()
	}
	dir := filepath.Join(bin.dir, item.ID)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return wire.TrashItem{}, fmt.Errorf("creating a folder in the trash: %w", err)
	}
	metadata, err := json.Marshal(item)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, metadataName), metadata, 0o600)
	}
	if err == nil {
		err = bin.take(from, base, dir)
	}
	if err != nil {
		if !errors.Is(err, errNotRemoved) {
			_ = os.RemoveAll(dir)
		}
		return wire.TrashItem{}, err
	}
	return item, nil
}

func (bin *Bin) take(from *os.Root, base, dir string) error {
	into, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = into.Close() }()
	err = Rename(from, base, into, contentName)
	if err == nil || !crossDevice(err) {
		return err
	}
	if err := copyAcross(from, base, into, contentName); err != nil {
		return err
	}
	if err := from.RemoveAll(base); err != nil {
		return fmt.Errorf("%w: %w", errNotRemoved, err)
	}
	return nil
}

// copyAcross copies a file or folder to another file system.
func copyAcross(from *os.Root, base string, into *os.Root, to string) error {
	left := budget{bytes: maxCopied, entries: maxEntries}
	if err := left.copy(from, base, into, to); err != nil {
		_ = into.RemoveAll(to)
		return err
	}
	return nil
}

type budget struct{ bytes, entries int64 }

func (b *budget) copy(from *os.Root, base string, into *os.Root, to string) error {
	info, err := from.Lstat(base)
	if err != nil {
		return err
	}
	if b.entries--; b.entries < 0 {
		return ErrTooLarge
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return b.folder(from, base, into, to, mode)
	case mode&fs.ModeSymlink != 0:
		target, err := from.Readlink(base)
		if err != nil {
			return err
		}
		return into.Symlink(target, to)
	case mode.IsRegular():
		return b.file(from, base, into, to, info)
	}
	return fmt.Errorf("%s is not a file, folder or link, so it cannot be copied to another disk", base)
}

func (b *budget) folder(from *os.Root, base string, into *os.Root, to string, mode fs.FileMode) error {
	if err := into.Mkdir(to, 0o700); err != nil {
		return err
	}
	a, err := from.OpenRoot(base)
	if err != nil {
		return err
	}
	defer func() { _ = a.Close() }()
	z, err := into.OpenRoot(to)
	if err != nil {
		return err
	}
	defer func() { _ = z.Close() }()
	d, err := a.Open(".")
	if err != nil {
		return err
	}
	names, err := d.Readdirnames(-1)
	_ = d.Close()
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := b.copy(a, name, z, name); err != nil {
			return err
		}
	}
	return into.Chmod(to, mode.Perm())
}

func (b *budget) file(from *os.Root, base string, into *os.Root, to string, info fs.FileInfo) error {
	if b.bytes -= info.Size(); b.bytes < 0 {
		return ErrTooLarge
	}
	source, err := from.Open(base)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	if now, err := source.Stat(); err != nil || !os.SameFile(info, now) {
		return fmt.Errorf("%s was changed by another program at the same moment", base)
	}
	target, err := into.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, io.LimitReader(source, info.Size()))
	return errors.Join(err, target.Chmod(info.Mode().Perm()), target.Sync(), target.Close())
}

// Item returns an item of the trash, or ErrNotFound.
func (bin *Bin) Item(id string) (wire.TrashItem, error) {
	if !validID.MatchString(id) {
		return wire.TrashItem{}, ErrNotFound
	}
	metadata, err := os.ReadFile(filepath.Join(bin.dir, id, metadataName))
	var item wire.TrashItem
	if err != nil || json.Unmarshal(metadata, &item) != nil || item.ID != id || !filepath.IsAbs(item.Path) {
		return wire.TrashItem{}, ErrNotFound
	}
	if _, err := os.Lstat(filepath.Join(bin.dir, id, contentName)); err != nil {
		return wire.TrashItem{}, ErrNotFound
	}
	return item, nil
}

// Items returns up to 1000 items of the trash, newest first.
func (bin *Bin) Items() []wire.TrashItem {
	all := bin.items()
	return all[:min(len(all), maxItems)]
}

func (bin *Bin) items() []wire.TrashItem {
	all := []wire.TrashItem{}
	if bin.dir == "" {
		return all
	}
	entries, err := os.ReadDir(bin.dir)
	if err != nil {
		return all // there may be no trash folder yet
	}
	for _, e := range entries {
		if item, err := bin.Item(e.Name()); err == nil {
			all = append(all, item)
		}
	}
	slices.SortFunc(all, func(a, b wire.TrashItem) int { return b.Time.Compare(a.Time) })
	return all
}

// Restore moves an item to the name base in the open folder into. It fails with ErrNotFound if there is no such item,
// and with fs.ErrExist if the name is taken.
func (bin *Bin) Restore(id string, into *os.Root, base string) error {
	bin.mu.Lock()
	defer bin.mu.Unlock()
	if _, err := bin.Item(id); err != nil {
		return err
	}
	dir := filepath.Join(bin.dir, id)
	from, err := os.OpenRoot(dir)
	if err != nil {
		return ErrNotFound
	}
	err = Rename(from, contentName, into, base)
	if err != nil && crossDevice(err) {
		if _, there := into.Lstat(base); there == nil {
			err = fs.ErrExist
		} else {
			err = copyAcross(from, contentName, into, base)
		}
	}
	_ = from.Close()
	if err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

func (bin *Bin) sweep() {
	for _, item := range bin.items() {
		if bin.now().Sub(item.Time) > maxAge {
			_ = os.RemoveAll(filepath.Join(bin.dir, item.ID)) // tried again by the next sweep
		}
	}
}
