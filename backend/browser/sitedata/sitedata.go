// Package sitedata lists and deletes what sites stored in the browser's profile: cookies, storage and the cache.
//
// Its functions start Chromium if necessary, open a tab if there is none, and are safe for concurrent use.
package sitedata

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-rod/rod/lib/proto"
	"golang.org/x/net/publicsuffix"

	"sextant/backend/browser/page"
	"sextant/shared/wire"
)

// List returns the sites with cookies, those with most cookies first. A host belongs to the site of its registered
// domain: shop.example.co.uk to example.co.uk.
func List(ctx context.Context, s *page.Session) ([]wire.SiteData, error) {
	client, err := clientOf(ctx, s)
	if err != nil {
		return nil, err
	}
	stored, err := (proto.NetworkGetAllCookies{}).Call(client)
	if err != nil {
		return nil, fmt.Errorf("reading the cookies: %w", err)
	}
	count := map[string]int{}
	for _, cookie := range stored.Cookies {
		count[siteOf(cookie.Domain)]++
	}
	sites := make([]wire.SiteData, 0, len(count))
	for host, n := range count {
		sites = append(sites, wire.SiteData{Host: host, Cookies: n})
	}
	slices.SortFunc(sites, func(a, b wire.SiteData) int {
		return cmp.Or(cmp.Compare(b.Cookies, a.Cookies), cmp.Compare(a.Host, b.Host))
	})
	return sites, nil
}

func siteOf(domain string) string {
	host := strings.TrimPrefix(domain, ".")
	if site, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil {
		return site
	}
	return host // an IP address, localhost, or a public suffix itself
}

// Clear deletes the cookies of a host and its subdomains, and the storage of the host, of those with cookies and of the
// given origins.
func Clear(ctx context.Context, s *page.Session, host string, origins []string) error {
	client, err := clientOf(ctx, s)
	if err != nil {
		return err
	}
	stored, err := (proto.NetworkGetAllCookies{}).Call(client)
	if err != nil {
		return fmt.Errorf("reading the cookies of %s: %w", host, err)
	}
	hosts := []string{host, "www." + host}
	for _, cookie := range stored.Cookies {
		domain := strings.TrimPrefix(cookie.Domain, ".")
		if domain != host && !strings.HasSuffix(domain, "."+host) {
			continue
		}
		deleting := proto.NetworkDeleteCookies{
			Name: cookie.Name, Domain: cookie.Domain, Path: cookie.Path, PartitionKey: cookie.PartitionKey,
		}
		if err := deleting.Call(client); err != nil {
			return fmt.Errorf("deleting a cookie of %s: %w", host, err)
		}
		hosts = append(hosts, domain)
	}
	for _, h := range hosts {
		origins = append(origins, "https://"+h, "http://"+h)
	}
	slices.Sort(origins)
	return clearStorage(client, slices.Compact(origins))
}

// ClearAll deletes the cookies and the storage of all sites, and the cache.
func ClearAll(ctx context.Context, s *page.Session) error {
	client, err := clientOf(ctx, s)
	if err != nil {
		return err
	}
	// The protocol does not document "*". Chromium takes what is no origin for all of them, as the test shows.
	if err := clearStorage(client, []string{"*"}); err != nil {
		return err
	}
	if err := (proto.NetworkClearBrowserCookies{}).Call(client); err != nil {
		return fmt.Errorf("deleting the cookies: %w", err)
	}
	if err := (proto.NetworkClearBrowserCache{}).Call(client); err != nil {
		return fmt.Errorf("emptying the cache: %w", err)
	}
	return nil
}

func clearStorage(client proto.Client, origins []string) error {
	for _, origin := range origins {
		clearing := proto.StorageClearDataForOrigin{Origin: origin, StorageTypes: "all"}
		if err := clearing.Call(client); err != nil {
			return fmt.Errorf("clearing the storage of %s: %w", origin, err)
		}
	}
	return nil
}

func clientOf(ctx context.Context, s *page.Session) (proto.Client, error) {
	t, err := s.ActiveTab(ctx)
	if err != nil {
		return nil, err
	}
	s.Manager.Lock()
	p := t.Page
	s.Manager.Unlock()
	if p == nil {
		return nil, page.ErrBrowserEnded
	}
	return p.Client(ctx), nil
}
