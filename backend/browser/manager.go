package browser

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe/identity"
	"sextant/backend/browser/observe/settle"
	"sextant/shared/event"
)

// managerConfig says how sessions and tabs behave. The fields are explained at browser.Config.
type managerConfig struct {
	DownloadDir  string
	MaxDownload  int64
	Proxy        string
	Headless     bool
	AttachURL    string
	CheckAddress func(ctx context.Context, url string) error
	Limits       settle.Limits
	Log          *slog.Logger
}

// viewer shows the window's active tab to people. Its methods are called by the goroutine that reads from
// the browser and must not block.
type viewer interface {
	// FrontChanged says that another tab may be the window's active one.
	FrontChanged()
	// PageChanged asks for new numbers of the window's active tab.
	PageChanged()
	// Repaint asks for a new picture of t if it is the one shown. Called under the manager's lock.
	Repaint(t *tab)
	// ScreencastFrame takes a picture of t.
	ScreencastFrame(t *tab, p *cdp.Page, ev cdp.Event)
	// Typed takes in what a field of the window's active tab received.
	Typed(k keystroke)
	// Disconnected says that Chromium has ended. Called under the manager's lock.
	Disconnected()
}

// manager holds the sessions of one browser, their tabs, and what all of them share. One lock guards the state
// of all sessions and tabs. It survives a restart of Chromium; a connection does not.
type manager struct {
	cfg      managerConfig
	log      *slog.Logger
	elements *identity.Book
	events   *publisher
	viewer   viewer
	// start returns the running Chromium and starts one when there is none.
	start func(ctx context.Context) (*connection, error)

	// stop is closed by Close; wg counts the goroutines of tabs and downloads.
	stop chan struct{}
	wg   sync.WaitGroup

	mu       sync.Mutex
	changed  chan struct{}
	conn     *connection
	sessions map[string]*Session
	lastTab  int
	closed   bool
	// userAgent is the running Chromium's own.
	userAgent string
	// tempDownloads holds downloads when no folder is configured; RemoveTemporary removes it.
	tempDownloads string
}

// newManager returns a manager without sessions. start returns the running Chromium.
func newManager(
	cfg managerConfig, elements *identity.Book, events *publisher, start func(context.Context) (*connection, error),
) *manager {
	return &manager{
		cfg: cfg, log: cfg.Log, elements: elements, events: events, start: start,
		stop: make(chan struct{}), changed: make(chan struct{}), sessions: map[string]*Session{},
	}
}

// SetViewer connects the viewer, before the first tab is opened.
func (m *manager) SetViewer(v viewer) { m.viewer = v }

// Lock takes the lock that guards sessions and tabs.
func (m *manager) Lock() { m.mu.Lock() }

// Unlock releases Lock.
func (m *manager) Unlock() { m.mu.Unlock() }

// Stopped is closed when the browser is being closed.
func (m *manager) Stopped() <-chan struct{} { return m.stop }

// Go runs f on a goroutine that Wait waits for.
func (m *manager) Go(f func()) { m.wg.Go(f) }

// Wait returns when no goroutine of Go runs any more.
func (m *manager) Wait() { m.wg.Wait() }

