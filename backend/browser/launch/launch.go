// Package launch finds and starts Chromium, which ends when Sextant does.
//
// Rod's own launcher turns site isolation off, opens a debugging port that any local process could use, and overwrites
// the process attributes that a death signal needs. This package builds its own command line and runs the protocol over
// two inherited descriptors. It starts the process from an operating-system thread that lives as long as the browser,
// because the kernel sends the death signal when that thread ends.
//
// The package does not speak the protocol (see cdp) and knows nothing of pages.
package launch

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Options says how to start Chromium.
type Options struct {
	// Path is the path of the program, as returned by Find.
	Path string
	// ProfileDir is the folder where Chromium keeps cookies and storage. When it is "" or in use by another Chromium,
	// a temporary folder is used instead.
	ProfileDir string
	// Proxy is host:port of the filtering proxy, "" for none.
	Proxy      string
	Headless   bool
	ExtraFlags []string
}

// Process is a running Chromium. Its methods may be called concurrently.
type Process struct {
	Pipe *Pipe
	// PID is the id of the browser's process and of its process group.
	PID int
	// TemporaryProfile is true when the profile is removed after the browser has ended.
	TemporaryProfile bool
	// ProfileHolder describes the process that uses the profile in ProfileDir, "" when it was free.
	ProfileHolder string

	profile profile
	tail    *tail
	done    chan struct{}
	err     error
	closing sync.Once
}

// Start runs Chromium and returns as soon as the process exists; only an answer over Pipe shows that it works. ctx
// bounds the start, not the life of the process.
func Start(ctx context.Context, o Options) (*Process, error) {
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("starting the browser: %w", err)
	}
	prof, err := openProfile(o.ProfileDir)
	if err != nil {
		return nil, err
	}
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("making the debugging pipe: %w", err), prof.remove())
	}
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		_, _ = theirIn.Close(), ourOut.Close()
		return nil, errors.Join(fmt.Errorf("making the debugging pipe: %w", err), prof.remove())
	}
	p := &Process{
		Pipe: newPipe(ourIn, ourOut), TemporaryProfile: prof.throwaway, ProfileHolder: prof.holder,
		profile: prof, tail: &tail{}, done: make(chan struct{}),
	}
	cmd := exec.Command(o.Path, flags(o, prof.dir)...)
	cmd.ExtraFiles = []*os.File{theirIn, theirOut}
	cmd.Stderr = p.tail
	cmd.WaitDelay = 2 * time.Second
	tieToParent(cmd)

	started := make(chan error, 1)
	go p.run(cmd, started)
	err = <-started
	_, _ = theirIn.Close(), theirOut.Close()
	if err != nil {
		p.Pipe.close()
		<-p.done
		return nil, errors.Join(fmt.Errorf("starting %s: %w", o.Path, err), prof.remove())
	}
	return p, nil
}

func (p *Process) run(cmd *exec.Cmd, started chan<- error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	defer close(p.done)
	if err := cmd.Start(); err != nil {
		started <- err
		return
	}
	p.PID = cmd.Process.Pid
	started <- nil
	p.err = cmd.Wait()
	killGroup(p.PID)
	p.Pipe.close()
}

// Done returns a channel that is closed when the browser has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Stderr returns the last 4 KB that Chromium wrote to its standard error, or how it ended when it wrote nothing.
// Call it after Done is closed.
func (p *Process) Stderr() string {
	text := strings.TrimSpace(p.tail.String())
	if text == "" && p.err != nil {
		return p.err.Error()
	}
	return text
}

// killTimeout bounds the wait for a killed browser, because the kernel may be unable to end a process.
const killTimeout = 5 * time.Second

// Close waits for the browser to exit, which the caller asks for first, by Browser.close or by closing the pipe. After
// two thirds of grace it gets SIGTERM, and after all of it, its process group is killed. Close removes a temporary
// profile. Its error says that the browser did not end or that the profile was not removed. A second call does nothing.
func (p *Process) Close(grace time.Duration) error {
	var err error
	p.closing.Do(func() {
		if !p.exitsWithin(grace * 2 / 3) {
			terminate(p.PID)
			if !p.exitsWithin(grace / 3) {
				killGroup(p.PID)
				p.Pipe.close()
				if !p.exitsWithin(killTimeout) {
					err = fmt.Errorf("the browser (process %d) did not end even when it was killed", p.PID)
				}
			}
		}
		err = errors.Join(err, p.removeProfile())
	})
	return err
}

func (p *Process) exitsWithin(within time.Duration) bool {
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case <-p.done:
		return true
	case <-timer.C:
		return false
	}
}

// removeProfile removes the temporary profile. It retries, because ending helper processes may still write to it.
func (p *Process) removeProfile() error {
	var err error
	for range 20 {
		if err = p.profile.remove(); err == nil {
			return nil
		}
		time.Sleep(25 * time.Millisecond)
	}
	return err
}

// Kill ends the browser at once, as a crash would.
func (p *Process) Kill() { killGroup(p.PID) }

type tail struct {
	mu  sync.Mutex
	buf []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if over := len(t.buf) - 4096; over > 0 {
		t.buf = bytes.Clone(t.buf[over:])
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
