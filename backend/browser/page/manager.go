// Package page holds the sessions and tabs of a browser and runs actions in them.
//
// A Manager has one Session per caller and one lock for the state of all of them; a Connection is one running
// Chromium. Session.Act is the way of every action: it waits for the tab's turn, acts, waits for what the action
// caused, takes a snapshot and answers with the changes. What happens in a tab is followed by an EventHandler
// (package events); what the window shows of it is up to a Viewer (package live).
package page

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"sync"
	"time"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe/identity"
	"sextant/backend/browser/observe/settle"
	"sextant/backend/browser/publish"
	"sextant/shared/event"
)

// Config says how sessions and tabs behave. The fields are explained at browser.Config.
type Config struct {
	DownloadDir  string
	MaxDownload  int64
	Proxy        string
	Headless     bool
	AttachURL    string
	CheckAddress func(ctx context.Context, url string) error
	Limits       settle.Limits
	Log          *slog.Logger
}

// EventHandler follows what happens in tabs. It is called by the goroutine that reads from the browser and must
// not block.
type EventHandler interface {
	// TabEvent takes in an event of one of the tab's sessions.
	TabEvent(t *Tab, p *cdp.Page, ev cdp.Event)
}

// Viewer shows the window's active tab to people. Its methods are called by the goroutine that reads from
// the browser and must not block.
type Viewer interface {
	// FrontChanged says that another tab may be the window's active one.
	FrontChanged()
	// PageChanged asks for new numbers of the window's active tab.
	PageChanged()
	// Repaint asks for a new picture of t if it is the one shown. Called under the manager's lock.
	Repaint(t *Tab)
	// ScreencastFrame takes a picture of t.
	ScreencastFrame(t *Tab, p *cdp.Page, ev cdp.Event)
	// Typed reports text that was typed into a field of the window's active tab.
	Typed(k EnteredText)
	// Disconnected says that Chromium has ended. Called under the manager's lock.
	Disconnected()
}

// Manager holds the sessions of one browser, their tabs, and what all of them share. One lock guards the state
// of all sessions and tabs. It survives a restart of Chromium; a connection does not.
type Manager struct {
	Config   Config
	Log      *slog.Logger
	Elements *identity.ElementRegistry
	Events   *publish.Publisher
	Viewer   Viewer
	handler  EventHandler
	// Start returns the running Chromium and starts one when there is none.
	Start func(ctx context.Context) (*Connection, error)

	// stop is closed by Close; wg counts the goroutines of tabs and downloads.
	stop chan struct{}
	wg   sync.WaitGroup

	mu       sync.Mutex
	Changed  chan struct{}
	conn     *Connection
	sessions map[string]*Session
	lastTab  int
	closed   bool
	// userAgent is the running Chromium's own.
	userAgent string
	// tempDownloads holds downloads when no folder is configured; RemoveTemporary removes it.
	tempDownloads string
}

// NewManager returns a manager without sessions. start returns the running Chromium.
func NewManager(
	cfg Config, elements *identity.ElementRegistry, events *publish.Publisher,
	start func(context.Context) (*Connection, error),
) *Manager {
	return &Manager{
		Config: cfg, Log: cfg.Log, Elements: elements, Events: events, Start: start,
		stop: make(chan struct{}), Changed: make(chan struct{}), sessions: map[string]*Session{},
	}
}

// Connect sets the viewer and the event handler, before the first tab is opened.
func (m *Manager) Connect(v Viewer, h EventHandler) { m.Viewer, m.handler = v, h }

// Lock takes the lock that guards sessions and tabs.
func (m *Manager) Lock() { m.mu.Lock() }

// Unlock releases Lock.
func (m *Manager) Unlock() { m.mu.Unlock() }

// Stopped is closed when the browser is being closed.
func (m *Manager) Stopped() <-chan struct{} { return m.stop }

// Go runs f on a goroutine that Wait waits for.
func (m *Manager) Go(f func()) { m.wg.Go(f) }

// Wait returns when no goroutine of Go runs any more.
func (m *Manager) Wait() { m.wg.Wait() }

// Close ends all waiting; false when it was closed before.
func (m *Manager) Close() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return false
	}
	m.closed = true
	close(m.stop)
	return true
}

// Closed reports whether Close was called. Called under the lock.
func (m *Manager) Closed() bool { return m.closed }

// Conn is the running Chromium, nil for none. Called under the lock.
func (m *Manager) Conn() *Connection { return m.conn }

// RemoveTemporary removes the folder of downloads that belongs to this run.
func (m *Manager) RemoveTemporary() error {
	if m.tempDownloads == "" {
		return nil
	}
	return os.RemoveAll(m.tempDownloads)
}

