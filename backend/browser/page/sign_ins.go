package page

import (
	"context"
	"fmt"
	"slices"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/page/cookies"
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
	err = proto.StorageSetCookies{
		Cookies: cookies.For(hosts, all.Cookies), BrowserContextID: proto.BrowserBrowserContextID(contextID),
	}.Call(client)
	if err != nil {
		return fmt.Errorf("copying the window's cookies: %w", err)
	}
	return nil
}
