// Package child runs other programs: the process of a panel or of an MCP server. Each has its own
// process group, a small environment and none of our descriptors, and never outlives us: Stop ends the
// whole group, and on Linux the kernel kills the program when this process dies.
//
// It is not a sandbox; see package guard/confine.
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

// Spec describes what to run. Name is looked up on PATH unless it contains a slash.
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

// Start starts the program. The caller must Stop it or wait for Done.
func Start(spec Spec) (*Process, error) {
	cmd := exec.CommandContext(context.Background(), spec.Name, spec.Args...)
	cmd.Dir, cmd.Env = spec.Dir, spec.Env
	cmd.Stderr = spec.Log
	cmd.SysProcAttr = attributes()
	// A grandchild that left the group may hold our pipes open forever.
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
	// Our own pipes, because Wait of os/exec closes StdoutPipe under a reader that has not read
	// everything yet.
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

// live starts the program and waits for it on one locked thread, because the parent-death signal
// belongs to the thread that started the child.
func (p *Process) live(started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.cmd.Start()
	if err == nil {
		// The child has its own copies; ours would keep the pipes open.
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
	// End the rest of the group. While the leader is dead but not reaped, its group number cannot have
	// been reused.
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL)
	close(p.dead)
	if unreaped {
		p.err = p.cmd.Wait()
	}
	p.kill.Unlock()
	close(p.done)
}

// Dead is closed as soon as the program has ended. Its children may still hold its pipes; Exit is
// known after Done.
func (p *Process) Dead() <-chan struct{} { return p.dead }

// Done is closed when the program has ended and its group is gone.
func (p *Process) Done() <-chan struct{} { return p.done }

// Exit says how the program ended, once Done is closed: "exit 1", "ended by signal terminated".
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

// Stop closes Stdin, asks the group to end after half of grace, and kills it after grace. It returns
// when the program has ended. It may be called again.
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
	// live holds the lock while it handles the exit; then there is nothing left to signal.
	if !p.kill.TryLock() {
		return
	}
	defer p.kill.Unlock()
	if !p.gone {
		_ = syscall.Kill(-p.cmd.Process.Pid, s)
	}
}

// Environment is the environment for child programs: what is needed to find other programs, home and
// language, plus extra ("NAME=value"), which wins. Keys and tokens in our own environment are not
// passed on.
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

// Line is command and args as typed in a shell, for display.
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
