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

	"sextant/backend/guard/confine"
	"sextant/shared/wire"
)

// What is kept of a tab's output, in bytes: when it grows over most, the oldest go until kept are
// left. A watcher is sent at most ahead bytes more than it said it has drawn.
const (
	most  = 1 << 20
	kept  = 768 << 10
	ahead = 256 << 10
	piece = 32 << 10
)

// Tab is one terminal. Its methods may be called concurrently.
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
	// data ends at the offset end of all that was ever printed here.
	data     []byte
	end      int64
	watchers map[*Watcher]struct{}
	// moved is closed and made anew when there is more to send, drawn when a watcher took some.
	moved, drawn chan struct{}
	// typed waits to be typed into tty by feed, which stops when fed is closed.
	tty     confine.TTY
	typed   chan []byte
	fed     chan struct{}
	feeding sync.WaitGroup
	cancel  func()
	gone    bool
	// sources say where outside text in it came from.
	sources map[string]bool
}

func newTab(number int, ours bool, columns, rows uint16) *Tab {
	return &Tab{
		number: number, ours: ours, columns: columns, rows: rows, phase: wire.TerminalIdle, watchers: map[*Watcher]struct{}{},
		moved: make(chan struct{}), drawn: make(chan struct{}), sources: map[string]bool{},
	}
}

// Number names the tab.
func (t *Tab) Number() int { return t.number }

func (t *Tab) set(change func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change()
}

// state is the tab as it is told.
func (t *Tab) state() wire.Terminal {
	t.mu.Lock()
	defer t.mu.Unlock()
	return wire.Terminal{
		Tab: t.number, Assistant: t.ours, State: t.phase, Command: t.command, Code: t.code, Reason: t.reason, Shared: t.shared,
	}
}

// began marks that something starts, which cancel ends, and tells the size it is to have.
func (t *Tab) began(cancel func()) (columns, rows uint16) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cancel, t.phase, t.code, t.reason = cancel, wire.TerminalRunning, 0, ""
	t.ready()
	return t.columns, t.rows
}

// restart makes an ended tab one that starts; it is false when something runs there.
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

// ready lets typing wait for what begins; the caller holds mu.
func (t *Tab) ready() {
	if t.typed == nil {
		t.typed, t.fed = make(chan []byte, mostTyped), make(chan struct{})
	}
}

// attach gives the tab the terminal of what begins in it.
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
					return // what it was typed for has ended
				}
			case <-fed:
				return
			}
		}
	})
}

// ended marks how what ran, and is over, has ended.
func (t *Tab) ended(state string, code int, reason string) {
	t.set(func() {
		if t.fed != nil {
			close(t.fed)
		}
		t.tty, t.typed, t.fed, t.cancel, t.phase, t.code, t.reason = nil, nil, nil, nil, state, code, reason
	})
	t.feeding.Wait()
}

// stop ends what runs in the tab, if anything does.
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

// forget ends the watchers.
func (t *Tab) forget() {
	t.set(func() {
		t.gone = true
		t.wake(&t.moved)
		t.wake(&t.drawn)
	})
}

// wake lets go of who waits on a channel; the caller holds mu.
func (t *Tab) wake(ch *chan struct{}) {
	close(*ch)
	*ch = make(chan struct{})
}

// Type hands what a person typed to what runs, without waiting for a program that does not read.
// With nothing running it goes nowhere; the error says that too much waits already.
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
		return errors.New("what runs there does not read what is typed, so it was not sent")
	}
}

// mostTyped is how many messages of typing may wait for a program.
const mostTyped = 64

func (t *Tab) resize(columns, rows uint16) {
	t.mu.Lock()
	tty := t.tty
	same := t.columns == columns && t.rows == rows
	t.columns, t.rows = columns, rows
	t.mu.Unlock()
	if tty != nil && !same {
		_ = tty.Resize(columns, rows) // what has ended needs no size
	}
}

// Write implements io.Writer for what programs print. It waits while a watcher is far behind, which
// is what holds a flood; it never fails.
func (t *Tab) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		n := min(len(rest), piece)
		t.hold()
		t.set(func() {
			t.data = append(t.data, rest[:n]...)
			t.end += int64(n)
			t.trim()
			t.wake(&t.moved)
		})
		rest = rest[n:]
	}
	return len(b), nil
}

// trim drops the oldest output, up to the end of a line.
func (t *Tab) trim() {
	if len(t.data) <= most {
		return
	}
	from := len(t.data) - kept
	if line := bytes.IndexByte(t.data[from:min(from+piece, len(t.data))], '\n'); line >= 0 {
		from += line + 1
	}
	t.data = append(make([]byte, 0, most+piece), t.data[from:]...)
}

// hold waits until no watcher is more than ahead behind. One that takes nothing for longer than
// patience is waited for no more until it has caught up.
func (t *Tab) hold() {
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

// Watcher reads a tab as it is printed. Next is for one goroutine, Drawn for any.
type Watcher struct {
	tab *Tab
	// sent and seen are offsets in the output: what was handed out, and what was drawn of it.
	sent, seen int64
	// given says that the program no longer waits for this one.
	given bool
}

// ErrEnd says that the tab was closed.
var ErrEnd = errors.New("the terminal was closed")

// Watch begins at the oldest output that is kept; replay is how much of it there is.
func (t *Tab) Watch() (w *Watcher, replay int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	from := t.end - int64(len(t.data))
	// What was printed before is no reason to hold a program that runs.
	w = &Watcher{tab: t, sent: from, seen: from, given: true}
	t.watchers[w] = struct{}{}
	return w, len(t.data)
}

// Next waits for output and hands out the next piece, at most 32 KB. It returns ErrEnd when the
// tab was closed, or ctx's error.
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

// take is the next piece; the caller holds mu.
func (w *Watcher) take() []byte {
	t := w.tab
	oldest := t.end - int64(len(t.data))
	var b []byte
	if w.sent < oldest {
		// ESC c begins a screen anew, so that half a sequence before the gap does no harm.
		b = fmt.Appendf(b, "\x1bc… %d bytes are left out …\r\n", oldest-w.sent)
		w.seen += oldest - w.sent - int64(len(b)) // counted like what is sent, for Drawn
		w.sent = oldest
	}
	at := w.sent - oldest
	n := min(int64(piece), int64(len(t.data))-at)
	b = append(b, t.data[at:at+n]...)
	w.sent += n
	t.wake(&t.drawn)
	return b
}

// Drawn says that n bytes of what Next handed out were drawn.
func (w *Watcher) Drawn(n int) {
	w.tab.set(func() {
		w.seen = min(w.seen+int64(max(n, 0)), w.sent)
		w.tab.wake(&w.tab.moved)
	})
}

// Close ends the watching.
func (w *Watcher) Close() {
	w.tab.set(func() {
		delete(w.tab.watchers, w)
		w.tab.wake(&w.tab.drawn)
	})
}

// text is what is kept of the output, and where outside text in it is from.
func (t *Tab) text() (data []byte, sources []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.data), slices.Sorted(maps.Keys(t.sources))
}
