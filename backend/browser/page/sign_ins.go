package page

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/go-rod/rod/lib/proto"
)

// CopySignIns makes a session begin with the cookies that the window has for hosts (host or host:port). Call it before
// the session has a tab. What the session changes in them stays in it.
func (s *Session) CopySignIns(hosts []string) {
	s.Manager.Lock()
	defer s.Manager.Unlock()
	s.signInHosts = slices.Clone(hosts)
}

// copyCookies copies the window's cookies for hosts to the context of a session.
func (c *Connection) copyCookies(ctx context.Context, hosts []string, contextID string) error {
	c.manager.Lock()
	from := ""
	if w := c.manager.sessions[""]; w != nil {
		from = w.contextID
	}
	c.manager.Unlock()
	client := c.Registry.Client(ctx)
	all, err := proto.StorageGetCookies{BrowserContextID: proto.BrowserBrowserContextID(from)}.Call(client)
	if err != nil {
		return fmt.Errorf("reading the window's cookies: %w", err)
	}
	var copies []*proto.NetworkCookieParam
	for _, host := range hosts {
		for _, cookie := range all.Cookies {
			if cookieFits(cookie.Domain, host) {
				copies = append(copies, cookieOf(cookie, host))
			}
		}
	}
	err = proto.StorageSetCookies{
		Cookies: copies, BrowserContextID: proto.BrowserBrowserContextID(contextID),
	}.Call(client)
	if err != nil {
		return fmt.Errorf("copying the window's cookies: %w", err)
	}
	return nil
}

// cookieOf returns a cookie that is sent to host only, not to its subdomains or to other hosts of the cookie's domain.
func cookieOf(cookie *proto.NetworkCookie, host string) *proto.NetworkCookieParam {
	param := proto.CookiesToParams([]*proto.NetworkCookie{cookie})[0]
	param.Domain, param.URL = "", "http://"+host
	if cookie.Secure {
		param.URL = "https://" + host
	}
	return param
}

// cookieFits reports whether a browser would send a cookie with this domain to host. A domain that begins with a dot
// includes its subdomains.
func cookieFits(domain, host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if parent, ok := strings.CutPrefix(domain, "."); ok {
		return host == parent || strings.HasSuffix(host, domain)
	}
	return host == domain
}
