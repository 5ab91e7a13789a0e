package page

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe"
	"sextant/backend/browser/page/effects"
	"sextant/backend/browser/page/emulation"
	"sextant/backend/browser/page/secrets"
	"sextant/backend/surface"
	"sextant/shared/annotation"
	"sextant/shared/event"
)

// maxTabs bounds the tabs of a session, because pages can open tabs too.
const maxTabs = 40

// Session contains the tabs of one caller. Methods may be called concurrently unless they say otherwise; the actions of
// one tab queue.
type Session struct {
	Manager *Manager
	Owner   string

	// The manager's lock guards the fields below. contextID is "" before the first tab, and for the window's session
	// unless the browser was attached.
	contextID string
	// signInHosts are the hosts whose cookies are copied from the window with the first tab.
	signInHosts []string
	Tabs        []*Tab
	Active      *Tab
	// expected is the tab that the next page without an opener belongs to.
	expected     *Tab
	downloads    []*download
	lastDownload int
	notesRead    *Connection
	// device is the emulation for new tabs.
	device  *emulation.Emulation
	Secrets secrets.Store
	covered []typedSecret
}

// adopt makes p the page of the expected tab, or of a new one if none is expected or another page opened p. Called
// under the lock.
func (s *Session) adopt(p *cdp.Page) *Tab {
	t := s.expected
	s.expected = nil
	if t == nil || p.OpenerID != "" {
		s.expected = t
		t = s.newTab()
	}
	t.Page, t.Tracker, t.Crashed = p, newTracker(p), false
	t.URL, t.geolocationOrigins = p.MainDocument().URL(), nil
	if t.emulation == nil && s.device != nil {
		own := *s.device
		t.emulation = &own
	}
	t.applyEmulation()
	if len(s.Tabs) > maxTabs {
		s.Manager.Log.Warn("a page opened too many tabs", "session", s.Owner)
		p.Post(p.SessionID, proto.PageClose{})
	}
	return t
}

// remove is called under the lock.
func (s *Session) remove(t *Tab) {
	t.Closed, t.Page = true, nil
	t.UpdateGeolocationPermission()
	t.Interrupt(ErrTabClosed)
	i := slices.Index(s.Tabs, t)
	if i < 0 {
		return
	}
	s.Tabs = slices.Delete(s.Tabs, i, i+1)
	if s.Active == t {
		s.Active = nil
		if len(s.Tabs) > 0 {
			s.Active = s.Tabs[min(i, len(s.Tabs)-1)]
		}
	}
	for _, other := range s.Tabs {
		if other == s.Active || t == s.Active {
			other.AddEffect(effects.KindTabClosed, fmt.Sprintf("tab %d closed", t.ID), t.ID)
			break
		}
	}
}

// TabList describes the session's tabs. Called under the lock.
func (s *Session) TabList() []event.Tab {
	tabs := make([]event.Tab, 0, len(s.Tabs))
	for _, t := range s.Tabs {
		tabs = append(tabs, t.describe())
	}
	return tabs
}

func (s *Session) restore(ctx context.Context, e *Connection) {
	s.Manager.Lock()
	old := slices.Clone(s.Tabs)
	s.Manager.Unlock()
	for _, t := range old {
		if err := s.revive(ctx, e, t); err != nil {
			s.Manager.Log.Warn("a tab could not be restored", "tab", t.ID, "err", err)
			s.Manager.Lock()
			s.remove(t)
			s.Manager.Unlock()
		}
	}
}

// revive creates the page empty, because the browser does not report reliably that a page created with an address is
// loading. The tab's turn lasts until the navigation has ended.
func (s *Session) revive(ctx context.Context, e *Connection, t *Tab) error {
	release, err := t.Acquire(ctx)
	if err != nil {
		return err
	}
	var address string
	t.WithLock(func() { address = t.URL })
	if err := s.create(ctx, e, BlankPage, t); err != nil {
		release()
		return err
	}
	if address == "" || address == BlankPage || IsGuardedScheme(address) {
		release()
		return nil
	}
	t.WithLock(func() { t.URL = address })
	s.Manager.Go(func() {
		defer release()
		t.reopen(context.WithoutCancel(ctx), address)
	})
	return nil
}

