package manifest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// FileName is the name of the manifest in the panel's folder.
const FileName = "manifest.json"

// ReadFile reads <root>/<id>/manifest.json. It does not follow a link out of root or out of the folder, and does not
// wait for a pipe. A missing file is an error that wraps fs.ErrNotExist. The error is a sentence for the panel's
// author.
func ReadFile(root, id string) ([]byte, error) {
	outer, err := os.OpenRoot(root)
	if err != nil {
		return nil, fmt.Errorf("opening panels folder: %w", err)
	}
	defer outer.Close()
	inner, err := outer.OpenRoot(id)
	if err != nil {
		if strings.Contains(err.Error(), "escapes") {
			return nil, fmt.Errorf("%s is a link that leads out of the panels folder; copy the folder itself", id)
		}
		return nil, fmt.Errorf("opening panel folder: %w", err)
	}
	defer inner.Close()
	file, err := inner.OpenFile(FileName, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is missing: %w", FileName, fs.ErrNotExist)
	case strings.Contains(err.Error(), "escapes"):
		return nil, fmt.Errorf("%s is a link that leads out of the panel's folder", FileName)
	default:
		return nil, fmt.Errorf("reading %s: %w", FileName, err)
	}
	defer file.Close()
	return readBounded(file)
}

func readBounded(file fs.File) ([]byte, error) {
	info, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", FileName, err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", FileName)
	}
	text, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", FileName, err)
	}
	if len(text) > MaxBytes {
		return nil, fmt.Errorf("%s is larger than 1 MB", FileName)
	}
	return text, nil
}
