package address

import "testing"

func TestOrigin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ url, scheme, host string }{
		{"https://Shop.Example:8443/a?b#c", "https", "shop.example:8443"},
		{"https://a.example/#%", "https", "a.example"},
		{"https://a.example/%zz", "https", "a.example"},
		{`https://a.example\@b.example`, "https", "a.example"},
		{"https://user:pass@a.example", "https", "a.example"},
		{"http://[::1]:80/", "http", "[::1]:80"},
		{"data:text/html,%zz#%", "data", ""},
		{"file:///tmp/a", "file", ""},
		{"about:blank", "about", ""},
		{"a.example/x:y", "", ""},
		{"", "", ""},
	} {
		t.Run(c.url, func(t *testing.T) {
			t.Parallel()
			if scheme, host := Origin(c.url); scheme != c.scheme || host != c.host {
				t.Errorf("got %q, %q, want %q, %q", scheme, host, c.scheme, c.host)
			}
		})
	}
}
