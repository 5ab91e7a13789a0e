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

// Limits in bytes: when the output exceeds most, the oldest is dropped until kept bytes are left. A
// watcher is sent at most ahead bytes more than it has drawn.
const (
	maxOutput = 1 << 20
	kept      = 768 << 10
	ahead     = 256 << 10
	piece     = 32 << 10
)

// Tab is one terminal. It is safe for concurrent use.
type Tab struct {
	number int
	ours   bool

	mu            sync.Mutex
	columns, rows uint16
	phase         string
	command       string
	code          int
	reason        string
	shared        bool
	// data ends at the offset end of everything printed here.
	data     []byte
	end      int64
	watchers map[*Watcher]struct{}
	// moved is closed and replaced when there is more to send, drawn when a watcher has read some.
	moved, drawn chan struct{}
	// typed is input that feed writes to tty; closing fed stops feed.
	tty     confine.TTY
	typed   chan []byte
	fed     chan struct{}
	feeding sync.WaitGroup
	cancel  func()
	gone    bool
	// sources are the sources of outside text in it.
	sources map[string]bool
}

func newTab(number int, ours bool, columns, rows uint16) *Tab {
	return &Tab{
		number: number, ours: ours, columns: columns, rows: rows, phase: wire.TerminalIdle,
		watchers: map[*Watcher]struct{}{},
		moved:    make(chan struct{}), drawn: make(chan struct{}), sources: map[string]bool{},
	}
}

// Number is the tab's number in the panel.
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
		Tab: t.number, Assistant: t.ours, State: t.phase, Command: t.command, Code: t.code, Reason: t.reason,
		Shared: t.shared,
	}
}

// began records that something starts, which cancel stops, and returns the size for it.
func (t *Tab) began(cancel func()) (columns, rows uint16) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cancel, t.phase, t.code, t.reason = cancel, wire.TerminalRunning, 0, ""
	t.ready()
	return t.columns, t.rows
}

// restart makes an ended tab a starting one; false when something runs there.
func (t *Tab) restart() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone || t.phase == wire.TerminalRunning {
		return false
	}
	t.phase = wire.TerminalRunning
	t.ready()
	return true
}

// ready prepares the input of what starts. t.mu is held.
func (t *Tab) ready() {
	if t.typed == nil {
		t.typed, t.fed = make(chan []byte, maxPendingInput), make(chan struct{})
	}
}

// attach sets the terminal of what starts in the tab.
func (t *Tab) attach(tty confine.TTY) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ready()
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

// ended records how the program ended.
func (t *Tab) ended(state string, code int, reason string) {
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

// closeWatchers ends the watchers.
func (t *Tab) closeWatchers() {
	t.set(func() {
		t.gone = true
		t.notify(&t.moved)
		t.notify(&t.drawn)
	})
}

// notify notifies those who wait on a channel. t.mu is held.
func (t *Tab) notify(ch *chan struct{}) {
	close(*ch)
	*ch = make(chan struct{})
}

// Type passes the user's input to the running program without waiting for it to read. Without a
// program it is dropped; the error says that too much is waiting.
func (t *Tab) Type(b []byte) error {
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

// maxPendingInput bounds the messages that wait for a program.
const maxPendingInput = 64

func (t *Tab) resize(columns, rows uint16) {
	t.mu.Lock()
	tty := t.tty
	same := t.columns == columns && t.rows == rows
	t.columns, t.rows = columns, rows
	t.mu.Unlock()
	if tty != nil && !same {
		_ = tty.Resize(columns, rows) // it may have ended
	}
}

// Write implements io.Writer for the program's output. It blocks while a watcher is far behind, which
// slows a flood; it never fails.
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

// trim drops the oldest output up to the end of a line.
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

// waitForWatchers waits until no watcher is more than ahead bytes behind. A watcher that reads nothing for longer
// than patience is ignored until it has caught up.
func (t *Tab) waitForWatchers() {
	var limit <-chan time.Time
	for {
		t.mu.Lock()
		var behind []*Watcher
		for w := range t.watchers {
			if t.end-w.sent > ahead {
				if !w.given {
					behind = append(behind, w)
				}
			} else {
				w.given = false
			}
		}
		drawn := t.drawn
		over := t.gone || len(behind) == 0
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
					w.given = true
				}
			})
		}
	}
}

// Watcher reads a tab's output. Next is for one goroutine, Drawn for any.
type Watcher struct {
	tab *Tab
	// sent and seen are offsets in the output: what was returned by Next, and what was drawn of it.
	sent, seen int64
	// given is true when the program no longer waits for this watcher.
	given bool
}

// ErrEnd is returned by Next after the tab was closed.
var ErrEnd = errors.New("the terminal was closed")

// Watch starts at the oldest output held; replay is how much of it there is.
func (t *Tab) Watch() (w *Watcher, replay int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	from := t.end - int64(len(t.data))
	// Earlier output is no reason to block a program.
	w = &Watcher{tab: t, sent: from, seen: from, given: true}
	t.watchers[w] = struct{}{}
	return w, len(t.data)
}

// Next waits for output and returns the next piece, at most 32 KB. The error is ErrEnd after the tab
// was closed, or that of ctx.
func (w *Watcher) Next(ctx context.Context) ([]byte, error) {
	t := w.tab
	for {
		t.mu.Lock()
		moved, gone := t.moved, t.gone
		var b []byte
		if w.sent-w.seen < ahead {
			b = w.take()
		}
		t.mu.Unlock()
		switch {
		case len(b) > 0:
			return b, nil
		case gone:
			return nil, ErrEnd
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// take is the next piece. t.mu is held.
func (w *Watcher) take() []byte {
	t := w.tab
	oldest := t.end - int64(len(t.data))
	var b []byte
	if w.sent < oldest {
		// ESC c resets the screen, in case the gap cut a sequence.
		b = fmt.Appendf(b, "\x1bc… %d bytes omitted …\r\n", oldest-w.sent)
		w.seen += oldest - w.sent - int64(len(b)) // counted like output, for Drawn
		w.sent = oldest
	}
	at := w.sent - oldest
	n := min(int64(piece), int64(len(t.data))-at)
	b = append(b, t.data[at:at+n]...)
	w.sent += n
	t.notify(&t.drawn)
	return b
}

// Drawn reports that n bytes returned by Next were drawn.
func (w *Watcher) Drawn(n int) {
	w.tab.set(func() {
		w.seen = min(w.seen+int64(max(n, 0)), w.sent)
		w.tab.notify(&w.tab.moved)
	})
}

// Close ends the watch.
func (w *Watcher) Close() {
	w.tab.set(func() {
		delete(w.tab.watchers, w)
		w.tab.notify(&w.tab.drawn)
	})
}

// text is the output held, and the sources of outside text in it.
func (t *Tab) text() (data []byte, sources []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.data), slices.Sorted(maps.Keys(t.sources))
}
