// Package events handles what Chromium reports about tabs: navigations, requests, dialogs, file choosers, console
// messages and messages of our document start script. It updates the tabs of package page, and makes a tab leave an
// address that it must not show.
package events

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/page"
	"sextant/backend/browser/page/effects"
	"sextant/backend/surface"
)

func dragIntercepted(t *page.Tab, params json.RawMessage) {
	var e proto.InputDragIntercepted
	if json.Unmarshal(params, &e) != nil || e.Data == nil {
		return
	}
	t.WithLock(func() {
		select {
		case t.Drags <- e.Data:
		default:
		}
	})
}

func pageEvent(t *page.Tab, p *cdp.Page, name string, ev cdp.Event) {
	switch name {
	case "frameRequestedNavigation":
		if r, ok := cdp.DecodeEvent[proto.PageFrameRequestedNavigation](ev); ok {
			if r.Disposition == proto.PageClientNavigationDispositionCurrentTab {
				t.Tracker.RecordNavigationRequest(string(r.FrameID))
			} else if r.Disposition != proto.PageClientNavigationDispositionDownload {
				expectTab(t)
			}
		}
	case "javascriptDialogOpening":
		if d, ok := cdp.DecodeEvent[proto.PageJavascriptDialogOpening](ev); ok {
			dialogOpened(t, p, d, ev.SessionID)
		}
	case "javascriptDialogClosed":
		t.WithLock(func() {
			if t.Dialog != nil && t.Dialog.Kind != page.DialogAuth {
				t.Dialog = t.Dialog.AuthBehind
			}
		})
	case "screencastFrame":
		t.Session.Manager.Viewer.HandleScreencastFrame(t, p, ev)
	case "fileChooserOpened":
		if chooserOpened(t, ev) {
			return
		}
		fileChooserIgnored(t, ev)
	case "frameNavigated", "navigatedWithinDocument", "frameStartedLoading", "frameStoppedLoading",
		"frameDetached", "frameClearedScheduledNavigation", "lifecycleEvent", "frameStartedNavigating",
		"frameScheduledNavigation":
		loadEvent(t, p, name, ev)
	}
}

func loadEvent(t *page.Tab, p *cdp.Page, name string, ev cdp.Event) {
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
	main := p.MainFrameID()
	switch name {
	case "frameScheduledNavigation":
		t.Tracker.RecordNavigationRequest(f.FrameID)
	case "frameStartedLoading", "frameStartedNavigating":
		t.Tracker.RecordLoadStart(f.FrameID)
	case "frameStoppedLoading":
		t.Tracker.RecordLoadStop(f.FrameID)
		if f.FrameID == main {
			t.WithLock(func() { t.ClearAuth(); t.UpdateGeolocationPermission(t.URL) })
			// The history was read at the commit already, but a page that changes its process has none then.
			updateHistory(t, p)
		}
	case "frameClearedScheduledNavigation":
		t.Tracker.RecordNavigationCancel(f.FrameID)
	case "frameDetached":
		if f.Reason != "swap" {
			t.Tracker.RecordLoadStop(f.FrameID)
		}
	case "lifecycleEvent":
		if f.Name == "DOMContentLoaded" {
			t.Tracker.RecordDOMContentLoaded(f.FrameID)
		}
		return
	case "frameNavigated":
		if f.Frame.ID == main {
			t.Tracker.SetMainFrame(main)
		}
		t.Tracker.RecordNavigationCommit(f.Frame.ID)
		if f.Frame.ID == main {
			navigated(t, p, p.MainDocument().URL(), f.Frame.LoaderID, f.Frame.Unreachable)
		}
	case "navigatedWithinDocument":
		t.Tracker.RecordSameDocumentNavigation(f.FrameID)
		if f.FrameID == main {
			navigated(t, p, f.URL, "", "")
		}
	}
	if f.FrameID == main || f.Frame.ID == main {
		t.Session.Manager.Events.PublishState()
	}
}

// navigated gets an empty loader for a navigation within the document. unreachable is the address for which the browser
// shows an error page, "" for none.
func navigated(t *page.Tab, p *cdp.Page, url, loader, unreachable string) {
	b := t.Session.Manager
	document := loader != ""
	t.WithLock(func() {
		switch {
		case document:
			documentCommitted(t, loader, url, unreachable)
		case url != t.URL:
			t.AddEffect(effects.KindNavigated, "navigated to "+surface.Truncate(url, 230), t.ID)
		}
		t.URL = url
		t.UpdateGeolocationPermission(url)
	})
	b.Viewer.RequestMarks()
	if document && b.Config.CheckAddress != nil && page.IsGuardedScheme(url) {
		b.Go(func() { leaveForbidden(t, url) })
	}
	updateHistory(t, p)
}

