package app

import "sextant/backend/api/pages"

// openPages opens the second origin, which panels are told the addresses of. Without doors
// nobody shows a page, and it has no address.
func (s *System) openPages(purpose Purpose) error {
	s.apps.sys = s
	s.Pages = pages.New(pages.Config{
		Source: func(panel string) (pages.Source, bool) {
			if page, ok := s.apps.page(panel); ok {
				return page, true
			}
			page, ok := s.Panels.Webview(panel)
			return pages.Source{
				Root: page.Root, Folder: page.Folder, Hidden: page.Hidden, Grants: granted(page.CSP),
			}, ok
		},
		Log: s.Log,
	})
	if !purpose.Serve {
		return nil
	}
	if err := s.Pages.Listen(); err != nil {
		return err
	}
	s.OnClose("panels' pages", s.Pages.Close)
	return nil
}
