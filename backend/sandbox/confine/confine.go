// Package confine runs programs in a sandbox. If no sandbox is available, it says why.
//
// The kernel enforces what a command may do; nothing depends on reading the command (decision 11). A program in the
// sandbox can read what the person can read, except secrets and what Spec hides. It can write the workspace, its own
// temporary folder and what Spec adds, has no network unless granted, cannot see, signal or trace outside processes,
// and gains no privileges. However a run ends, all of its processes are killed. Its temporary folder is removed then
// or, if Sextant was killed, by a later Sextant.
//
// A run has three processes, all started from Sextant's own binary (see RunStep):
//
//	Sextant      reads the output and keeps a pipe, the lifeline, open
//	supervisor   outside the sandbox: starts the inner step, adopts detached processes, and kills all
//	             processes of the run when the command ends or the lifeline closes
//	inner        in bubblewrap's namespaces, if any: sets limits, drops capabilities, applies Landlock and
//	             seccomp, closes descriptors, and then executes the command
//
// With bubblewrap, namespaces hide secrets, processes and the network. Without it, Landlock and seccomp do so alone,
// and are stricter in places: no sockets at all, and no listing of folders that contain a secret. Without either,
// Available returns the reason, and a command runs only if the caller sets Spec.Unconfined.
//
// The sandbox is not a virtual machine: a kernel bug may let a program escape.
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

	"sextant/backend/sandbox/overlay"
)

// Config is shared by all runs of a Sandbox. Secret paths that do not exist are ignored; TempDir must exist.
type Config struct {
	// Home is the person's home folder; "" means the home folder of this process.
	Home string
	// SecretPaths are absolute paths of files and folders that are hidden from every run, in addition to
	// protectedpaths.SecretPaths.
	SecretPaths []string
	// TempDir is where temporary folders of runs are created; "" means the system's folder.
	TempDir string
	// BlockedPorts returns TCP ports of Sextant that a run with Network must not reach; nil means none.
	BlockedPorts func() []uint16
	// DisabledMechanisms switches mechanisms off, for tests: "bubblewrap", "landlock".
	DisabledMechanisms []string
}

// Limits are the resource limits of one run. A zero field means the value in DefaultLimits.
type Limits struct {
	// Memory limits the data of one process and FileSize the size of one file, both in bytes.
	Memory, FileSize uint64
	// Processes limits processes and threads, not counting those that the person already runs. Root has no limit.
	Processes uint64
	// Files limits how many files one process may have open.
	Files uint64
}

// DefaultLimits returns limits that are enough to build a program on the person's machine.
func DefaultLimits() Limits {
	return Limits{Memory: 4 << 30, FileSize: 4 << 30, Processes: 1024, Files: 4096}
}

// Spec describes one run. All paths are absolute. Paths in Writable, Readable, Visible, Hidden and Restricted that do
// not exist are ignored.
type Spec struct {
	// Args is the program and its arguments. The program is looked up in the PATH of the run.
	Args []string
	// Dir is the working folder; "" means Workspace, or else the temporary folder. Workspace is a folder that the run
	// may write, unless ReadOnly is set or Sandbox.ForcesReadOnly returns true for it; "" means none.
	Dir, Workspace string
	// Writable are additional paths that the run may write.
	Writable []string
	// Readable are paths that the run may read even if they are hidden or in the system's temporary folder, which the
	// run's own folder replaces.
	Readable []string
	// Hidden are paths that the run cannot see, even in the workspace.
	Hidden []string
	// Restricted are folders in which the run sees only Writable, Readable and Visible paths. What is hidden stays
	// hidden in Visible paths.
	Restricted, Visible []string
	// Home is a writable folder that becomes the run's home; "" means none. With namespaces it is mounted over the
	// person's home. Without them, or if the person's home is itself Writable or Readable, only the variable HOME
	// changes.
	Home string
	// ReadOnly makes the workspace read-only, ignores Writable, and moves caches to the temporary folder.
	ReadOnly bool
	// DenyHidden makes access to what is Hidden or Restricted fail instead of finding nothing there. Without bubblewrap
	// it always fails.
	DenyHidden bool
	// Layers store what the run changes in a folder, by the folder's path, instead of changing it. Each folder must be
	// Workspace or in Writable. It requires Sandbox.HasOverlays.
	Layers map[string]*overlay.Layer
	// Network gives the run the machine's network, except Config.BlockedPorts.
	Network bool
	// AllowBlockedPorts starts a run with Network even if the kernel cannot block Config.BlockedPorts.
	AllowBlockedPorts bool
	// Proxy gives the run its own network, in which a proxy on loopback is what it can reach. Proxy is called with the
	// listener before the command starts, and serves it until stop is called. It requires Sandbox.IsolatesNetwork.
	Proxy func(net.Listener) (stop func())
	// MaxConns is how many connections Process.Dial may have open into the run's own network. It has no effect with
	// Network, or without Sandbox.IsolatesNetwork.
	MaxConns int
	// Env are variables ("NAME=value") that are added to the cleaned environment.
	Env    []string
	Limits Limits
	// Stdin is the command's input; nil means no input. Stdout and Stderr receive its output, each from its own
	// goroutine; nil discards it.
	Stdin          *os.File
	Stdout, Stderr io.Writer
	// Unconfined runs the command without the sandbox, but with the limits and the cleaned environment.
	Unconfined bool
	// Inherit, with Unconfined, keeps Sextant's own environment and limits, for a shell that the person types into.
	Inherit bool
	// Terminal gives the command a terminal instead of Stdin, Stdout and Stderr. Its output goes to Spec.Stdout.
	Terminal *Terminal
}

