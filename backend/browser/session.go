package browser

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/surface"
	"sextant/shared/annotator"
	"sextant/shared/event"
)

// maxTabs bounds a session: a page cannot open tabs without end.
const maxTabs = 40

// Session is the tabs of one caller. All methods may be called concurrently; actions of one
// tab queue. Errors of actions are *Fault where the caller can mend them.
type Session struct {
	b     *manager
	owner string

	// All below is guarded by Browser.mu. contextID is the browser context of the running
	// Chromium, "" until the first tab and always for the window's session.
	contextID string
	tabs      []*tab
	active    *tab
	// expect is the tab that the next page without an opener belongs to.
	expect       *tab
	downloads    []*download
	lastDownload int
	// told is the Chromium whose notes were told.
	told *connection
	// device is what new tabs pretend to be, nil for nothing.
	device  *Emulation
	secrets secrets
	// covered are a person's secrets that were typed.
	covered []covered
}

// adopt makes p a tab of the session and its active one. Called under mu.
func (s *Session) adopt(p *cdp.Page) *tab {
	t := s.expect
	s.expect = nil
	if t == nil || p.OpenerID != "" {
		s.expect = t
		t = s.newTab()
	}
	t.page, t.tracker, t.crashed = p, newTracker(p), false
	t.url, t.located = p.Main().URL(), nil
	if t.pretends == nil && s.device != nil {
		own := *s.device
		t.pretends = &own
	}
	t.pretend()
	if len(s.tabs) > maxTabs {
		s.b.log.Warn("a page opened too many tabs", "session", s.owner)
		p.Post(p.Session, proto.PageClose{})
	}
	return t
}

// remove takes a closed tab out. Called under mu.
func (s *Session) remove(t *tab) {
	t.closed, t.page = true, nil
	t.stands()
	t.interrupt(errTabClosed)
	i := slices.Index(s.tabs, t)
	if i < 0 {
		return
	}
	s.tabs = slices.Delete(s.tabs, i, i+1)
	if s.active == t {
		s.active = nil
		if len(s.tabs) > 0 {
			s.active = s.tabs[min(i, len(s.tabs)-1)]
		}
	}
	for _, other := range s.tabs {
		if other == s.active || t == s.active {
			other.note(kindClosed, fmt.Sprintf("tab %d closed", t.id), t.id)
			break
		}
	}
}

// list describes the tabs. Called under mu.
func (s *Session) list() []event.Tab {
	tabs := make([]event.Tab, 0, len(s.tabs))
	for _, t := range s.tabs {
		tabs = append(tabs, t.describe())
	}
	return tabs
}

// restore opens the tabs that the last Chromium had.
func (s *Session) restore(ctx context.Context, e *connection) {
	s.b.Lock()
	old := slices.Clone(s.tabs)
	s.b.Unlock()
	for _, t := range old {
		if err := s.revive(ctx, e, t); err != nil {
			s.b.log.Warn("a tab could not be brought back", "tab", t.id, "error", err)
			s.b.Lock()
			s.remove(t)
			s.b.Unlock()
		}
	}
}

// revive makes a page for a tab that lost its own and sends it to the tab's address. The page
// is made empty: of a page made with an address the browser tells neither surely nor in time
// that it is on its way. The tab's turn is kept until the address is there or known not to
// come, so that the next action in this tab waits for it and those in others do not.
func (s *Session) revive(ctx context.Context, e *connection, t *tab) error {
	release, err := t.acquire(ctx)
	if err != nil {
		return err
	}
	var address string
	t.set(func() { address = t.url })
	if err := s.create(ctx, e, blank, t); err != nil {
		release()
		return err
	}
	if address == "" || address == blank || guarded(address) {
		release()
		return nil
	}
	t.set(func() { t.url = address })
	s.b.Go(func() {
		defer release()
		t.reopen(context.WithoutCancel(ctx), address)
	})
	return nil
}

// reopen goes to an address for who holds the tab's turn, without looking at what is there.
func (t *tab) reopen(ctx context.Context, address string) {
	ctx, done := t.begin(ctx)
	defer done()
	b := t.s.b
	b.Lock()
	a := &action{t: t, page: t.page}
	if a.page != nil {
		a.watch = t.tracker.Begin(b.cfg.Limits)
	}
	b.Unlock()
	if a.page == nil {
		return
	}
	defer a.watch.Close()
	if err := a.open(ctx, address); err != nil {
		b.log.Warn("a tab is back without its page", "tab", t.id, "error", err)
	}
}

