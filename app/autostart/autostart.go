// Package autostart starts Sextant in the tray when the person logs in, by a file that desktops read (freedesktop.org,
// Desktop Application Autostart Specification).
package autostart

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Set switches starting at login on or off. The entry starts the running program.
func Set(on bool) error {
	config, err := os.UserConfigDir()
	if err != nil {
		return fmt.Errorf("finding the folder of the desktop's settings: %w", err)
	}
	path := filepath.Join(config, "autostart", "sextant.desktop")
	if !on {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	program, err := os.Executable()
	if err != nil {
		return fmt.Errorf("finding the program: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(entry(program)), 0o644)
}

func entry(program string) string {
	// A desktop ignores the entry when the program of TryExec is gone.
	return "[Desktop Entry]\nType=Application\nName=Sextant\nIcon=sextant\nTerminal=false\n" +
		"TryExec=" + strings.ReplaceAll(program, `\`, `\\`) + "\nExec=" + quote(program) + " window --hidden\n"
}

// quote returns path as an argument of the key Exec. The specification has three levels of escapes: of field codes, of
// quoted arguments and of strings.
func quote(path string) string {
	argument := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "`", "\\`", "$", `\$`, "%", "%%").Replace(path)
	return `"` + strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(argument) + `"`
}
