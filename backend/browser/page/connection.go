package page

import (
	"context"
	"fmt"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/page/effects"
)

// HandlePageOpened implements cdp.Handler.
func (c *Connection) HandlePageOpened(p *cdp.Page) {
	b := c.manager
	b.Lock()
	s := b.sessions[""]
	for _, other := range b.sessions {
		if other.contextID != "" && other.contextID == p.ContextID {
			s = other
		}
	}
	if s == nil {
		s = &Session{Manager: b}
		b.sessions[""] = s
	}
	t := s.adopt(p)
	c.tabs[p] = t
	var opener *Tab
	for _, other := range s.Tabs {
		if other == t || other.Tracker == nil {
			continue
		}
		other.Tracker.RecordLoadStop(PopupFrame)
		// A tab that hides its opener belongs to a tab that expects one.
		if named := other.Page != nil && other.Page.TargetID == p.OpenerID; named || opener == nil &&
			p.OpenerID == "" && other.ExpectsTab {
			opener = other
		}
	}
	if opener != nil {
		opener.ExpectsTab, t.opener = false, opener
		outcome := fmt.Sprintf("opened tab %d", t.ID)
		if len(s.Tabs) > maxTabs {
			outcome += fmt.Sprintf(", which was closed: there may be %d", maxTabs)
		}
		opener.AddEffect(effects.KindTabOpened, outcome, t.ID)
	}
	b.Signal()
	b.Unlock()
	b.Viewer.UpdateFront()
	b.Events.PublishState()
}

// HandlePageClosed implements cdp.Handler.
func (c *Connection) HandlePageClosed(p *cdp.Page) {
	b := c.manager
	b.Lock()
	t := c.tabs[p]
	delete(c.tabs, p)
	if t != nil {
		t.Session.remove(t)
	}
	b.Signal()
	b.Unlock()
	if t != nil {
		for _, doc := range b.Elements.Documents(t.ID) {
			b.Elements.EndDocument(doc)
		}
	}
	b.Viewer.UpdateFront()
	b.Events.PublishState()
}

// HandlePageEvent implements cdp.Handler.
func (c *Connection) HandlePageEvent(p *cdp.Page, ev cdp.Event) {
	switch ev.Method {
	case "Browser.downloadWillBegin":
		c.downloadWillBegin(p, ev)
		return
	case "Browser.downloadProgress":
		c.downloadProgress(ev)
		return
	}
	c.manager.Lock()
	t := c.tabs[p]
	c.manager.Unlock()
	if t == nil {
		return
	}
	c.manager.handler.HandleTabEvent(t, p, ev)
}

// Connection is the connection to one running Chromium. It implements cdp.Handler.
type Connection struct {
	manager  *Manager
	Registry *cdp.Registry
	// tabs and notes are guarded by the manager's lock.
	tabs  map[*cdp.Page]*Tab
	notes []string
}

// NewConnection returns the handler for a Chromium that is about to be connected. notes are for the first answer of
// each session.
func (m *Manager) NewConnection(notes []string) *Connection {
	return &Connection{manager: m, notes: notes, tabs: map[*cdp.Page]*Tab{}}
}

// SetUp sets the folder for downloads, unless the browser was attached, and reads the browser's user agent.
func (c *Connection) SetUp(ctx context.Context) error {
	if c.manager.Config.AttachURL == "" {
		if err := c.allowDownloads(ctx, "", ""); err != nil {
			return err
		}
	}
	v, err := proto.BrowserGetVersion{}.Call(c.Registry.Client(ctx))
	if err != nil {
		return fmt.Errorf("asking for the browser's version: %w", err)
	}
	c.manager.mu.Lock()
	c.manager.userAgent = v.UserAgent
	c.manager.mu.Unlock()
	return nil
}

// Options returns options for a cdp.Registry whose events c handles. docs issues the numbers of documents.
func (c *Connection) Options(docs *cdp.Counter) cdp.Options {
	start := documentStartScript
	if c.manager.Config.Headless {
		start += ";" + viewerReportsScript
	}
	return cdp.Options{
		Handler: c, DocumentCounter: docs, Log: c.manager.Log, DocumentStart: start, Binding: BindingName,
		PageSetUp: []proto.Request{
			proto.EmulationSetDeviceMetricsOverride{Width: defaultWidth, Height: defaultHeight, DeviceScaleFactor: 1},
			proto.PageSetInterceptFileChooserDialog{Enabled: true},
		},
	}
}

// AddNote adds a note for the sessions that have had no answer yet.
func (c *Connection) AddNote(note string) {
	c.manager.mu.Lock()
	defer c.manager.mu.Unlock()
	c.notes = append(c.notes, note)
}

const notEnforced = "Where this browser may go is not enforced: it runs elsewhere, so its requests do not pass " +
	"Sextant's proxy. Only the addresses of navigate_page and browser_tabs are judged."

// newContext sets our proxy for an attached browser on this machine; a browser on another one could not reach it.
func (c *Connection) newContext(ctx context.Context) (string, error) {
	req := proto.TargetCreateBrowserContext{DisposeOnDetach: true}
	proxied := c.manager.Config.AttachURL != "" && c.manager.Config.Proxy != ""
	if proxied && c.manager.isLocal() {
		req.ProxyServer, req.ProxyBypassList = "http://"+c.manager.Config.Proxy, "<-loopback>"
	}
	res, err := req.Call(c.Registry.Client(ctx))
	if err != nil {
		return "", err
	}
	if proxied && req.ProxyServer == "" {
		c.manager.mu.Lock()
		c.notes = []string{notEnforced}
		c.manager.mu.Unlock()
	}
	return string(res.BrowserContextID), nil
}

func (c *Connection) dispose(contextID string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err := proto.TargetDisposeBrowserContext{
		BrowserContextID: proto.BrowserBrowserContextID(contextID),
	}.Call(c.Registry.Client(ctx))
	if err != nil {
		c.manager.Log.Warn("closing a session's tabs", "err", err)
	}
	return err
}

// PopupFrame is the frame name under which the tracker waits for a tab that is about to open.
const PopupFrame = "popup"
