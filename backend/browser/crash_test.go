package browser_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sextant/backend/browser"
	"sextant/backend/surface"
)

func TestBrowserCrashDuringActionIsNotRetried(t *testing.T) {
	ctx, b := newBrowser(t, browser.Config{})
	s := b.Session("")
	var sent atomic.Int32
	came := make(chan struct{}, 10)
	url := site(t, map[string]any{
		"/": `<title>Orders</title><button onclick="fetch('/order', { method: 'POST' })">Order</button>`,
		"/order": func(w http.ResponseWriter, r *http.Request) {
			sent.Add(1)
			came <- struct{}{}
			neverAnswer(w, r)
		},
		"/other": `<title>Other</title>`,
	})
	if _, _, err := s.ManageTabs(ctx, browser.TabCommand{Action: "open", URL: url + "/other"}); err != nil {
		t.Fatal(err)
	}
	page, _, err := s.ManageTabs(ctx, browser.TabCommand{Action: "open", URL: url})
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan error, 1)
	go func() {
		_, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", "Order").ID})
		got <- err
	}()
	<-came
	b.KillForTest()
	if f := expectFault(t, <-got, surface.FaultNoBrowser); !strings.Contains(f.Message, "not known") {
		t.Errorf("the fault says %q", f.Message)
	}
	eventually(t, "the state says that it ended", func() bool { return b.State().Status == "failed" })
	begun := time.Now()
	ans, err := s.Annotate(ctx, surface.AnnotateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("back after %s", time.Since(begun).Round(time.Millisecond))
	findElement(t, ans, "button", "Order")
	if tabs := b.State().Tabs; len(tabs) != 2 || tabs[0].URL != url+"/other" || tabs[1].URL != url+"/" {
		t.Errorf("the tabs are %+v", tabs)
	}
	if n := sent.Load(); n != 1 {
		t.Errorf("it was ordered %d times", n)
	}
}

func TestCrashedPageIsReloaded(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{"/": `<title>Fine</title><button>B</button>`})
	page := openPage(t, ctx, s, url)
	if err := s.CrashForTest(ctx); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the crash is reported", func() bool {
		_, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", "B").ID})
		return err != nil && strings.Contains(err.Error(), "crashed")
	})
	ans, err := s.Navigate(ctx, browser.NavigateOptions{Action: "reload"})
	if err != nil {
		t.Fatal(err)
	}
	findElement(t, ans, "button", "B")
}

// clickAndSettle clicks the one button of a page, once the page is ready, and tells how the wait ended.
func clickAndSettle(
	t *testing.T, body string, more map[string]any, ready func(),
) (by string, took time.Duration, text string) {
	t.Helper()
	ctx, s := session(t)
	pages := map[string]any{"/": "<title>-</title>" + body}
	for path, page := range more {
		pages[path] = page
	}
	page := openPage(t, ctx, s, site(t, pages))
	ready()
	ans, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", "Go").ID})
	if err != nil {
		t.Fatal(err)
	}
	return ans.SettledBy, time.Duration(ans.SettledMS) * time.Millisecond, ans.Page.Title
}

