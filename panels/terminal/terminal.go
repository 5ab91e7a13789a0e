// Package terminal is the terminal panel: the user's shells, and terminals in which the assistant's
// commands run.
//
// The two are never mixed. The user's shell runs outside the sandbox with the user's environment, and
// only a window's key reaches it (backend/api/ws); the assistant cannot type into it. A command of the
// assistant is an ordinary call of the shell tool with its policy, approval and sandbox (Config.Bash).
// Only its output goes to a terminal here, where the user watches it, may type into it and can stop
// it.
//
// Output is held in memory, bounded per tab, so that a reloaded window can show it again. A program
// waits for the windows that watch it, as for a slow screen; a window that does not read at all falls
// behind without blocking it. Nothing is written to disk, and everything ends with Sextant.
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

	"sextant/backend/sandbox/confine"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Limits: tabs of the user and of the assistant, and the size of a terminal in characters.
const (
	maxShells  = 12
	maxScreens = 4
	mostCells  = 1000
)

// Run is one command of the assistant in a terminal: the call, the shell tool's arguments, and the
// size of the terminal.
type Run struct {
	From          toolspec.Call
	Args          []byte
	Columns, Rows uint16
	// Begun gets the terminal when the command begins, Output what it prints.
	Begun  func(confine.TTY)
	Output func([]byte)
}

// Config is what New needs.
type Config struct {
	// Confine starts shells and stops everything they started.
	Confine *confine.Sandbox
	// Shell is the user's shell, absolute; Folder is where a new one starts.
	Shell  string
	Folder func() string
	// Bash makes a call of the shell tool for r through the whole pipeline, and waits for it.
	Bash func(ctx context.Context, r Run) toolspec.Result
	Log  *slog.Logger
}

// Terminals holds all tabs. It is safe for concurrent use.
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

// New returns the terminals of the panel; Close ends them.
func New(cfg Config) *Terminals {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	life, end := context.WithCancel(context.Background())
	return &Terminals{cfg: cfg, life: life, end: end, tabs: map[int]*Tab{}, change: make(chan struct{})}
}

// Close stops every shell and command, and returns when all have ended.
func (t *Terminals) Close() {
	t.mu.Lock()
	t.shut = true
	t.mu.Unlock()
	t.end()
	t.done.Wait()
}

// List returns the tabs in the order they were opened, and a channel that is closed at the next
// change.
func (t *Terminals) List() ([]wire.Terminal, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]wire.Terminal, 0, len(t.tabs))
	for _, tab := range t.ordered() {
		all = append(all, tab.state())
	}
	return all, t.change
}

// ordered returns the tabs sorted by number. The caller holds t.mu.
func (t *Terminals) ordered() []*Tab {
	return slices.SortedFunc(maps.Values(t.tabs), func(a, b *Tab) int { return cmp.Compare(a.number, b.number) })
}

// changed notifies the channels of List.
func (t *Terminals) changed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	close(t.change)
	t.change = make(chan struct{})
}

// Find returns the tab with that number.
func (t *Terminals) Find(number int) (*Tab, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	tab, ok := t.tabs[number]
	return tab, ok
}

var errClosing = errors.New("the program is closing")

// add makes a tab, unless there are too many of its kind.
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

// Open starts the user's shell in a new tab.
func (t *Terminals) Open(columns, rows uint16) (*Tab, error) {
	columns, rows = within(columns, rows)
	tab, err := t.add(false, columns, rows)
	if err != nil {
		return nil, err
	}
	t.shell(tab)
	return tab, nil
}

// Restart starts a shell in a tab in which the shell has ended.
func (t *Terminals) Restart(number int) error {
	tab, ok := t.Find(number)
	if !ok {
		return errClosed
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

var errClosed = errors.New("that terminal was closed")

// CloseTab stops what runs in a tab and removes it.
func (t *Terminals) CloseTab(number int) error {
	t.mu.Lock()
	tab, ok := t.tabs[number]
	delete(t.tabs, number)
	t.mu.Unlock()
	if !ok {
		return errClosed
	}
	tab.stop()
	tab.closeWatchers()
	t.changed()
	return nil
}

// Stop stops what runs in a tab; the tab stays.
func (t *Terminals) Stop(number int) error {
	tab, ok := t.Find(number)
	if !ok {
		return errClosed
	}
	tab.stop()
	return nil
}

// Share sets whether the assistant may read a tab of the user.
func (t *Terminals) Share(number int, shared bool) error {
	tab, ok := t.Find(number)
	if !ok || tab.ours {
		return errClosed
	}
	tab.set(func() { tab.shared = shared })
	t.changed()
	return nil
}

// Resize sets a tab's size.
func (t *Terminals) Resize(number int, columns, rows uint16) {
	if tab, ok := t.Find(number); ok {
		columns, rows = within(columns, rows)
		tab.resize(columns, rows)
	}
}

// within limits a size to what a terminal can have.
func within(columns, rows uint16) (uint16, uint16) {
	return min(max(columns, 2), mostCells), min(max(rows, 1), mostCells)
}

// shell runs the user's shell in tab until it ends.
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
			Args: []string{t.cfg.Shell}, Dir: t.cfg.Folder(), Unconfined: true, Inherit: true,
			Env:      []string{"TERM=xterm-256color", "COLORTERM=truecolor", "TERM_PROGRAM=sextant"},
			Stdout:   tab,
			Terminal: &confine.Terminal{Columns: columns, Rows: rows, OnStart: tab.attach},
		})
		var exit confine.Exit
		if err == nil {
			t.changed()
			exit, err = p.Wait()
		}
		switch {
		case err != nil:
			t.cfg.Log.Warn("a terminal ended", "err", err)
			tab.ended(wire.TerminalFailed, 0, err.Error())
		case exit.Killed:
			tab.ended(wire.TerminalEnded, exit.Code, "it was stopped")
		default:
			tab.ended(wire.TerminalEnded, exit.Code, "")
		}
		t.changed()
	})
}

// patience is how long a program waits for a window that watches it but does not read.
const patience = 3 * time.Second
