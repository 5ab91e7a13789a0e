package browser_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"sextant/backend/browser"
	"sextant/backend/browser/act"
	"sextant/backend/surface"
	"sextant/shared/event"
	"sextant/shared/wire"
)

func TestPopupBelongsToSession(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{
		"/":    `<title>One</title><a target=_blank href=/two>New</a> <button onclick="window.open('/three')">Open</button>`,
		"/two": `<title>Two</title><button>B</button>`, "/three": `<title>Three</title>`,
	})
	page := openPage(t, ctx, s, url)
	ans, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "link", "New").ID})
	if err != nil {
		t.Fatal(err)
	}
	opened, ok := eventOf(ans, "opened_tab")
	if !ok || opened.Tab == page.Page.Tab {
		t.Fatalf("the answer tells %+v", ans.Events)
	}
	if want := fmt.Sprintf("Tab %d is in front now", opened.Tab); !strings.Contains(ans.Note, want) {
		t.Errorf("the note is %q, without %q", ans.Note, want)
	}
	if ans, err = s.Annotate(ctx, surface.AnnotateOptions{}); err != nil || ans.Note != "" ||
		ans.Page.Tab != opened.Tab || ans.Page.Title != "Two" {
		t.Errorf("the active tab is %+v, %v", ans.Page, err)
	}
	// A number acts in its own tab, whichever is active.
	if ans, err = s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", "Open").ID}); err != nil ||
		ans.Page.Tab != page.Page.Tab {
		t.Errorf("a click in the first tab: %+v, %v", ans.Page, err)
	}
	if _, ok := eventOf(ans, "opened_tab"); !ok {
		t.Errorf("the answer tells %+v", ans.Events)
	}
	ans, tabs, err := s.ManageTabs(ctx, browser.TabCommand{Action: "select", Tab: page.Page.Tab})
	if err != nil || len(tabs) != 3 || ans.Page.Title != "One" {
		t.Errorf("selecting: %+v, %+v, %v", ans.Page, tabs, err)
	}
	if _, tabs, err = s.ManageTabs(ctx, browser.TabCommand{Action: "close", Tab: opened.Tab}); err != nil ||
		len(tabs) != 2 {
		t.Errorf("closing: %+v, %v", tabs, err)
	}
	_, _, err = s.ManageTabs(ctx, browser.TabCommand{Action: "select", Tab: opened.Tab})
	expectFault(t, err, surface.FaultNotFound)
	if ans, _, err = s.ManageTabs(ctx, browser.TabCommand{Action: "open", URL: url + "/two"}); err != nil ||
		ans.Page.Title != "Two" {
		t.Errorf("opening: %+v, %v", ans.Page, err)
	}
}

func TestSlowPopupIsAwaited(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{
		"/": `<title>One</title><button onclick="window.open('/slow')">Open</button>`,
		"/slow": func(w http.ResponseWriter, _ *http.Request) {
			time.Sleep(500 * time.Millisecond)
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("<title>Slow</title><button>There</button>"))
		},
	})
	page := openPage(t, ctx, s, url)
	if _, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", "Open").ID}); err != nil {
		t.Fatal(err)
	}
	ans, err := s.Annotate(ctx, surface.AnnotateOptions{})
	if err != nil || ans.Page.URL != url+"/slow" {
		t.Fatalf("the new tab shows %+v, %v", ans.Page, err)
	}
	findElement(t, ans, "button", "There")
}

func TestSessionsAreIsolated(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{
		"/":    `<script>document.cookie = 'who=me'</script><button>Mine</button>`,
		"/who": `<p><script>document.write('cookie: ' + document.cookie + '.')</script>`,
	})
	page := openPage(t, ctx, s, url)
	other := shared.Session(t.Name() + "/other")
	defer shared.CloseSession(t.Name() + "/other")
	openPage(t, ctx, other, url+"/who")
	html, _, _, err := other.HTML(ctx)
	if err != nil || !strings.Contains(html, "cookie: .") {
		t.Errorf("another session reads %q, %v", html, err)
	}
	_, err = other.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", "Mine").ID})
	expectFault(t, err, surface.FaultNotFound)
}

