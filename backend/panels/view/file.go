package view

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// ReadFile reads the page in the file entry of the panel's folder dir. It does not follow a link out of the folder and
// does not wait for a pipe. The error is a sentence for the panel's author.
func ReadFile(dir, entry string) ([]byte, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening panel folder: %w", err)
	}
	defer root.Close()
	file, err := root.OpenFile(entry, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is missing; ui.entry of manifest.json names it", entry)
	case err != nil && strings.Contains(err.Error(), "escapes"):
		return nil, fmt.Errorf("%s leads out of the panel's folder", entry)
	case err != nil:
		return nil, fmt.Errorf("reading %s: %w", entry, err)
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is not a file", entry)
	}
	text, err := io.ReadAll(io.LimitReader(file, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", entry, err)
	}
	return text, nil
}
