package page

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe/settle"
	effects "sextant/backend/browser/page/effects"
	"sextant/backend/surface"
)

// dragIntercepted hands on the drag-and-drop that the page began.
func (t *Tab) dragIntercepted(params json.RawMessage) {
	var e proto.InputDragIntercepted
	if json.Unmarshal(params, &e) != nil || e.Data == nil {
		return
	}
	t.Locked(func() {
		select {
		case t.Drags <- e.Data:
		default:
		}
	})
}

// popup is the frame name under which a tab that is about to open is waited for.
const popupFrame = "popup"

// pageEvent follows navigation, dialogs and the picture.
func (t *Tab) pageEvent(p *cdp.Page, name string, ev cdp.Event) {
	switch name {
	case "frameRequestedNavigation":
		if r, ok := cdp.DecodeEvent[proto.PageFrameRequestedNavigation](ev); ok {
			if r.Disposition == proto.PageClientNavigationDispositionCurrentTab {
				t.Tracker.Asked(string(r.FrameID))
			} else if r.Disposition != proto.PageClientNavigationDispositionDownload {
				t.expectTab()
			}
		}
	case "javascriptDialogOpening":
		if d, ok := cdp.DecodeEvent[proto.PageJavascriptDialogOpening](ev); ok {
			t.dialogOpened(p, d, ev.SessionID)
		}
	case "javascriptDialogClosed":
		t.Locked(func() {
			if t.Dialog != nil && t.Dialog.Kind != DialogAuth {
				t.Dialog = t.Dialog.behind
			}
		})
	case "screencastFrame":
		t.Session.Manager.viewer.ScreencastFrame(t, p, ev)
	case "fileChooserOpened":
		if t.chooserOpened(ev) {
			return
		}
		t.fileChooserIgnored(ev)
	case "frameNavigated", "navigatedWithinDocument", "frameStartedLoading", "frameStoppedLoading",
		"frameDetached", "frameClearedScheduledNavigation", "lifecycleEvent", "frameStartedNavigating",
		"frameScheduledNavigation":
		t.loadEvent(p, name, ev)
	}
}

// loading feeds the tracker and the tab's address.
func (t *Tab) loadEvent(p *cdp.Page, name string, ev cdp.Event) {
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
		t.Tracker.Asked(f.FrameID)
	case "frameStartedLoading", "frameStartedNavigating":
		t.Tracker.Started(f.FrameID)
	case "frameStoppedLoading":
		t.Tracker.Stopped(f.FrameID)
		if f.FrameID == main {
			t.Locked(func() { t.clearAuth(); t.updateGeolocation(t.URL) })
			// Asked at the commit already, but a page that changes its process has no answer then.
			t.updateHistory(p)
		}
	case "frameClearedScheduledNavigation":
		t.Tracker.Cancelled(f.FrameID)
	case "frameDetached":
		if f.Reason != "swap" {
			t.Tracker.Stopped(f.FrameID)
		}
	case "lifecycleEvent":
		if f.Name == "DOMContentLoaded" {
			t.Tracker.Parsed(f.FrameID)
		}
		return
	case "frameNavigated":
		if f.Frame.ID == main {
			t.Tracker.Main(main)
		}
		t.Tracker.Committed(f.Frame.ID)
		if f.Frame.ID == main {
			t.navigated(p, p.Main().URL(), f.Frame.LoaderID, f.Frame.Unreachable)
		}
	case "navigatedWithinDocument":
		t.Tracker.Moved(f.FrameID)
		if f.FrameID == main {
			t.navigated(p, f.URL, "", "")
		}
	}
	if f.FrameID == main || f.Frame.ID == main {
		t.Session.Manager.events.StateChanged()
	}
}

// arrived notes a new address of the tab. loader is "" for a move within the document;
// unreachable is the address that the browser shows a page of its own instead of.
func (t *Tab) navigated(p *cdp.Page, url, loader, unreachable string) {
	b := t.Session.Manager
	document := loader != ""
	t.Locked(func() {
		switch {
		case document:
			t.documentCommitted(loader, url, unreachable)
		case url != t.URL:
			t.addEffect(effects.KindNavigated, "navigated to "+surface.Clip(url, 230), t.ID)
		}
		t.URL = url
		t.updateGeolocation(url)
	})
	b.viewer.PageChanged()
	if document && b.Config.CheckAddress != nil && isGuardedScheme(url) {
		b.Go(func() { t.leaveForbidden(url) })
	}
	t.updateHistory(p)
}

