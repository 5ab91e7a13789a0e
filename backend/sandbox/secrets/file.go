package secrets

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxFile bounds a file of the vault.
const maxFile = 128 << 20

// file is the vault's folder: 0700, its files 0600, written whole or not at all, and no link is
// followed on the way to one.
type file struct {
	dir  string
	root *os.Root
}

func openFile(dir string) (*file, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is no folder of its own (a link?); move it away", dir)
	}
	if info.Mode().Perm() != 0o700 {
		if err := os.Chmod(dir, 0o700); err != nil {
			return nil, err
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	// Between the look and the opening it may have become a link.
	if now, err := root.Stat("."); err != nil || !os.SameFile(now, info) {
		return nil, errors.Join(fmt.Errorf("%s changed while it was opened", dir), err, root.Close())
	}
	return &file{dir: dir, root: root}, nil
}

// stat is what is known of a file, an os.ErrNotExist for none; it is never a link.
func (f *file) stat(name string) (os.FileInfo, error) {
	info, err := f.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s in %s is no plain file; move it away", name, f.dir)
	}
	return info, nil
}

// text is a whole file.
func (f *file) text(name string) ([]byte, error) {
	info, err := f.stat(name)
	if err != nil {
		return nil, err
	}
	in, err := f.root.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = in.Close() }()
	if now, err := in.Stat(); err != nil || !os.SameFile(now, info) {
		return nil, fmt.Errorf("%s in %s changed while it was opened", name, f.dir)
	}
	if info.Mode().Perm()&0o077 != 0 {
		if err := in.Chmod(0o600); err != nil {
			return nil, err
		}
	}
	b, err := io.ReadAll(io.LimitReader(in, maxFile+1))
	if err == nil && len(b) > maxFile {
		err = fmt.Errorf("%s in %s is too large", name, f.dir)
	}
	return b, err
}

// read decodes a file; a missing one leaves into as it is.
func (f *file) read(name string, into any) error {
	b, err := f.text(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, into); err != nil {
		// The decoder's words could quote a value.
		return fmt.Errorf("%s in %s is damaged", name, f.dir)
	}
	return nil
}

// write replaces a file at once and is on disk when it returns.
func (f *file) write(name string, v any) error {
	b, err := encode(v)
	if err != nil {
		return fmt.Errorf("writing %s: %w", name, err)
	}
	temp := name + ".new"
	if err := f.remove(temp); err != nil {
		return err
	}
	out, err := f.root.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = out.Write(b)
	err = errors.Join(err, out.Sync(), out.Close())
	if err == nil {
		err = f.root.Rename(temp, name)
	}
	if err != nil {
		return errors.Join(err, f.remove(temp))
	}
	return f.sync()
}

// sync brings the folder's own entries to the disk.
func (f *file) sync() error {
	d, err := f.root.Open(".")
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, os.ErrInvalid) {
		err = nil // not every system can
	}
	return errors.Join(err, d.Close())
}

// remove takes a file away; a missing one is no error.
func (f *file) remove(name string) error {
	err := f.root.Remove(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
