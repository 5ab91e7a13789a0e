package secrets

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/zalando/go-keyring"
)

// Keychain stores values by name. Get returns an error for a missing name; Delete does not.
type Keychain interface {
	Get(name string) (string, error)
	Set(name, value string) error
	Delete(name string) error
}

// Timeouts for the desktop's keychain: for a response, and for the person to unlock it.
const (
	answerTimeout = 3 * time.Second
	unlockTimeout = 60 * time.Second
)

type desktopKeychain struct{ service string }

// DesktopKeychain returns the desktop's keychain for the data folder dir, or nil and the reason why it is unavailable.
func DesktopKeychain(dir string) (Keychain, string) {
	if !hasKeychainBus() {
		return nil, "no keychain is available: there is no desktop session bus"
	}
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	sum := sha256.Sum256([]byte(dir))
	d := desktopKeychain{service: "sextant " + hex.EncodeToString(sum[:6])}
	_, err := withTimeout(answerTimeout, func() (string, error) { return keyring.Get(d.service, "is it there") })
	if err != nil && !errors.Is(err, keyring.ErrNotFound) {
		return nil, "no keychain is available: " + err.Error()
	}
	return d, ""
}

// hasKeychainBus reports whether the keychain can be used without starting a program. If there is no session bus, the
// D-Bus library would start one.
func hasKeychainBus() bool {
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return true
	}
	if dir := os.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		_, err := os.Stat(filepath.Join(dir, "bus"))
		return err == nil
	}
	return false
}

// withTimeout runs do for at most limit. A longer call continues in the background, because the library cannot be
// canceled.
func withTimeout(limit time.Duration, do func() (string, error)) (string, error) {
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
func (d desktopKeychain) Get(name string) (string, error) {
	return withTimeout(unlockTimeout, func() (string, error) { return keyring.Get(d.service, name) })
}

// Set implements Keychain.
func (d desktopKeychain) Set(name, value string) error {
	_, err := withTimeout(unlockTimeout, func() (string, error) { return "", keyring.Set(d.service, name, value) })
	return err
}

// Delete implements Keychain.
func (d desktopKeychain) Delete(name string) error {
	_, err := withTimeout(unlockTimeout, func() (string, error) { return "", keyring.Delete(d.service, name) })
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return err
}
