// Package terminal is the terminal panel: shells of the person's own and, beside them, terminals
// in which the assistant's commands run.
//
// The two are never mixed. A person's shell is the person: it runs outside of the sandbox with
// their environment, and only a window's key reaches it (backend/api/ws). The assistant has no
// way to type into it. What the assistant wants to run is a call of the shell tool like any other,
// read, judged, asked for and confined there (Config.Bash); only that its output goes to a
// terminal here, where the person sees it live, may type into it and can stop it. So a terminal
// opens no second way past the policy of that tool.
//
// What a shell prints is kept in a bounded piece of memory per tab, so that a window that was away
// or is loaded anew sees it again. Nobody can flood a window: a program waits for the windows that
// watch it, as it would for a slow screen, and one that does not follow at all falls behind alone.
// Nothing is written to disk. With Sextant ends everything that runs here.
package terminal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"sextant/backend/guard/confine"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Bounds: tabs of a person and of the assistant, and the size of a terminal in characters.
const (
	maxShells  = 12
	maxScreens = 4
	mostCells  = 1000
)

// Run is one command of the assistant's in a terminal: the call that asked, the arguments of the
// shell tool, and the terminal it is to have.
type Run struct {
	From          toolspec.Call
	Args          []byte
	Columns, Rows uint16
	// Begun is handed the terminal once the command begins, Output what it prints.
	Begun  func(confine.TTY)
	Output func([]byte)
}

// Config is what the panel stands on.
type Config struct {
	// Confine starts shells and ends all that came of them.
	Confine *confine.Confine
	// Shell is the person's shell, absolute, and Folder where a new one starts.
	Shell  string
	Folder func() string
	// Bash makes a call of the shell tool for r, with all that such a call passes, and waits for it.
	Bash func(ctx context.Context, r Run) toolspec.Result
	Log  *slog.Logger
}

// Terminals are all tabs. Its methods may be called concurrently.
type Terminals struct {
	cfg  Config
	life context.Context //nolint:containedctx // the panel's own life, ended by Close
	end  context.CancelFunc
	done sync.WaitGroup

	mu     sync.Mutex
	tabs   map[int]*Tab
	last   int
	shut   bool
	change chan struct{}
}

// New makes Terminals without a tab.
func New(cfg Config) *Terminals {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	life, end := context.WithCancel(context.Background())
	return &Terminals{cfg: cfg, life: life, end: end, tabs: map[int]*Tab{}, change: make(chan struct{})}
}

// Close ends every shell and command, and returns when nothing of them is left.
func (t *Terminals) Close() {
	t.mu.Lock()
	t.shut = true
	t.mu.Unlock()
	t.end()
	t.done.Wait()
}

// List tells the tabs in the order they were opened, and a channel that is closed when that is no
// longer how they are.
func (t *Terminals) List() ([]wire.Terminal, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]wire.Terminal, 0, len(t.tabs))
	for _, tab := range t.ordered() {
		all = append(all, tab.state())
	}
	return all, t.change
}

// ordered are the tabs by number; the caller holds mu.
func (t *Terminals) ordered() []*Tab {
	return slices.SortedFunc(maps.Values(t.tabs), func(a, b *Tab) int { return cmp.Compare(a.number, b.number) })
}

// changed wakes who waits on List.
func (t *Terminals) changed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	close(t.change)
	t.change = make(chan struct{})
}

// Find is the tab of that number.
func (t *Terminals) Find(number int) (*Tab, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	tab, ok := t.tabs[number]
	return tab, ok
}

var errClosing = errors.New("the program is closing")

// add makes a tab; the error says that there are too many of its kind.
func (t *Terminals) add(ours bool, columns, rows uint16) (*Tab, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shut {
		return nil, errClosing
	}
	count, most := 0, maxShells
	if ours {
		most = maxScreens
	}
	for _, tab := range t.tabs {
		if tab.ours == ours {
			count++
		}
	}
	if count >= most {
		return nil, fmt.Errorf("there are %d terminals already; close one first", count)
	}
	t.last++
	tab := newTab(t.last, ours, columns, rows)
	t.tabs[tab.number] = tab
	return tab, nil
}

// Open starts the person's shell in a new tab.
func (t *Terminals) Open(columns, rows uint16) (*Tab, error) {
	columns, rows = within(columns, rows)
	tab, err := t.add(false, columns, rows)
	if err != nil {
		return nil, err
	}
	t.shell(tab)
	return tab, nil
}

// Again starts a shell in a tab whose shell has ended.
func (t *Terminals) Again(number int) error {
	tab, ok := t.Find(number)
	if !ok {
		return errGone
	}
	if tab.ours {
		return errors.New("that terminal is the assistant's; open one of your own")
	}
	if !tab.restart() {
		return nil // it runs
	}
	t.shell(tab)
	return nil
}

var errGone = errors.New("there is no such terminal any more")

// Shut ends what runs in a tab and forgets it.
func (t *Terminals) Shut(number int) error {
	t.mu.Lock()
	tab, ok := t.tabs[number]
	delete(t.tabs, number)
	t.mu.Unlock()
	if !ok {
		return errGone
	}
	tab.stop()
	tab.forget()
	t.changed()
	return nil
}

// Stop ends what runs in a tab; the tab stays.
func (t *Terminals) Stop(number int) error {
	tab, ok := t.Find(number)
	if !ok {
		return errGone
	}
	tab.stop()
	return nil
}

// Share lets the assistant read a tab of the person's, or no longer.
func (t *Terminals) Share(number int, shared bool) error {
	tab, ok := t.Find(number)
	if !ok || tab.ours {
		return errGone
	}
	tab.set(func() { tab.shared = shared })
	t.changed()
	return nil
}

// Resize tells a tab its size.
func (t *Terminals) Resize(number int, columns, rows uint16) {
	if tab, ok := t.Find(number); ok {
		columns, rows = within(columns, rows)
		tab.resize(columns, rows)
	}
}

// within are sizes that a terminal can have.
func within(columns, rows uint16) (uint16, uint16) {
	return min(max(columns, 2), mostCells), min(max(rows, 1), mostCells)
}

// shell runs the person's shell in tab until it ends.
func (t *Terminals) shell(tab *Tab) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shut {
		tab.ended(wire.TerminalEnded, 0, errClosing.Error())
		return
	}
	ctx, cancel := context.WithCancel(t.life)
	columns, rows := tab.began(cancel)
	t.done.Go(func() {
		defer cancel()
		p, err := t.cfg.Confine.Command(ctx, confine.Spec{
			Args: []string{t.cfg.Shell}, Dir: t.cfg.Folder(), Unconfined: true, Person: true,
			Env:      []string{"TERM=xterm-256color", "COLORTERM=truecolor", "TERM_PROGRAM=sextant"},
			Stdout:   tab,
			Terminal: &confine.Terminal{Columns: columns, Rows: rows, Begun: tab.attach},
		})
		var exit confine.Exit
		if err == nil {
			t.changed()
			exit, err = p.Wait()
		}
		switch {
		case err != nil:
			t.cfg.Log.Warn("a terminal ended", "error", err)
			tab.ended(wire.TerminalFailed, 0, err.Error())
		case exit.Killed:
			tab.ended(wire.TerminalEnded, exit.Code, "it was stopped")
		default:
			tab.ended(wire.TerminalEnded, exit.Code, "")
		}
		t.changed()
	})
}

// patience is how long a program waits for a window that watches it but takes nothing.
const patience = 3 * time.Second
