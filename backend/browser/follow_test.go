package browser_test

import (
	"context"
	"testing"
	"time"

	"sextant/backend/browser"
	"sextant/backend/surface"
)

func TestFollowReportsChanges(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{
		"/":    `<title>One</title><button onclick="document.body.append(' more')">Add</button>`,
		"/two": `<title>Two</title><p>Still</p>`,
	})
	follow, stop := context.WithCancel(ctx)
	changed, ended := make(chan struct{}, 100), make(chan struct{})
	go func() {
		defer close(ended)
		s.Follow(follow, func() { changed <- struct{}{} })
	}()
	hears := func(what string) {
		t.Helper()
		select {
		case <-changed:
		case <-time.After(20 * time.Second):
			t.Fatalf("not reported: %s", what)
		}
	}
	page := openPage(t, ctx, s, url)
	hears("a page where there was none")
	if _, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", "Add").ID}); err != nil {
		t.Fatal(err)
	}
	hears("a change of the page")
	if _, _, err := s.ManageTabs(ctx, browser.TabCommand{Action: "open", URL: url + "/two"}); err != nil {
		t.Fatal(err)
	}
	hears("another tab")
	stop()
	<-ended
}
