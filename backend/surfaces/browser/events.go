package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/surfaces/browser/frames"
	"sextant/backend/surfaces/browser/settle"
)

// popup is the frame name under which a tab that is about to open is waited for.
const popup = "popup"

// PageOpened implements frames.Handler: the page becomes a tab of the session it belongs to.
func (e *engine) PageOpened(p *frames.Page) {
	b := e.b
	b.mu.Lock()
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
	for _, other := range s.tabs {
		if other != t && other.tracker != nil {
			other.tracker.Stopped(popup)
			if other.page != nil && other.page.TargetID == p.OpenerID || other.expects {
				other.expects = false
				other.note("opened_tab", fmt.Sprintf("opened tab %d", t.id), t.id)
			}
		}
	}
	b.signal()
	b.mu.Unlock()
	b.recast()
	b.out.state()
}

// PageClosed implements frames.Handler.
func (e *engine) PageClosed(p *frames.Page) {
	b := e.b
	b.mu.Lock()
	t := e.tabs[p]
	delete(e.tabs, p)
	if t != nil {
		t.s.remove(t)
	}
	b.signal()
	b.mu.Unlock()
	if t != nil {
		for _, doc := range b.book.Documents(t.id) {
			b.book.EndDocument(doc)
		}
	}
	b.recast()
	b.out.state()
}

// PageEvent implements frames.Handler.
func (e *engine) PageEvent(p *frames.Page, ev frames.Event) {
	e.b.mu.Lock()
	t := e.tabs[p]
	e.b.mu.Unlock()
	if t == nil {
		return
	}
	switch domain, name, _ := strings.Cut(ev.Method, "."); domain {
	case "Network":
		t.network(name, ev)
	case "Page":
		t.pageEvent(p, name, ev)
	default:
		t.otherEvent(ev)
	}
}

func decode[T any](ev frames.Event) (T, bool) {
	var v T
	return v, json.Unmarshal(ev.Params, &v) == nil
}

// network follows the requests that a page may be waiting for.
func (t *tab) network(name string, ev frames.Event) {
	var r struct {
		RequestID string  `json:"requestId"`
		Type      string  `json:"type"`
		Request   request `json:"request"`
		Response  struct {
			MimeType string `json:"mimeType"`
		} `json:"response"`
	}
	if json.Unmarshal(ev.Params, &r) != nil {
		return
	}
	id := ev.SessionID + r.RequestID
	switch name {
	case "requestWillBeSent":
		// A document is followed as its frame's load: its request may end in another session.
		switch r.Type {
		case "Script", "Stylesheet", "XHR", "Fetch":
			t.tracker.RequestStarted(id, r.Request.key())
		}
	case "responseReceived":
		// A stream of events never ends; its page is not waiting for the end.
		if r.Response.MimeType == "text/event-stream" {
			t.tracker.RequestEnded(id)
		}
	case "loadingFinished", "loadingFailed":
		t.tracker.RequestEnded(id)
	}
}

// pageEvent follows navigation, dialogs and the picture.
func (t *tab) pageEvent(p *frames.Page, name string, ev frames.Event) {
	switch name {
	case "frameRequestedNavigation":
		if r, ok := decode[proto.PageFrameRequestedNavigation](ev); ok {
			if r.Disposition == proto.PageClientNavigationDispositionCurrentTab {
				t.tracker.Asked(string(r.FrameID))
			} else if r.Disposition != proto.PageClientNavigationDispositionDownload {
				t.expect()
			}
		}
	case "javascriptDialogOpening":
		if d, ok := decode[proto.PageJavascriptDialogOpening](ev); ok {
			t.dialogOpened(p, d, ev.SessionID)
		}
	case "javascriptDialogClosed":
		t.set(func() { t.dialog = nil })
	case "screencastFrame":
		t.picture(p, ev)
	case "fileChooserOpened":
		if t.chooserOpened(ev) {
			return
		}
		t.set(func() { t.note("dialog", "a file is asked for; files can be given with upload_file", t.id) })
	case "frameNavigated", "navigatedWithinDocument", "frameStartedLoading", "frameStoppedLoading",
		"frameDetached", "frameClearedScheduledNavigation", "lifecycleEvent", "frameStartedNavigating",
		"frameScheduledNavigation":
		t.loading(p, name, ev)
	}
}

// loading feeds the tracker and the tab's address.
func (t *tab) loading(p *frames.Page, name string, ev frames.Event) {
	var f struct {
		FrameID string `json:"frameId"`
		Name    string `json:"name"`
		Reason  string `json:"reason"`
		URL     string `json:"url"`
		Frame   struct {
			ID string `json:"id"`
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
			t.arrived(p, p.Main().URL(), true)
		}
	case "navigatedWithinDocument":
		t.tracker.Moved(f.FrameID)
		if f.FrameID == main {
			t.arrived(p, f.URL, false)
		}
	}
	if f.FrameID == main || f.Frame.ID == main {
		t.s.b.out.state()
	}
}

