// Package openurl opens an address in a program of the person's own: their browser, or their program for mail. It is
// not the browser that Sextant controls.
package openurl

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"sextant/backend/sandbox/procgroup"
)

// Browser opens address in the program that BROWSER names, else as Default does.
func Browser(address string) error {
	if program := os.Getenv("BROWSER"); program != "" {
		return start(program, address, "BROWSER="+program)
	}
	return Default(address)
}

// Default opens address in the program that the desktop has for addresses of its kind.
func Default(address string) error {
	return start("xdg-open", address)
}

// start starts a program that may outlive Sextant.
func start(program, address string, env ...string) error {
	cmd := exec.CommandContext(context.Background(), program, address)
	cmd.Env = procgroup.Environment(append(desktopEnv(), env...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", program, err)
	}
	go func() { _ = cmd.Wait() }() // reaps it whenever it ends
	return nil
}

// desktopEnv is what a program needs to find the screen.
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
