package browser_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sextant/backend/browser"
	"sextant/backend/surface"
)

// neverAnswer answers nothing until the client leaves.
func neverAnswer(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }

func TestAlertOnLoadDoesNotHang(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{"/": `<title>Loud</title><script>alert('Sure?')</script><button>OK now</button>`})
	ans := openPage(t, ctx, s, url)
	if e, ok := eventOf(ans, "dialog"); !ok || e.Text != `alert "Sure?"` {
		t.Errorf("the answer tells %+v", ans.Events)
	}
	_, err := s.Annotate(ctx, surface.AnnotateOptions{})
	if f := expectFault(t, err, surface.FaultDialog); !strings.Contains(f.Message, "Sure?") {
		t.Errorf("the fault says %q", f.Message)
	}
	ans, err = s.PressKey(ctx, "Enter")
	if err != nil || !strings.Contains(ans.Outcome, "accepted the alert") {
		t.Fatalf("answering: %q, %v", ans.Outcome, err)
	}
	findElement(t, ans, "button", "OK now")
}

func TestConfirmIsAcceptedOrDismissed(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{"/": `<title>-</title><button onclick="document.title = confirm('Delete?')">Delete</button>`})
	page := openPage(t, ctx, s, url)
	for key, want := range map[string]string{"Enter": "true", "Escape": "false"} {
		t.Run(key, func(t *testing.T) {
			ans, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", "Delete").ID})
			if err != nil || !strings.HasPrefix(ans.Outcome, "clicked") {
				t.Fatalf("clicking: %+v, %v", ans, err)
			}
			if _, ok := eventOf(ans, "dialog"); !ok {
				t.Errorf("the answer does not tell of the dialog: %+v", ans.Events)
			}
			if ans, err = s.PressKey(ctx, key); err != nil || ans.Page.Title != want {
				t.Errorf("the title is %q, %v, want %s", ans.Page.Title, err, want)
			}
		})
	}
}

func TestBeforeUnloadIsSkipped(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{
		"/":    `<title>Stay</title><script>onbeforeunload = (e) => { e.preventDefault(); return 'x' }</script><input aria-label=F>`,
		"/two": `<title>Two</title>`,
	})
	page := openPage(t, ctx, s, url)
	if _, err := s.Type(ctx, surface.TypeOptions{
		ID: findElement(t, page, "textbox", "F").ID, Text: "x",
		Human: true,
	}); err != nil {
		t.Fatal(err)
	}
	if ans := openPage(t, ctx, s, url+"/two"); ans.Page.Title != "Two" {
		t.Errorf("the tab shows %+v", ans.Page)
	}
}

func TestNavigationTimeoutKeepsTab(t *testing.T) {
	ctx, b := newBrowser(t, browser.Config{Limits: shortLimits()})
	s := b.Session("")
	url := site(t, map[string]any{
		"/": `<title>Here</title><button>Still</button>`, "/hang": neverAnswer,
		"/half": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<title>Half</title><button>First half</button>" + strings.Repeat("<!-- -->", 1000)))
			w.(http.Flusher).Flush()
			neverAnswer(w, r)
		},
		"/late": `<title>Late</title><button>Ready</button><img src=/hang>`,
	})
	openPage(t, ctx, s, url)
	_, err := s.Navigate(ctx, browser.NavigateOptions{URL: url + "/hang"})
	if f := expectFault(t, err, surface.FaultTimeout); !strings.Contains(f.Message, "still shows "+url+"/") {
		t.Errorf("the fault says %q", f.Message)
	}
	ans, err := s.Annotate(ctx, surface.AnnotateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	findElement(t, ans, "button", "Still")
	for path, button := range map[string]string{"/half": "First half", "/late": "Ready"} {
		ans = openPage(t, ctx, s, url+path)
		findElement(t, ans, "button", button)
		if !strings.Contains(ans.Note, "still loading") {
			t.Errorf("%s: nothing says that it still loads: %q", path, ans.Note)
		}
	}
	button := findElement(t, ans, "button", ans.Elements[0].Name)
	if _, err := s.Click(ctx, surface.ClickOptions{ID: button.ID}); err != nil {
		t.Errorf("a page with an image that never loads cannot be used: %v", err)
	}
}

func TestNavigationErrorNamesCause(t *testing.T) {
	ctx, s := session(t)
	_, err := s.Navigate(ctx, browser.NavigateOptions{URL: "http://127.0.0.1:1/"})
	if f := expectFault(t, err, surface.FaultNoPage); !strings.Contains(f.Message, "ERR_") {
		t.Errorf("the fault says %q", f.Message)
	}
	_, err = s.Navigate(ctx, browser.NavigateOptions{})
	expectFault(t, err, surface.FaultInvalid)
	_, err = s.Navigate(ctx, browser.NavigateOptions{URL: "http://%%"})
	expectFault(t, err, surface.FaultInvalid)
}