func TestSessionBeginsWithSignInsOfSomeHosts(t *testing.T) {
	ctx, b := newBrowser(t, browser.Config{})
	here := site(t, map[string]any{
		"/":    `<script>document.cookie = 'who=me'</script>`,
		"/who": `<p><script>document.write('cookie: ' + document.cookie + '.')</script>`,
	})
	elsewhere := strings.Replace(here, "127.0.0.1", "localhost", 1)
	openPage(t, ctx, b.Session(""), here)
	openPage(t, ctx, b.Session(""), elsewhere)
	host := strings.TrimPrefix(here, "http://")
	run := b.Session("run")
	run.CopySignIns([]string{host})
	for url, want := range map[string]string{here: "cookie: who=me.", elsewhere: "cookie: ."} {
		openPage(t, ctx, run, url+"/who")
		html, _, _, err := run.HTML(ctx)
		if err != nil || !strings.Contains(html, want) {
			t.Errorf("%s reads %q, %v", url, html, err)
		}
	}
	// The session changes its own copy.
	openPage(t, ctx, run, here)
	forget := browser.EvaluateOptions{Script: `document.cookie = 'who=; max-age=0'`}
	if _, _, err := run.Evaluate(ctx, forget); err != nil {
		t.Fatal(err)
	}
	openPage(t, ctx, b.Session(""), here+"/who")
	if html, _, _, err := b.Session("").HTML(ctx); err != nil || !strings.Contains(html, "who=me") {
		t.Errorf("the window reads %q, %v", html, err)
	}
}

func TestPageErrorsAreReported(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{"/": `<button onclick="nothing.there()">Break</button>`})
	page := openPage(t, ctx, s, url)
	ans, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", "Break").ID})
	if e, ok := eventOf(ans, "console_error"); err != nil || !ok ||
		!strings.Contains(e.Text, "nothing is not defined") {
		t.Errorf("the answer tells %+v, %v", ans.Events, err)
	}
}

func TestWaitScrollAndQuery(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{"/": `<script>setTimeout(() => { document.body.append('It has arrived') }, 400)</script>
<button>Top</button><div style="height:3000px"></div><button>Bottom</button>`})
	page := openPage(t, ctx, s, url)
	ans, err := s.Wait(ctx, surface.WaitOptions{Text: "it has arrived"})
	if err != nil || !strings.Contains(ans.Outcome, "is there") {
		t.Errorf("waiting: %q, %v", ans.Outcome, err)
	}
	_, err = s.Wait(ctx, surface.WaitOptions{Text: "never", Seconds: 0.2})
	expectFault(t, err, surface.FaultTimeout)
	if page.Below == 0 {
		t.Errorf("nothing is said to lie below: %+v", page)
	}
	if ans, err = s.Scroll(ctx, surface.ScrollOptions{Direction: "bottom"}); err != nil {
		t.Fatal(err)
	}
	findElement(t, ans, "button", "Bottom")
	if len(ans.Gone) != 0 {
		t.Errorf("elements scrolled out of view are reported as gone: %v", ans.Gone)
	}
	if ans, err = s.Scroll(ctx, surface.ScrollOptions{Direction: "down"}); err != nil ||
		!strings.Contains(ans.Outcome, "at its end") {
		t.Errorf("scrolling at the end: %q, %v", ans.Outcome, err)
	}
	if ans, err = s.Annotate(ctx, surface.AnnotateOptions{Scope: "page", Query: "top"}); err != nil ||
		len(ans.Elements) != 1 {
		t.Errorf("asking for what matches: %+v, %v", ans.Elements, err)
	}
}

