package page

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/page/emulation"
	"sextant/backend/surface"
	"sextant/shared/annotation"
)

// Emulation returns the emulation of the active tab, the zero value for none.
func (s *Session) Emulation() emulation.Emulation {
	s.Manager.Lock()
	defer s.Manager.Unlock()
	if s.Active == nil || s.Active.emulation == nil {
		return emulation.Emulation{}
	}
	return *s.Active.emulation
}

// Emulate sets the emulation of the active tab, which survives navigations and a restart of the browser. The
// observation lists all elements in the viewport.
func (s *Session) Emulate(ctx context.Context, e emulation.Emulation) (annotation.Observation, error) {
	if e.Network != "" && !slices.Contains(emulation.Networks(), e.Network) {
		return annotation.Observation{}, &surface.Fault{
			Kind:    surface.FaultInvalid,
			Message: fmt.Sprintf("unknown network %q", e.Network), Suggestion: "Send " +
				strings.Join(emulation.Networks(), ", ") + ".",
		}
	}
	t, err := s.ActiveTab(ctx)
	if err != nil {
		return annotation.Observation{}, err
	}
	return s.Act(ctx, t, func(ctx context.Context, a *Action) error {
		a.ListAll = true
		a.SetOutcome("emulating %s", e.Name())
		s.Manager.Lock()
		was := t.emulation
		t.emulation = &e
		requests := t.emulationRequests()
		s.Manager.Unlock()
		for _, req := range requests {
			if _, err := a.Client(ctx).Call(ctx, "", req.ProtoReq(), req); err != nil {
				t.WithLock(func() { t.emulation = was; t.UpdateGeolocationPermission(t.URL) })
				return &surface.Fault{Kind: surface.FaultInvalid, Message: "The browser rejected the emulation: " +
					surface.Truncate(err.Error(), 200), Suggestion: "Correct the value named in the message."}
			}
		}
		a.Page.SetFrameRequests(requests[1:])
		t.WithLock(func() { t.UpdateGeolocationPermission(t.URL) })
		s.Manager.Events.PublishState()
		return nil
	})
}

// SetDevice sets the emulation of all tabs of the session and of its future tabs; the zero Emulation ends it. It does
// not wait and does not start Chromium.
func (s *Session) SetDevice(e emulation.Emulation) {
	s.Manager.Lock()
	s.device = nil
	if e != (emulation.Emulation{}) {
		s.device = &e
	}
	for _, t := range s.Tabs {
		own := e
		t.emulation = &own
		t.applyEmulation()
		t.UpdateGeolocationPermission(t.URL)
	}
	s.Manager.Unlock()
	s.Manager.Events.PublishState()
	s.Manager.Viewer.RequestMarks()
}

// applyEmulation is called under the lock.
func (t *Tab) applyEmulation() {
	if t.Page == nil || t.emulation == nil {
		return
	}
	requests := t.emulationRequests()
	t.Page.Post(t.Page.SessionID, requests[0])
	for _, req := range requests[1:] {
		t.Page.Post(t.Page.SessionID, req)
	}
	t.Page.SetFrameRequests(requests[1:])
	t.Session.Manager.Viewer.Repaint(t)
}

// SetZoom sets the zoom of the window's active tab in percent. An emulated size is not zoomed.
func (m *Manager) SetZoom(percent int) {
	m.Lock()
	t := m.WindowTab()
	if t != nil && t.Page != nil {
		t.zoom = percent
		t.Page.Post(t.Page.SessionID, t.Metrics())
		m.Viewer.Repaint(t)
	}
	m.Unlock()
	m.Events.PublishState()
	m.Viewer.RequestMarks()
}

// Metrics returns the request that sets the tab's viewport. Called under the lock.
func (t *Tab) Metrics() proto.EmulationSetDeviceMetricsOverride {
	e := emulation.Emulation{}
	if t.emulation != nil {
		e = *t.emulation
	}
	width, height, scale := t.Width, t.Height, t.Scale
	if t.zoom > 0 {
		// As in other browsers, zooming in is a smaller viewport with more device pixels for each of its pixels.
		zoom := float64(t.zoom) / 100
		width, height, scale = int(float64(width)/zoom), int(float64(height)/zoom), scale*zoom
	}
	return e.Metrics(width, height, scale)
}

// emulationRequests returns the request for the viewport first; all others also apply to frames in other processes.
// Called under the lock.
func (t *Tab) emulationRequests() []proto.Request {
	return append([]proto.Request{t.Metrics()}, t.emulation.Requests(t.Session.Manager.userAgent)...)
}
