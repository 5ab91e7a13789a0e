package cookies

import "testing"

func TestCookieFits(t *testing.T) {
	for _, c := range []struct {
		domain, host string
		fits         bool
	}{
		{"shop.example", "shop.example", true},
		{"shop.example", "shop.example:8443", true},
		{".shop.example", "shop.example", true},
		{".shop.example", "my.shop.example", true},
		{"shop.example", "my.shop.example", false},
		{"my.shop.example", "shop.example", false},
		{".shop.example", "badshop.example", false},
		{".example", "shop.example", true},
		{"::1", "[::1]:80", true},
	} {
		if cookieFits(c.domain, c.host) != c.fits {
			t.Errorf("a cookie of %s for %s: want %v", c.domain, c.host, c.fits)
		}
	}
}
