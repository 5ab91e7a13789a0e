package scheduleverbs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sextant/app/cli/verb"
)

const (
	serviceName  = "sextant.service"
	serviceLimit = 20 * time.Second
)

// Service is the verb service.
type Service struct {
	Install installVerb `cmd:"" help:"Start Sextant with your session, without a window, so that schedules run."`
	Remove  removeVerb  `cmd:"" help:"Stop the service and remove it."`
	Status  statusVerb  `cmd:"" default:"1" help:"Say whether the service is installed and runs."`
}

// unitPath returns the path of the unit file of the user's systemd.
func unitPath() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", verb.Failure(verb.ExitFailed, "the home folder is not known: %v", err)
	}
	return filepath.Join(dir, "systemd", "user", serviceName), nil
}

// unitText returns the unit file. It passes on where data and configuration are, if the environment says so.
func unitText(program string, environ []string) string {
	var env strings.Builder
	for _, one := range environ {
		name, value, _ := strings.Cut(one, "=")
		if slices.Contains([]string{"SEXTANT_DATA", "SEXTANT_CONFIG", "SEXTANT_WORKSPACE"}, name) && value != "" {
			fmt.Fprintf(&env, "Environment=%s\n", quoteUnit(one))
		}
	}
	return "[Unit]\nDescription=Sextant, which runs schedules without a window\n\n" +
		"[Service]\nExecStart=" + quoteUnit(program) + " serve\n" + env.String() +
		"Restart=on-failure\nRestartSec=10\n\n[Install]\nWantedBy=default.target\n"
}

// quoteUnit quotes a word of a unit file, in which % begins a substitution.
func quoteUnit(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "%", "%%", "\n", `\n`).Replace(word) + `"`
}

// systemctl runs a command of the user's systemd.
func systemctl(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, serviceLimit)
	defer cancel()
	var out bytes.Buffer
	c := exec.CommandContext(ctx, "systemctl", append([]string{"--user"}, args...)...)
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	return strings.TrimSpace(out.String()), err
}

type installVerb struct {
	Print bool `help:"Print the unit file instead."`
}

// Run writes the unit file and starts the service.
func (v *installVerb) Run(ctx context.Context, io verb.Streams) error {
	program, err := os.Executable()
	if err != nil {
		return verb.Failure(verb.ExitFailed, "the path of this program is not known: %v", err)
	}
	text := unitText(program, os.Environ())
	if v.Print {
		_, err := fmt.Fprint(io.Out, text)
		return err
	}
	path, err := unitPath()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // systemd's own folder
		return verb.Failure(verb.ExitFailed, "the service was not installed: %v", err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil { //nolint:gosec // nothing in it is secret
		return verb.Failure(verb.ExitFailed, "the service was not installed: %v", err)
	}
	_, _ = fmt.Fprintln(io.Out, "Wrote "+path)
	for _, args := range [][]string{{"daemon-reload"}, {"enable", "--now", serviceName}} {
		if out, err := systemctl(ctx, args...); err != nil {
			return verb.Failure(verb.ExitFailed,
				"the service is installed and not started: %s\nTry: systemctl --user %s",
				whySystemctl(out, err), strings.Join(args, " "))
		}
	}
	_, _ = fmt.Fprintln(io.Out, "Sextant runs now and starts with your session. Open its window with: sextant open\n"+
		"To let it run before you log in: loginctl enable-linger")
	return nil
}

func whySystemctl(out string, err error) string {
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "there is no systemd here"
	case out != "":
		return out
	}
	return err.Error()
}

type removeVerb struct{}

// Run stops the service and removes its unit file.
func (v *removeVerb) Run(ctx context.Context, io verb.Streams) error {
	path, err := unitPath()
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return verb.Failure(verb.ExitFailed, "the service is not installed")
	}
	if out, err := systemctl(ctx, "disable", "--now", serviceName); err != nil {
		_, _ = fmt.Fprintf(io.Err, "sextant: the service was not stopped: %s\n", whySystemctl(out, err))
	}
	if err := os.Remove(path); err != nil {
		return verb.Failure(verb.ExitFailed, "the service was not removed: %v", err)
	}
	_, _ = fmt.Fprintln(io.Out, "Removed "+path)
	return nil
}

type statusVerb struct{}

// Run prints the state of the service.
func (v *statusVerb) Run(ctx context.Context, io verb.Streams) error {
	path, err := unitPath()
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		_, _ = fmt.Fprintln(io.Out, "not installed. Install it with: sextant service install")
		return nil
	}
	state, err := systemctl(ctx, "is-active", serviceName)
	if err != nil && strings.Contains(state, " ") || state == "" {
		return verb.Failure(verb.ExitFailed, "the service is installed, and its state is not known: %s",
			whySystemctl(state, err))
	}
	_, _ = fmt.Fprintln(io.Out, state)
	return nil
}
