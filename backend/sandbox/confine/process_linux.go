package confine

import (
	"bufio"
	"bytes"
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
)

// Process is a run that was started. Wait must be called once.
type Process struct {
	walls  walls
	rooms  rooms
	ctx    context.Context
	begun  time.Time
	cmd    *exec.Cmd
	life   *os.File
	told   *os.File
	copies sync.WaitGroup
	pipes  []*os.File
	errors tail
	tty    *tty
	cancel func() bool
	// way takes the listener of the run's proxy, nil without one; served ends when it is served or
	// never will be, and then stop ends the proxy, nil for none.
	way    *os.File
	served sync.WaitGroup
	stop   func()
	// sockets is how many reach shall hold; reachable is closed when it is there, or never will be.
	sockets   int
	reachable chan struct{}
	reach     *reach
}

// patience is how long after the end of a run the rest of its output may take. It is only
// used up when somebody else holds the other end; a busy machine needs some of it.
const patience = 3 * time.Second

// Command starts spec. When ctx ends, everything that came of it is killed at once.
func (c *Confine) Command(ctx context.Context, spec Spec) (*Process, error) {
	if len(spec.Args) == 0 {
		return nil, errors.New("there is no program to run")
	}
	w := walls{}
	if !spec.Unconfined {
		if ok, _, why := c.Available(); !ok {
			return nil, fmt.Errorf("%w: %s", ErrSetup, why)
		}
		w = c.walls
	}
	return c.command(ctx, spec, w)
}

func (c *Confine) command(ctx context.Context, spec Spec, w walls) (_ *Process, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := &Process{walls: w, ctx: ctx, begun: time.Now()}
	defer func() {
		if err != nil {
			p.close()
		}
	}()
	if p.rooms, err = makeRooms(c.cfg.TempDir); err != nil {
		return nil, err
	}
	pl, err := c.plan(spec, w, p.rooms)
	if err != nil {
		return nil, err
	}
	file, err := jsonFile(pl)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lifeIn, life, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("opening a pipe: %w", err)
	}
	defer lifeIn.Close()
	p.life = life
	told, toldOut, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("opening a pipe: %w", err)
	}
	defer toldOut.Close()
	p.told = told
	p.cmd = exec.Command("/proc/self/exe", verb, outerAt)
	p.cmd.Args[0] = "sextant"
	p.cmd.Env = []string{"PATH=/usr/bin:/bin"}
	p.cmd.Dir = "/"
	p.cmd.ExtraFiles = []*os.File{file, toldOut, lifeIn}
	p.sockets, p.reachable = pl.Enter.Sockets, make(chan struct{})
	if spec.Proxy != nil || p.sockets > 0 {
		inside, err := p.openWay()
		if err != nil {
			return nil, err
		}
		defer inside.Close()
		p.cmd.ExtraFiles = append(p.cmd.ExtraFiles, inside)
	}
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // signals of our terminal are not its
	theirs, err := p.streams(spec)
	if err != nil {
		return nil, err
	}
	err = p.cmd.Start()
	for _, f := range theirs {
		_ = f.Close() // the child has its own
	}
	if err != nil {
		return nil, fmt.Errorf("starting the supervisor: %w", err)
	}
	if p.way != nil {
		p.served.Go(func() { p.serve(spec.Proxy) })
	}
	p.cancel = context.AfterFunc(ctx, func() { _ = life.Close() })
	return p, nil
}

// openWay makes the socket that the listener of a proxy and the sockets to reach the run come back
// on; the other end goes inside.
func (p *Process) openWay() (inside *os.File, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("opening a way into the run: %w", err)
	}
	p.way = os.NewFile(uintptr(pair[0]), "way")
	return os.NewFile(uintptr(pair[1]), "way inside"), nil
}

// serve takes what comes from our own step inside, before the command begins: the listener, where
// there is a proxy, and then the sockets.
func (p *Process) serve(proxy func(net.Listener) (stop func())) {
	defer close(p.reachable)
	fds := received(int(p.way.Fd()))
	if proxy != nil {
		if len(fds) == 0 {
			return // it ended before, and tells why elsewhere
		}
		f := os.NewFile(uintptr(fds[0]), "listener")
		fds = fds[1:]
		ln, err := net.FileListener(f)
		_ = f.Close()
		if err != nil {
			closeAll(fds)
			return
		}
		p.stop = proxy(ln)
	}
	if len(fds) != p.sockets {
		closeAll(fds)
		return
	}
	if p.sockets > 0 {
		p.reach = newReach(fds)
	}
	_, _ = unix.Write(int(p.way.Fd()), []byte{0}) // without it the command does not begin
}

