package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe/settle"
	"sextant/backend/surface"
)

// popup is the frame name under which a tab that is about to open is waited for.
const popup = "popup"

// PageOpened implements cdp.Handler: the page becomes a tab of the session it belongs to.
func (e *connection) PageOpened(p *cdp.Page) {
	b := e.m
	b.Lock()
	s := b.sessions[""]
	for _, other := range b.sessions {
		if other.contextID != "" && other.contextID == p.ContextID {
			s = other
		}
	}
	if s == nil {
		s = &Session{b: b}
		b.sessions[""] = s
	}
	t := s.adopt(p)
	e.tabs[p] = t
	var opener *tab
	for _, other := range s.tabs {
		if other == t || other.tracker == nil {
			continue
		}
		other.tracker.Stopped(popup)
		// A tab that hides who opened it is that of one that expects one.
		if named := other.page != nil && other.page.TargetID == p.OpenerID; named || opener == nil && p.OpenerID == "" && other.expects {
			opener = other
		}
	}
	if opener != nil {
		opener.expects, t.opener = false, opener
		opener.note(kindOpened, fmt.Sprintf("opened tab %d", t.id), t.id)
	}
	b.Signal()
	b.Unlock()
	b.viewer.FrontChanged()
	b.events.state()
}

// PageClosed implements cdp.Handler.
func (e *connection) PageClosed(p *cdp.Page) {
	b := e.m
	b.Lock()
	t := e.tabs[p]
	delete(e.tabs, p)
	if t != nil {
		t.s.remove(t)
	}
	b.Signal()
	b.Unlock()
	if t != nil {
		for _, doc := range b.elements.Documents(t.id) {
			b.elements.EndDocument(doc)
		}
	}
	b.viewer.FrontChanged()
	b.events.state()
}

// PageEvent implements cdp.Handler.
func (e *connection) PageEvent(p *cdp.Page, ev cdp.Event) {
	switch ev.Method {
	case "Browser.downloadWillBegin":
		e.downloadBegan(p, ev)
		return
	case "Browser.downloadProgress":
		e.downloadMoved(ev)
		return
	}
	e.m.Lock()
	t := e.tabs[p]
	e.m.Unlock()
	if t == nil {
		return
	}
	switch domain, name, _ := strings.Cut(ev.Method, "."); domain {
	case "Network":
		t.network(p, name, ev)
	case "Page":
		t.pageEvent(p, name, ev)
	case "WebMCP":
		t.set(func() { t.offers.handle(name, ev) })
	default:
		t.otherEvent(p, ev)
	}
}

// pageEvent follows navigation, dialogs and the picture.
func (t *tab) pageEvent(p *cdp.Page, name string, ev cdp.Event) {
	switch name {
	case "frameRequestedNavigation":
		if r, ok := cdp.DecodeEvent[proto.PageFrameRequestedNavigation](ev); ok {
			if r.Disposition == proto.PageClientNavigationDispositionCurrentTab {
				t.tracker.Asked(string(r.FrameID))
			} else if r.Disposition != proto.PageClientNavigationDispositionDownload {
				t.expect()
			}
		}
	case "javascriptDialogOpening":
		if d, ok := cdp.DecodeEvent[proto.PageJavascriptDialogOpening](ev); ok {
			t.dialogOpened(p, d, ev.SessionID)
		}
	case "javascriptDialogClosed":
		t.set(func() {
			if t.dialog != nil && t.dialog.kind != dialogAuth {
				t.dialog = t.dialog.behind
			}
		})
	case "screencastFrame":
		t.s.b.viewer.ScreencastFrame(t, p, ev)
	case "fileChooserOpened":
		if t.chooserOpened(ev) {
			return
		}
		t.filesAsked(ev)
	case "frameNavigated", "navigatedWithinDocument", "frameStartedLoading", "frameStoppedLoading",
		"frameDetached", "frameClearedScheduledNavigation", "lifecycleEvent", "frameStartedNavigating",
		"frameScheduledNavigation":
		t.loading(p, name, ev)
	}
}

// loading feeds the tracker and the tab's address.
func (t *tab) loading(p *cdp.Page, name string, ev cdp.Event) {
	var f struct {
		FrameID string `json:"frameId"`
		Name    string `json:"name"`
		Reason  string `json:"reason"`
		URL     string `json:"url"`
		Frame   struct {
			ID          string `json:"id"`
			LoaderID    string `json:"loaderId"`
			Unreachable string `json:"unreachableUrl"`
		} `json:"frame"`
	}
	if json.Unmarshal(ev.Params, &f) != nil {
		return
	}
	main := p.MainFrame()
	switch name {
	case "frameScheduledNavigation":
		t.tracker.Asked(f.FrameID)
	case "frameStartedLoading", "frameStartedNavigating":
		t.tracker.Started(f.FrameID)
	case "frameStoppedLoading":
		t.tracker.Stopped(f.FrameID)
		if f.FrameID == main {
			t.set(func() { t.settleAuth(); t.stands(t.url) })
			// Asked at the commit already, but a page that changes its process has no answer then.
			t.history(p)
		}
	case "frameClearedScheduledNavigation":
		t.tracker.Cancelled(f.FrameID)
	case "frameDetached":
		if f.Reason != "swap" {
			t.tracker.Stopped(f.FrameID)
		}
	case "lifecycleEvent":
		if f.Name == "DOMContentLoaded" {
			t.tracker.Parsed(f.FrameID)
		}
		return
	case "frameNavigated":
		if f.Frame.ID == main {
			t.tracker.Main(main)
		}
		t.tracker.Committed(f.Frame.ID)
		if f.Frame.ID == main {
			t.arrived(p, p.Main().URL(), f.Frame.LoaderID, f.Frame.Unreachable)
		}
	case "navigatedWithinDocument":
		t.tracker.Moved(f.FrameID)
		if f.FrameID == main {
			t.arrived(p, f.URL, "", "")
		}
	}
	if f.FrameID == main || f.Frame.ID == main {
		t.s.b.events.state()
	}
}

