// Package confine runs programs of this machine inside a sandbox, and says when there is none.
//
// The sandbox is the border (ARCHITECTURE 11): what a command may do is decided by the kernel,
// not by reading the command. Inside, a program reads what the person may read except secret
// places, writes the workspace and a temporary folder of its own, has no network unless it was
// granted, cannot see, signal or trace what runs outside, and gains no privilege. When the
// call ends, however it ends, everything it started is dead and its temporary folder is gone.
//
// It works in three steps, all of them our own program run again (see Enter):
//
//	Sextant      reads no output itself, holds the lifeline
//	supervisor   outside of the sandbox: starts the next step, adopts what detaches itself,
//	             kills the whole tree when the command ended or the lifeline broke
//	enter        inside bubblewrap's namespaces where there are any: limits, capabilities,
//	             Landlock, seccomp, closed descriptors; then it becomes the command
//
// Where bubblewrap works, namespaces hide secrets, processes and the network. Where it does
// not, Landlock and seccomp alone do, which is stricter in places: no sockets at all, no
// listing of folders that hold a secret. Neither: Available says why, and whoever runs a
// command without the sandbox must have asked (Spec.Unconfined).
//
// It is not a virtual machine: a hole in the kernel is a hole in it.
package confine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"
)

// Config is what every run shares.
type Config struct {
	// Home is the person's home folder; "" takes that of the process.
	Home string
	// Secret are absolute paths of files and folders that are never shown inside, besides
	// those of protectedpaths.Secrets. A path that is not there is passed over.
	Secret []string
	// TempDir is where the temporary folders of runs are made; "" is the system's.
	TempDir string
	// Ports are TCP ports of our own that a run with network still may not reach; nil for none.
	Ports func() []uint16
	// Without turns parts off, for tests: "bubblewrap", "landlock".
	Without []string
}

// Limits bound one run; a zero field takes that of DefaultLimits.
type Limits struct {
	// Memory in bytes that one process may fill with data, FileSize of one file.
	Memory, FileSize uint64
	// Processes and threads besides those of the person that run already; root has none.
	Processes uint64
	// Files that one process may hold open.
	Files uint64
}

// DefaultLimits are for a command of a person's own machine: enough to build a program.
func DefaultLimits() Limits {
	return Limits{Memory: 4 << 30, FileSize: 4 << 30, Processes: 1024, Files: 4096}
}

// Spec is one run.
type Spec struct {
	// Args is the program and its arguments; the program is looked up in the PATH inside.
	Args []string
	// Dir is where it starts, absolute; Workspace the folder that it may write unless Keeps says
	// otherwise, "" for none.
	Dir, Workspace string
	// Writable are further absolute paths that it may write; those not there are passed over.
	Writable []string
	// Shown are further absolute paths that it may read though they lie in a temporary folder, whose
	// place its own takes, or in one that is hidden; those not there are passed over.
	Shown []string
	// Hidden are further absolute paths that are not shown, as secret places are not, also in the
	// workspace; those not there are passed over.
	Hidden []string
	// Closed are further absolute paths of which nothing is shown but what is Writable or Shown.
	Closed []string
	// Home is an absolute folder of its own that is its home: where there are namespaces it stands at the
	// place of the person's, of which then only what is Writable or Shown is there; else, and where the
	// person's home itself is Writable or Shown, HOME names it. It is written; "" for none.
	Home string
	// ReadOnly lets it read the workspace and write nothing but its temporary folder, which
	// then holds the caches of programs too: for a command that was judged to only read.
	ReadOnly bool
	// Network lets it reach the network of this machine, all but Config.Ports.
	Network bool
	// OwnPorts lets a run with Network begin also where the kernel cannot close Config.Ports.
	OwnPorts bool
	// Proxy, where Limits says that it can be, gives the run a network of its own instead, in which
	// nothing is but a proxy on loopback that its environment names: Proxy is given the listener
	// once, before the command begins, and serves it until stop is called at the end of the run.
	Proxy func(net.Listener) (stop func())
	// Sockets is how many connections into the run's own network Process.Dial may hold at once, where
	// Limits says that it has one; Network must be off then. 0 is none.
	Sockets int
	// Env are further variables ("NAME=value") on top of the cleaned environment.
	Env    []string
	Limits Limits
	// Stdin is read by it, nil is empty. Stdout and Stderr take what it prints, as it comes,
	// from a goroutine each; nil drops it.
	Stdin          *os.File
	Stdout, Stderr io.Writer
	// Unconfined runs it without the sandbox: limits, environment and the end of the whole
	// tree hold, nothing else does.
	Unconfined bool
	// Person, with Unconfined, runs what is the person's own, like a shell that they type into:
	// with the environment and the limits that Sextant itself has. The end of the whole tree holds.
	Person bool
	// Terminal gives it a terminal of its own in place of Stdin, Stdout and Stderr; what it prints
	// there goes to Stdout.
	Terminal *Terminal
}

