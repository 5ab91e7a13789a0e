package browser_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"sextant/backend/browser"
	"sextant/backend/browser/launch"
	"sextant/backend/browser/observe/settle"
	"sextant/backend/surface"
	"sextant/shared/annotation"
)

// shared is one browser for the tests that need only a session of their own. Tests run one after another: pages that
// draw at the same time would make each other miss the time limits that are tested.
var shared *browser.Browser

func TestMain(m *testing.M) {
	shared = browser.New(browser.Config{Headless: true})
	code := m.Run()
	if err := shared.Close(); err != nil {
		fmt.Fprintln(os.Stderr, "closing the browser:", err)
		code = 1
	}
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// requireChromium skips when this machine has no Chromium at all.
func requireChromium(t testing.TB) {
	t.Helper()
	if _, err := launch.Find(""); errors.Is(err, launch.ErrNotFound) {
		t.Skip("no Chromium on this machine: " + launch.InstallHint)
	}
}

// session is a session of the shared browser that ends with the test.
func session(t testing.TB) (context.Context, *browser.Session) {
	t.Helper()
	requireChromium(t)
	ctx, cancel := context.WithTimeout(context.Background(), 120*time.Second)
	t.Cleanup(cancel)
	t.Cleanup(func() { _ = shared.CloseSession(t.Name()) })
	return ctx, shared.Session(t.Name())
}

// newBrowser starts a browser for one test.
func newBrowser(t testing.TB, cfg browser.Config) (context.Context, *browser.Browser) {
	t.Helper()
	requireChromium(t)
	cfg.Headless = true
	b := browser.New(cfg)
	ctx, cancel := context.WithTimeout(context.Background(), 120*time.Second)
	t.Cleanup(func() {
		cancel()
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return ctx, b
}

func shortLimits() settle.Limits {
	return settle.Limits{Action: time.Second, Navigation: 5 * time.Second, AfterParse: time.Second}
}

// site serves pages by path; a page may be a function.
func site(t testing.TB, pages map[string]any) string {
	t.Helper()
	// What a handler still holds back ends with the test: a browser asks again for what a closed
	// connection took from it, and a server does not close while it is asked.
	life, end := context.WithCancel(context.Background())
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(life, cancel)()
		r = r.WithContext(ctx)
		switch page := pages[r.URL.Path].(type) {
		case string:
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			_, _ = fmt.Fprint(w, "<!doctype html>"+page)
		case func(http.ResponseWriter, *http.Request):
			page(w, r)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(func() {
		end()
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// otherSite is the same server under another site's name.
func otherSite(url string) string { return strings.Replace(url, "127.0.0.1", "localhost", 1) }

// openPage navigates and fails the test when that fails.
func openPage(t testing.TB, ctx context.Context, s *browser.Session, url string) annotation.Observation {
	t.Helper()
	ans, err := s.Navigate(ctx, browser.NavigateOptions{URL: url})
	if err != nil {
		t.Fatalf("opening %s: %v", url, err)
	}
	return ans
}

// findElement finds the one element of a role and name.
func findElement(t testing.TB, ans annotation.Observation, role, name string) annotation.Element {
	t.Helper()
	var found []annotation.Element
	for _, e := range ans.Elements {
		if e.Role == role && e.Name == name {
			found = append(found, e)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d elements are %s %q in %+v", len(found), role, name, ans.Elements)
	}
	return found[0]
}

// expectFault fails the test unless err is a Fault of the kind.
func expectFault(t testing.TB, err error, kind string) *surface.Fault {
	t.Helper()
	var f *surface.Fault
	if !errors.As(err, &f) {
		t.Fatalf("got error %v, want a fault of kind %s", err, kind)
	}
	if f.Kind != kind {
		t.Fatalf("got a fault of kind %s (%s), want %s", f.Kind, f.Message, kind)
	}
	if f.Suggestion == "" {
		t.Errorf("the fault %q says nothing about what to do next", f.Message)
	}
	return f
}

// eventOf reports whether an event of the kind is in the answer.
func eventOf(ans annotation.Observation, kind string) (annotation.Event, bool) {
	for _, e := range ans.Events {
		if e.Kind == kind {
			return e, true
		}
	}
	return annotation.Event{}, false
}

func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("never happened: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}