func TestClosingTabEndsAction(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{"/": `<p>waiting</p>`})
	page := openPage(t, ctx, s, url)
	got := make(chan error, 1)
	go func() {
		_, err := s.Wait(ctx, surface.WaitOptions{Text: "never there", Seconds: 50})
		got <- err
	}()
	eventually(t, "the action runs", s.ActingForTest)
	if _, _, err := s.ManageTabs(ctx, browser.TabCommand{Action: "close", Tab: page.Page.Tab}); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-got:
		var f *surface.Fault
		if err != nil && (!errors.As(err, &f) || f.Kind != surface.FaultNoPage) {
			t.Errorf("the action ended with %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("the action hangs")
	}
}

func TestCrashedPageIsReportedAndCanBeLeft(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{"/": `<title>Fine</title><button>B</button>`})
	openPage(t, ctx, s, url)
	_, err := s.Navigate(ctx, browser.NavigateOptions{URL: "chrome://crash"})
	expectFault(t, err, surface.FaultCrashed)
	_, err = s.Annotate(ctx, surface.AnnotateOptions{})
	expectFault(t, err, surface.FaultCrashed)
	ans := openPage(t, ctx, s, url)
	findElement(t, ans, "button", "B")
}

func TestBusyPageIsReported(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{"/": `<title>Busy</title><button onclick="setTimeout(() => { for (;;); })">Go</button>`})
	page := openPage(t, ctx, s, url)
	id := findElement(t, page, "button", "Go").ID
	_, _ = s.Click(ctx, surface.ClickOptions{ID: id})
	bounded, cancel := context.WithTimeout(ctx, 40*time.Second)
	defer cancel()
	_, err := s.Click(bounded, surface.ClickOptions{ID: id})
	expectFault(t, err, surface.FaultTimeout)
	if _, _, err := s.ManageTabs(ctx, browser.TabCommand{Action: "close"}); err != nil {
		t.Errorf("the busy tab cannot be closed: %v", err)
	}
}

func TestBrowserRestartRestoresTabs(t *testing.T) {
	ctx, b := newBrowser(t, browser.Config{})
	s := b.Session("")
	url := site(t, map[string]any{"/": `<title>Back again</title><button>B</button>`})
	page := openPage(t, ctx, s, url)
	b.KillForTest()
	eventually(t, "the state says that it ended", func() bool { return b.State().Status == "failed" })
	ans, err := s.Annotate(ctx, surface.AnnotateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if ans.Page.Tab != page.Page.Tab || ans.Page.URL != url+"/" {
		t.Errorf("the tab is %+v, was %+v", ans.Page, page.Page)
	}
	_, err = s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", "B").ID})
	expectFault(t, err, surface.FaultGone)
}

func TestSlowlyRestoredTabDoesNotBlockOthers(t *testing.T) {
	ctx, b := newBrowser(t, browser.Config{})
	s := b.Session("")
	var died atomic.Bool
	answer := make(chan struct{})
	url := site(t, map[string]any{
		"/quick": `<title>Quick</title>`,
		"/slow": func(w http.ResponseWriter, r *http.Request) {
			if died.Load() {
				select {
				case <-answer:
				case <-r.Context().Done():
				}
				time.Sleep(300 * time.Millisecond)
			}
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<title>Slow</title><button>B</button>"))
		},
	})
	slow := openPage(t, ctx, s, url+"/slow")
	if _, _, err := s.ManageTabs(ctx, browser.TabCommand{Action: "open", URL: url + "/quick"}); err != nil {
		t.Fatal(err)
	}
	died.Store(true)
	b.KillForTest()
	eventually(t, "the state says that it ended", func() bool { return b.State().Status == "failed" })
	ans, err := s.Annotate(ctx, surface.AnnotateOptions{})
	if err != nil || ans.Page.Title != "Quick" {
		t.Errorf("while one tab is on its way the other shows %+v, %v", ans.Page, err)
	}
	close(answer)
	ans, _, err = s.ManageTabs(ctx, browser.TabCommand{Action: "select", Tab: slow.Page.Tab})
	if err != nil || ans.Page.Title != "Slow" || ans.Page.URL != url+"/slow" {
		t.Fatalf("the slow tab shows %+v, %v", ans.Page, err)
	}
	findElement(t, ans, "button", "B")
}

func TestMissingBrowserFaultNamesInstallation(t *testing.T) {
	b := browser.New(browser.Config{Path: "/no/such/chromium"})
	defer func() { _ = b.Close() }()
	if s := b.State(); s.Status != "absent" || !strings.Contains(s.Hint, "apt install chromium") {
		t.Errorf("the state is %+v", s)
	}
	_, err := b.Session("").Navigate(t.Context(), browser.NavigateOptions{URL: "https://example.com"})
	if f := expectFault(t, err, surface.FaultNoBrowser); !strings.Contains(f.Suggestion, "apt install chromium") {
		t.Errorf("the fault suggests %q", f.Suggestion)
	}
}
