package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/page/console"
	"sextant/backend/surface"
)

// Console lists console messages of the active tab, oldest first, and how many more there are that Limit left
// out. It starts no browser.
func (s *Session) Console(o console.ConsoleOptions) (list []console.Message, more int, err error) {
	level := o.Level
	if level == "" {
		level = console.LevelInfo
	}
	if !slices.Contains(console.Levels(), level) {
		return nil, 0, &surface.Fault{Kind: surface.FaultInvalid, Message: fmt.Sprintf("unknown level %q", o.Level), Suggestion: "Send " + strings.Join(console.Levels(), ", ") + "."}
	}
	limit := o.Limit
	if limit <= 0 {
		limit = 50
	}
	s.Manager.Lock()
	defer s.Manager.Unlock()
	if s.Active == nil {
		return []console.Message{}, 0, nil
	}
	list = s.Active.console.Messages(level, o.Since)
	hide := s.redactor()
	for i := range list {
		list[i].Text = hide.Body("", list[i].Text, "the console", false)
		list[i].Where = hide.Address(list[i].Where)
	}
	if o.Clear {
		s.Active.console.Reset()
	}
	if len(list) > limit {
		more = len(list) - limit
		list = list[more:]
	}
	return list, more, nil
}

// exceptionThrown takes in an error that a script of the page did not catch.
func (t *Tab) exceptionThrown(ev cdp.Event) {
	if m, ok := console.FromException(ev); ok {
		t.Locked(func() {
			t.console.Add(m)
			t.addConsoleError(m.Text)
		})
	}
}

// consoleCalled takes in what a script wrote to the console.
func (t *Tab) consoleCalled(p *cdp.Page, ev cdp.Event) {
	m, ok := console.FromScript(ev)
	if !ok {
		return
	}
	release := false
	t.Locked(func() {
		t.console.Add(m)
		if m.Level == console.LevelError {
			t.addConsoleError(m.Text)
		}
		release = t.console.ReleaseDue()
	})
	if release {
		p.Post(ev.SessionID, proto.RuntimeReleaseObjectGroup{ObjectGroup: "console"})
	}
}

// logEntryAdded takes in what the browser itself complains about.
func (t *Tab) logEntryAdded(ev cdp.Event) {
	m, ok := console.FromBrowser(ev)
	if !ok {
		return
	}
	t.Locked(func() {
		t.console.Add(m)
		if m.Level == console.LevelError && m.Source == string(proto.LogLogEntrySourceSecurity) {
			t.addConsoleError(m.Text)
		}
	})
}
