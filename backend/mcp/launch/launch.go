// Package launch starts the program of an MCP server: in the sandbox, limited to what its entry grants and
// with its own home folder, or outside of it if the person chose that, a container replaces it, or
// there is no sandbox on this machine and the person agreed. It also says in words what a server may access.
//
// It knows nothing of the protocol: it returns the program's standard input and output.
package launch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"sextant/backend/mcp/access"
	"sextant/backend/mcp/config"
	"sextant/backend/sandbox/procgroup"
)

// Program is a server's program that was started.
type Program interface {
	// Exited is closed as soon as the program has ended, Done when everything it started is gone too. ExitStatus
	// says after that how it ended.
	Exited() <-chan struct{}
	Done() <-chan struct{}
	ExitStatus() string
	// Stop closes the program's input, asks it to end after half of grace, and kills it after grace.
	Stop(grace time.Duration)
}

// ErrDeclined says that the person did not let the program run without a sandbox. Starting it again asks
// again, so it must not be retried automatically.
var ErrDeclined = errors.New("not started")

// Request is a program to start.
type Request struct {
	// Server is the server's name.
	Server string
	Entry  config.Entry
	// Path is where commands are looked for, Env the variables of the entry with secrets filled in.
	Path string
	Env  []string
	// Workspace is the folder of an entry that names none.
	Workspace string
	// Log gets the program's standard error.
	Log io.Writer
	// Granted receives the permissions the program runs with.
	Granted func(access.Permissions)
	// WithoutSandbox asks the person whether the program may run without a sandbox, and why there is
	// none. A nil error allows it.
	WithoutSandbox func(ctx context.Context, why string) error
}

// Start starts the program of r. The caller must Stop it and close stdout. b may be nil: then every
// program runs outside.
func (s *Sandbox) Start(
	ctx context.Context, r Request,
) (p Program, stdin io.WriteCloser, stdout io.ReadCloser, err error) {
	name := executable(ExpandHome(r.Entry.Command), r.Path)
	if s == nil || s.Confine == nil {
		return startOutside(r, name)
	}
	permissions := s.Permissions(r.Entry, r.Workspace)
	r.Granted(permissions)
	if permissions.Unsandboxed || permissions.Container != "" {
		return startOutside(r, name)
	}
	if why := s.missing(permissions); why != "" {
		if err := r.WithoutSandbox(ctx, why); err != nil {
			return nil, nil, nil, err
		}
		return startOutside(r, name)
	}
	if err := checkExecutable(name, permissions.Dir, r.Workspace); err != nil {
		return nil, nil, nil, err
	}
	if permissions.AllowsAnyHost() && s.PortsKnown != nil {
		select {
		case <-s.PortsKnown:
		case <-ctx.Done():
			return nil, nil, nil, ctx.Err()
		}
	}
	return s.startInside(ctx, r, permissions, name)
}

// startOutside starts the program without a sandbox.
func startOutside(r Request, name string) (Program, io.WriteCloser, io.ReadCloser, error) {
	dir := r.Entry.Cwd
	if dir == "" {
		dir = r.Workspace
	}
	p, err := procgroup.Start(procgroup.Spec{
		Name: name, Args: r.Entry.Args, Dir: ExpandHome(dir), Env: procgroup.Environment(r.Env...), Log: r.Log,
		Pipes: true,
	})
	if errors.Is(err, exec.ErrNotFound) {
		err = notFound(name)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	return p, p.Stdin, p.Stdout, nil
}

// ExpandHome replaces a leading "~/" by the home folder.
func ExpandHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if folder, err := os.UserHomeDir(); err == nil {
			return filepath.Join(folder, rest)
		}
	}
	return path
}

// checkExecutable says why there is no such program, started in dir, or else in the workspace.
func checkExecutable(name, dir, workspace string) error {
	file := name
	if !filepath.IsAbs(name) {
		if dir == "" {
			dir = workspace
		}
		file = filepath.Join(dir, name)
	}
	info, err := os.Stat(file)
	switch {
	case !strings.ContainsRune(name, '/') || errors.Is(err, fs.ErrNotExist):
		return notFound(name)
	case err != nil:
		return err
	case info.IsDir() || info.Mode()&0o111 == 0:
		return fmt.Errorf("%s is not an executable program", name)
	}
	return nil
}

func notFound(command string) error {
	if strings.ContainsRune(command, ' ') {
		return fmt.Errorf(`command not found: %q. Write its arguments into "args"`, command)
	}
	return fmt.Errorf("command not found: %q", command)
}