// Session returns the tabs of one caller, made on first use; "" is the window's.
func (m *Manager) Session(owner string) *Session {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[owner]
	if s == nil {
		s = &Session{Manager: m, Owner: owner}
		m.sessions[owner] = s
	}
	return s
}

// CloseSession closes a caller's tabs and forgets its storage. The window's session stays.
func (m *Manager) CloseSession(owner string) {
	m.mu.Lock()
	s := m.sessions[owner]
	if s == nil || owner == "" {
		m.mu.Unlock()
		return
	}
	delete(m.sessions, owner)
	c, contextID := m.conn, s.contextID
	m.mu.Unlock()
	if c != nil && contextID != "" {
		c.dispose(contextID)
	}
	m.forgetFiles(owner)
}

// Tabs is how many tabs a caller has.
func (m *Manager) Tabs(owner string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.sessions[owner]; s != nil {
		return len(s.Tabs)
	}
	return 0
}

// WindowState fills in the window's tabs and downloads. Called under the lock.
func (m *Manager) WindowState(s *event.BrowserState) {
	s.Tabs = []event.Tab{}
	if w := m.sessions[""]; w != nil {
		s.Tabs, s.Downloads = w.TabList(), w.downloadList()
		if w.Active != nil {
			s.Active = w.Active.ID
		}
	}
}

// WindowTab is the window's active tab, nil for none. Called under the lock.
func (m *Manager) WindowTab() *Tab {
	if w := m.sessions[""]; w != nil {
		return w.Active
	}
	return nil
}

// Marks are the numbers of the window's active tab in its newest snapshot; nil before the first.
func (m *Manager) Marks() *event.Marks {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch t := m.WindowTab(); {
	case t == nil:
		return nil
	case t.refreshed != nil:
		return t.refreshed.Marks()
	case t.last != nil:
		return t.last.Marks()
	}
	return nil
}

// Connected makes c the running Chromium and calls then under the lock. The tabs of an earlier Chromium are
// opened again by Restore.
func (m *Manager) Connected(c *Connection, then func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.conn = c
	for _, s := range m.sessions {
		s.contextID = ""
	}
	then()
	m.Signal()
}

// Restore opens the tabs that the last Chromium had.
func (m *Manager) Restore(ctx context.Context, c *Connection) {
	m.mu.Lock()
	sessions := make([]*Session, 0, len(m.sessions))
	for _, s := range m.sessions {
		sessions = append(sessions, s)
	}
	m.mu.Unlock()
	for _, s := range sessions {
		s.restore(ctx, c)
	}
}

// Disconnected notes that the Chromium of c has ended and calls then under the lock. The tabs stay, without
// their pages.
func (m *Manager) Disconnected(c *Connection, then func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.conn == c {
		m.conn = nil
	}
	for _, t := range c.tabs {
		t.Page = nil
		t.Dialog, t.FileChooser, t.last = nil, nil, nil
		t.Interrupt(ErrBrowserEnded)
	}
	c.tabs = map[*cdp.Page]*Tab{}
	for _, s := range m.sessions {
		for _, d := range s.downloads {
			if d.State == downloadRunning {
				d.end(downloadFailed, "the browser ended")
				d.sweep()
			}
		}
	}
	then()
	m.Viewer.Disconnected()
	m.Signal()
}

// HasContext reports whether a browser context belongs to one of the sessions.
func (m *Manager) HasContext(contextID string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.sessions {
		if s.contextID != "" && s.contextID == contextID {
			return true
		}
	}
	return false
}

// Signal wakes everybody in Await. Called under the lock.
func (m *Manager) Signal() {
	close(m.Changed)
	m.Changed = make(chan struct{})
}

// Await waits until ok, which is called under the lock, is true. The error is the end of ctx or of the browser.
func (m *Manager) Await(ctx context.Context, ok func() bool) error {
	for {
		m.mu.Lock()
		if ok() {
			m.mu.Unlock()
			return nil
		}
		if m.closed {
			m.mu.Unlock()
			return ErrClosed
		}
		changed := m.Changed
		m.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// ErrClosed is returned by all calls after the browser was closed.
var ErrClosed = errors.New("the browser is closed")

var _ cdp.Handler = (*Connection)(nil)

// WindowTabs are the tabs of the window. Called under the lock.
func (m *Manager) WindowTabs() []*Tab {
	if w := m.sessions[""]; w != nil {
		return w.Tabs
	}
	return nil
}

// EnteredText is text that went into a field, as its document reported it at that moment.
type EnteredText struct {
	At               time.Time
	Document, Handle int
	// Text is empty unless shown, which is false for a field that hides what it holds.
	Text  string
	Shown bool
}