// Terminal is the terminal of a run.
type Terminal struct {
	// Columns and Rows are its first size; zero is 80 by 24.
	Columns, Rows uint16
	// Begun is handed the terminal before the run begins. It works until Wait returns.
	Begun func(TTY)
}

// TTY is a person's side of a terminal. Safe for concurrent use; after the end of the run its
// methods fail.
type TTY interface {
	// Write types into it.
	Write(b []byte) (int, error)
	// Resize tells the programs in it their new size in characters.
	Resize(columns, rows uint16) error
}

// Exit is how a run ended.
type Exit struct {
	// Code is the exit code, 128 and the number of the signal for one that was killed by one.
	Code int
	// Killed is true when the context ended the run.
	Killed bool
	// How names the walls it ran behind.
	How      string
	Duration time.Duration
}

// ErrSetup says that the command could not be started behind its walls, so that nothing of it ran.
var ErrSetup = errors.New("it could not be started in the sandbox, so nothing ran")

// Confine starts runs. Safe for concurrent use.
type Confine struct {
	cfg   Config
	once  sync.Once
	walls walls
	why   string
}

// New makes a Confine; nothing is tried before it is first asked for.
func New(cfg Config) *Confine {
	if cfg.Home == "" {
		cfg.Home, _ = os.UserHomeDir() // "" has no secrets to hide
	}
	if cfg.TempDir == "" {
		cfg.TempDir = os.TempDir()
	}
	return &Confine{cfg: cfg}
}

// Available reports whether there is a sandbox here: how names its walls, why says in words
// why there is none. It is found out once, by running a program in it.
func (c *Confine) Available() (ok bool, how, why string) {
	c.once.Do(func() { c.walls, c.why = c.tryWalls() })
	return c.walls.Any, c.walls.String(), c.why
}

// Limits reports whether the network of a run can be limited to a proxy (Spec.Proxy): it takes a
// network of its own, which only namespaces give.
func (c *Confine) Limits() bool {
	c.Available()
	return c.walls.Bubblewrap != ""
}

// walls are what a run stands behind.
type walls struct {
	Any bool
	// Bubblewrap is its path, "" without; UserNamespace whether it makes one.
	Bubblewrap    string
	UserNamespace bool
	// Landlock is the version of its interface that the kernel offers.
	Landlock int
}

func (w walls) String() string {
	switch {
	case !w.Any:
		return "no sandbox"
	case w.Bubblewrap == "":
		return fmt.Sprintf("Landlock %d and seccomp", w.Landlock)
	}
	return fmt.Sprintf("bubblewrap, Landlock %d and seccomp", w.Landlock)
}

// Run starts spec and waits for its end. A context that ended before it could start ends it like
// one that ends later: Killed.
func (c *Confine) Run(ctx context.Context, spec Spec) (Exit, error) {
	p, err := c.Command(ctx, spec)
	if ended := ctx.Err(); ended != nil && errors.Is(err, ended) {
		how := walls{}.String()
		if !spec.Unconfined {
			_, how, _ = c.Available()
		}
		return Exit{Code: 137, Killed: true, How: how}, nil
	}
	if err != nil {
		return Exit{}, err
	}
	return p.Wait()
}

// withDefaults fills in what is zero.
func (l Limits) withDefaults() Limits {
	d := DefaultLimits()
	for _, f := range []struct{ to, from *uint64 }{
		{&l.Memory, &d.Memory}, {&l.FileSize, &d.FileSize}, {&l.Processes, &d.Processes}, {&l.Files, &d.Files},
	} {
		if *f.to == 0 {
			*f.to = *f.from
		}
	}
	return l
}