// received are the descriptors of one message.
func received(way int) []int {
	control := make([]byte, unix.CmsgSpace(4*(1+maxSockets)))
	n, size, _, _, err := unix.Recvmsg(way, make([]byte, 1), control, unix.MSG_CMSG_CLOEXEC)
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

func closeAll(fds []int) {
	for _, fd := range fds {
		_ = unix.Close(fd)
	}
}

// copyOf is a file of its own for a descriptor.
func copyOf(fd int) (*os.File, error) {
	again, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(again), "connection"), nil
}

// streams gives the command what it reads and prints to; theirs are closed here once it has them.
func (p *Process) streams(spec Spec) (theirs []*os.File, err error) {
	if spec.Terminal != nil {
		slave, err := p.terminal(spec)
		if err != nil {
			return nil, err
		}
		p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = slave, slave, slave
		return []*os.File{slave}, nil
	}
	if spec.Stdin != nil {
		p.cmd.Stdin = spec.Stdin
	}
	out, err := p.pipe(spec.Stdout)
	if err != nil {
		return nil, err
	}
	said, err := p.pipe(io.MultiWriter(&p.errors, orNothing(spec.Stderr)))
	if err != nil {
		_ = out.Close()
		return nil, err
	}
	p.cmd.Stdout, p.cmd.Stderr = out, said
	return []*os.File{out, said}, nil
}

func orNothing(w io.Writer) io.Writer {
	if w == nil {
		return io.Discard
	}
	return w
}

// pipe is a descriptor to write to, whose content a goroutine hands to w.
func (p *Process) pipe(w io.Writer) (*os.File, error) {
	in, out, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("opening a pipe: %w", err)
	}
	p.pipes = append(p.pipes, in)
	p.copies.Go(func() {
		// A writer that fails must not stop the program from printing.
		if _, err := io.Copy(orNothing(w), in); err != nil {
			_, _ = io.Copy(io.Discard, in)
		}
	})
	return out, nil
}

// Terminate sends SIGTERM to every process of the run, so that they can end in their own way. It waits
// for nothing; the context's end kills what goes on.
func (p *Process) Terminate() { _, _ = p.life.Write([]byte{1}) }

// Wait waits until the run ended and all of it is dead, hands on what it printed, wipes its
// temporary folder, and says how it ended. The error is ErrSetup with the reason, or that of
// our own machinery; a command that fails is an Exit.
func (p *Process) Wait() (Exit, error) {
	defer p.close()
	state := p.listen()
	waited := p.cmd.Wait()
	p.cancel()
	copied := make(chan struct{})
	go func() { p.copies.Wait(); close(copied) }()
	select {
	case <-copied:
	case <-time.After(patience):
		for _, f := range p.pipes {
			_ = f.Close()
		}
		<-copied
	}
	exit := Exit{How: p.walls.String(), Duration: time.Since(p.begun), Killed: p.ctx.Err() != nil, Code: 137}
	switch {
	case state.Failed != "" && !exit.Killed:
		return exit, fmt.Errorf("%w: %s", ErrSetup, state.Failed)
	case state.Exit != nil && state.Began:
		exit.Code = *state.Exit
	case exit.Killed:
	case !state.Began:
		return exit, fmt.Errorf("%w: %s", ErrSetup, cmp.Or(p.errors.String(), fmt.Sprint(waited)))
	default:
		return exit, fmt.Errorf("the supervisor of the run ended: %w", waited)
	}
	return exit, nil
}

// listen reads what the steps tell until they ended.
func (p *Process) listen() told {
	var all told
	for lines := bufio.NewScanner(p.told); lines.Scan(); {
		var t told
		if json.Unmarshal(lines.Bytes(), &t) != nil {
			continue
		}
		all.Began = all.Began || t.Began
		all.Failed = cmp.Or(all.Failed, t.Failed)
		if t.Exit != nil {
			all.Exit = t.Exit
		}
	}
	return all
}

// close lets go of everything; what was closed before is passed over.
func (p *Process) close() {
	if p.tty != nil {
		p.tty.end()
	}
	if p.way != nil {
		// Where nobody sent a listener, this ends the wait for one.
		_ = unix.Shutdown(int(p.way.Fd()), unix.SHUT_RDWR)
		p.served.Wait()
	}
	if p.stop != nil {
		p.stop()
	}
	if p.reach != nil {
		p.reach.close()
	}
	for _, f := range append(p.pipes, p.life, p.told, p.way) {
		if f != nil {
			_ = f.Close()
		}
	}
	if p.rooms.base != "" {
		_ = Wipe(p.rooms.base) // what is left is in the system's temporary folder
	}
	if p.rooms.held != nil {
		_ = p.rooms.held.Close()
	}
}

// tail keeps the last of what is written to it.
type tail struct {
	mu   sync.Mutex
	last []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = append(t.last, b...)
	if n := len(t.last) - 1000; n > 0 {
		t.last = t.last[n:]
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(string(bytes.TrimSpace(t.last)), "\uFFFD")
}
