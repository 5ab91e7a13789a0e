// Package confine runs programs in a sandbox, and says why where no sandbox is available.
//
// The kernel decides what a command may do, not a reading of the command (decision 11). In the sandbox a program
// reads what the person may read, except secrets. It writes the workspace and a temporary folder of its own, has
// no network unless granted, cannot see, signal or trace outside processes, and gains no privileges. When the run
// ends, however it ends, everything it started is dead and its temporary folder is removed.
//
// A run has three processes, all of them started from Sextant's own binary (see Enter):
//
//	Sextant      reads the output and holds the lifeline, a pipe
//	supervisor   outside the sandbox: starts the inner step, adopts detached processes, and kills the whole
//	             tree when the command ends or the lifeline closes
//	inner        in bubblewrap's namespaces, if any: sets limits, drops capabilities, applies Landlock and
//	             seccomp, closes descriptors, and then becomes the command
//
// With bubblewrap, namespaces hide secrets, processes and the network. Without it, Landlock and seccomp alone do,
// which is stricter in places: no sockets at all, no listing of folders that contain a secret. Without either,
// Available says why, and a command runs only if the caller sets Spec.Unconfined.
//
// The sandbox is not a virtual machine: a bug in the kernel can be a way out.
package confine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// Config is what all runs of a Sandbox share. Paths that do not exist are ignored.
type Config struct {
	// Home is the person's home folder; "" means that of the process.
	Home string
	// SecretPaths are absolute paths of files and folders that no run sees, in addition to
	// protectedpaths.Secrets.
	SecretPaths []string
	// TempDir is where temporary folders of runs are created; "" means the system's.
	TempDir string
	// BlockedPorts returns TCP ports of Sextant that a run with Network must not reach; nil means none.
	BlockedPorts func() []uint16
	// Disabled turns mechanisms off, for tests: "bubblewrap", "landlock".
	Disabled []string
}

// Limits are the resource limits of one run. A zero field means the value in DefaultLimits.
type Limits struct {
	// Memory and FileSize are bytes: of data of one process, and of one file.
	Memory, FileSize uint64
	// Processes counts processes and threads, in addition to those the person already runs. Root has no limit.
	Processes uint64
	// Files is how many files one process may have open.
	Files uint64
}

// DefaultLimits returns limits that are enough to build a program on the person's machine.
func DefaultLimits() Limits {
	return Limits{Memory: 4 << 30, FileSize: 4 << 30, Processes: 1024, Files: 4096}
}

// Spec describes one run. All paths are absolute; Writable, Readable, Hidden and Restricted may contain paths that
// do not exist, which are ignored.
type Spec struct {
	// Args is the program and its arguments. The program is looked up in the PATH of the run.
	Args []string
	// Dir is the working folder. Workspace is a folder that the run may write, unless
	// Sandbox.ForcesReadOnly; "" means none.
	Dir, Workspace string
	// Writable are more paths that the run may write.
	Writable []string
	// Readable are paths that the run may read though they are hidden, or in a temporary folder, which the
	// run's own replaces.
	Readable []string
	// Hidden are paths that the run does not see, also in the workspace.
	Hidden []string
	// Restricted are folders of which the run sees only what is Writable or Readable.
	Restricted []string
	// Home is a writable folder that becomes the run's home; "" means none. With namespaces it is mounted over the
	// person's home, of which only what is Writable or Readable remains. Without, or if the person's home is
	// itself Writable or Readable, only HOME names it.
	Home string
	// ReadOnly makes the workspace read-only and moves caches to the temporary folder.
	ReadOnly bool
	// Network gives the run the machine's network, except Config.BlockedPorts.
	Network bool
	// AllowBlockedPorts starts a run with Network also where the kernel cannot block Config.BlockedPorts.
	AllowBlockedPorts bool
	// Proxy gives the run a network of its own with nothing but a proxy on loopback, which its environment names.
	// Proxy is called with the listener once, before the command starts, and serves it until stop is called at the
	// end of the run. It needs Sandbox.IsolatesNetwork.
	Proxy func(net.Listener) (stop func())
	// MaxConns is how many connections Process.Dial may have open into the run's own network; 0 means none. It
	// needs Sandbox.IsolatesNetwork and no Network.
	MaxConns int
	// Env are more variables ("NAME=value"), on top of the cleaned environment.
	Env    []string
	Limits Limits
	// Stdin is the command's input; nil is empty. Stdout and Stderr receive its output, each from a goroutine of
	// its own; nil discards it.
	Stdin          *os.File
	Stdout, Stderr io.Writer
	// Unconfined runs the command without the sandbox. Limits, the cleaned environment and the killing of the whole
	// tree remain.
	Unconfined bool
	// Inherit, with Unconfined, keeps Sextant's own environment and limits, for a shell that the person types into.
	Inherit bool
	// Terminal gives the command a terminal in place of Stdin, Stdout and Stderr. Its output goes to Stdout.
	Terminal *Terminal
}

