package pool_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"sextant/backend/browser"
	"sextant/backend/browser/launch"
	"sextant/backend/browser/pool"
)

// A browser is lent again, and nothing of the caller before is left in it.
func TestLentBrowserForgets(t *testing.T) {
	if _, err := launch.Find(""); errors.Is(err, launch.ErrNotFound) {
		t.Skip("no Chromium on this machine: " + launch.InstallHint)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/favicon.ico" {
			http.NotFound(w, r)
			return
		}
		http.SetCookie(w, &http.Cookie{Name: "who", Value: strings.TrimPrefix(r.URL.Path, "/")})
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<title>cookies: " + r.Header.Get("Cookie") + "</title>"))
	}))
	defer site.Close()
	window := browser.New(browser.Config{Headless: true})
	defer window.Close()
	p := pool.New(window, browser.Config{Headless: true}, nil)
	defer p.Close()
	visit := func(owner string) (title string) {
		t.Helper()
		o, err := p.Session(owner).Navigate(ctx, browser.NavigateOptions{URL: site.URL + "/" + owner})
		if err != nil {
			t.Fatal(err)
		}
		return o.Page.Title
	}
	lent := map[*browser.Browser]bool{}
	for _, owner := range []string{"a", "b"} {
		p.Lease(owner)
		lent[p.Leased(owner)] = true
		if first, second := visit(owner), visit(owner); first != "cookies:" || second != "cookies: who="+owner {
			t.Errorf("%s: %q, then %q", owner, first, second)
		}
		if picture, err := p.Picture(ctx, owner); err != nil || len(picture.Data) == 0 {
			t.Errorf("no picture of %s: %v", owner, err)
		}
		p.Release(owner)
		if picture, err := p.Picture(ctx, owner); err != nil || len(picture.Data) > 0 {
			t.Errorf("a picture of %s, which has ended: %v", owner, err)
		}
	}
	p.Lease("c")
	p.Lease("d")
	lent[p.Leased("c")], lent[p.Leased("d")] = true, true
	if len(lent) != 2 || p.Leased("c") == p.Leased("d") {
		t.Errorf("%d browsers were opened for two at once", len(lent))
	}
	if title := visit("c"); title != "cookies:" {
		t.Errorf("c: %q", title)
	}
	if window.State().Status != "stopped" {
		t.Error("the window's browser was used")
	}
}