// landed makes a new document the tab's. Called under mu.
func (t *Tab) documentCommitted(loader, url, unreachable string) {
	trip := t.navigation(loader)
	if trip == nil {
		trip = t.addNavigation(loader, url)
	}
	trip.url, trip.committed = url, true
	if unreachable != "" {
		trip.url = unreachable
		if trip.failed == "" {
			trip.failed = "net::ERR_FAILED"
		}
	} else {
		trip.failed = ""
	}
	t.effects.NoteSource(effects.KindNavigated, t.ID, trip)
	t.Title, t.Crashed, t.stopReason = "", false, ""
	t.FileChooser, t.dialogsInRow = nil, 0
	t.clearAuth()
}

// history learns whether there is a page to go back or forward to. The empty page that a
// tab begins with is none.
func (t *Tab) updateHistory(p *cdp.Page) {
	p.Ask(proto.PageGetNavigationHistory{}, func(raw json.RawMessage) {
		var h proto.PageGetNavigationHistoryResult
		if json.Unmarshal(raw, &h) != nil {
			return
		}
		i := h.CurrentIndex
		first := i == 1 && len(h.Entries) > 0 && h.Entries[0].URL == BlankPage
		t.Locked(func() { t.canGoBack, t.canGoForward = i > 0 && !first, i < len(h.Entries)-1 })
		t.Session.Manager.events.StateChanged()
	})
}

// guarded addresses are judged when a page goes there by itself; the proxy sees all others.
func isGuardedScheme(url string) bool {
	scheme, _, _ := strings.Cut(strings.ToLower(url), ":")
	switch scheme {
	case "file", "chrome", "devtools", "chrome-extension", "view-source", "filesystem":
		return true
	}
	return false
}

// expel leaves an address that may not be shown.
func (t *Tab) leaveForbidden(url string) {
	b := t.Session.Manager
	ctx, cancel := context.WithTimeout(context.Background(), b.Config.Limits.Navigation)
	defer cancel()
	if err := b.Config.CheckAddress(ctx, url); err == nil {
		return
	}
	b.Lock()
	p := t.Page
	b.Unlock()
	if p != nil {
		_, _ = proto.PageNavigate{URL: BlankPage}.Call(p.Client(ctx))
	}
}

// otherEvent follows what is neither network nor page.
func (t *Tab) otherEvent(p *cdp.Page, ev cdp.Event) {
	switch ev.Method {
	case "Input.dragIntercepted":
		t.dragIntercepted(ev.Params)
	case "Target.attachedToTarget":
		t.expectTab()
		// It is there already, so its set-up is waited for longer than a mere intention.
		t.Tracker.Started(popupFrame)
	case "Target.targetInfoChanged":
		if c, ok := cdp.DecodeEvent[proto.TargetTargetInfoChanged](ev); ok && c.TargetInfo != nil {
			t.Locked(func() { t.Title = surface.Clip(c.TargetInfo.Title, 200) })
			t.Session.Manager.events.StateChanged()
		}
	case "Inspector.targetCrashed":
		t.crash(p, ev)
	case "Fetch.authRequired":
		if a, ok := cdp.DecodeEvent[proto.FetchAuthRequired](ev); ok {
			t.authRequired(p, a, ev.SessionID)
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
func (t *Tab) crash(p *cdp.Page, ev cdp.Event) {
	if ev.SessionID != p.Session {
		return
	}
	t.Locked(func() {
		if !t.Crashed {
			t.Crashed, t.Dialog, t.FileChooser, t.dialogsInRow, t.dialogsDismissed = true, nil, nil, 0, 0
			t.addEffect(effects.KindCrashed, "the page crashed", t.ID)
			t.interrupt(errCrashed)
		}
	})
	t.Tracker.Stopped(p.MainFrame())
	t.Session.Manager.events.StateChanged()
}

// expect notes that a tab is about to open from this one, so that it is waited for.
func (t *Tab) expectTab() {
	t.Locked(func() { t.expectsTab = true })
	t.Tracker.Asked(popupFrame)
}

// set changes the tab under the browser's lock.
func (t *Tab) Locked(change func()) {
	t.Session.Manager.Lock()
	change()
	t.Session.Manager.Unlock()
}

func newTracker(p *cdp.Page) *settle.Tracker { return settle.NewTracker(p.MainFrame()) }

// tabEvents follows navigations, requests, dialogs and the console of tabs.
type tabEvents struct{}

var _ EventHandler = tabEvents{}

// TabEvent implements page.EventHandler.
func (tabEvents) TabEvent(t *Tab, p *cdp.Page, ev cdp.Event) {
	switch domain, name, _ := strings.Cut(ev.Method, "."); domain {
	case "Network":
		t.networkEvent(p, name, ev)
	case "Page":
		t.pageEvent(p, name, ev)
	case "WebMCP":
		t.Locked(func() { t.PageTools.Handle(name, ev) })
	default:
		t.otherEvent(p, ev)
	}
}

// NewEvents returns the handler of all tabs' events.
func NewEvents() EventHandler { return tabEvents{} }
