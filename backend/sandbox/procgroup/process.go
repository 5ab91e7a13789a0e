// Package procgroup runs long-lived programs, such as panel backends and MCP servers. Each program has its own process
// group and a small environment. Stop ends the whole group. On Linux the kernel kills the program, but not its
// children, when this process dies.
//
// It is not a sandbox; see package confine.
package procgroup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Spec describes the program to run. Name is looked up on PATH unless it contains a slash.
type Spec struct {
	Name string
	Args []string
	Dir  string
	// Env is the complete environment; see Environment.
	Env []string
	// Log receives standard error, and standard output too unless Pipes is set.
	Log io.Writer
	// Pipes connects Process.Stdin and Process.Stdout to the program.
	Pipes bool
}

// Process is a running program. Its methods are safe for concurrent use.
type Process struct {
	// Stdin and Stdout are set if Spec.Pipes is true.
	Stdin  io.WriteCloser
	Stdout io.ReadCloser

	cmd      *exec.Cmd
	exited   chan struct{}
	done     chan struct{}
	err      error
	signalMu sync.Mutex // guards ended and every signal to the group
	ended    bool
}

// Start starts the program. The caller must call Stop or wait for Done.
func Start(spec Spec) (*Process, error) {
	cmd := exec.CommandContext(context.Background(), spec.Name, spec.Args...)
	cmd.Dir, cmd.Env = spec.Dir, spec.Env
	cmd.Stderr = spec.Log
	cmd.SysProcAttr = sysProcAttr()
	// A grandchild that left the group could keep the pipes open forever.
	cmd.WaitDelay = 2 * time.Second
	p := &Process{cmd: cmd, exited: make(chan struct{}), done: make(chan struct{})}
	if err := p.openPipes(spec); err != nil {
		return nil, err
	}
	started := make(chan error, 1)
	go p.run(started)
	if err := <-started; err != nil {
		p.closePipes()
		return nil, fmt.Errorf("starting %s: %w", spec.Name, err)
	}
	return p, nil
}

func (p *Process) openPipes(spec Spec) error {
	if !spec.Pipes {
		p.cmd.Stdout = spec.Log
		return nil
	}
	// exec.Cmd.StdoutPipe is not suitable: Wait closes it before a slow reader has read everything.
	inRead, inWrite, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("making pipe: %w", err)
	}
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		_ = inRead.Close()
		_ = inWrite.Close()
		return fmt.Errorf("making pipe: %w", err)
	}
	p.cmd.Stdin, p.cmd.Stdout = inRead, outWrite
	p.Stdin, p.Stdout = inWrite, outRead
	return nil
}

func (p *Process) closePipes() {
	for _, c := range []any{p.cmd.Stdin, p.cmd.Stdout, p.Stdin, p.Stdout} {
		if f, ok := c.(*os.File); ok && f != nil {
			_ = f.Close()
		}
	}
}

// run starts the program and waits for it on one locked thread: the parent-death signal is sent when the
// thread that started the child ends.
func (p *Process) run(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	if err == nil {
		// The child has its own copies. Leaving these open would keep the pipes open.
		for _, c := range []any{p.cmd.Stdin, p.cmd.Stdout} {
			if f, ok := c.(*os.File); ok && f != nil {
				_ = f.Close()
			}
		}
	}
	started <- err
	if err != nil {
		return
	}
	unreaped := waitForExit(p.cmd.Process.Pid)
	if !unreaped {
		p.err = p.cmd.Wait()
	}
	p.signalMu.Lock()
	p.ended = true
	// Kill the rest of the group. The group ID cannot be reused before the leader is reaped.
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	close(p.exited)
	if unreaped {
		p.err = p.cmd.Wait()
	}
	p.signalMu.Unlock()
	close(p.done)
}

// Exited returns a channel that is closed as soon as the program has ended. Its children may still have its pipes open.
// The exit status is known after Done.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Done returns a channel that is closed when the program has ended and its group was killed.
func (p *Process) Done() <-chan struct{} { return p.done }

// ExitStatus describes how the program ended, such as "exit 1" or "ended by signal terminated". Before Done is
// closed it is "still running".
func (p *Process) ExitStatus() string {
	select {
	case <-p.done:
	default:
		return "still running"
	}
	var exit *exec.ExitError
	if !errors.As(p.err, &exit) {
		return "exit 0"
	}
	if status, ok := exit.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return "ended by signal " + status.Signal().String()
	}
	return fmt.Sprintf("exit %d", exit.ExitCode())
}

// Stop asks the group to end, by closing Stdin and by SIGTERM, and kills it after grace. It returns when the program
// has ended. It may be called more than once.
func (p *Process) Stop(grace time.Duration) {
	if p.Stdin != nil {
		_ = p.Stdin.Close()
		grace /= 2
		if p.doneWithin(grace) {
			return
		}
	}
	p.signal(syscall.SIGTERM)
	if p.doneWithin(grace) {
		return
	}
	p.signal(syscall.SIGKILL)
	<-p.done
}

func (p *Process) doneWithin(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	case <-timer.C:
		return false
	}
}

func (p *Process) signal(s syscall.Signal) {
	// run has the lock while it handles the exit, after which there is nothing to signal.
	if !p.signalMu.TryLock() {
		return
	}
	defer p.signalMu.Unlock()
	if !p.ended {
		_ = syscall.Kill(-p.cmd.Process.Pid, s)
	}
}

// Environment returns the environment for a program: the variables for finding other programs, the home folder and the
// language, and extra ("NAME=value"), which takes precedence. API keys and tokens in Sextant's own environment are not
// included.
func Environment(extra ...string) []string {
	overridden := map[string]bool{}
	for _, e := range extra {
		name, _, _ := strings.Cut(e, "=")
		overridden[name] = true
	}
	var env []string
	for _, name := range []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "TMPDIR", "TZ"} {
		if value, ok := os.LookupEnv(name); ok && !overridden[name] {
			env = append(env, name+"="+value)
		}
	}
	return append(env, extra...)
}

// CommandLine formats a program and its arguments as they would be typed in a shell, for display.
func CommandLine(name string, args []string) string {
	parts := make([]string, 0, 1+len(args))
	for _, a := range append([]string{name}, args...) {
		if a == "" || strings.ContainsAny(a, " \t\n\r\"'\\$`|&;<>()*?[]{}~#!") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		parts = append(parts, a)
	}
	return strings.Join(parts, " ")
}
