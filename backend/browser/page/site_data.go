package page

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-rod/rod/lib/proto"
)

// ClearSite deletes the cookies of a host and its subdomains, and the storage of the given origins. It starts Chromium
// if necessary, and opens a tab if there is none.
func (s *Session) ClearSite(ctx context.Context, host string, origins []string) error {
	t, err := s.ActiveTab(ctx)
	if err != nil {
		return err
	}
	s.Manager.Lock()
	p := t.Page
	s.Manager.Unlock()
	if p == nil {
		return ErrBrowserEnded
	}
	client := p.Client(ctx)
	for _, origin := range origins {
		clearing := proto.StorageClearDataForOrigin{Origin: origin, StorageTypes: "all"}
		if err := clearing.Call(client); err != nil {
			return fmt.Errorf("clearing the storage of %s: %w", origin, err)
		}
	}
	stored, err := (proto.NetworkGetAllCookies{}).Call(client)
	if err != nil {
		return fmt.Errorf("reading the cookies of %s: %w", host, err)
	}
	for _, cookie := range stored.Cookies {
		domain := strings.TrimPrefix(cookie.Domain, ".")
		if domain != host && !strings.HasSuffix(domain, "."+host) {
			continue
		}
		deleting := proto.NetworkDeleteCookies{Name: cookie.Name, Domain: cookie.Domain, Path: cookie.Path}
		if err := deleting.Call(client); err != nil {
			return fmt.Errorf("deleting a cookie of %s: %w", host, err)
		}
	}
	return nil
}