// Close ends all waiting; false when it was closed before.
func (m *manager) Close() bool {
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
func (m *manager) Closed() bool { return m.closed }

// Conn is the running Chromium, nil for none. Called under the lock.
func (m *manager) Conn() *connection { return m.conn }

// RemoveTemporary removes the folder of downloads that belongs to this run.
func (m *manager) RemoveTemporary() error {
	if m.tempDownloads == "" {
		return nil
	}
	return os.RemoveAll(m.tempDownloads)
}

// Session returns the tabs of one caller, made on first use; "" is the window's.
func (m *manager) Session(owner string) *Session {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[owner]
	if s == nil {
		s = &Session{b: m, owner: owner}
		m.sessions[owner] = s
	}
	return s
}

// CloseSession closes a caller's tabs and forgets its storage. The window's session stays.
func (m *manager) CloseSession(owner string) {
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
func (m *manager) Tabs(owner string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.sessions[owner]; s != nil {
		return len(s.tabs)
	}
	return 0
}

// WindowState fills in the window's tabs and downloads. Called under the lock.
func (m *manager) WindowState(s *event.BrowserState) {
	s.Tabs = []event.Tab{}
	if w := m.sessions[""]; w != nil {
		s.Tabs, s.Downloads = w.list(), w.downloading()
		if w.active != nil {
			s.Active = w.active.id
		}
	}
}

// WindowTab is the window's active tab, nil for none. Called under the lock.
func (m *manager) WindowTab() *tab {
	if w := m.sessions[""]; w != nil {
		return w.active
	}
	return nil
}

// Marks are the numbers of the window's active tab in its newest snapshot; nil before the first.
func (m *manager) Marks() *event.Marks {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch t := m.WindowTab(); {
	case t == nil:
		return nil
	case t.refreshed != nil:
		return t.refreshed.marks()
	case t.last != nil:
		return t.last.marks()
	}
	return nil
}

// Connected makes c the running Chromium and calls then under the lock. The tabs of an earlier Chromium are
// opened again by Restore.
func (m *manager) Connected(c *connection, then func()) {
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
func (m *manager) Restore(ctx context.Context, c *connection) {
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
func (m *manager) Disconnected(c *connection, then func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.conn == c {
		m.conn = nil
	}
	for _, t := range c.tabs {
		t.page = nil
		t.dialog, t.chooser, t.last = nil, nil, nil
		t.interrupt(errBrowserEnded)
	}
	c.tabs = map[*cdp.Page]*tab{}
	for _, s := range m.sessions {
		for _, d := range s.downloads {
			if d.State == downloadRunning {
				d.end(downloadFailed, "the browser ended")
				d.sweep()
			}
		}
	}
	then()
	m.viewer.Disconnected()
	m.Signal()
}

// HasContext reports whether a browser context belongs to one of the sessions.
func (m *manager) HasContext(contextID string) bool {
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
func (m *manager) Signal() {
	close(m.changed)
	m.changed = make(chan struct{})
}

// Await waits until ok, which is called under the lock, is true. The error is the end of ctx or of the browser.
func (m *manager) Await(ctx context.Context, ok func() bool) error {
	for {
		m.mu.Lock()
		if ok() {
			m.mu.Unlock()
			return nil
		}
		if m.closed {
			m.mu.Unlock()
			return errClosed
		}
		changed := m.changed
		m.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

var errClosed = errors.New("the browser is closed")

// connection is one running Chromium as tabs use it. It implements cdp.Handler.
type connection struct {
	m   *manager
	reg *cdp.Registry
	// tabs and notes are guarded by the manager's lock. notes are what every session is told once.
	tabs  map[*cdp.Page]*tab
	notes []string
}

var _ cdp.Handler = (*connection)(nil)

// NewConnection returns the handler for a Chromium that is about to be connected; notes are what every session
// is told once.
func (m *manager) NewConnection(notes []string) *connection {
	return &connection{m: m, notes: notes, tabs: map[*cdp.Page]*tab{}}
}

// Registry is the browser's sessions and frames.
func (c *connection) Registry() *cdp.Registry { return c.reg }

// Open prepares the connected browser for tabs.
func (c *connection) Open(ctx context.Context) error {
	if c.m.cfg.AttachURL == "" {
		if err := c.allowDownloads(ctx, "", ""); err != nil {
			return err
		}
	}
	v, err := proto.BrowserGetVersion{}.Call(c.reg.Client(ctx))
	if err != nil {
		return fmt.Errorf("asking for the browser's version: %w", err)
	}
	c.m.mu.Lock()
	c.m.userAgent = v.UserAgent
	c.m.mu.Unlock()
	return nil
}

// options are those of the registry whose handler c is; docs numbers documents.
func (c *connection) options(docs *cdp.Counter) cdp.Options {
	return cdp.Options{
		Handler: c, Docs: docs, Log: c.m.log, Greeting: documentStartScript, Tell: bindingName,
		PageSetUp: []proto.Request{
			proto.EmulationSetDeviceMetricsOverride{Width: defaultWidth, Height: defaultHeight, DeviceScaleFactor: 1},
			proto.PageSetInterceptFileChooserDialog{Enabled: true},
		},
	}
}

// AddNote adds something that every session is told once.
func (c *connection) AddNote(note string) {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	c.notes = append(c.notes, note)
}

// notEnforced is told where the filtering proxy cannot be in front of a browser.
const notEnforced = "Where this browser may go is not enforced: it runs elsewhere, so its requests do not pass Sextant's proxy. Only the addresses of navigate_page and browser_tabs are judged."

// newContext makes a browser context. In a browser that is only attached to, the context has our proxy; a
// browser on another machine could not reach that.
func (c *connection) newContext(ctx context.Context) (string, error) {
	req := proto.TargetCreateBrowserContext{DisposeOnDetach: true}
	proxied := c.m.cfg.AttachURL != "" && c.m.cfg.Proxy != ""
	if proxied && c.m.isLocal() {
		req.ProxyServer, req.ProxyBypassList = "http://"+c.m.cfg.Proxy, "<-loopback>"
	}
	res, err := req.Call(c.reg.Client(ctx))
	if err != nil {
		return "", err
	}
	if proxied && req.ProxyServer == "" {
		c.m.mu.Lock()
		c.notes = []string{notEnforced}
		c.m.mu.Unlock()
	}
	return string(res.BrowserContextID), nil
}

// dispose closes a browser context with all its tabs.
func (c *connection) dispose(contextID string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err := proto.TargetDisposeBrowserContext{
		BrowserContextID: proto.BrowserBrowserContextID(contextID),
	}.Call(c.reg.Client(ctx))
	if err != nil {
		c.m.log.Warn("closing a session's tabs", "err", err)
	}
}

// windowTabs are the tabs of the window. Called under the lock.
func (m *manager) windowTabs() []*tab {
	if w := m.sessions[""]; w != nil {
		return w.tabs
	}
	return nil
}