// arrived notes a new address of the tab. loader is "" for a move within the document;
// unreachable is the address that the browser shows a page of its own instead of.
func (t *tab) arrived(p *cdp.Page, url, loader, unreachable string) {
	b := t.s.b
	document := loader != ""
	t.set(func() {
		switch {
		case document:
			t.landed(loader, url, unreachable)
		case url != t.url:
			t.note(kindNavigated, "navigated to "+surface.Clip(url, 230), t.id)
		}
		t.url = url
		t.stands(url)
	})
	b.viewer.PageChanged()
	if document && b.cfg.CheckAddress != nil && guarded(url) {
		b.Go(func() { t.expel(url) })
	}
	t.history(p)
}

// landed makes a new document the tab's. Called under mu.
func (t *tab) landed(loader, url, unreachable string) {
	trip := t.trip(loader)
	if trip == nil {
		trip = t.embark(loader, url)
	}
	trip.url, trip.moved = url, true
	if unreachable != "" {
		trip.url = unreachable
		if trip.failed == "" {
			trip.failed = "net::ERR_FAILED"
		}
	} else {
		trip.failed = ""
	}
	t.effects.noteSource(kindNavigated, t.id, trip)
	t.title, t.crashed, t.stopped = "", false, ""
	t.chooser, t.storm = nil, 0
	t.settleAuth()
}

// history learns whether there is a page to go back or forward to. The empty page that a
// tab begins with is none.
func (t *tab) history(p *cdp.Page) {
	p.Ask(proto.PageGetNavigationHistory{}, func(raw json.RawMessage) {
		var h proto.PageGetNavigationHistoryResult
		if json.Unmarshal(raw, &h) != nil {
			return
		}
		i := h.CurrentIndex
		first := i == 1 && len(h.Entries) > 0 && h.Entries[0].URL == blank
		t.set(func() { t.back, t.forward = i > 0 && !first, i < len(h.Entries)-1 })
		t.s.b.events.state()
	})
}

// guarded addresses are judged when a page goes there by itself; the proxy sees all others.
func guarded(url string) bool {
	scheme, _, _ := strings.Cut(strings.ToLower(url), ":")
	switch scheme {
	case "file", "chrome", "devtools", "chrome-extension", "view-source", "filesystem":
		return true
	}
	return false
}

// expel leaves an address that may not be shown.
func (t *tab) expel(url string) {
	b := t.s.b
	ctx, cancel := context.WithTimeout(context.Background(), b.cfg.Limits.Navigation)
	defer cancel()
	if err := b.cfg.CheckAddress(ctx, url); err == nil {
		return
	}
	b.Lock()
	p := t.page
	b.Unlock()
	if p != nil {
		_, _ = proto.PageNavigate{URL: blank}.Call(p.Client(ctx))
	}
}

// otherEvent follows what is neither network nor page.
func (t *tab) otherEvent(p *cdp.Page, ev cdp.Event) {
	switch ev.Method {
	case "Input.dragIntercepted":
		t.dragIntercepted(ev.Params)
	case "Target.attachedToTarget":
		t.expect()
		// It is there already, so its set-up is waited for longer than a mere intention.
		t.tracker.Started(popup)
	case "Target.targetInfoChanged":
		if c, ok := cdp.DecodeEvent[proto.TargetTargetInfoChanged](ev); ok && c.TargetInfo != nil {
			t.set(func() { t.title = surface.Clip(c.TargetInfo.Title, 200) })
			t.s.b.events.state()
		}
	case "Inspector.targetCrashed":
		t.crash(p, ev)
	case "Fetch.authRequired":
		if a, ok := cdp.DecodeEvent[proto.FetchAuthRequired](ev); ok {
			t.authAsked(p, a, ev.SessionID)
		}
	case "Runtime.exceptionThrown":
		t.exceptionThrown(ev)
	case "Runtime.consoleAPICalled":
		t.consoleCalled(p, ev)
	case "Runtime.bindingCalled":
		t.bindingCalled(ev)
	case "Log.entryAdded":
		t.logEntryAdded(ev)
	}
}

// crash notes that the page's process ended. The browser tells of it twice; the other one
// comes late, and frames' own sessions tell of themselves only.
func (t *tab) crash(p *cdp.Page, ev cdp.Event) {
	if ev.SessionID != p.Session {
		return
	}
	t.set(func() {
		if !t.crashed {
			t.crashed, t.dialog, t.chooser, t.storm, t.muted = true, nil, nil, 0, 0
			t.note(kindCrashed, "the page crashed", t.id)
			t.interrupt(errCrashed)
		}
	})
	t.tracker.Stopped(p.MainFrame())
	t.s.b.events.state()
}

// expect notes that a tab is about to open from this one, so that it is waited for.
func (t *tab) expect() {
	t.set(func() { t.expects = true })
	t.tracker.Asked(popup)
}

// set changes the tab under the browser's lock.
func (t *tab) set(change func()) {
	t.s.b.Lock()
	change()
	t.s.b.Unlock()
}

func newTracker(p *cdp.Page) *settle.Tracker { return settle.NewTracker(p.MainFrame()) }
