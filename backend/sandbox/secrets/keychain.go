package secrets

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/zalando/go-keyring"
)

// Keychain keeps values by name. Get of one that is not there is an error, Delete of it is none.
type Keychain interface {
	Get(name string) (string, error)
	Set(name, value string) error
	Delete(name string) error
}

// How long the desktop's keychain may take: to answer at all, and with a person who unlocks it.
const (
	answers = 3 * time.Second
	unlocks = 60 * time.Second
)

// desktop is the keychain of the desktop; every data folder has its own service in it.
type desktop struct{ service string }

// Desktop is the desktop's keychain for the data folder dir, or why there is none.
func Desktop(dir string) (Keychain, string) {
	if !reachable() {
		return nil, "no keychain answers: there is no session bus of a desktop"
	}
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	sum := sha256.Sum256([]byte(dir))
	d := desktop{service: "sextant " + hex.EncodeToString(sum[:6])}
	_, err := within(answers, func() (string, error) { return keyring.Get(d.service, "is it there") })
	if err != nil && !errors.Is(err, keyring.ErrNotFound) {
		return nil, "no keychain answers: " + err.Error()
	}
	return d, ""
}

// reachable reports whether asking for the keychain starts no program: on Unix the D-Bus library
// would start a bus of its own where there is none.
func reachable() bool {
	switch runtime.GOOS {
	case "windows", "darwin":
		return true
	}
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return true
	}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		_, err := os.Stat(filepath.Join(dir, "bus"))
		return err == nil
	}
	return false
}

// within runs do for at most limit. What takes longer is left behind: it waits in the library, which
// cannot be told to stop.
func within(limit time.Duration, do func() (string, error)) (string, error) {
	type outcome struct {
		value string
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		value, err := do()
		done <- outcome{value, err}
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case o := <-done:
		return o.value, o.err
	case <-timer.C:
		return "", fmt.Errorf("it did not answer within %s", limit)
	}
}

// Get implements Keychain.
func (d desktop) Get(name string) (string, error) {
	return within(unlocks, func() (string, error) { return keyring.Get(d.service, name) })
}

// Set implements Keychain.
func (d desktop) Set(name, value string) error {
	_, err := within(unlocks, func() (string, error) { return "", keyring.Set(d.service, name, value) })
	return err
}

// Delete implements Keychain.
func (d desktop) Delete(name string) error {
	_, err := within(unlocks, func() (string, error) { return "", keyring.Delete(d.service, name) })
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return err
}
