// Package page manages the sessions and tabs of a browser and runs actions in them.
//
// A Manager has one Session per caller and one lock for the state of all of them; a Connection is one running Chromium.
// Session.Act runs an action: it waits for the tab's turn, acts, waits for the effects, takes a snapshot and returns
// the changes. An EventHandler (package events) handles the events of tabs, and a Viewer (package live) shows the
// active tab in the window.
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

// Config configures a Manager. See browser.Config for the fields.
type Config struct {
	DownloadDir    string
	MaxDownload    int64
	Proxy          string
	Headless       bool
	AttachURL      string
	CheckAddress   func(ctx context.Context, url string) error
	ExplainFailure func(address string) (head, text string)
	Limits         settle.Limits
	Log            *slog.Logger
}

// EventHandler handles the events of tabs. The goroutine that reads from the browser calls it; it must not block.
type EventHandler interface {
	HandleTabEvent(t *Tab, p *cdp.Page, ev cdp.Event)
}

// Viewer shows the window's active tab to people. Its methods must not block, because the goroutine that reads from
// the browser calls them too.
type Viewer interface {
	// UpdateFront reports that another tab may be the window's active one.
	UpdateFront()
	// RequestMarks requests new numbers for the window's active tab.
	RequestMarks()
	// Repaint requests a new picture if the viewer shows t. Called under the manager's lock.
	Repaint(t *Tab)
	HandleScreencastFrame(t *Tab, p *cdp.Page, ev cdp.Event)
	// HandleEnteredText reports text that was typed into a field of the window's active tab.
	HandleEnteredText(k EnteredText)
	// HandleReport handles what viewer_reports.js reports about the window's active tab: "pointed" or "picker" with
	// JSON that the page may have influenced, or "copied". doc is nil when it is not known.
	HandleReport(t *Tab, doc *cdp.Document, what, payload string)
	// HandleBrowserEnd reports that Chromium has ended. Called under the manager's lock.
	HandleBrowserEnd()
}

// Manager contains the sessions of one browser, their tabs and their shared state. One lock guards the state of all
// sessions and tabs. A Manager survives a restart of Chromium; a Connection does not.
type Manager struct {
	Config   Config
	Log      *slog.Logger
	Elements *identity.ElementRegistry
	Events   *publish.Publisher
	Viewer   Viewer
	handler  EventHandler
	// Start returns the running Chromium, which it starts if necessary.
	Start func(ctx context.Context) (*Connection, error)

	stop chan struct{}
	wg   sync.WaitGroup

	mu       sync.Mutex
	Changed  chan struct{}
	conn     *Connection
	sessions map[string]*Session
	// shown is the owner of the session that people see, "" for the window's.
	shown     string
	lastTab   int
	closed    bool
	userAgent string
	// tempDownloads is the folder for downloads when none is configured, "" until it is needed.
	tempDownloads string
}

// NewManager returns a Manager without sessions. start returns the running Chromium.
func NewManager(
	cfg Config, elements *identity.ElementRegistry, events *publish.Publisher,
	start func(context.Context) (*Connection, error),
) *Manager {
	return &Manager{
		Config: cfg, Log: cfg.Log, Elements: elements, Events: events, Start: start,
		stop: make(chan struct{}), Changed: make(chan struct{}), sessions: map[string]*Session{},
	}
}

// SetHandlers sets the viewer and the event handler. Call it before the first tab is opened.
func (m *Manager) SetHandlers(v Viewer, h EventHandler) { m.Viewer, m.handler = v, h }

// Lock locks the state of sessions and tabs.
func (m *Manager) Lock() { m.mu.Lock() }

// Unlock unlocks the state of sessions and tabs.
func (m *Manager) Unlock() { m.mu.Unlock() }

// Done returns a channel that Close closes.
func (m *Manager) Done() <-chan struct{} { return m.stop }

// Go runs f on a goroutine that Wait waits for.
func (m *Manager) Go(f func()) { m.wg.Go(f) }

// Wait waits until all goroutines started by Go have ended.
func (m *Manager) Wait() { m.wg.Wait() }

// Close marks the Manager as closed and closes the channel of Done. It returns false when that was done before.
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

