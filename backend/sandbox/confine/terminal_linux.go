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

// terminal opens a terminal for the run: its inner end is handed back, what comes out of the other
// one goes where the run's output goes.
func (p *Process) terminal(spec Spec) (*os.File, error) {
	outer, inner, err := openTerminal()
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
		to := io.MultiWriter(&p.errors, orNothing(spec.Stdout))
		// A writer that fails must not stop the program from printing. The end of a terminal is an
		// error, once nobody holds its inner end.
		if _, err := io.Copy(to, outer); err != nil {
			_, _ = io.Copy(io.Discard, outer)
		}
	})
	if spec.Terminal.Begun != nil {
		spec.Terminal.Begun(t)
	}
	return inner, nil
}

// openTerminal opens both ends. The library leaves the outer one blocking, where a Close would wait
// for a Read or a Write that waits itself.
func openTerminal() (outer, inner *os.File, err error) {
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

// errOver is what a terminal answers after its run.
var errOver = errors.New("what ran in this terminal has ended")

// tty is the outer end of a run's terminal.
type tty struct {
	mu     sync.Mutex
	file   *os.File
	closed bool
}

// Write types b. It may wait while the programs inside do not read.
func (t *tty) Write(b []byte) (int, error) {
	t.mu.Lock()
	closed := t.closed
	t.mu.Unlock()
	if closed {
		return 0, errOver
	}
	return t.file.Write(b) // a close meanwhile ends it
}

// Resize implements TTY.
func (t *tty) Resize(columns, rows uint16) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return errOver
	}
	way, err := t.file.SyscallConn()
	if err == nil {
		err = errors.Join(way.Control(func(fd uintptr) {
			err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, &unix.Winsize{Col: columns, Row: rows})
		}), err)
	}
	if err != nil {
		return fmt.Errorf("setting the terminal's size: %w", err)
	}
	return nil
}

func (t *tty) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
}
