package egress

import (
	"strings"
	"testing"
)

func TestDeniedHostsAreRefusedWithTheNamesBelowThem(t *testing.T) {
	known := map[string][]string{
		"ads.example": {"93.184.216.34"}, "b.ads.example": {"93.184.216.34"},
		"notads.example": {"93.184.216.34"},
	}
	g := New(Config{
		DenyHosts:  []string{"ads.example", "93.184.216.99", "notads.example:8443"},
		AllowHosts: []string{"ads.example"}, Resolver: &names{known: known},
	})
	for url, denied := range map[string]bool{
		"https://ads.example/": true, "https://b.ads.example/x": true, "http://ADS.example.:8080/": true,
		"http://93.184.216.99/":   true,
		"https://notads.example/": false, "https://notads.example:8443/": true,
	} {
		err := g.Check(t.Context(), url)
		if got := err != nil && strings.Contains(err.Error(), "denied"); got != denied {
			t.Errorf("%s: denied is %v, want %v (%v)", url, got, denied, err)
		}
	}
}

func TestAStarDeniesAllThatWasNotAllowedByName(t *testing.T) {
	g := New(Config{
		DenyHosts: []string{"*"}, AllowHosts: []string{"shop.example"},
		Resolver: &names{known: map[string][]string{
			"shop.example": {"93.184.216.34"}, "other.example": {"93.184.216.34"},
		}},
	})
	g.OpenTyped("other.example")
	if err := g.Check(t.Context(), "https://shop.example:8443/"); err != nil {
		t.Error(err)
	}
	if err := g.Check(t.Context(), "https://other.example/"); err == nil {
		t.Error("a typed address passed a list of allowed hosts")
	}
}

func TestATypedHostOpensNoOtherPort(t *testing.T) {
	g := newGuard(t, nil)
	g.OpenTyped("127.0.0.1:3000")
	g.OpenTyped("localhost")
	for url, open := range map[string]bool{
		"http://127.0.0.1:3000/": true, "http://127.0.0.1:3001/": false, "http://127.0.0.1/": false,
		"http://localhost/": true, "https://localhost/": true, "http://localhost:3000/": false,
	} {
		if err := g.Check(t.Context(), url); (err == nil) != open {
			t.Errorf("%s: %v, want open %v", url, err, open)
		}
	}
}