// create opens a page and waits until it is a tab: t itself when it is not nil.
func (s *Session) create(ctx context.Context, e *connection, url string, t *tab) error {
	b := s.b
	b.Lock()
	contextID := s.contextID
	b.Unlock()
	attached := b.cfg.AttachURL != ""
	if (s.owner != "" || attached) && contextID == "" {
		var err error
		if contextID, err = e.newContext(ctx); err != nil {
			return fmt.Errorf("making a place for the session's tabs: %w", err)
		}
		if err := e.allowDownloads(ctx, s.owner, contextID); err != nil {
			return err
		}
	}
	b.Lock()
	s.contextID, s.expect = contextID, t
	b.Unlock()
	res, err := proto.TargetCreateTarget{
		URL: url, BrowserContextID: proto.BrowserBrowserContextID(contextID),
		// A tab in a window of its own is never hidden by another one.
		NewWindow: b.cfg.Headless,
	}.Call(e.reg.Client(ctx))
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

// inFront is the tab in front of t that one of the events opened, 0 for none. Called under mu.
func (s *Session) inFront(t *tab, events []annotator.Event) int {
	if s.active == nil || s.active == t {
		return 0
	}
	for _, e := range events {
		if e.Kind == kindOpened && e.Tab == s.active.id {
			return e.Tab
		}
	}
	return 0
}

// current returns the active tab in a running browser, opening an empty one when there is none.
func (s *Session) current(ctx context.Context) (*tab, error) {
	e, err := s.b.start(ctx)
	if err != nil {
		return nil, err
	}
	s.b.Lock()
	t := s.active
	s.b.Unlock()
	if t != nil {
		return t, nil
	}
	return s.open(ctx, e)
}

// open makes an empty tab and selects it.
func (s *Session) open(ctx context.Context, e *connection) (*tab, error) {
	ctx, cancel := context.WithTimeout(ctx, s.b.cfg.Limits.Navigation)
	defer cancel()
	s.b.Lock()
	t := s.newTab()
	s.b.Unlock()
	if err := s.create(ctx, e, blank, t); err != nil {
		s.b.Lock()
		s.expect = nil
		s.remove(t)
		s.b.Unlock()
		return nil, err
	}
	return t, nil
}

// tabOf finds the tab that an annotation's number belongs to.
func (s *Session) tabOf(id int) (*tab, *surface.Fault) {
	thing, known := s.b.elements.Thing(id)
	if !known {
		if s.b.elements.Given(id) {
			return nil, &surface.Fault{
				Kind: surface.FaultGone, Message: fmt.Sprintf("[%d] is gone: its page was left long ago.", id),
				Suggestion: "Call annotate_page.",
			}
		}
		return nil, &surface.Fault{
			Kind: surface.FaultNotFound, Message: fmt.Sprintf("There is no [%d]: that number was never given.", id),
			Suggestion: "Call annotate_page for the numbers on the page.",
		}
	}
	if thing.Tab < 0 {
		return nil, &surface.Fault{
			Kind: surface.FaultNotFound, Message: fmt.Sprintf("[%d] stands on the page of a panel in the window, where only the window's own assistant acts.", id),
			Suggestion: "Call annotate_page for the numbers in your own tabs.",
		}
	}
	s.b.Lock()
	defer s.b.Unlock()
	for _, t := range s.tabs {
		if t.id == thing.Tab {
			return t, nil
		}
	}
	for owner, other := range s.b.sessions {
		for _, t := range other.tabs {
			if t.id == thing.Tab && owner != s.owner {
				return nil, &surface.Fault{
					Kind: surface.FaultNotFound, Message: fmt.Sprintf("[%d] stands in a tab of another session.", id),
					Suggestion: "Call annotate_page for the numbers in your own tabs.",
				}
			}
		}
	}
	return nil, &surface.Fault{
		Kind: surface.FaultGone, Message: fmt.Sprintf("[%d] is gone: tab %d was closed.", id, thing.Tab),
		Suggestion: "Call browser_tabs to see what is open.",
	}
}

// Element is what the newest looks at the active tab say of a number, false when they do not
// say anything of it.
func (s *Session) Element(id int) (annotator.Element, bool) {
	s.b.Lock()
	defer s.b.Unlock()
	if s.active == nil {
		return annotator.Element{}, false
	}
	for _, l := range []*snapshot{s.active.last, s.active.lastWhole} {
		if l == nil {
			continue
		}
		if i, ok := l.byID[id]; ok {
			return l.elements[i], true
		}
	}
	return annotator.Element{}, false
}

// Annotations are the elements of the active tab's newest look, without looking again.
func (s *Session) Annotations() []annotator.Element {
	s.b.Lock()
	defer s.b.Unlock()
	if s.active == nil || s.active.last == nil {
		return []annotator.Element{}
	}
	return slices.Clone(s.active.last.elements)
}

// unreadNotes are the notes of the running Chromium that the session was not told yet. Called under the lock.
func (s *Session) unreadNotes() []string {
	c := s.b.conn
	if c == nil || s.told == c {
		return nil
	}
	s.told = c
	return c.notes
}
