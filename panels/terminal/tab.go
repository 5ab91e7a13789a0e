package terminal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"sextant/backend/sandbox/confine"
	"sextant/shared/wire"
)

// Limits in bytes. If the output exceeds maxOutput, the oldest is dropped until at most kept bytes are left. Output is
// sent in pieces of at most piece bytes. A watcher gets no more while ahead bytes that it was sent are not drawn.
const (
	maxOutput = 1 << 20
	kept      = 768 << 10
	ahead     = 256 << 10
	piece     = 32 << 10
)

// Tab is a terminal. It is safe for concurrent use.
type Tab struct {
	number    int
	assistant bool

	mu            sync.Mutex
	columns, rows uint16
	phase         string
	command       string
	code          int
	reason        string
	shared        bool
	// data is the latest output. It ends at the offset end of all output.
	data     []byte
	end      int64
	watchers map[*Watcher]struct{}
	// moved is closed and replaced when there is more to send, and drawn when a watcher has read something.
	moved, drawn chan struct{}
	// typed is the input that a goroutine writes to tty until fed is closed.
	tty     confine.TTY
	typed   chan []byte
	fed     chan struct{}
	feeding sync.WaitGroup
	cancel  func()
	closed  bool
	sources map[string]bool
}

func newTab(number int, ours bool, columns, rows uint16) *Tab {
	return &Tab{
		number: number, assistant: ours, columns: columns, rows: rows, phase: wire.TerminalIdle,
		watchers: map[*Watcher]struct{}{},
		moved:    make(chan struct{}), drawn: make(chan struct{}), sources: map[string]bool{},
	}
}

// Number returns the number of the tab in the panel.
func (t *Tab) Number() int { return t.number }

func (t *Tab) set(change func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change()
}

func (t *Tab) state() wire.Terminal {
	t.mu.Lock()
	defer t.mu.Unlock()
	return wire.Terminal{
		Tab: t.number, Assistant: t.assistant, State: t.phase, Command: t.command, ExitCode: t.code, Reason: t.reason,
		Shared: t.shared,
	}
}

func (t *Tab) begin(cancel func()) (columns, rows uint16) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cancel, t.phase, t.code, t.reason = cancel, wire.TerminalRunning, 0, ""
	t.prepareInput()
	return t.columns, t.rows
}

func (t *Tab) restart() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || t.phase == wire.TerminalRunning {
		return false
	}
	t.phase = wire.TerminalRunning
	t.prepareInput()
	return true
}

// The caller holds t.mu.
func (t *Tab) prepareInput() {
	if t.typed == nil {
		t.typed, t.fed = make(chan []byte, maxPendingInput), make(chan struct{})
	}
}

func (t *Tab) attach(tty confine.TTY) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.prepareInput()
	typed, fed := t.typed, t.fed
	t.tty = tty
	t.feeding.Go(func() {
		for {
			select {
			case b := <-typed:
				if _, err := tty.Write(b); err != nil {
					return // the program has ended
				}
			case <-fed:
				return
			}
		}
	})
}

func (t *Tab) finish(state string, code int, reason string) {
	t.set(func() {
		if t.fed != nil {
			close(t.fed)
		}
		t.tty, t.typed, t.fed, t.cancel, t.phase, t.code, t.reason = nil, nil, nil, nil, state, code, reason
	})
	t.feeding.Wait()
}

func (t *Tab) stop() bool {
	t.mu.Lock()
	cancel := t.cancel
	t.mu.Unlock()
	if cancel == nil {
		return false
	}
	cancel()
	return true
}

func (t *Tab) closeWatchers() {
	t.set(func() {
		t.closed = true
		t.notify(&t.moved)
		t.notify(&t.drawn)
	})
}

// The caller holds t.mu.
func (t *Tab) notify(ch *chan struct{}) {
	close(*ch)
	*ch = make(chan struct{})
}

// WriteInput passes input of the user to the running program without waiting until it is read. Without a running
// program, it drops the input. It returns an error if too much input is waiting.
func (t *Tab) WriteInput(b []byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.typed == nil {
		return nil
	}
	select {
	case t.typed <- slices.Clone(b):
		return nil
	default:
		return errors.New("the program does not read its input, so nothing was sent")
	}
}

const maxPendingInput = 64

func (t *Tab) resize(columns, rows uint16) {
	t.mu.Lock()
	tty := t.tty
	same := t.columns == columns && t.rows == rows
	t.columns, t.rows = columns, rows
	t.mu.Unlock()
	if tty != nil && !same {
		_ = tty.Resize(columns, rows) // the program may have ended
	}
}

