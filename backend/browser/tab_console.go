package browser

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/surface"
)

// Console lists console messages of the active tab, oldest first, and how many more there are that Limit left
// out. It starts no browser.
func (s *Session) Console(o ConsoleOptions) (list []Message, more int, err error) {
	level := o.Level
	if level == "" {
		level = LevelInfo
	}
	if !slices.Contains(Levels(), level) {
		return nil, 0, &surface.Fault{Kind: surface.FaultInvalid, Message: fmt.Sprintf("unknown level %q", o.Level), Suggestion: "Send " + strings.Join(Levels(), ", ") + "."}
	}
	limit := o.Limit
	if limit <= 0 {
		limit = 50
	}
	s.b.Lock()
	defer s.b.Unlock()
	if s.active == nil {
		return []Message{}, 0, nil
	}
	list = s.active.journal.messages(level, o.Since)
	hide := s.redactor()
	for i := range list {
		list[i].Text = hide.Body("", list[i].Text, "the console", false)
		list[i].Where = hide.Address(list[i].Where)
	}
	if o.Clear {
		s.active.journal.reset()
	}
	if len(list) > limit {
		more = len(list) - limit
		list = list[more:]
	}
	return list, more, nil
}

// exceptionThrown takes in an error that a script of the page did not catch.
func (t *tab) exceptionThrown(ev cdp.Event) {
	if m, ok := exceptionMessage(ev); ok {
		t.set(func() {
			t.journal.add(m)
			t.complain(m.Text)
		})
	}
}

// consoleCalled takes in what a script wrote to the console.
func (t *tab) consoleCalled(p *cdp.Page, ev cdp.Event) {
	m, ok := scriptMessage(ev)
	if !ok {
		return
	}
	release := false
	t.set(func() {
		t.journal.add(m)
		if m.Level == LevelError {
			t.complain(m.Text)
		}
		release = t.journal.releaseDue()
	})
	if release {
		p.Post(ev.SessionID, proto.RuntimeReleaseObjectGroup{ObjectGroup: "console"})
	}
}

// logEntryAdded takes in what the browser itself complains about.
func (t *tab) logEntryAdded(ev cdp.Event) {
	m, ok := browserMessage(ev)
	if !ok {
		return
	}
	t.set(func() {
		t.journal.add(m)
		if m.Level == LevelError && m.Source == string(proto.LogLogEntrySourceSecurity) {
			t.complain(m.Text)
		}
	})
}
