package page

import (
	"sextant/backend/browser"
	"sextant/backend/panelpage"
	"sextant/backend/surface"
)

// session is the target of one call. The methods of Surface act on the call's page, which may be a panel's. All other
// methods act on the caller's browser tabs.
type session struct {
	surface.Surface
	tabs
	// panel is nil if the call acts on the browser.
	panel *panelpage.Page
}

// tabs embeds the caller's tabs one level deeper than Surface, so that a method of Surface wins over one of the same
// name.
type tabs struct{ *browser.Session }

func inBrowser(s *browser.Session) session { return session{Surface: s, tabs: tabs{s}} }

func (s session) onPanel(page *panelpage.Page) session {
	s.Surface, s.panel = page, page
	return s
}
