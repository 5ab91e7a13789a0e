package confine

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"sextant/backend/sandbox/procgroup"
)

// Process is a started run. Wait must be called exactly once.
type Process struct {
	mechanisms mechanisms
	folders    runFolders
	ctx        context.Context
	startedAt  time.Time
	cmd        *exec.Cmd
	lifeline   *os.File
	reports    *os.File
	copies     sync.WaitGroup
	pipes      []*os.File
	stderr     procgroup.Tail // the end of the output, for messages
	tty        *tty
	cancel     func() bool
	// control receives the run's sockets, nil if it has none. receiving is done when they arrived or can no longer
	// arrive; then stopProxy is set if there is a proxy.
	control   *os.File
	receiving sync.WaitGroup
	stopProxy func()
	// maxConns is the size of sockets. socketsReady is closed when sockets is set or can no longer be set.
	maxConns     int
	socketsReady chan struct{}
	sockets      *socketPool
}

// outputGrace is how long to wait for the rest of the output after the end of a run. It elapses only if another process
// still has the other end open.
const outputGrace = 3 * time.Second

// Start starts spec. When ctx ends, everything that the run started is killed at once.
func (s *Sandbox) Start(ctx context.Context, spec Spec) (*Process, error) {
	if len(spec.Args) == 0 {
		return nil, errors.New("there is no program to run")
	}
	m := mechanisms{}
	if !spec.Unconfined {
		if ok, _, reason := s.Available(); !ok {
			return nil, fmt.Errorf("%w: %s", ErrSetup, reason)
		}
		m = s.mechanisms
	}
	return s.start(ctx, spec, m)
}

func (s *Sandbox) start(ctx context.Context, spec Spec, m mechanisms) (_ *Process, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := &Process{mechanisms: m, ctx: ctx, startedAt: time.Now(), stderr: procgroup.Tail{Limit: 1000}}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if p.folders, err = makeRunFolders(s.cfg.TempDir); err != nil {
		return nil, err
	}
	pl, err := s.plan(spec, m, p.folders)
	if err != nil {
		return nil, err
	}
	file, err := jsonFile(pl)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lifelineIn, lifeline, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("opening a pipe: %w", err)
	}
	defer lifelineIn.Close()
	p.lifeline = lifeline
	reports, reportsOut, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("opening a pipe: %w", err)
	}
	defer reportsOut.Close()
	p.reports = reports
	p.cmd = exec.Command("/proc/self/exe", stepArg, supervisorStep)
	p.cmd.Args[0] = "sextant"
	p.cmd.Env = []string{"PATH=/usr/bin:/bin"}
	p.cmd.Dir = "/"
	p.cmd.ExtraFiles = []*os.File{file, reportsOut, lifelineIn}
	p.maxConns, p.socketsReady = pl.Inner.MaxConns, make(chan struct{})
	if spec.Proxy != nil || p.maxConns > 0 {
		inside, err := p.openControl()
		if err != nil {
			return nil, err
		}
		defer inside.Close()
		p.cmd.ExtraFiles = append(p.cmd.ExtraFiles, inside)
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no signals from Sextant's terminal
	streams, err := p.openStreams(spec)
	if err != nil {
		return nil, err
	}
	err = p.cmd.Start()
	for _, f := range streams {
		_ = f.Close() // the child has duplicates
	}
	if err != nil {
		return nil, fmt.Errorf("starting the supervisor: %w", err)
	}
	if p.control != nil {
		p.receiving.Go(func() { p.receiveSockets(spec.Proxy) })
	}
	p.cancel = context.AfterFunc(ctx, func() { _ = lifeline.Close() })
	return p, nil
}

func (p *Process) openControl() (inside *os.File, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("creating the control socket: %w", err)
	}
	p.control = os.NewFile(uintptr(pair[0]), "control")
	return os.NewFile(uintptr(pair[1]), "control of the run"), nil
}

// receiveSockets receives the sockets from the inner step before the command starts: the proxy's listener, if there is
// a proxy, and then the sockets for Dial.
func (p *Process) receiveSockets(proxy func(net.Listener) (stop func())) {
	defer close(p.socketsReady)
	fds := receiveDescriptors(int(p.control.Fd()))
	if proxy != nil {
		if len(fds) == 0 {
			return // the run has ended; its report says why
		}
		f := os.NewFile(uintptr(fds[0]), "listener")
		fds = fds[1:]
		ln, err := net.FileListener(f)
		_ = f.Close()
		if err != nil {
			closeDescriptors(fds)
			return
		}
		p.stopProxy = proxy(ln)
	}
	if len(fds) != p.maxConns {
		closeDescriptors(fds)
		return
	}
	if p.maxConns > 0 {
		p.sockets = newSocketPool(fds)
	}
	_, _ = unix.Write(int(p.control.Fd()), []byte{0}) // the inner step waits for this byte
}

