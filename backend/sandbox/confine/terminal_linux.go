package confine

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

func (p *Process) openTerminal(spec Spec) (*os.File, error) {
	outer, inner, err := openPTY()
	if err != nil {
		return nil, fmt.Errorf("opening a terminal: %w", err)
	}
	t := &tty{file: outer}
	p.tty = t
	columns, rows := spec.Terminal.Columns, spec.Terminal.Rows
	if columns == 0 || rows == 0 {
		columns, rows = 80, 24
	}
	if err := t.Resize(columns, rows); err != nil {
		_ = inner.Close()
		return nil, err
	}
	p.pipes = append(p.pipes, outer)
	p.copies.Go(func() {
		to := io.MultiWriter(&p.stderr, orDiscard(spec.Stdout))
		// A failing writer must not block the program. When all inner ends are closed, reading returns an error.
		if _, err := io.Copy(to, outer); err != nil {
			_, _ = io.Copy(io.Discard, outer)
		}
	})
	if spec.Terminal.OnStart != nil {
		spec.Terminal.OnStart(t)
	}
	return inner, nil
}

// openPTY opens both ends of a pseudo terminal. The library leaves the outer end in blocking mode, in which Close would
// wait for Read and Write.
func openPTY() (outer, inner *os.File, err error) {
	blocking, inner, err := pty.Open()
	if err != nil {
		return nil, nil, err
	}
	defer blocking.Close()
	fd, err := unix.FcntlInt(blocking.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		err = unix.SetNonblock(fd, true)
	}
	if err != nil {
		_ = inner.Close()
		return nil, nil, err
	}
	return os.NewFile(uintptr(fd), "terminal"), inner, nil
}

var errTerminalEnded = errors.New("the program in this terminal has ended")

type tty struct {
	mu     sync.Mutex
	file   *os.File
	closed bool
}

// Write sends input. It may block while no program in the terminal reads.
func (t *tty) Write(b []byte) (int, error) {
	t.mu.Lock()
	closed := t.closed
	t.mu.Unlock()
	if closed {
		return 0, errTerminalEnded
	}
	return t.file.Write(b) // closing the file unblocks it
}

// Resize implements TTY.
func (t *tty) Resize(columns, rows uint16) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return errTerminalEnded
	}
	conn, err := t.file.SyscallConn()
	if err == nil {
		err = errors.Join(conn.Control(func(fd uintptr) {
			err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Col: columns, Row: rows})
		}), err)
	}
	if err != nil {
		return fmt.Errorf("setting the terminal's size: %w", err)
	}
	return nil
}

func (t *tty) markClosed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
}