// Terminal configures the terminal of a run.
type Terminal struct {
	// Columns and Rows are its initial size; zero means 80 by 24.
	Columns, Rows uint16
	// OnStart is called with the terminal before the command starts. The terminal works until Wait returns.
	OnStart func(TTY)
}

// TTY is the outer end of a terminal. It is safe for concurrent use. After the end of the run its methods return an
// error.
type TTY interface {
	// Write sends input to the terminal.
	Write(b []byte) (int, error)
	// Resize sets the size in characters.
	Resize(columns, rows uint16) error
}

// Exit describes how a run ended.
type Exit struct {
	// Code is the exit code, or 128 plus the signal number if a signal killed the command.
	Code int
	// Killed is true if the context ended the run.
	Killed bool
	// Mechanisms names the mechanisms that confined the run, such as "Landlock 6 and seccomp".
	Mechanisms string
	Duration   time.Duration
}

// ErrSetup means that the sandbox could not be set up and no part of the command ran.
var ErrSetup = errors.New("the command could not be started in the sandbox, so nothing ran")

// Sandbox starts runs. It is safe for concurrent use.
type Sandbox struct {
	cfg        Config
	once       sync.Once
	mechanisms mechanisms
	reason     string

	overlayOnce sync.Once
	overlays    bool
}

// New returns a Sandbox. It detects the available mechanisms at first use.
func New(cfg Config) *Sandbox {
	if cfg.Home == "" {
		cfg.Home, _ = os.UserHomeDir() // without a home, its secrets cannot be hidden
	}
	if cfg.TempDir == "" {
		cfg.TempDir = os.TempDir()
	}
	return &Sandbox{cfg: cfg}
}

// Available reports whether a sandbox is available. The first call runs a program in it to find out. mechanisms names
// the mechanisms in use; reason says why there is no sandbox.
func (s *Sandbox) Available() (ok bool, mechanisms, reason string) {
	s.once.Do(func() { s.mechanisms, s.reason = s.detect() })
	return s.mechanisms.Available, s.mechanisms.String(), s.reason
}

// IsolatesNetwork reports whether a run can have its own network, which requires namespaces; see Spec.Proxy and
// Spec.MaxConns.
func (s *Sandbox) IsolatesNetwork() bool {
	s.Available()
	return s.mechanisms.Bubblewrap != ""
}

// HasOverlays reports whether a run can use Spec.Layers. The first call runs a program to find out.
func (s *Sandbox) HasOverlays() bool {
	s.overlayOnce.Do(func() { s.overlays = s.IsolatesNetwork() && s.probeOverlay() == nil })
	return s.overlays
}

type mechanisms struct {
	Available bool
	// Bubblewrap is the path of the program, "" if it is not used. UserNamespace makes it create a user namespace.
	Bubblewrap    string
	UserNamespace bool
	// Landlock is the ABI version that the kernel supports, 0 for none.
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

// Run starts spec and waits until it ends. Exit.Killed is also true if the context ended before the start.
func (s *Sandbox) Run(ctx context.Context, spec Spec) (Exit, error) {
	p, err := s.Start(ctx, spec)
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

func (l Limits) withDefaults() Limits {
	d := DefaultLimits()
	return Limits{
		Memory: cmp.Or(l.Memory, d.Memory), FileSize: cmp.Or(l.FileSize, d.FileSize),
		Processes: cmp.Or(l.Processes, d.Processes), Files: cmp.Or(l.Files, d.Files),
	}
}