// reopen needs the tab's turn.
func (t *Tab) reopen(ctx context.Context, address string) {
	ctx, done := t.Begin(ctx)
	defer done()
	b := t.Session.Manager
	b.Lock()
	a := &Action{Tab: t, Page: t.Page}
	if a.Page != nil {
		a.Watch = t.Tracker.Begin(b.Config.Limits)
	}
	b.Unlock()
	if a.Page == nil {
		return
	}
	defer a.Watch.Close()
	if err := a.Open(ctx, address); err != nil {
		b.Log.Warn("a tab was restored without its page", "tab", t.ID, "err", err)
	}
}

// create opens a page for t, or for a new tab when t is nil.
func (s *Session) create(ctx context.Context, e *Connection, url string, t *Tab) error {
	b := s.Manager
	b.Lock()
	contextID, signInHosts := s.contextID, s.signInHosts
	b.Unlock()
	attached := b.Config.AttachURL != ""
	if (s.Owner != "" || attached) && contextID == "" {
		var err error
		if contextID, err = e.newContext(ctx); err != nil {
			return fmt.Errorf("creating a browser context: %w", err)
		}
		if err := e.allowDownloads(ctx, s.Owner, contextID); err != nil {
			return err
		}
		if len(signInHosts) > 0 && s.Owner != "" {
			if err := e.copyCookies(ctx, signInHosts, contextID); err != nil {
				return err
			}
		}
	}
	b.Lock()
	s.contextID, s.expected = contextID, t
	b.Unlock()
	res, err := proto.TargetCreateTarget{
		URL: url, BrowserContextID: proto.BrowserBrowserContextID(contextID),
		// Each headless tab gets its own window, so that no other tab hides it.
		NewWindow: b.Config.Headless,
	}.Call(e.Registry.Client(ctx))
	if err != nil {
		return fmt.Errorf("opening a tab: %w", err)
	}
	return b.Await(ctx, func() bool {
		for p := range e.tabs {
			if p.TargetID == string(res.TargetID) {
				return true
			}
		}
		return false
	})
}

// openedInFront is called under the lock.
func (s *Session) openedInFront(t *Tab, events []annotation.Event) int {
	if s.Active == nil || s.Active == t {
		return 0
	}
	for _, e := range events {
		if e.Kind == effects.KindTabOpened && e.Tab == s.Active.ID {
			return e.Tab
		}
	}
	return 0
}

// ActiveTab returns the active tab. If necessary, it starts Chromium and opens an empty tab.
func (s *Session) ActiveTab(ctx context.Context) (*Tab, error) {
	e, err := s.Manager.Start(ctx)
	if err != nil {
		return nil, err
	}
	s.Manager.Lock()
	t := s.Active
	s.Manager.Unlock()
	if t != nil {
		return t, nil
	}
	return s.OpenEmptyTab(ctx, e)
}

// OpenEmptyTab opens an empty tab and selects it.
func (s *Session) OpenEmptyTab(ctx context.Context, e *Connection) (*Tab, error) {
	ctx, cancel := context.WithTimeout(ctx, s.Manager.Config.Limits.Navigation)
	defer cancel()
	s.Manager.Lock()
	if len(s.Tabs) >= maxTabs {
		s.Manager.Unlock()
		return nil, &surface.Fault{
			Kind:       surface.FaultInvalid,
			Message:    fmt.Sprintf("%d tabs are open, which is the most there may be.", maxTabs),
			Suggestion: "Close a tab first.",
		}
	}
	t := s.newTab()
	s.Manager.Unlock()
	if err := s.create(ctx, e, BlankPage, t); err != nil {
		s.Manager.Lock()
		s.expected = nil
		s.remove(t)
		s.Manager.Unlock()
		return nil, err
	}
	return t, nil
}

