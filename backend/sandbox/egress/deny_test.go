package egress

import (
	"strings"
	"testing"
)

func TestDenyHostsCoversSubdomains(t *testing.T) {
	known := map[string][]string{
		"ads.example": {"93.184.216.34"}, "b.ads.example": {"93.184.216.34"},
		"notads.example": {"93.184.216.34"},
	}
	g := New(Config{
		DenyHosts:  []string{"ads.example", "93.184.216.99", "notads.example:8443"},
		AllowHosts: []string{"ads.example"}, Resolver: &fakeResolver{known: known},
	})
	for url, denied := range map[string]bool{
		"https://ads.example/": true, "https://b.ads.example/x": true,
		"https://unknown.ads.example/": true, "http://ADS.example.:8080/": true,
		"http://93.184.216.99/":   true,
		"https://notads.example/": false, "https://notads.example:8443/": true,
	} {
		t.Run(url, func(t *testing.T) {
			err := g.Check(t.Context(), url)
			if got := err != nil && strings.Contains(err.Error(), "denied"); got != denied {
				t.Errorf("denied is %v, want %v (%v)", got, denied, err)
			}
		})
	}
}

func TestDenyHostsWildcardDeniesUnlistedHosts(t *testing.T) {
	g := New(Config{
		DenyHosts: []string{"*"}, AllowHosts: []string{"shop.example"},
		Resolver: &fakeResolver{known: map[string][]string{
			"shop.example": {"93.184.216.34"}, "other.example": {"93.184.216.34"},
		}},
	})
	g.AllowTyped("other.example")
	if err := g.Check(t.Context(), "https://shop.example:8443/"); err != nil {
		t.Error(err)
	}
	if err := g.Check(t.Context(), "https://other.example/"); err == nil {
		t.Error("a typed host passed the wildcard")
	}
}

func TestAllowTypedAllowsNoOtherPort(t *testing.T) {
	g := newGuard(t, nil)
	g.AllowTyped("127.0.0.1:3000")
	g.AllowTyped("localhost")
	for url, allowed := range map[string]bool{
		"http://127.0.0.1:3000/": true, "http://127.0.0.1:3001/": false, "http://127.0.0.1/": false,
		"http://localhost/": true, "https://localhost/": true, "http://localhost:3000/": false,
	} {
		t.Run(url, func(t *testing.T) {
			if err := g.Check(t.Context(), url); (err == nil) != allowed {
				t.Errorf("got %v, want allowed %v", err, allowed)
			}
		})
	}
}