func TestScreenshotDrawsMarksOnCopy(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{"/": `<body style="margin:0;height:2000px"><button style="position:absolute;left:300px;top:200px;width:100px;height:50px">B</button>`})
	page := openPage(t, ctx, s, url)
	size := func(o surface.ScreenshotOptions) (w, h int, raw []byte) {
		pic, err := s.Screenshot(ctx, o)
		if err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(bytes.NewReader(pic.Data))
		if err != nil {
			t.Fatal(err)
		}
		if pic.Width != img.Bounds().Dx() || pic.Height != img.Bounds().Dy() {
			t.Errorf("%d by %d are reported for a picture of %v", pic.Width, pic.Height, img.Bounds())
		}
		return pic.Width, pic.Height, pic.Data
	}
	w, h, plain := size(surface.ScreenshotOptions{})
	if w != 1280 || h != 800 {
		t.Errorf("the viewport's picture is %d by %d", w, h)
	}
	if _, _, marked := size(surface.ScreenshotOptions{Annotated: true}); bytes.Equal(plain, marked) {
		t.Error("the numbers are not on the copy")
	}
	if _, _, again := size(surface.ScreenshotOptions{}); !bytes.Equal(plain, again) {
		t.Error("drawing the numbers changed the page")
	}
	if _, h, _ := size(surface.ScreenshotOptions{FullPage: true, Annotated: true}); h != 2000 {
		t.Errorf("the whole page's picture is %d high", h)
	}
	if w, h, _ := size(surface.ScreenshotOptions{ID: findElement(t, page, "button", "B").ID}); w != 116 || h != 66 {
		t.Errorf("the element's picture is %d by %d, want 100 by 50 and a margin of 8", w, h)
	}
}

func TestSelectTextAndReadSelection(t *testing.T) {
	ctx, s := session(t)
	openPage(t, ctx, s, site(t, map[string]any{"/": `<p>Some words to choose from</p>`}))
	if _, err := s.SelectText(ctx, 0, "words to choose", 0, 5); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Selection(ctx); err != nil || got != "words" {
		t.Errorf("selected is %q, %v", got, err)
	}
	_, err := s.SelectText(ctx, 0, "not on the page", 0, 0)
	expectFault(t, err, surface.FaultBlocked)
}

func TestCheckAddressBlocksNavigation(t *testing.T) {
	ctx, b := newBrowser(t, browser.Config{CheckAddress: func(_ context.Context, url string) error {
		if strings.HasPrefix(url, "file:") || strings.Contains(url, "secret") {
			return errors.New("this address is closed")
		}
		return nil
	}})
	s := b.Session("mcp")
	for _, url := range []string{"file:///etc/passwd", "https://secret.example"} {
		_, err := s.Navigate(ctx, browser.NavigateOptions{URL: url})
		expectFault(t, err, surface.FaultBlocked)
		_, _, err = s.ManageTabs(ctx, browser.TabCommand{Action: "open", URL: url})
		expectFault(t, err, surface.FaultBlocked)
	}
}