// receiveDescriptors waits for one message and returns its file descriptors, nil after an error.
func receiveDescriptors(socket int) []int {
	control := make([]byte, unix.CmsgSpace(4*(1+maxSockets)))
	n, size, _, _, err := unix.Recvmsg(socket, make([]byte, 1), control, unix.MSG_CMSG_CLOEXEC)
	if err != nil || n == 0 {
		return nil
	}
	messages, err := unix.ParseSocketControlMessage(control[:size])
	if err != nil || len(messages) != 1 {
		return nil
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return nil
	}
	return fds
}

func closeDescriptors(fds []int) {
	for _, fd := range fds {
		_ = unix.Close(fd)
	}
}

func dupFile(fd int) (*os.File, error) {
	duplicate, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(duplicate), "connection"), nil
}

// openStreams connects the command's standard streams. The caller must close the returned files after the start,
// because the command has its own copies.
func (p *Process) openStreams(spec Spec) (streams []*os.File, err error) {
	if spec.Terminal != nil {
		terminal, err := p.openTerminal(spec)
		if err != nil {
			return nil, err
		}
		p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = terminal, terminal, terminal
		return []*os.File{terminal}, nil
	}
	if spec.Stdin != nil {
		p.cmd.Stdin = spec.Stdin
	}
	out, err := p.pipe(spec.Stdout)
	if err != nil {
		return nil, err
	}
	errOut, err := p.pipe(io.MultiWriter(&p.stderr, orDiscard(spec.Stderr)))
	if err != nil {
		_ = out.Close()
		return nil, err
	}
	p.cmd.Stdout, p.cmd.Stderr = out, errOut
	return []*os.File{out, errOut}, nil
}

func orDiscard(w io.Writer) io.Writer {
	if w == nil {
		return io.Discard
	}
	return w
}

func (p *Process) pipe(w io.Writer) (*os.File, error) {
	in, out, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("opening a pipe: %w", err)
	}
	p.pipes = append(p.pipes, in)
	p.copies.Go(func() {
		// A failing writer must not block the program.
		if _, err := io.Copy(orDiscard(w), in); err != nil {
			_, _ = io.Copy(io.Discard, in)
		}
	})
	return out, nil
}

// Terminate sends SIGTERM to every process of the run and does not wait. To kill the processes that remain, cancel the
// context.
func (p *Process) Terminate() { _, _ = p.lifeline.Write([]byte{1}) }

// Wait waits until the processes of the run are dead, copies the rest of its output for at most 3 s and removes its
// temporary folder. A failing command is not an error; see Exit.
func (p *Process) Wait() (Exit, error) {
	defer p.close()
	report := p.readReports()
	waitErr := p.cmd.Wait()
	p.cancel()
	copied := make(chan struct{})
	go func() { p.copies.Wait(); close(copied) }()
	select {
	case <-copied:
	case <-time.After(outputGrace):
		for _, f := range p.pipes {
			_ = f.Close()
		}
		<-copied
	}
	exit := Exit{
		Code: 137, Killed: p.ctx.Err() != nil,
		Mechanisms: p.mechanisms.String(), Duration: time.Since(p.startedAt),
	}
	switch {
	case report.Failed != "" && !exit.Killed:
		return exit, fmt.Errorf("%w: %s", ErrSetup, report.Failed)
	case report.Exit != nil && report.Started:
		exit.Code = *report.Exit
	case exit.Killed:
	case !report.Started:
		return exit, fmt.Errorf("%w: %s", ErrSetup, cmp.Or(p.lastOutput(), fmt.Sprint(waitErr)))
	default:
		return exit, fmt.Errorf("the supervisor of the run ended: %w", waitErr)
	}
	return exit, nil
}

func (p *Process) lastOutput() string { return strings.TrimSpace(p.stderr.String()) }

func (p *Process) readReports() stepReport {
	var all stepReport
	for lines := bufio.NewScanner(p.reports); lines.Scan(); {
		var t stepReport
		if json.Unmarshal(lines.Bytes(), &t) != nil {
			continue
		}
		all.Started = all.Started || t.Started
		all.Failed = cmp.Or(all.Failed, t.Failed)
		if t.Exit != nil {
			all.Exit = t.Exit
		}
	}
	return all
}

func (p *Process) close() {
	if p.tty != nil {
		p.tty.markClosed()
	}
	if p.control != nil {
		// This ends receiveSockets if nothing was sent.
		_ = unix.Shutdown(int(p.control.Fd()), unix.SHUT_RDWR)
		p.receiving.Wait()
	}
	if p.stopProxy != nil {
		p.stopProxy()
	}
	if p.sockets != nil {
		p.sockets.close()
	}
	for _, f := range append(p.pipes, p.lifeline, p.reports, p.control) {
		if f != nil {
			_ = f.Close()
		}
	}
	if p.folders.base != "" {
		_ = RemoveAll(p.folders.base) // the next start of Sextant removes the rest
	}
	if p.folders.lock != nil {
		_ = p.folders.lock.Close()
	}
}
