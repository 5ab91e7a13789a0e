package page

import (
	"sextant/backend/browser"
	"sextant/backend/panelpage"
	"sextant/backend/surface"
)

// session is what one call acts on. The methods of Surface act on the page the call means; every other
// method is of the caller's own tabs, which is what the tools that only work in the browser use.
type session struct {
	surface.Surface
	tabs
	// panel is the page the call means, nil when it means the browser.
	panel *panelpage.Page
}

// tabs are the caller's tabs. The wrapper puts their methods one level deeper than those of Surface, so that
// Surface wins where both have one.
type tabs struct{ *browser.Session }

// inBrowser is the session of a call that means the active tab.
func inBrowser(s *browser.Session) session { return session{Surface: s, tabs: tabs{s}} }

// onPanel is s for a call that means the page of a panel.
func (s session) onPanel(page *panelpage.Page) session {
	s.Surface, s.panel = page, page
	return s
}
