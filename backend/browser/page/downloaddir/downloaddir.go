// Package downloaddir manages the folder for downloads: safe file names, limits of size and disk space, and the
// removal of partial files.
package downloaddir

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// PartialFolder is the subfolder of a session's downloads in which Chromium writes unfinished files.
const PartialFolder = ".partial"

const (
	maxDownload  = 2_000_000_000
	minFreeSpace = 512 << 20
)

// OverLimitReason returns the reason why a download into dir must stop, "" when it may continue. Sizes are in bytes; a
// limit of 0 is the default one. complete is true when the file has arrived.
func OverLimitReason(dir string, limit, received, size int64, complete bool) string {
	if limit <= 0 {
		limit = maxDownload
	}
	need := max(size, received)
	if need > limit {
		return "it is larger than " + FormatBytes(limit)
	}
	if complete {
		return ""
	}
	if free, known := freeSpace(dir); known && free < need-received+minFreeSpace {
		return "the disk is nearly full"
	}
	return ""
}

// RemovePartial removes the partial file of the download guid from dir.
func RemovePartial(dir, guid string) {
	if dir == "" || filepath.Base(guid) != guid {
		return
	}
	for _, ending := range []string{"", ".crdownload"} {
		_ = os.Remove(filepath.Join(dir, PartialFolder, guid+ending))
	}
}

// Tidy removes the partial files in dir, and then dir if it is empty.
func Tidy(dir string) {
	rest, err := os.ReadDir(filepath.Join(dir, PartialFolder))
	if err != nil {
		return
	}
	for _, f := range rest {
		if f.Type().IsRegular() {
			_ = os.Remove(filepath.Join(dir, PartialFolder, f.Name()))
		}
	}
	// os.Remove removes only empty folders.
	if os.Remove(filepath.Join(dir, PartialFolder)) == nil {
		_ = os.Remove(dir)
	}
}

// TidyAll calls Tidy for base and for the folders in it.
func TidyAll(base string) {
	list, err := os.ReadDir(base)
	if err != nil {
		return
	}
	for _, f := range list {
		if f.IsDir() && f.Name() != PartialFolder {
			Tidy(filepath.Join(base, f.Name()))
		}
	}
	Tidy(base)
}

// SessionFolder returns the folder for the downloads of a session, which is base for the window's session.
func SessionFolder(base, owner string) string {
	if owner == "" {
		return base
	}
	return filepath.Join(base, FileName(owner))
}

// FormatBytes formats a size for people.
func FormatBytes(n int64) string {
	const unit = 1000
	switch {
	case n < unit:
		return fmt.Sprintf("%d bytes", n)
	case n < unit*unit:
		return fmt.Sprintf("%.1f KB", float64(n)/unit)
	case n < unit*unit*unit:
		return fmt.Sprintf("%.1f MB", float64(n)/(unit*unit))
	}
	return fmt.Sprintf("%.2f GB", float64(n)/(unit*unit*unit))
}

// MoveInto moves a file into dir as name, with a number if that is taken, and returns the new path.
func MoveInto(from, dir, name string) (string, error) {
	if err := os.Chmod(from, 0o600); err != nil {
		return "", fmt.Errorf("saving a download: %w", err)
	}
	ext := filepath.Ext(name)
	stem := strings.TrimSuffix(name, ext)
	for n := 1; n < 1000; n++ {
		if n > 1 {
			name = fmt.Sprintf("%s (%d)%s", stem, n, ext)
		}
		path := filepath.Join(dir, name)
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if os.IsExist(err) {
			continue
		}
		if err != nil {
			return "", fmt.Errorf("saving a download: %w", err)
		}
		_ = f.Close()
		if err := os.Rename(from, path); err != nil {
			_ = os.Remove(path)
			return "", fmt.Errorf("saving a download: %w", err)
		}
		return path, nil
	}
	return "", fmt.Errorf("saving a download: every name like %q is taken", name)
}
