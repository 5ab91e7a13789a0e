package page

import (
	"slices"

	"sextant/backend/policy/address"

	"github.com/go-rod/rod/lib/proto"
)

// The browser grants geolocation by origin and browser context, not by tab. So it is granted to the origin that the
// emulating tab shows, and to the one that the tab is about to show, because a page may ask at its start. It is
// revoked when the tab has left the origin and no other emulating tab needs it.

// UpdateGeolocationPermission grants and revokes geolocation for a tab that shows, or navigates to, the addresses.
// Called under the lock.
func (t *Tab) UpdateGeolocationPermission(addresses ...string) {
	var now []string
	if t.emulation != nil && t.emulation.Geolocation != nil && !t.Closed {
		for _, a := range addresses {
			if o := webOrigin(a); o != "" && !slices.Contains(now, o) {
				now = append(now, o)
			}
		}
	}
	was := t.geolocationOrigins
	t.geolocationOrigins = now
	for _, o := range was {
		if !slices.Contains(now, o) && !t.Session.hasGeolocation(o) {
			t.Session.setGeolocation(o, proto.BrowserPermissionSettingPrompt)
		}
	}
	for _, o := range now {
		if !slices.Contains(was, o) {
			t.Session.setGeolocation(o, proto.BrowserPermissionSettingGranted)
		}
	}
}

// hasGeolocation is called under the lock.
func (s *Session) hasGeolocation(origin string) bool {
	return slices.ContainsFunc(s.Tabs, func(t *Tab) bool { return slices.Contains(t.geolocationOrigins, origin) })
}

// setGeolocation is called under the lock.
func (s *Session) setGeolocation(origin string, setting proto.BrowserPermissionSetting) {
	if s.Manager.conn == nil {
		return
	}
	req := proto.BrowserSetPermission{
		Permission: &proto.BrowserPermissionDescriptor{Name: "geolocation"}, Setting: setting, Origin: origin,
		BrowserContextID: proto.BrowserBrowserContextID(s.contextID),
	}
	s.Manager.conn.Registry.Conn().Post("", req.ProtoReq(), req, nil)
}

func webOrigin(pageURL string) string {
	scheme, host := address.Origin(pageURL)
	if host == "" || scheme != "http" && scheme != "https" {
		return ""
	}
	return scheme + "://" + host
}