// Terminal configures the terminal of a run.
type Terminal struct {
	// Columns and Rows are its initial size; zero means 80 by 24.
	Columns, Rows uint16
	// OnStart is called with the terminal before the command starts. The terminal works until Wait returns.
	OnStart func(TTY)
}

// TTY is the person's side of a terminal. It is safe for concurrent use. After the end of the run its methods
// return an error.
type TTY interface {
	// Write sends input to the terminal.
	Write(b []byte) (int, error)
	// Resize sets the size in characters.
	Resize(columns, rows uint16) error
}

// Exit describes how a run ended.
type Exit struct {
	// Code is the exit code, or 128 plus the number of the signal that killed the command.
	Code int
	// Killed is true if the context ended the run.
	Killed bool
	// Mechanisms names the mechanisms that confined the run, such as "Landlock 6 and seccomp".
	Mechanisms string
	Duration   time.Duration
}

// ErrSetup means that the sandbox could not be set up and nothing of the command ran.
var ErrSetup = errors.New("the command could not be started in the sandbox, so nothing ran")

// Sandbox starts runs. It is safe for concurrent use.
type Sandbox struct {
	cfg        Config
	once       sync.Once
	mechanisms mechanisms
	// reason says why no sandbox is available.
	reason string
}

// New returns a Sandbox. What is available is found out at first use.
func New(cfg Config) *Sandbox {
	if cfg.Home == "" {
		cfg.Home, _ = os.UserHomeDir() // an unknown home has no secrets to hide
	}
	if cfg.TempDir == "" {
		cfg.TempDir = os.TempDir()
	}
	return &Sandbox{cfg: cfg}
}

// Available reports whether a sandbox is available. The first call finds out by running a program in it.
// mechanisms names what confines runs; reason says why there is no sandbox.
func (s *Sandbox) Available() (ok bool, mechanisms, reason string) {
	s.once.Do(func() { s.mechanisms, s.reason = s.detect() })
	return s.mechanisms.Available, s.mechanisms.String(), s.reason
}

// IsolatesNetwork reports whether a run can have a network of its own, which needs namespaces; see Spec.Proxy and
// Spec.MaxConns.
func (s *Sandbox) IsolatesNetwork() bool {
	s.Available()
	return s.mechanisms.Bubblewrap != ""
}

// mechanisms are what confines runs.
type mechanisms struct {
	Available bool
	// Bubblewrap is the path of the program, "" without; UserNamespace makes it create a user namespace.
	Bubblewrap    string
	UserNamespace bool
	// Landlock is the ABI version that the kernel supports.
	Landlock int
}

func (m mechanisms) String() string {
	switch {
	case !m.Available:
		return "no sandbox"
	case m.Bubblewrap == "":
		return fmt.Sprintf("Landlock %d and seccomp", m.Landlock)
	}
	return fmt.Sprintf("bubblewrap, Landlock %d and seccomp", m.Landlock)
}

// Run starts spec and waits for its end. If the context ended before the start, Exit.Killed is true as well.
func (s *Sandbox) Run(ctx context.Context, spec Spec) (Exit, error) {
	p, err := s.Command(ctx, spec)
	if ended := ctx.Err(); ended != nil && errors.Is(err, ended) {
		used := mechanisms{}.String()
		if !spec.Unconfined {
			_, used, _ = s.Available()
		}
		return Exit{Code: 137, Killed: true, Mechanisms: used}, nil
	}
	if err != nil {
		return Exit{}, err
	}
	return p.Wait()
}

// withDefaults replaces zero fields by the defaults.
func (l Limits) withDefaults() Limits {
	d := DefaultLimits()
	return Limits{
		Memory: cmp.Or(l.Memory, d.Memory), FileSize: cmp.Or(l.FileSize, d.FileSize),
		Processes: cmp.Or(l.Processes, d.Processes), Files: cmp.Or(l.Files, d.Files),
	}
}