// documentCommitted is called under the lock.
func documentCommitted(t *page.Tab, loader, url, unreachable string) {
	nav := findNavigation(t, loader)
	if nav == nil {
		nav = addNavigation(t, loader, url)
	}
	nav.URL, nav.Committed, t.Failed = url, true, nil
	if unreachable != "" {
		nav.URL = unreachable
		if nav.NetworkError == "" {
			nav.NetworkError = "net::ERR_FAILED"
		}
		t.Failed = nav
	} else {
		nav.NetworkError = ""
	}
	t.Effects.AddSource(effects.KindNavigated, t.ID, nav)
	t.Title, t.Crashed, t.StopReason = "", false, ""
	t.FileChooser, t.DialogsInRow = nil, 0
	t.ClearAuth()
}

// updateHistory does not count the empty page that a tab starts with.
func updateHistory(t *page.Tab, p *cdp.Page) {
	p.Ask(proto.PageGetNavigationHistory{}, func(raw json.RawMessage) {
		var h proto.PageGetNavigationHistoryResult
		if json.Unmarshal(raw, &h) != nil {
			return
		}
		i := h.CurrentIndex
		first := i == 1 && len(h.Entries) > 0 && h.Entries[0].URL == page.BlankPage
		t.WithLock(func() { t.CanGoBack, t.CanGoForward = i > 0 && !first, i < len(h.Entries)-1 })
		t.Session.Manager.Events.PublishState()
	})
}

func leaveForbidden(t *page.Tab, url string) {
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
		_, _ = proto.PageNavigate{URL: page.BlankPage}.Call(p.Client(ctx))
	}
}

func otherEvent(t *page.Tab, p *cdp.Page, ev cdp.Event) {
	switch ev.Method {
	case "Input.dragIntercepted":
		dragIntercepted(t, ev.Params)
	case "Target.attachedToTarget":
		expectTab(t)
		// The tab exists already, so the wait for it is longer than for one that is only requested.
		t.Tracker.RecordLoadStart(page.PopupFrame)
	case "Inspector.targetCrashed":
		crash(t, p, ev)
	case "Fetch.authRequired":
		if a, ok := cdp.DecodeEvent[proto.FetchAuthRequired](ev); ok {
			authRequired(t, p, a, ev.SessionID)
		}
	case "Runtime.exceptionThrown":
		exceptionThrown(t, ev)
	case "Runtime.consoleAPICalled":
		consoleCalled(t, p, ev)
	case "Runtime.bindingCalled":
		bindingCalled(t, ev)
	case "Log.entryAdded":
		logEntryAdded(t, ev)
	}
}

// The browser reports a crash twice, the second time late. A frame's session reports only its own process.
func crash(t *page.Tab, p *cdp.Page, ev cdp.Event) {
	if ev.SessionID != p.SessionID {
		return
	}
	t.WithLock(func() {
		if !t.Crashed {
			t.Crashed, t.Dialog, t.FileChooser, t.DialogsInRow, t.DialogsDismissed = true, nil, nil, 0, 0
			t.AddEffect(effects.KindCrashed, "the page crashed", t.ID)
			t.Interrupt(page.ErrCrashed)
		}
	})
	t.Tracker.RecordLoadStop(p.MainFrameID())
	t.Session.Manager.Events.PublishState()
}

func expectTab(t *page.Tab) {
	t.WithLock(func() { t.ExpectsTab = true })
	t.Tracker.RecordNavigationRequest(page.PopupFrame)
}

type handler struct{}

var _ page.EventHandler = handler{}

func (handler) HandleTabEvent(t *page.Tab, p *cdp.Page, ev cdp.Event) {
	switch domain, name, _ := strings.Cut(ev.Method, "."); domain {
	case "Network":
		networkEvent(t, p, name, ev)
	case "Page":
		pageEvent(t, p, name, ev)
	case "WebMCP":
		t.WithLock(func() { t.PageTools.Handle(name, ev) })
	default:
		otherEvent(t, p, ev)
	}
}

// NewHandler returns the handler for the events of all tabs.
func NewHandler() page.EventHandler { return handler{} }
