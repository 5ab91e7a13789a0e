// Package instance is the file by which programs of the same user find the Sextant that owns a data folder and serves.
package instance

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// FileName is the name of the file in the data folder. Only its owner can read it.
const FileName = "instance.json"

// Instance is the content of the file. The token gives a program's rights: it cannot answer questions or act as the
// person.
type Instance struct {
	URL     string `json:"url"`
	Token   string `json:"token"`
	PID     int    `json:"pid"`
	Version string `json:"version"`
}

// Write writes the file of a data folder, and returns a function that removes it.
func Write(dataDir string, i Instance) (remove func() error, err error) {
	path := filepath.Join(dataDir, FileName)
	if err := WritePrivateJSON(path, i); err != nil {
		return nil, fmt.Errorf("writing %s: %w", path, err)
	}
	return func() error { return os.Remove(path) }, nil
}

// ErrNone means that a data folder has no usable file.
var ErrNone = errors.New("no running Sextant was found for this data folder")

// Read reads the file of a data folder. Its Sextant may have ended: the caller must check that it answers. The error is
// ErrNone.
func Read(dataDir string) (Instance, error) {
	b, err := os.ReadFile(filepath.Join(dataDir, FileName))
	if err != nil {
		return Instance{}, ErrNone
	}
	var i Instance
	if json.Unmarshal(b, &i) != nil || i.URL == "" || i.Token == "" {
		return Instance{}, ErrNone
	}
	return i, nil
}

// WritePrivateJSON writes v to a new file that only its owner can read, in one step.
func WritePrivateJSON(path string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	temp := path + ".new"
	_ = os.Remove(temp)
	f, err := os.OpenFile(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(b, '\n'))
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	return os.Rename(temp, path)
}