func TestTabsAreLimited(t *testing.T) {
	t.Parallel()
	const most = 40
	ctx, b := newBrowser(t, browser.Config{})
	s := b.Session("")
	ans := openPage(t, ctx, s, site(t, map[string]any{"/": `<title>Full</title><a href="/two" target="_blank">Two</a>`}))
	for range most - 1 {
		if _, _, err := s.ManageTabs(ctx, browser.TabCommand{Action: "open"}); err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := s.ManageTabs(ctx, browser.TabCommand{Action: "open"})
	if f := expectFault(t, err, surface.FaultInvalid); !strings.Contains(f.Message, "40 tabs are open") {
		t.Errorf("the fault says %q", f.Message)
	}
	if _, _, err := s.ManageTabs(ctx, browser.TabCommand{Action: "select", Tab: ans.Page.Tab}); err != nil {
		t.Fatal(err)
	}
	ans, err = s.Click(ctx, surface.ClickOptions{ID: findElement(t, ans, "link", "Two").ID})
	if e, ok := eventOf(ans, "opened_tab"); err != nil || !ok || !strings.Contains(e.Text, "was closed") {
		t.Errorf("the press says %+v, %v", ans.Events, err)
	}
	eventually(t, "the tab is closed", func() bool { return len(b.State().Tabs) == most })
}

func TestTabShowsTitleThatScriptChanges(t *testing.T) {
	ctx, b := newBrowser(t, browser.Config{})
	openPage(t, ctx, b.Session(""), site(t, map[string]any{"/": `<title>Inbox</title>
		<iframe srcdoc="<title>frame</title><script>setInterval(() => document.title += '.', 50)</script>"></iframe>
		<script>
			setTimeout(() => document.title = '(1) Inbox', 100)
			setTimeout(() => document.querySelector('title').outerHTML = '<title>(2) Inbox</title>', 1500)
			setTimeout(() => {
				document.head.replaceWith(document.createElement('head'))
				setTimeout(() => document.title = '(3) Inbox', 1000)
			}, 3000)
		</script>`}))
	for _, title := range []string{"(1) Inbox", "(2) Inbox", "(3) Inbox"} {
		eventually(t, "the tab is called "+title, func() bool { return b.State().Tabs[0].Title == title })
	}
}

func TestBlankPageIsAlwaysAllowed(t *testing.T) {
	ctx, b := newBrowser(t, browser.Config{CheckAddress: func(_ context.Context, url string) error {
		if strings.HasPrefix(url, "http://") {
			return nil
		}
		return errors.New("only http and https addresses are opened")
	}})
	s := b.Session("mcp")
	openPage(t, ctx, s, site(t, map[string]any{"/": `<title>Full</title>`}))
	for range 2 {
		if ans := openPage(t, ctx, s, "about:blank"); ans.Page.URL != "about:blank" || len(ans.Elements) != 0 {
			t.Errorf("the tab shows %+v", ans.Page)
		}
	}
	ans, tabs, err := s.ManageTabs(ctx, browser.TabCommand{Action: "open", URL: "About:Blank"})
	if err != nil || len(tabs) != 2 || ans.Page.URL != "about:blank" {
		t.Errorf("a tab of its own: %+v, %+v, %v", ans.Page, tabs, err)
	}
	for _, other := range []string{"about:version", "about:blank#x", "data:text/html,<p>x"} {
		if _, err := s.Navigate(ctx, browser.NavigateOptions{URL: other}); err == nil {
			t.Errorf("%s is opened", other)
		}
		if to, err := act.CompleteAddress(other); err == nil && !strings.HasPrefix(to, "https://") {
			t.Errorf("%s is an address: %s", other, to)
		}
	}
}

// eventLog keeps what was published.
type eventLog struct {
	mu  sync.Mutex
	got []event.Event
}

func (l *eventLog) add(e event.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.got = append(l.got, e)
}

func (l *eventLog) has(k event.Kind) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.got {
		if e.Kind == k {
			return true
		}
	}
	return false
}

