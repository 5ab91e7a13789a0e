// Package launch starts the program of an MCP server. The program runs in the sandbox, limited to what its entry
// grants and with a separate home folder. It runs outside if Sextant has no sandbox configured, if the person chose
// that, if a container replaces the sandbox, or if this machine cannot enforce the grants and the person agreed. The
// package also describes in words what a server may access.
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

// Program is a server's program after its start.
type Program interface {
	// Exited is closed when the program has ended, Done when its child processes have ended too. After that,
	// ExitStatus says how the program ended.
	Exited() <-chan struct{}
	Done() <-chan struct{}
	ExitStatus() string
	// Stop closes the program's input, asks it to end after half of grace, and kills it after grace.
	Stop(grace time.Duration)
}

// ErrDeclined means that the person did not let the program run without a sandbox. Another start asks again, so
// it must not be retried automatically.
var ErrDeclined = errors.New("not started")

// Request is a program to start.
type Request struct {
	Server string
	Entry  config.Entry
	// Path is the search path for commands; Env contains the program's variables as "NAME=value", with secrets.
	Path string
	Env  []string
	// Workspace is the folder that the person works in. Outside the sandbox, a program whose entry names no folder
	// starts there.
	Workspace string
	// Log receives the program's standard error.
	Log io.Writer
	// OnPermissions receives the permissions from the entry before the program starts. It is not called without
	// Sandbox.Confine.
	OnPermissions func(access.Permissions)
	// ConfirmUnsandboxed asks the person whether the program may run without a sandbox; why says why there is none.
	// A nil error allows it.
	ConfirmUnsandboxed func(ctx context.Context, why string) error
}

// Start starts the program of r. The caller must call Stop and close stdout. If s or s.Confine is nil, every
// program runs outside the sandbox.
func (s *Sandbox) Start(
	ctx context.Context, r Request,
) (p Program, stdin io.WriteCloser, stdout io.ReadCloser, err error) {
	name := executable(ExpandHome(r.Entry.Command), r.Path)
	if s == nil || s.Confine == nil {
		return startOutside(r, name)
	}
	permissions := s.Permissions(r.Entry, r.Workspace)
	r.OnPermissions(permissions)
	if permissions.Unsandboxed || permissions.Container != "" {
		return startOutside(r, name)
	}
	if why := s.missing(permissions); why != "" {
		if err := r.ConfirmUnsandboxed(ctx, why); err != nil {
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

// ExpandHome replaces a leading "~/" with the home folder, if that is known.
func ExpandHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if folder, err := os.UserHomeDir(); err == nil {
			return filepath.Join(folder, rest)
		}
	}
	return path
}

// checkExecutable needs the folder that name is relative to: dir or, if that is "", workspace.
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
		return fmt.Errorf("command not found: %q. Put its arguments into the field for arguments", command)
	}
	return fmt.Errorf("command not found: %q", command)
}
