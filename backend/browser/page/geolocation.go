package page

import (
	"net/url"
	"slices"

	"github.com/go-rod/rod/lib/proto"
)

// The browser grants geolocation by origin and browser context, not by tab. So it is granted to the
// origin that the emulating tab shows, and to the one that it is about to show, because a page may
// ask in its first line; it is revoked when the tab is elsewhere.

// UpdateGeolocation grants and revokes the geolocation permission, for a tab that shows, or is on its
// way to, the addresses. Called under the lock.
func (t *Tab) UpdateGeolocation(addresses ...string) {
	var now []string
	if t.emulation != nil && t.emulation.Position != nil && !t.Closed {
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

// hasGeolocation reports whether a tab of the session uses the origin's permission. Called under the lock.
func (s *Session) hasGeolocation(origin string) bool {
	return slices.ContainsFunc(s.Tabs, func(t *Tab) bool { return slices.Contains(t.geolocationOrigins, origin) })
}

// setGeolocation lets pages of an origin ask for the position in the session's browser context, or not.
// Called under the lock.
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

// webOrigin is the origin of an address of the web, "" for all others.
func webOrigin(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return u.Scheme + "://" + u.Host
}