func TestClosedWindowLeavesThePageInTheSizeOfTheOther(t *testing.T) {
	ctx, b := newBrowser(t, browser.Config{})
	url := site(t, map[string]any{"/": `<title>Sizes</title>`})
	first, err := b.OpenLiveReader(900, 600, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	openPage(t, ctx, b.Session(""), url)
	second, err := b.OpenLiveReader(500, 400, 1)
	if err != nil {
		t.Fatal(err)
	}
	width := func(want string) func() bool {
		return func() bool {
			_, got, err := b.Session("").Evaluate(ctx, browser.EvaluateOptions{Script: "innerWidth"})
			return err == nil && got.Text == want
		}
	}
	eventually(t, "the size of the second window", width("500"))
	second.Close()
	eventually(t, "the size of the first window", width("900"))
}

func TestLiveViewShowsPageAndForwardsInput(t *testing.T) {
	var events eventLog
	ctx, b := newBrowser(t, browser.Config{Publish: events.add})
	url := site(t, map[string]any{"/": `<title>Live</title><body style="margin:0"><button style="position:absolute;left:20px;top:30px;width:100px;height:40px" onclick="this.textContent = 'Pressed'">Press</button>
<input aria-label=F style="position:absolute;left:20px;top:100px"><script>let n = 0; setInterval(() => { document.body.style.background = n++ % 2 ? '#fff' : '#eee' }, 20)</script>`})
	live, err := b.OpenLiveReader(900, 600, 1)
	if err != nil {
		t.Fatal(err)
	}
	page := openPage(t, ctx, b.Session(""), url)
	next := func() (browser.LiveFrame, bool) {
		select {
		case f, ok := <-live.Frames():
			return f, ok
		case <-time.After(20 * time.Second):
			return browser.LiveFrame{}, false
		}
	}
	var frame browser.LiveFrame
	eventually(t, "a picture of the place's size", func() bool {
		f, ok := next()
		live.Ack(f.Header.Frame)
		frame = f
		return ok && f.Header.Width == 900 && f.Header.Height == 600
	})
	if frame.Header.Tab != page.Page.Tab || !bytes.HasPrefix(frame.JPEG, []byte{0xff, 0xd8}) {
		t.Errorf("the picture is %+v with %d bytes", frame.Header, len(frame.JPEG))
	}
	// Without acknowledgement at most two pictures come, however much the page changes.
	for range 2 {
		if _, ok := next(); !ok {
			t.Fatal("the pictures stopped early")
		}
	}
	select {
	case f := <-live.Frames():
		t.Errorf("picture %d came without an acknowledgement", f.Header.Frame)
	case <-time.After(300 * time.Millisecond):
	}
	for _, in := range []wire.Input{
		{Type: "move", X: 70, Y: 50},
		{Type: "down", X: 70, Y: 50, Button: "left", Count: 1},
		{Type: "up", X: 70, Y: 50, Button: "left", Count: 1},
		{Type: "down", X: 40, Y: 110, Button: "left", Count: 1},
		{Type: "up", X: 40, Y: 110, Button: "left", Count: 1},
		{Type: "keydown", Key: "H", Modifiers: 8},
		{Type: "keyup", Key: "H", Modifiers: 8},
		{Type: "text", Text: "and"},
	} {
		if err := b.DispatchInput(ctx, "", in); err != nil {
			t.Fatalf("%+v: %v", in, err)
		}
	}
	eventually(t, "the marks follow the input", func() bool {
		m, pressed, typed := b.Marks(), false, false
		if m == nil {
			return false
		}
		for _, e := range m.Elements {
			pressed = pressed || e.Name == "Pressed"
			typed = typed || e.Value == "Hand"
		}
		return pressed && typed && m.Width == 900
	})
	now := findElement(t, annotate(t, b.Session(""), surface.AnnotateOptions{}), "button", "Pressed")
	if _, err := b.Session("").Hover(ctx, now.ID); err != nil {
		t.Fatal(err)
	}
	for _, k := range []event.Kind{event.BrowserChanged, event.MarksChanged, event.PointerMoved} {
		eventually(t, "the window hears of "+string(k), func() bool { return events.has(k) })
	}
	state := b.State()
	if state.Status != "ready" || len(state.Tabs) != 1 || state.Tabs[0].Title != "Live" ||
		state.Active != page.Page.Tab {
		t.Errorf("the state is %+v", state)
	}
	live.Close()
	if _, open := <-live.Frames(); open {
		t.Error("the pictures go on after closing")
	}
}

func TestMarksFollowResizeDuringAction(t *testing.T) {
	ctx, b := newBrowser(t, browser.Config{})
	url := site(t, map[string]any{"/": `<title>Wide</title><button style="position:fixed;right:20px">Right</button>`})
	live, err := b.OpenLiveReader(900, 600, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	openPage(t, ctx, b.Session(""), url)
	release, err := b.Session("").HoldForTest(ctx)
	if err != nil {
		t.Fatal(err)
	}
	live.Resize(640, 600, 1)
	eventually(t, "the picture has the new size", func() bool {
		select {
		case f := <-live.Frames():
			live.Ack(f.Header.Frame)
			return f.Header.Width == 640
		case <-time.After(time.Second):
			return false
		}
	})
	release()
	eventually(t, "the marks are at the new places", func() bool {
		m := b.Marks()
		return m != nil && m.Width == 640 && len(m.Elements) == 1 && m.Elements[0].Box.X < 640
	})
}

func TestFirstPageHasNoBackEntry(t *testing.T) {
	ctx, b := newBrowser(t, browser.Config{})
	s := b.Session("")
	url := site(t, map[string]any{"/": `<title>One</title>`, "/two": `<title>Two</title>`})
	openPage(t, ctx, s, url)
	back := func() bool { return len(b.State().Tabs) == 1 && b.State().Tabs[0].CanGoBack }
	eventually(t, "the first page is reported", func() bool {
		return len(b.State().Tabs) == 1 &&
			b.State().Tabs[0].Title == "One"
	})
	if back() {
		t.Error("the first page can go back")
	}
	openPage(t, ctx, s, url+"/two")
	eventually(t, "the second page can go back", back)
	if _, err := s.Navigate(ctx, browser.NavigateOptions{Action: "back"}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "back on the first page it can only go forward",
		func() bool { return !back() && b.State().Tabs[0].CanGoForward })
}