// Conn returns the connection to the running Chromium, nil for none. Called under the lock.
func (m *Manager) Conn() *Connection { return m.conn }

// RemoveTempDir removes the temporary folder for downloads, if there is one, with its files.
func (m *Manager) RemoveTempDir() error {
	if m.tempDownloads == "" {
		return nil
	}
	return os.RemoveAll(m.tempDownloads)
}

// Session returns the session of a caller, which it creates on first use. The window's is "".
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

// Show makes people see the session of owner in place of the window's.
func (m *Manager) Show(owner string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.shown = owner
}

// ShownSession returns the session that people see. It is the window's, unless Show was called.
func (m *Manager) ShownSession() *Session {
	m.mu.Lock()
	owner := m.shown
	m.mu.Unlock()
	return m.Session(owner)
}

// CloseSession closes a caller's tabs and deletes its storage. It does nothing for the window's session. It also logs
// its error, which means that the tabs or the storage may still be there.
func (m *Manager) CloseSession(owner string) (err error) {
	m.mu.Lock()
	s := m.sessions[owner]
	if s == nil || owner == "" {
		m.mu.Unlock()
		return nil
	}
	delete(m.sessions, owner)
	c, contextID := m.conn, s.contextID
	m.mu.Unlock()
	if c != nil && contextID != "" {
		err = c.dispose(contextID)
	}
	m.closeDownloadDir(owner)
	return err
}

// TabCount returns how many tabs a caller has.
func (m *Manager) TabCount(owner string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.sessions[owner]; s != nil {
		return len(s.Tabs)
	}
	return 0
}

// FillWindowState sets the tabs, the active tab and the downloads of s to those of the window. Called under the lock.
func (m *Manager) FillWindowState(s *event.BrowserState) {
	s.Tabs = []event.Tab{}
	if w := m.sessions[m.shown]; w != nil {
		s.Tabs, s.Downloads = w.TabList(), w.downloadList()
		if w.Active != nil {
			s.Active = w.Active.ID
		}
	}
}

// WindowTab returns the active tab that people see, nil for none. Called under the lock.
func (m *Manager) WindowTab() *Tab {
	if w := m.sessions[m.shown]; w != nil {
		return w.Active
	}
	return nil
}

// Marks returns the numbered elements in the newest snapshot of the window's active tab, nil when there is none.
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

// SetConn makes c the running Chromium and calls then under the lock. Call Restore afterwards to open the tabs of
// an earlier Chromium again.
func (m *Manager) SetConn(c *Connection, then func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.conn = c
	for _, s := range m.sessions {
		s.contextID = ""
	}
	then()
	m.Signal()
}

// Restore opens the tabs of the last Chromium again, without waiting for their navigations. It removes tabs for which
// no page can be created.
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

// ClearConn records that the Chromium of c has ended and calls then under the lock. The tabs remain without
// their pages.
func (m *Manager) ClearConn(c *Connection, then func()) {
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
				d.removePartial()
			}
		}
	}
	then()
	m.Viewer.HandleBrowserEnd()
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

// Signal wakes all calls of Await. Called under the lock.
func (m *Manager) Signal() {
	close(m.Changed)
	m.Changed = make(chan struct{})
}

// Await waits until ok, which is called under the lock, returns true. The error is the cause of ctx's end, or
// ErrClosed. Close alone does not wake it.
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

// ErrClosed is the error of calls that need Chromium after the browser was closed.
var ErrClosed = errors.New("the browser is closed")

var _ cdp.Handler = (*Connection)(nil)

// WindowTabs returns the tabs that people see. Called under the lock.
func (m *Manager) WindowTabs() []*Tab {
	if w := m.sessions[m.shown]; w != nil {
		return w.Tabs
	}
	return nil
}

// EnteredText is text that was typed into a field, as reported by the field's document.
type EnteredText struct {
	At               time.Time
	Document, Handle int
	// Text is "" for a field that hides its content. Document is 0 when it is not known.
	Text  string
	Shown bool
	// ReplacesAll is true if the field contained nothing else afterwards.
	ReplacesAll bool
}
