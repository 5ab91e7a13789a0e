package app

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// InstanceFile is the 0600 file in the data folder by which programs of the same user find
// the Sextant that owns the folder and serves (ARCHITECTURE 18).
const InstanceFile = "instance.json"

// Instance is the content of that file. The token is a program's: it answers no question
// and moves no hand.
type Instance struct {
	URL     string `json:"url"`
	Token   string `json:"token"`
	PID     int    `json:"pid"`
	Version string `json:"version"`
}

// announce writes the instance file; it goes with the server.
func (s *System) announce() error {
	path := filepath.Join(s.Config.DataDir, InstanceFile)
	err := WritePrivateJSON(path, Instance{
		URL: "http://" + s.Host(), Token: s.Token(), PID: os.Getpid(),
		Version: Version,
	})
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	s.OnClose("instance file", func() error { return os.Remove(path) })
	return nil
}

// WritePrivateJSON writes v to a new 0600 file, in one step.
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
