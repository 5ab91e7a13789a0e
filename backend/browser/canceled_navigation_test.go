package browser_test

import (
	"context"
	"net/http"
	"testing"

	"sextant/backend/browser"
)

func TestCanceledNavigationReleasesConnection(t *testing.T) {
	ctx, b := newBrowser(t, browser.Config{})
	begun, over := make(chan struct{}, 100), make(chan struct{}, 100)
	url := site(t, map[string]any{
		"/": `<title>Quick</title>`,
		"/silent": func(_ http.ResponseWriter, r *http.Request) {
			begun <- struct{}{}
			<-r.Context().Done()
			over <- struct{}{}
		},
	})
	s := b.Session("")
	openPage(t, ctx, s, url)
	for range 8 { // a browser opens six connections to a host
		stopped, stop := context.WithCancel(ctx)
		done := make(chan error, 1)
		go func() {
			_, err := s.Navigate(stopped, browser.NavigateOptions{URL: url + "/silent"})
			done <- err
		}()
		<-begun
		stop()
		if err := <-done; err == nil {
			t.Fatal("a canceled navigation is reported as done")
		}
		<-over
	}
	if ans := openPage(t, ctx, s, url); ans.Page.Title != "Quick" {
		t.Errorf("then %q is shown", ans.Page.Title)
	}
}
