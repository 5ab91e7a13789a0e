// Package instance reads and writes the instance file of a data folder. With this file, programs of the same user find
// the Sextant that owns the data folder and serves.
package instance

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"sextant/backend/store/wholefile"
)

// FileName is the name of the instance file in the data folder. Only its owner can read it.
const FileName = "instance.json"

// Instance is the content of the instance file. The token gives the rights of a program, which cannot answer questions
// or act as the person. The link key only makes links that open a window.
type Instance struct {
	URL     string `json:"url"`
	Token   string `json:"token"`
	LinkKey string `json:"link_key,omitempty"`
	PID     int    `json:"pid"`
	Version string `json:"version"`
}

// Write writes the instance file of a data folder. It returns a function that removes the file.
func Write(dataDir string, i Instance) (remove func() error, err error) {
	path := filepath.Join(dataDir, FileName)
	if err := WritePrivateJSON(path, i); err != nil {
		return nil, fmt.Errorf("writing %s: %w", path, err)
	}
	return func() error { return os.Remove(path) }, nil
}

// ErrNone reports that no running Sextant was found: a data folder has no valid instance file, or the Sextant in it
// does not answer.
var ErrNone = errors.New("no running Sextant was found for this data folder")

// Read reads the instance file of a data folder. The Sextant in it may have ended, so the caller must check that it
// answers. Read returns ErrNone if there is no valid file or it cannot be read.
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

// WritePrivateJSON atomically writes v as JSON to a new file that only its owner can read.
func WritePrivateJSON(path string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return wholefile.Write(path, append(b, '\n'), 0o600)
}