// Write implements io.Writer for the output of the program. It waits for watchers that are far behind, up to 3 seconds,
// which limits the rate of the output.
func (t *Tab) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		n := min(len(rest), piece)
		t.waitForWatchers()
		t.set(func() {
			t.data = append(t.data, rest[:n]...)
			t.end += int64(n)
			t.trim()
			t.notify(&t.moved)
		})
		rest = rest[n:]
	}
	return len(b), nil
}

// trim drops the oldest output if there is too much, if possible up to the end of a line. The caller holds t.mu.
func (t *Tab) trim() {
	if len(t.data) <= maxOutput {
		return
	}
	from := len(t.data) - kept
	if line := bytes.IndexByte(t.data[from:min(from+piece, len(t.data))], '\n'); line >= 0 {
		from += line + 1
	}
	t.data = append(make([]byte, 0, maxOutput+piece), t.data[from:]...)
}

// waitForWatchers waits until no watcher is more than ahead bytes behind. A watcher that stays behind for longer than
// patience is ignored until it has caught up.
func (t *Tab) waitForWatchers() {
	var limit <-chan time.Time
	for {
		t.mu.Lock()
		var behind []*Watcher
		for w := range t.watchers {
			if t.end-w.sent > ahead {
				if !w.ignored {
					behind = append(behind, w)
				}
			} else {
				w.ignored = false
			}
		}
		drawn := t.drawn
		over := t.closed || len(behind) == 0
		t.mu.Unlock()
		if over {
			return
		}
		if limit == nil {
			limit = time.After(patience)
		}
		select {
		case <-drawn:
		case <-limit:
			t.set(func() {
				for _, w := range behind {
					w.ignored = true
				}
			})
		}
	}
}

// Watcher reads the output of a tab. Only one goroutine may call Next; any goroutine may call Acknowledge.
type Watcher struct {
	tab *Tab
	// sent and seen are offsets in the output: the end of what Next returned, and of what was drawn.
	sent, seen int64
	// ignored is true if the program does not wait for this watcher.
	ignored bool
}

// ErrTabClosed reports that the tab was closed, so that a Watcher has nothing more to return.
var ErrTabClosed = errors.New("the terminal was closed")

// Watch returns a Watcher that starts at the oldest stored output. replay is the number of bytes that are stored.
func (t *Tab) Watch() (w *Watcher, replay int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	from := t.end - int64(len(t.data))
	// The program must not wait until the earlier output is drawn.
	w = &Watcher{tab: t, sent: from, seen: from, ignored: true}
	t.watchers[w] = struct{}{}
	return w, len(t.data)
}

// Next waits for output and returns its next piece, at most 32 KB. If output was dropped before it was read, the piece
// begins with a note about that. While too little is acknowledged, Next waits although there is output. The error is
// ErrTabClosed or the error of ctx.
func (w *Watcher) Next(ctx context.Context) ([]byte, error) {
	t := w.tab
	for {
		t.mu.Lock()
		moved, gone := t.moved, t.closed
		var b []byte
		if w.sent-w.seen < ahead {
			b = w.take()
		}
		t.mu.Unlock()
		switch {
		case len(b) > 0:
			return b, nil
		case gone:
			return nil, ErrTabClosed
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// The caller holds t.mu.
func (w *Watcher) take() []byte {
	t := w.tab
	oldest := t.end - int64(len(t.data))
	var b []byte
	if w.sent < oldest {
		// ESC c resets the screen, in case the gap cut a sequence.
		b = fmt.Appendf(b, "\x1bc… %d bytes omitted …\r\n", oldest-w.sent)
		w.seen += oldest - w.sent - int64(len(b)) // Acknowledge will count the message, too
		w.sent = oldest
	}
	at := w.sent - oldest
	n := min(int64(piece), int64(len(t.data))-at)
	b = append(b, t.data[at:at+n]...)
	w.sent += n
	t.notify(&t.drawn)
	return b
}

// Acknowledge reports that n bytes returned by Next were drawn.
func (w *Watcher) Acknowledge(n int) {
	w.tab.set(func() {
		w.seen = min(w.seen+int64(max(n, 0)), w.sent)
		w.tab.notify(&w.tab.moved)
	})
}

// Close stops watching the tab. It does not end a Next that is waiting.
func (w *Watcher) Close() {
	w.tab.set(func() {
		delete(w.tab.watchers, w)
		w.tab.notify(&w.tab.drawn)
	})
}

func (t *Tab) text() (data []byte, sources []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.data), slices.Sorted(maps.Keys(t.sources))
}
