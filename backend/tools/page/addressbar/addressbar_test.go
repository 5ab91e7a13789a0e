package addressbar

import (
	"strings"
	"testing"

	"sextant/shared/excerpt"
)

func demo(word string) (string, bool) { return "http://127.0.0.1:4711/", word == "demo" }

func TestResolve(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"shop.example":                   "https://shop.example/",
		" Shop.Example/Cart?x=1#y ":      "https://shop.example/Cart?x=1#y",
		"http://shop.example":            "http://shop.example/",
		"HTTPS://shop.example:8443/a":    "https://shop.example:8443/a",
		"shop.example:8443/a":            "https://shop.example:8443/a",
		"//shop.example/a":               "https://shop.example/a",
		"localhost":                      "http://localhost/",
		"localhost:8080/x":               "http://localhost:8080/x",
		"127.0.0.1:8080":                 "http://127.0.0.1:8080/",
		"192.168.1.1/admin":              "http://192.168.1.1/admin",
		"[::1]:8080/x":                   "http://[::1]:8080/x",
		"http://printer/":                "http://printer/",
		"bücher.example":                 "https://b%C3%BCcher.example/",
		"demo":                           "http://127.0.0.1:4711/",
		"Demo":                           "http://127.0.0.1:4711/",
		"about:blank":                    "about:blank",
		"shop.example/a:b":               "https://shop.example/a:b",
		"shop.example/?next=https://x.y": "https://shop.example/?next=https://x.y",
	} {
		t.Run(typed, func(t *testing.T) {
			got, err := Resolve(typed, demo)
			if err != nil || got != want {
				t.Errorf("%q, %v; want %q", got, err, want)
			}
		})
	}
}

func TestResolveRefusesOtherSchemes(t *testing.T) {
	t.Parallel()
	for _, typed := range []string{
		"", "  ", "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "file:///etc/passwd",
		"chrome://settings",
		"view-source:https://x.example", "blob:https://x.example/1", "ftp://x.example", "mailto:a@b.example", "word",
		"two words",
		"https://", "https://user:secret@shop.example", "https://a b.example", "java\nscript:alert(1)",
		"x.example/\x00", "about:config",
		strings.Repeat("a", 9000) + ".example", "https://exa<mple.com",
	} {
		if got, err := Resolve(typed, demo); err == nil {
			t.Errorf("%q is opened as %q", excerpt.TruncateRunes(typed, 40), got)
		}
	}
}

func FuzzResolvedAddressesAreWebAddresses(f *testing.F) {
	for _, s := range []string{"shop.example", "localhost:1", "javascript:1", "//x.y", "http:x", "a:1/b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, err := Resolve(s, demo)
		if err != nil || got == "about:blank" {
			return
		}
		if !strings.HasPrefix(got, "http://") && !strings.HasPrefix(got, "https://") || got == "http:///" ||
			got == "https:///" {
			t.Errorf("%q is opened as %q", s, got)
		}
	})
}
