// Package terminal is the backend of the terminal panel: shells of the user, and terminals for the assistant's
// commands.
//
// The two kinds are separate. A shell of the user runs outside of the sandbox with the user's environment, and can be
// reached only with a window's key (backend/api/ws); the assistant cannot type into it. A command of the assistant is
// an ordinary call of the shell tool with its policy, approval and sandbox (Config.RunCommand). Its output goes to a
// terminal, where the user can watch it, type into it and stop it.
//
// Each tab keeps a limited amount of output in memory, so that a reloaded window can show it again. A program waits for
// the windows that watch it, as for a slow screen, but not for a window that has stopped reading.
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

const (
	maxShells        = 12
	maxAssistantTabs = 4
	mostCells        = 1000
)

// CommandRun is a command of the assistant in a terminal. Args contains the arguments of the shell tool. Columns and
// Rows are the size of the terminal.
type CommandRun struct {
	Call          toolspec.Call
	Args          []byte
	Columns, Rows uint16
	// OnStart is called with the terminal when the command starts, OnOutput with its output.
	OnStart  func(confine.TTY)
	OnOutput func([]byte)
}

// Config configures New.
type Config struct {
	// Confine starts shells and stops everything they started.
	Confine *confine.Sandbox
	// Shell is the absolute path of the user's shell. Folder returns the working directory of a new shell.
	Shell  string
	Folder func() string
	// RunCommand runs r as a call of the shell tool through the pipeline, and waits for the result.
	RunCommand func(ctx context.Context, r CommandRun) toolspec.Result
	Log        *slog.Logger
}

// Terminals contains the tabs of the panel. It is safe for concurrent use.
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

// New returns Terminals without tabs. The caller must call Close to end what they run.
func New(cfg Config) *Terminals {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	life, end := context.WithCancel(context.Background())
	return &Terminals{cfg: cfg, life: life, end: end, tabs: map[int]*Tab{}, change: make(chan struct{})}
}

// Close stops all shells and commands and waits until they have ended.
func (t *Terminals) Close() {
	t.mu.Lock()
	t.shut = true
	t.mu.Unlock()
	t.end()
	t.done.Wait()
}

// List returns the tabs in the order in which they were opened, and a channel that is closed at the next change.
func (t *Terminals) List() ([]wire.Terminal, <-chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]wire.Terminal, 0, len(t.tabs))
	for _, tab := range t.ordered() {
		all = append(all, tab.state())
	}
	return all, t.change
}

// The caller holds t.mu.
func (t *Terminals) ordered() []*Tab {
	return slices.SortedFunc(maps.Values(t.tabs), func(a, b *Tab) int { return cmp.Compare(a.number, b.number) })
}

func (t *Terminals) changed() {
	t.mu.Lock()
	defer t.mu.Unlock()
	close(t.change)
	t.change = make(chan struct{})
}

// Find returns the tab with the given number. It returns false if there is none.
func (t *Terminals) Find(number int) (*Tab, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	tab, ok := t.tabs[number]
	return tab, ok
}

var errClosing = errors.New("the program is closing")

// add adds a tab of the assistant if ours is true, else of the user. It returns an error if there are too many of that
// kind, or after Close.
func (t *Terminals) add(ours bool, columns, rows uint16) (*Tab, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shut {
		return nil, errClosing
	}
	count, most := 0, maxShells
	if ours {
		most = maxAssistantTabs
	}
	for _, tab := range t.tabs {
		if tab.assistant == ours {
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

// Open starts the user's shell in a new tab. columns and rows are the size of the terminal.
func (t *Terminals) Open(columns, rows uint16) (*Tab, error) {
	columns, rows = clampSize(columns, rows)
	tab, err := t.add(false, columns, rows)
	if err != nil {
		return nil, err
	}
	t.startShell(tab)
	return tab, nil
}

// Restart starts a new shell in a tab of the user after its shell has ended. While the shell runs, it does nothing.
func (t *Terminals) Restart(number int) error {
	tab, ok := t.Find(number)
	if !ok {
		return errClosed
	}
	if tab.assistant {
		return errors.New("that terminal is the assistant's; open one of your own")
	}
	if !tab.restart() {
		return nil // a shell is running
	}
	t.startShell(tab)
	return nil
}

var errClosed = errors.New("that terminal was closed")

// CloseTab removes a tab and stops its program, without waiting for its end.
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

// Stop stops the program in a tab, if any, but keeps the tab. It does not wait for the end of the program.
func (t *Terminals) Stop(number int) error {
	tab, ok := t.Find(number)
	if !ok {
		return errClosed
	}
	tab.stop()
	return nil
}

// SetShared sets whether the assistant may read a tab of the user. It returns an error for a tab of the assistant.
func (t *Terminals) SetShared(number int, shared bool) error {
	tab, ok := t.Find(number)
	if !ok || tab.assistant {
		return errClosed
	}
	tab.set(func() { tab.shared = shared })
	t.changed()
	return nil
}

// Resize sets the size of a tab's terminal. It ignores an unknown number, and limits the size.
func (t *Terminals) Resize(number int, columns, rows uint16) {
	if tab, ok := t.Find(number); ok {
		columns, rows = clampSize(columns, rows)
		tab.resize(columns, rows)
	}
}

func clampSize(columns, rows uint16) (uint16, uint16) {
	return min(max(columns, 2), mostCells), min(max(rows, 1), mostCells)
}

func (t *Terminals) startShell(tab *Tab) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.shut {
		tab.finish(wire.TerminalEnded, 0, errClosing.Error())
		return
	}
	ctx, cancel := context.WithCancel(t.life)
	columns, rows := tab.begin(cancel)
	t.done.Go(func() {
		defer cancel()
		p, err := t.cfg.Confine.Start(ctx, confine.Spec{
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
			tab.finish(wire.TerminalFailed, 0, err.Error())
		case exit.Killed:
			tab.finish(wire.TerminalEnded, exit.Code, "it was stopped")
		default:
			tab.finish(wire.TerminalEnded, exit.Code, "")
		}
		t.changed()
	})
}

// patience is how long a program waits for a window that has stopped reading.
const patience = 3 * time.Second