// TabOfElement returns the session's tab that the element id belongs to, or a fault that says why there is none.
func (s *Session) TabOfElement(id int) (*Tab, *surface.Fault) {
	element, known := s.Manager.Elements.Element(id)
	if !known {
		if s.Manager.Elements.WasIssued(id) {
			return nil, &surface.Fault{
				Kind: surface.FaultGone, Message: fmt.Sprintf("[%d] is gone: its page was left long ago.", id),
				Suggestion: "Call annotate_page.",
			}
		}
		return nil, &surface.Fault{
			Kind: surface.FaultNotFound, Message: fmt.Sprintf("There is no [%d]: that number was never used.", id),
			Suggestion: "Call annotate_page for the numbers on the page.",
		}
	}
	if element.Tab < 0 {
		return nil, &surface.Fault{
			Kind: surface.FaultNotFound,
			Message: fmt.Sprintf("[%d] is on the page of a panel, where only the window's own assistant can act.",
				id),
			Suggestion: "Call annotate_page for the numbers in your own tabs.",
		}
	}
	s.Manager.Lock()
	defer s.Manager.Unlock()
	for _, t := range s.Tabs {
		if t.ID == element.Tab {
			return t, nil
		}
	}
	for owner, other := range s.Manager.sessions {
		for _, t := range other.Tabs {
			if t.ID == element.Tab && owner != s.Owner {
				return nil, &surface.Fault{
					Kind: surface.FaultNotFound, Message: fmt.Sprintf("[%d] is in a tab of another session.", id),
					Suggestion: "Call annotate_page for the numbers in your own tabs.",
				}
			}
		}
	}
	return nil, &surface.Fault{
		Kind: surface.FaultGone, Message: fmt.Sprintf("[%d] is gone: tab %d was closed.", id, element.Tab),
		Suggestion: "Call browser_tabs to see what is open.",
	}
}

// Element returns the element id from the active tab's last snapshots, false when they do not contain it.
func (s *Session) Element(id int) (annotation.Element, bool) {
	s.Manager.Lock()
	defer s.Manager.Unlock()
	if s.Active == nil {
		return annotation.Element{}, false
	}
	for _, l := range []*observe.Snapshot{s.Active.last, s.Active.lastWhole} {
		if l == nil {
			continue
		}
		if i, ok := l.ByID[id]; ok {
			return l.Elements[i], true
		}
	}
	return annotation.Element{}, false
}

// Annotations returns the elements that the active tab's last answer was made from, without a new snapshot.
func (s *Session) Annotations() []annotation.Element {
	s.Manager.Lock()
	defer s.Manager.Unlock()
	if s.Active == nil || s.Active.last == nil {
		return []annotation.Element{}
	}
	return slices.Clone(s.Active.last.Elements)
}

// UnlistedAnnotations implements surface.Surface.
func (s *Session) UnlistedAnnotations() (above, below int) {
	s.Manager.Lock()
	defer s.Manager.Unlock()
	if s.Active == nil || s.Active.last == nil {
		return 0, 0
	}
	return s.Active.last.Above, s.Active.last.Below
}

// unreadNotes is called under the lock.
func (s *Session) unreadNotes() []string {
	c := s.Manager.conn
	if c == nil || s.notesRead == c {
		return nil
	}
	s.notesRead = c
	return c.notes
}

// FrontPage returns the active tab's page, nil when there is none or it cannot answer (a dialog is open, it
// crashed).
func (s *Session) FrontPage() *cdp.Page {
	s.Manager.Lock()
	defer s.Manager.Unlock()
	if t := s.Active; t != nil && t.Dialog == nil && !t.Crashed {
		return t.Page
	}
	return nil
}
