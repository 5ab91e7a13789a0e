package app

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"sextant/shared/toolspec"
)

// A person who agrees to a page's link has typed nothing: this machine stays closed to it, and to all that
// comes after.
func TestLinkOnAPageOpensNoLocalHost(t *testing.T) {
	sys := openWith(t, testFlags(t), OpenOptions{Serve: true})
	window := windowOf(t, sys)
	for _, asks := range []string{"server", "panel"} {
		status, b := window.do(http.MethodPost, "/api/links", map[string]any{"url": "http://127.0.0.1:9/", asks: "x"})
		var r toolspec.Result
		if err := json.Unmarshal(b, &r); err != nil || status != http.StatusOK || r.Success ||
			!strings.Contains(r.Error, "private network") {
			t.Errorf("%s: %d %s", asks, status, b)
		}
	}
	for _, bad := range []map[string]any{
		{"url": "file:///etc/passwd", "server": "x"},
		{"url": "https://a.example"},
		{"url": "https://me:pass@a.example", "server": "x"},
	} {
		if status, b := window.do(http.MethodPost, "/api/links", bad); status != http.StatusBadRequest {
			t.Errorf("%v: %d %s", bad, status, b)
		}
	}
	if status, _ := clientOf(t, sys).do(http.MethodPost, "/api/links",
		map[string]any{"url": "https://a.example", "server": "x"}); status != http.StatusForbidden {
		t.Errorf("a program: %d", status)
	}
}