// arrived notes a new address of the tab.
func (t *tab) arrived(p *frames.Page, url string, document bool) {
	b := t.s.b
	t.set(func() {
		if url != t.url || document {
			t.note("navigated", "navigated to "+url, t.id)
		}
		t.url = url
		if document {
			t.title, t.crashed = "", false
		}
	})
	b.nudge()
	if document && b.cfg.Judge != nil && guarded(url) {
		b.wg.Add(1)
		go t.expel(url)
	}
	t.history(p)
}

// history learns whether there is a page to go back or forward to. The empty page that a
// tab begins with is none.
func (t *tab) history(p *frames.Page) {
	p.Ask(proto.PageGetNavigationHistory{}, func(raw json.RawMessage) {
		var h proto.PageGetNavigationHistoryResult
		if json.Unmarshal(raw, &h) != nil {
			return
		}
		i := h.CurrentIndex
		first := i == 1 && len(h.Entries) > 0 && h.Entries[0].URL == blank
		t.set(func() { t.back, t.forward = i > 0 && !first, i < len(h.Entries)-1 })
		t.s.b.out.state()
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
	defer b.wg.Done()
	ctx, cancel := context.WithTimeout(context.Background(), b.cfg.Limits.Navigation)
	defer cancel()
	if err := b.cfg.Judge(ctx, url); err == nil {
		return
	}
	b.mu.Lock()
	p := t.page
	b.mu.Unlock()
	if p != nil {
		_, _ = proto.PageNavigate{URL: blank}.Call(p.Client(ctx))
	}
}

func (t *tab) dialogOpened(p *frames.Page, d proto.PageJavascriptDialogOpening, session string) {
	if d.Type == proto.PageDialogTypeBeforeunload {
		p.Post(session, proto.PageHandleJavaScriptDialog{Accept: true})
		return
	}
	t.set(func() {
		t.dialog = &dialog{kind: string(d.Type), text: clip(d.Message, 300), session: session}
		t.note("dialog", fmt.Sprintf("%s %q", d.Type, t.dialog.text), t.id)
		t.interrupt(errDialog)
	})
	t.s.b.out.state()
}

// otherEvent follows what is neither network nor page.
func (t *tab) otherEvent(ev frames.Event) {
	switch ev.Method {
	case "Input.dragIntercepted":
		t.dragIntercepted(ev.Params)
	case "Target.attachedToTarget":
		t.expect()
		// It is there already, so its set-up is waited for longer than a mere intention.
		t.tracker.Started(popup)
	case "Target.targetInfoChanged":
		if c, ok := decode[proto.TargetTargetInfoChanged](ev); ok && c.TargetInfo != nil {
			t.set(func() { t.title = clip(c.TargetInfo.Title, 200) })
			t.s.b.out.state()
		}
	case "Inspector.targetCrashed":
		// The browser tells of it twice; the other one comes late, and frames' own
		// sessions tell of themselves only.
		if ev.SessionID != t.page.Session {
			return
		}
		t.set(func() {
			if !t.crashed {
				t.crashed = true
				t.note("crashed", "the page crashed", t.id)
				t.interrupt(errCrashed)
			}
		})
		t.tracker.Stopped(t.page.MainFrame())
		t.s.b.out.state()
	case "Browser.downloadWillBegin":
		if d, ok := decode[proto.BrowserDownloadWillBegin](ev); ok {
			t.set(func() {
				t.note("download", fmt.Sprintf("download of %q refused: downloads are off", clip(d.SuggestedFilename, 120)), t.id)
			})
			t.tracker.Stopped(string(d.FrameID))
		}
	case "Runtime.exceptionThrown":
		if x, ok := decode[proto.RuntimeExceptionThrown](ev); ok && x.ExceptionDetails != nil {
			text := x.ExceptionDetails.Text
			if o := x.ExceptionDetails.Exception; o != nil && o.Description != "" {
				text, _, _ = strings.Cut(o.Description, "\n")
			}
			t.set(func() { t.note("console_error", clip(text, 200), t.id) })
		}
	case "Runtime.consoleAPICalled":
		t.console(ev)
	}
}

func (t *tab) console(ev frames.Event) {
	c, ok := decode[proto.RuntimeConsoleAPICalled](ev)
	if !ok || c.Type != proto.RuntimeConsoleAPICalledTypeError {
		return
	}
	var parts []string
	for _, a := range c.Args {
		if a.Description != "" {
			parts = append(parts, a.Description)
		} else {
			parts = append(parts, a.Value.String())
		}
	}
	t.set(func() { t.note("console_error", clip(strings.Join(parts, " "), 200), t.id) })
}

// expect notes that a tab is about to open from this one, so that it is waited for.
func (t *tab) expect() {
	t.set(func() { t.expects = true })
	t.tracker.Asked(popup)
}

// set changes the tab under the browser's lock.
func (t *tab) set(change func()) {
	t.s.b.mu.Lock()
	change()
	t.s.b.mu.Unlock()
}

// clip bounds a text that came from a page.
func clip(s string, runes int) string {
	if len(s) <= runes {
		return s
	}
	r := []rune(s)
	if len(r) <= runes {
		return s
	}
	return string(r[:runes-1]) + "…"
}

func newTracker(p *frames.Page) *settle.Tracker { return settle.NewTracker(p.MainFrame()) }
