// Package trash keeps what a person threw away until it is wanted back or has lain for thirty
// days.
//
// Each item has a folder of its own below the trash: what was thrown away under its own name,
// and item.json, which says where it lay. A thing is moved there in one step; from another file
// system it is copied first, within a bound, and removed when the copy is whole. Nothing is
// followed: a link is thrown away as a link. The package judges no places; who calls it opened
// the folders it works in. A Can may be used concurrently.
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
	aboutName = "item.json"
	thingName = "thing"
	// keep is how long a thing lies in the trash.
	keep = 30 * 24 * time.Hour
	// maxCopied bounds what is copied from another file system, maxEntries how many entries.
	maxCopied  = 1 << 30
	maxEntries = 20_000
	// maxItems bounds the list.
	maxItems = 1000
)

// ErrTooLarge is of a thing on another file system that is too large to be copied.
var ErrTooLarge = errors.New("it is on another disk than the trash and larger than 1 GB or 20,000 files")

// ErrGone is of an item that is not in the trash any more.
var ErrGone = errors.New("it is not in the trash any more")

var ruleID = regexp.MustCompile(`^[a-z2-7]{26}$`)

// Can is one trash, in a folder of its own.
type Can struct {
	dir string
	now func() time.Time
	mu  sync.Mutex
}

// New is the trash in dir, an absolute path, which is made when it is first needed.
func New(dir string, now func() time.Time) *Can { return &Can{dir: dir, now: now} }

// Put throws away what lies at base in the open folder from, whose absolute path was path.
func (c *Can) Put(from *os.Root, base, path string) (wire.TrashItem, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.dir == "" {
		return wire.TrashItem{}, errors.New("there is no trash here")
	}
	c.sweep()
	info, err := from.Lstat(base)
	if err != nil {
		return wire.TrashItem{}, err
	}
	item := wire.TrashItem{ID: strings.ToLower(rand.Text()), Path: path, Name: base, Folder: info.IsDir(), Time: c.now()}
	if !info.IsDir() {
		item.Size = info.Size()
	}
	dir := filepath.Join(c.dir, item.ID)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return wire.TrashItem{}, fmt.Errorf("making room in the trash: %w", err)
	}
	about, err := json.Marshal(item)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, aboutName), about, 0o600)
	}
	if err == nil {
		err = c.take(from, base, dir)
	}
	if err != nil {
		_ = os.RemoveAll(dir)
		return wire.TrashItem{}, err
	}
	return item, nil
}

// take moves the thing at base into an item's folder.
func (c *Can) take(from *os.Root, base, dir string) error {
	into, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = into.Close() }()
	err = Rename(from, base, into, thingName)
	if err == nil || !elsewhere(err) {
		return err
	}
	return across(from, base, into, thingName)
}

// across moves a thing to another file system.
func across(from *os.Root, base string, into *os.Root, to string) error {
	left := budget{bytes: maxCopied, entries: maxEntries}
	if err := left.copy(from, base, into, to); err != nil {
		_ = into.RemoveAll(to)
		return err
	}
	return from.RemoveAll(base)
}

// budget is how much more may be copied.
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
	return fmt.Errorf("%s is no file, folder or link and cannot be copied to another disk", base)
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
		return fmt.Errorf("%s was changed by something else at this very moment", base)
	}
	target, err := into.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, io.LimitReader(source, info.Size()))
	return errors.Join(err, target.Chmod(info.Mode().Perm()), target.Sync(), target.Close())
}

// Item is one thing of the trash: ErrGone when it is not there.
func (c *Can) Item(id string) (wire.TrashItem, error) {
	if !ruleID.MatchString(id) {
		return wire.TrashItem{}, ErrGone
	}
	about, err := os.ReadFile(filepath.Join(c.dir, id, aboutName))
	var item wire.TrashItem
	if err != nil || json.Unmarshal(about, &item) != nil || item.ID != id || !filepath.IsAbs(item.Path) {
		return wire.TrashItem{}, ErrGone
	}
	if _, err := os.Lstat(filepath.Join(c.dir, id, thingName)); err != nil {
		return wire.TrashItem{}, ErrGone
	}
	return item, nil
}

// Items are the things of the trash, the newest first.
func (c *Can) Items() []wire.TrashItem {
	all := []wire.TrashItem{}
	if c.dir == "" {
		return all
	}
	entries, err := os.ReadDir(c.dir)
	if err != nil {
		return all // nothing was thrown away yet
	}
	for _, e := range entries {
		if item, err := c.Item(e.Name()); err == nil {
			all = append(all, item)
		}
	}
	slices.SortFunc(all, func(a, b wire.TrashItem) int { return b.Time.Compare(a.Time) })
	return all[:min(len(all), maxItems)]
}

// Restore puts a thing back under the name base in the open folder into. What has that name by
// now stays: fs.ErrExist.
func (c *Can) Restore(id string, into *os.Root, base string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := c.Item(id); err != nil {
		return err
	}
	dir := filepath.Join(c.dir, id)
	from, err := os.OpenRoot(dir)
	if err != nil {
		return ErrGone
	}
	err = Rename(from, thingName, into, base)
	if err != nil && elsewhere(err) {
		if _, there := into.Lstat(base); there == nil {
			err = fs.ErrExist
		} else {
			err = across(from, thingName, into, base)
		}
	}
	_ = from.Close()
	if err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// sweep removes what has lain too long.
func (c *Can) sweep() {
	for _, item := range c.Items() {
		if c.now().Sub(item.Time) > keep {
			_ = os.RemoveAll(filepath.Join(c.dir, item.ID)) // it is tried again with the next thing
		}
	}
}
