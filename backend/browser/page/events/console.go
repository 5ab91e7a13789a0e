package events

import (
	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/page"
	"sextant/backend/browser/page/console"
)

func exceptionThrown(t *page.Tab, ev cdp.Event) {
	if m, ok := console.FromException(ev); ok {
		t.WithLock(func() {
			t.Console.Add(m)
			t.AddConsoleError(m.Text)
		})
	}
}

func consoleCalled(t *page.Tab, p *cdp.Page, ev cdp.Event) {
	m, ok := console.FromScript(ev)
	if !ok {
		return
	}
	release := false
	t.WithLock(func() {
		t.Console.Add(m)
		if m.Level == console.LevelError {
			t.AddConsoleError(m.Text)
		}
		release = t.Console.ReleaseDue()
	})
	if release {
		p.Post(ev.SessionID, proto.RuntimeReleaseObjectGroup{ObjectGroup: "console"})
	}
}

func logEntryAdded(t *page.Tab, ev cdp.Event) {
	m, ok := console.FromBrowser(ev)
	if !ok {
		return
	}
	t.WithLock(func() {
		t.Console.Add(m)
		if m.Level == console.LevelError && m.Source == string(proto.LogLogEntrySourceSecurity) {
			t.AddConsoleError(m.Text)
		}
	})
}
