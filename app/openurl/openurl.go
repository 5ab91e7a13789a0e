// Package openurl opens an address in one of the person's own programs, such as a browser or a mail program. It does
// not use the browser that Sextant controls.
package openurl

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"sextant/backend/sandbox/procgroup"
)

// InBrowser opens address in the program that the variable BROWSER names, or like WithDesktop if it is not set. Neither
// waits for the program: the error only says that it could not be started.
func InBrowser(address string) error {
	if program := os.Getenv("BROWSER"); program != "" {
		return start(program, address, "BROWSER="+program)
	}
	return WithDesktop(address)
}

// WithDesktop opens address in the program that the desktop uses for its scheme.
func WithDesktop(address string) error {
	return start("xdg-open", address)
}

func start(program, address string, env ...string) error {
	cmd := exec.CommandContext(context.Background(), program, address)
	cmd.Env = procgroup.Environment(append(desktopEnv(), env...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", program, err)
	}
	go func() { _ = cmd.Wait() }() // reap the process
	return nil
}

// desktopEnv returns the variables with which a program finds the desktop session: its screen, bus and settings.
func desktopEnv() (env []string) {
	for _, name := range []string{
		"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR",
		"DBUS_SESSION_BUS_ADDRESS", "XDG_CURRENT_DESKTOP", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS",
	} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}