func TestActionWaitsOnlyForItsOwnEffects(t *testing.T) {
	soon := func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(150 * time.Millisecond)
		_, _ = fmt.Fprint(w, "done")
	}
	polled := make(chan struct{}, 1)
	poll := func(w http.ResponseWriter, r *http.Request) {
		select {
		case polled <- struct{}{}:
		default:
		}
		neverAnswer(w, r)
	}
	more := map[string]any{
		"/poll": poll, "/soon": soon, "/next": `<title>next</title>`,
		"/hop":    func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/meta", http.StatusFound) },
		"/meta":   `<meta http-equiv=refresh content="0;url=/script">`,
		"/script": `<script>location.replace('/next')</script>`,
	}
	fetches := `onclick="fetch('/soon').then(r => r.text()).then(t => { document.title = t; p.textContent = t })"`
	for name, c := range map[string]struct{ body, title string }{
		"long polling": {`<p id=p>-</p><button ` + fetches +
			`>Go</button><script>onload = () => setTimeout(() => { (async () => { for (;;) await fetch('/poll') })() }, 50)</script>`, "done"},
		"an endless motion": {`<style>@keyframes s { to { rotate: 1turn } } i { display: block; animation: s 1s infinite }</style><i>x</i><b id=b>-</b><p id=p>-</p><button ` + fetches + `>Go</button><script>(function f() { b.style.width = Math.random() + 'px'; requestAnimationFrame(f) })()</script>`, "done"},
		"a ticker": {`<b id=b>-</b><p id=p>-</p><button ` + fetches +
			`>Go</button><script>setInterval(() => { b.textContent = Date.now() }, 50)</script>`, "done"},
		"a route change":     {`<p id=p>-</p><button onclick="history.pushState({}, '', '/there'); fetch('/soon').then(r => r.text()).then(t => { document.title = t; p.innerHTML = '<h1>' + t + '</h1>' })">Go</button>`, "done"},
		"a way of redirects": {`<button onclick="location.href = '/hop'">Go</button>`, "next"},
		"chained fetches":    {`<p id=p>-</p><button onclick="fetch('/soon').then(() => setTimeout(() => fetch('/soon').then(r => r.text()).then(t => { document.title = t; p.textContent = t })))">Go</button>`, "done"},
	} {
		t.Run(name, func(t *testing.T) {
			by, took, title := clickAndSettle(t, c.body, more, func() {
				if name == "long polling" {
					<-polled // a poll that begins after the click could be its effect
				}
			})
			if title != c.title || strings.HasPrefix(by, "still") {
				t.Errorf("the title is %q after %s by %q, want %q", title, took, by, c.title)
			}
		})
	}
}

func TestPageThatComputesWithoutEndCanBeLeft(t *testing.T) {
	t.Parallel()
	ctx, b := newBrowser(t, browser.Config{})
	s := b.Session("")
	url := site(t, map[string]any{
		"/": `<title>Busy</title><button onclick="for (;;) {}">Once</button>
			<button onclick="setInterval(() => { for (;;) {} }, 0); for (;;) {}">Again</button>`,
		"/other": `<title>Other</title>`,
	})
	for _, button := range []string{"Once", "Again"} {
		for name, leave := range map[string]func(tab int) error{
			"reload": func(int) error {
				_, err := s.Navigate(ctx, browser.NavigateOptions{Action: "reload"})
				return err
			},
			"another address": func(int) error {
				_, err := s.Navigate(ctx, browser.NavigateOptions{URL: url + "/other"})
				return err
			},
			"close": func(tab int) error {
				_, _, err := s.ManageTabs(ctx, browser.TabCommand{Action: "close", Tab: tab})
				return err
			},
		} {
			t.Run(button+" "+name, func(t *testing.T) {
				page, _, err := s.ManageTabs(ctx, browser.TabCommand{Action: "open", URL: url})
				if err != nil {
					t.Fatal(err)
				}
				stop, cancel := context.WithTimeout(ctx, time.Second)
				defer cancel()
				_, err = s.Click(stop, surface.ClickOptions{ID: findElement(t, page, "button", button).ID})
				if err == nil {
					t.Fatal("the page answers")
				}
				if err := leave(page.Page.Tab); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func TestHungBrowserIsEndedAndStartedAnew(t *testing.T) {
	t.Parallel()
	ctx, b := newBrowser(t, browser.Config{})
	s := b.Session("")
	url := site(t, map[string]any{"/": `<title>Orders</title><button>Order</button>`})
	page := openPage(t, ctx, s, url)
	if err := b.StopForTest(); err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	_, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", "Order").ID})
	if err == nil {
		t.Error("a press on a stopped browser worked")
	}
	eventually(t, "the state says that it was ended", func() bool {
		trouble := b.State().Error
		return strings.Contains(trouble, "did not answer")
	})
	t.Logf("noticed after %s: %v", time.Since(begun).Round(time.Millisecond), err)
	ans, err := s.Annotate(ctx, surface.AnnotateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	findElement(t, ans, "button", "Order")
}
