package secrets

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

const maxFileBytes = 128 << 20

// folder is the vault's folder, with mode 0700. Its files have mode 0600 and are replaced atomically. Symlinks are not
// followed.
type folder struct {
	dir  string
	root *os.Root
}

func openFolder(dir string) (*folder, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a folder (perhaps a symlink); move it away", dir)
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
	// The folder may have become a symlink between Lstat and OpenRoot.
	if now, err := root.Stat("."); err != nil || !os.SameFile(now, info) {
		return nil, errors.Join(fmt.Errorf("%s changed while it was being opened", dir), err, root.Close())
	}
	return &folder{dir: dir, root: root}, nil
}

func (f *folder) stat(name string) (os.FileInfo, error) {
	info, err := f.root.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s in %s is not a regular file; move it away", name, f.dir)
	}
	return info, nil
}

func (f *folder) readFile(name string) ([]byte, error) {
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
		return nil, fmt.Errorf("%s in %s changed while it was being opened", name, f.dir)
	}
	if info.Mode().Perm()&0o077 != 0 {
		if err := in.Chmod(0o600); err != nil {
			return nil, err
		}
	}
	b, err := io.ReadAll(io.LimitReader(in, maxFileBytes+1))
	if err == nil && len(b) > maxFileBytes {
		err = fmt.Errorf("%s in %s is too large", name, f.dir)
	}
	return b, err
}

// readJSON decodes a file. If the file is missing, it leaves into unchanged.
func (f *folder) readJSON(name string, into any) error {
	b, err := f.readFile(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, into); err != nil {
		// The decoder's message could quote a value.
		return fmt.Errorf("%s in %s is damaged", name, f.dir)
	}
	return nil
}

func (f *folder) writeJSON(name string, v any) error {
	b, err := encodeJSON(v)
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

func (f *folder) sync() error {
	d, err := f.root.Open(".")
	if err != nil {
		return err
	}
	err = d.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, os.ErrInvalid) {
		err = nil // not every system supports it
	}
	return errors.Join(err, d.Close())
}

// remove deletes a file. A missing file is not an error.
func (f *folder) remove(name string) error {
	err := f.root.Remove(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
