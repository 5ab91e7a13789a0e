// Package child runs other people's programs for us: the process of a panel, the process
// of an MCP server. Each one is in its own process group, gets a small environment and
// none of our descriptors, and never outlives us: Stop ends the whole group, and on Linux
// the kernel kills the program when this process dies, whatever killed it.
//
// It is not a sandbox; package guard/confine is.
package child

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

// Spec says what to run. Name is found on PATH unless it holds a slash.
type Spec struct {
	Name string
	Args []string
	Dir  string
	// Env is the whole environment, see Environment.
	Env []string
	// Log gets standard error, and standard output too unless Pipes is set.
	Log io.Writer
	// Pipes connects Process.Stdin and Process.Stdout to the program.
	Pipes bool
}

// Process is a running program. All methods may be called concurrently.
type Process struct {
	// Stdin and Stdout are set when Spec.Pipes was.
	Stdin  io.WriteCloser
	Stdout io.ReadCloser

	cmd  *exec.Cmd
	dead chan struct{}
	done chan struct{}
	err  error
	kill sync.Mutex
	gone bool
}

// Start runs the program of spec. The caller must Stop it or wait for Done.
func Start(spec Spec) (*Process, error) {
	cmd := exec.CommandContext(context.Background(), spec.Name, spec.Args...)
	cmd.Dir, cmd.Env = spec.Dir, spec.Env
	cmd.Stderr = spec.Log
	cmd.SysProcAttr = attributes()
	// A grandchild that left the group may hold our pipes open for ever.
	cmd.WaitDelay = 2 * time.Second
	p := &Process{cmd: cmd, dead: make(chan struct{}), done: make(chan struct{})}
	if err := p.connect(spec); err != nil {
		return nil, err
	}
	started := make(chan error, 1)
	go p.live(started)
	if err := <-started; err != nil {
		p.closePipes()
		return nil, fmt.Errorf("starting %s: %w", spec.Name, err)
	}
	return p, nil
}

func (p *Process) connect(spec Spec) error {
	if !spec.Pipes {
		p.cmd.Stdout = spec.Log
		return nil
	}
	// Our own pipes, not exec's: its Wait closes StdoutPipe under a reader that has not
	// yet read the program's last words.
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

// live starts the program and waits for it on one locked thread, because the kernel's
// parent-death signal is tied to the thread that started the child, not to the process.
func (p *Process) live(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	if err == nil {
		// The child has its own copies; ours would keep the pipes open after its death.
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
	unreaped := awaitExit(p.cmd.Process.Pid)
	if !unreaped {
		p.err = p.cmd.Wait()
	}
	p.kill.Lock()
	p.gone = true
	// End what the leader left behind. While it is dead but not yet reaped, its group's
	// number cannot have gone to another program.
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	close(p.dead)
	if unreaped {
		p.err = p.cmd.Wait()
	}
	p.kill.Unlock()
	close(p.done)
}

// Dead is closed as soon as the program has ended. What it left behind may still hold its pipes, so
// that Exit is known a moment later, with Done.
func (p *Process) Dead() <-chan struct{} { return p.dead }

// Done is closed when the program has ended and its group is gone.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit says after Done how the program ended, for a person: "exit 1", "killed by SIGTERM".
func (p *Process) Exit() string {
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

// Stop closes Stdin, which a program that reads it takes for a goodbye; after half of grace it asks
// the group to end, and kills it after grace. It returns when the program is gone. Stopping a
// stopped program does nothing.
func (p *Process) Stop(grace time.Duration) {
	if p.Stdin != nil {
		_ = p.Stdin.Close()
		grace /= 2
		if p.within(grace) {
			return
		}
	}
	p.signal(syscall.SIGTERM)
	if p.within(grace) {
		return
	}
	p.signal(syscall.SIGKILL)
	<-p.done
}

// within reports whether the program ends within d.
func (p *Process) within(d time.Duration) bool {
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
	// While the exit is being handled the lock is held by live; TryLock then means there
	// is nothing left to signal.
	if !p.kill.TryLock() {
		return
	}
	defer p.kill.Unlock()
	if !p.gone {
		_ = syscall.Kill(-p.cmd.Process.Pid, s)
	}
}

// Environment is the small environment our children get: what a program needs to find
// other programs, its home and its language, plus extra ("NAME=value" each), which wins.
// Keys and tokens in our own environment are not passed on.
func Environment(extra ...string) []string {
	given := map[string]bool{}
	for _, e := range extra {
		name, _, _ := strings.Cut(e, "=")
		given[name] = true
	}
	var env []string
	for _, name := range []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "TMPDIR", "TZ"} {
		if value, ok := os.LookupEnv(name); ok && !given[name] {
			env = append(env, name+"="+value)
		}
	}
	return append(env, extra...)
}

// Line is command and args as a person would type them, for questions and lists.
func Line(name string, args []string) string {
	parts := make([]string, 0, 1+len(args))
	for _, a := range append([]string{name}, args...) {
		if a == "" || strings.ContainsAny(a, " \t\n\r\"'\\$`|&;<>()*?[]{}~#!") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		parts = append(parts, a)
	}
	return strings.Join(parts, " ")
}
