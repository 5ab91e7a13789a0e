package history

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"sextant/backend/toolkit"
	"sextant/backend/tools/files/safefs"
)

// Replacing a file by a folder, or a folder by a file, takes two steps and is not atomic.
func (h *History) replace(dir *os.Root, t safefs.Target, now State, to Edit) error {
	base := filepath.Base(t.Real)
	temp := tempName(base)
	err := write(dir, temp, now, to)
	if err == nil {
		err = unchanged(dir, t, now)
	}
	wasDir := now.Exists && now.Info.IsDir()
	if err == nil && now.Exists && wasDir != to.Mode.IsDir() {
		err = dir.Remove(base)
	}
	if err == nil && wasDir && to.Mode.IsDir() {
		err = errors.Join(chmod(dir, base, to.Mode), dir.Remove(temp))
	} else if err == nil {
		err = dir.Rename(temp, base)
	}
	if err != nil {
		_ = dir.Remove(temp)
		return h.cfg.FS.Explain(t, err)
	}
	return syncRoot(dir)
}

func write(dir *os.Root, temp string, now State, to Edit) error {
	switch {
	case to.Mode.IsDir():
		if err := dir.Mkdir(temp, 0o700); err != nil {
			return err
		}
		return chmod(dir, temp, to.Mode)
	case to.Mode&fs.ModeSymlink != 0:
		return dir.Symlink(string(to.Content), temp)
	}
	mode := fs.FileMode(0o666)
	if now.Exists || to.Mode != 0 {
		mode = 0o600 // not readable by others before fill sets the mode
	}
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	return fill(f, now, to)
}

func chmod(dir *os.Root, name string, mode fs.FileMode) error {
	d, err := dir.OpenFile(name, os.O_RDONLY|safefs.OpenFlags, 0)
	if err != nil {
		return err
	}
	return errors.Join(d.Chmod(mode.Perm()), d.Close())
}

func fill(f *os.File, now State, to Edit) error {
	_, err := f.Write(to.Content)
	mode := to.Mode
	if now.Exists && now.Info.Mode().IsRegular() {
		if mode == 0 {
			mode = now.Mode()
		}
		if err == nil {
			err = keepOwner(f, now.Info)
		}
	}
	if err == nil && mode != 0 {
		err = f.Chmod(mode.Perm())
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func unchanged(dir *os.Root, t safefs.Target, now State) error {
	info, err := dir.Lstat(filepath.Base(t.Real))
	switch {
	case errors.Is(err, fs.ErrNotExist) && !now.Exists:
		return nil
	case err == nil && now.Exists && os.SameFile(info, now.Info) && info.Size() == now.Info.Size() &&
		info.ModTime().Equal(now.Info.ModTime()):
		return nil
	}
	text := t.DisplayPath + " was changed by another program at the same moment, so it was left as it is"
	return toolkit.UserError(text, "Call read_file, then try again.")
}

func (h *History) remove(dir *os.Root, t safefs.Target, now State) error {
	if err := unchanged(dir, t, now); err != nil {
		return err
	}
	if err := dir.Remove(filepath.Base(t.Real)); err != nil {
		return h.cfg.FS.Explain(t, err)
	}
	return syncRoot(dir)
}

func syncRoot(dir *os.Root) error {
	d, err := dir.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(syncFolder(d), d.Close())
}
