package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"

	"sextant/backend/api/pages"
	"sextant/backend/panels/manifest"
)

// WindowEgress is what the window may reach.
type WindowEgress struct {
	// Proxy is where everything else goes, "127.0.0.1:PORT".
	Proxy string
	// Direct are Sextant's own two origins, "127.0.0.1:PORT".
	Direct []string
}

// errNotGranted is told to a page that goes where no panel's page may.
var errNotGranted = errors.New("no page of a panel or an MCP server was granted it")

// OpenWindowEgress opens the window's way out until Close: a proxy that lets only hosts pass which the
// manifest of a panel's page was granted, judged where they are dialled as all that leaves. The window
// itself needs nothing but Direct. A page's own policy says what this page may; this holds where a
// browser does something that its policy does not speak of, as a connection that is only made ready.
func (s *System) OpenWindowEgress(ctx context.Context) (WindowEgress, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return WindowEgress{}, fmt.Errorf("opening the window's way out: %w", err)
	}
	addr := ln.Addr().String()
	s.Guard.Block(addr)
	stop := s.Guard.ServeProxy(context.WithoutCancel(ctx), ln, s.pagesMay, nil)
	s.OnClose("the window's way out", func() error { stop(); return nil })
	return WindowEgress{Proxy: addr, Direct: []string{s.Host(), s.Pages.Host()}}, nil
}

// pagesMay lets hosts that the page of a panel or of an MCP server was granted.
func (s *System) pagesMay(_ context.Context, host string) error {
	granted := slices.ContainsFunc(s.Panels.Webviews(), func(panel string) bool {
		page, ok := s.Panels.Webview(panel)
		return ok && granted(page.CSP).Allows(host)
	})
	if !granted && !s.apps.mayReach(host) {
		return errNotGranted
	}
	return nil
}

// granted are the origins of a manifest as the second origin takes them.
func granted(csp manifest.CSP) pages.Grants {
	return pages.Grants{
		Connect: csp.ConnectDomains, Resource: csp.ResourceDomains,
		Frame: csp.FrameDomains, Base: csp.BaseURIDomains,
	}
}

// LeavePage leads from a panel with a page of its own to the first panel.
func (s *System) LeavePage(ctx context.Context) {
	panel := s.Baseline.ActivePanel()
	if _, ok := s.Panels.Webview(panel); !ok {
		return
	}
	if err := s.showPanel(ctx, s.Nav.Panels[0]); err != nil {
		s.Log.Warn("the panel whose page was ended stays in front", "panel", panel, "error", err)
	}
}
