// Package launch finds and starts Chromium, and makes sure that it never outlives us.
//
// Rod's own launcher turns site isolation off, opens a debugging port that any local
// process could drive, and overwrites the process attributes that a death signal needs. So
// the command line is ours, the protocol runs over two inherited descriptors that nobody
// else can open, and the process is started from an operating-system thread that lives as
// long as the browser: the kernel sends the death signal when that very thread ends.
//
// It is not the protocol (see frames) and knows nothing of pages.
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

// Options say how Chromium is started.
type Options struct {
	// Path is the program, as Find returned it.
	Path string
	// ProfileDir is where Chromium keeps cookies and storage; "" or one that another
	// Chromium uses means a throw-away folder.
	ProfileDir string
	// Proxy is host:port of the filtering proxy, "" for none.
	Proxy string
	// Headless starts without a window.
	Headless bool
	// Extra are further flags, for tests.
	Extra []string
}

// Process is a running Chromium. Its methods may be called concurrently.
type Process struct {
	// Pipe carries the protocol.
	Pipe *Pipe
	// PID is the browser process and its process group.
	PID int
	// Throwaway is true when the profile disappears with the browser.
	Throwaway bool
	// Holder is who lives on the profile that was asked for and not given, "" for nobody.
	Holder string

	profile profile
	tail    *tail
	done    chan struct{}
	err     error
	closing sync.Once
}

// Start runs Chromium. It returns as soon as the process exists; the first answer over
// Pipe shows that it works. ctx bounds only the start, not the life.
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
		Pipe: newPipe(ourIn, ourOut), Throwaway: prof.throwaway, Holder: prof.holder,
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

// run starts the child and waits for it on one thread that does nothing else.
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

// Done is closed when the browser has ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Stderr says what Chromium wrote last before it ended; only useful after Done.
func (p *Process) Stderr() string {
	text := strings.TrimSpace(p.tail.String())
	if text == "" && p.err != nil {
		return p.err.Error()
	}
	return text
}

// killTimeout bounds the wait for a killed browser: the kernel may hold a process that it cannot end.
const killTimeout = 5 * time.Second

// Close ends the browser and waits for it. Chromium that was asked to close (Browser.close)
// or whose pipe is closed gets grace to write its profile; after two thirds of it, it is asked once
// more by a signal, and after the whole it is killed with all it started. The wait is bounded: a
// browser that not even that ends is an error, and the pipe is closed on our side in any case.
func (p *Process) Close(grace time.Duration) error {
	var err error
	p.closing.Do(func() {
		if !p.exitsWithin(grace * 2 / 3) {
			terminate(p.PID)
			if !p.exitsWithin(grace / 3) {
				killGroup(p.PID)
				p.Pipe.close()
				if !p.exitsWithin(killTimeout) {
					err = fmt.Errorf("the browser (process %d) does not end, not even when it is killed", p.PID)
				}
			}
		}
		err = errors.Join(err, p.removeProfile())
	})
	return err
}

// exitsWithin reports whether the browser ends within the time.
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

// removeProfile tries again for a moment: helper processes may still be writing while
// the kernel takes them down.
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

// tail keeps the last lines Chromium wrote to stderr.
type tail struct {
	mu  sync.Mutex
	buf []byte
}

// Write implements io.Writer; it keeps the newest 4 KB.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.buf = append(t.buf, b...)
	if over := len(t.buf) - 4096; over > 0 {
		t.buf = bytes.Clone(t.buf[over:])
	}
	return len(b), nil
}

// String is what was captured.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.buf)
}
