package browser_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"sextant/backend/browser"
	"sextant/backend/surface"
	"sextant/shared/annotation"
	"sextant/shared/event"
)

// expectEvent fails the test unless an event of the kind holds all the parts.
func expectEvent(t testing.TB, ans annotation.Observation, kind string, parts ...string) annotation.Event {
	t.Helper()
	for _, e := range ans.Events {
		all := e.Kind == kind
		for _, p := range parts {
			all = all && strings.Contains(e.String(), p)
		}
		if all {
			return e
		}
	}
	t.Errorf("no %s with %q in %q; outcome %q, note %q", kind, parts, ans.Events, ans.Outcome, ans.Note)
	return annotation.Event{}
}

func click(t testing.TB, ctx context.Context, s *browser.Session, page annotation.Observation,
	name string,
) annotation.Observation {
	t.Helper()
	for _, e := range page.Elements {
		if e.Name == name {
			ans, err := s.Click(ctx, surface.ClickOptions{ID: e.ID})
			if err != nil {
				t.Fatalf("clicking %q: %v", name, err)
			}
			return ans
		}
	}
	t.Fatalf("no %q in %+v", name, page.Elements)
	return annotation.Observation{}
}

func TestNavigationReportsRedirectsAndStatus(t *testing.T) {
	ctx, s := session(t)
	to := func(where string, code int) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, where, code) }
	}
	url := site(t, map[string]any{
		"/":    `<title>Start</title><a href=/r>Away</a> <a href=/none>None</a> <a href=/empty>Empty</a> <a href="http://127.0.0.1:1/">Dead</a> <a href="mailto:a@b.example">Mail</a> <a href="#x">Here</a>`,
		"/r":   to("/r2", http.StatusFound),
		"/r2":  to("/end", http.StatusMovedPermanently),
		"/end": `<title>End</title>`,
		"/empty": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNoContent)
		},
	})
	page := openPage(t, ctx, s, url)
	expectEvent(t, page, "navigated", "navigated to "+url+"/ (200)")
	expectEvent(t, click(t, ctx, s, page, "Here"), "navigated", "navigated to "+url+"/#x")
	if ans := click(t, ctx, s, page, "Empty"); ans.Page.Title != "Start" {
		t.Errorf("an empty answer leads to %+v", ans.Page)
	} else {
		expectEvent(t, ans, "page", "/empty answered 204")
	}
	expectEvent(t, click(t, ctx, s, page, "Mail"), "external", "mailto:a@b.example", "nothing was opened")
	expectEvent(t, click(t, ctx, s, page, "Away"), "navigated", "navigated to "+url+"/end (302 → 301 → 200)")
	page = openPage(t, ctx, s, url)
	expectEvent(t, click(t, ctx, s, page, "None"), "navigated", "/none (404 Not Found)")
	page = openPage(t, ctx, s, url)
	expectEvent(t, click(t, ctx, s, page, "Dead"), "navigation_failed", "navigation to http://127.0.0.1:1/ failed",
		"net::ERR_UNSAFE_PORT")
}

func TestPromptTakesText(t *testing.T) {
	ctx, s := session(t)
	page := openPage(t, ctx, s, site(t,
		map[string]any{"/": `<title>-</title><button onclick="document.title = prompt('Name?', 'Ana')">Ask</button>`}))
	_, err := s.HandleDialog(ctx, browser.DialogOptions{Accept: true})
	expectFault(t, err, surface.FaultDialog)
	expectEvent(t, click(t, ctx, s, page, "Ask"), "dialog", `prompt "Name?" (default "Ana")`)
	_, err = s.HandleDialog(ctx, browser.DialogOptions{Accept: true, User: "x"})
	expectFault(t, err, surface.FaultInvalid)
	text := "Zoë"
	ans, err := s.HandleDialog(ctx, browser.DialogOptions{Accept: true, Text: &text})
	if err != nil || ans.Page.Title != "Zoë" ||
		!strings.Contains(ans.Outcome, `accepted the prompt "Name?" with "Zoë"`) {
		t.Errorf("the prompt gave %q: %q, %v", ans.Page.Title, ans.Outcome, err)
	}
	click(t, ctx, s, page, "Ask")
	if ans, err = s.HandleDialog(ctx, browser.DialogOptions{}); err != nil || ans.Page.Title != "null" {
		t.Errorf("dismissing gave %q, %v", ans.Page.Title, err)
	}
}

func TestRepeatedDialogsAreLimited(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{
		"/":      `<title>-</title><button onclick="let n = 0; for (; n < 12; n++) alert(n); document.title = n">Twelve</button> <button onclick="for (;;) alert('again')">Storm</button>`,
		"/after": `<title>After</title>`,
	})
	page := openPage(t, ctx, s, url)
	ans := click(t, ctx, s, page, "Twelve")
	for n := 0; ans.SettledBy == "dialog"; n++ {
		if n == 6 {
			t.Fatal("every dialog of a row is asked about")
		}
		var err error
		if ans, err = s.HandleDialog(ctx, browser.DialogOptions{Accept: true}); err != nil {
			t.Fatal(err)
		}
	}
	expectEvent(t, ans, "dialog", "8 more in a row were answered")
	if ans.Page.Title != "12" {
		t.Errorf("the page ended with %q", ans.Page.Title)
	}
	ans = click(t, ctx, s, page, "Storm")
	var err error
	for n := 0; err == nil; n++ {
		if n == 6 {
			t.Fatal("the storm goes on")
		}
		ans, err = s.HandleDialog(ctx, browser.DialogOptions{Accept: true})
	}
	if f := expectFault(t, err, surface.FaultCrashed); !strings.Contains(f.Message, "dialogs in a row") {
		t.Errorf("the fault says %q", f.Message)
	}
	if ans = openPage(t, ctx, s, url+"/after"); ans.Page.Title != "After" {
		t.Errorf("after the storm the tab shows %+v", ans.Page)
	}
}

func TestHTTPAuthenticationIsAnswered(t *testing.T) {
	ctx, s := session(t)
	guarded := func(w http.ResponseWriter, r *http.Request) {
		if name, word, _ := r.BasicAuth(); name != "ana" || word != "lantern" {
			w.Header().Set("WWW-Authenticate", `Basic realm="Vault"`)
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = w.Write([]byte("<title>Closed</title>"))
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<title>Inside</title>"))
	}
	url := site(t, map[string]any{
		"/": `<title>Out</title><a href=/vault>In</a>`, "/vault": guarded,
		"/framed": `<title>Framed</title><iframe src=/vault></iframe><button>B</button>`,
	})
	expectEvent(t, openPage(t, ctx, s, url+"/framed"), "dialog", "a frame asks for a user name", "Vault")
	page := openPage(t, ctx, s, url)
	expectEvent(t, click(t, ctx, s, page, "In"), "dialog", "log-in: "+url, "Vault")
	_, err := s.Annotate(ctx, surface.AnnotateOptions{})
	expectFault(t, err, surface.FaultDialog)
	_, err = s.HandleDialog(ctx, browser.DialogOptions{Accept: true})
	expectFault(t, err, surface.FaultInvalid)
	ans, err := s.HandleDialog(ctx, browser.DialogOptions{Accept: true, User: "ana", Password: "wrong"})
	if err != nil {
		t.Fatal(err)
	}
	expectEvent(t, ans, "dialog", "refused them and asks again")
	if ans, err = s.HandleDialog(ctx, browser.DialogOptions{
		Accept: true, User: "ana",
		Password: "lantern",
	}); err != nil || ans.Page.Title != "Inside" {
		t.Fatalf("logged in: %+v, %v", ans, err)
	}
	expectEvent(t, ans, "navigated", "/vault (200)")
	if strings.Contains(ans.Outcome, "lantern") {
		t.Errorf("the password is reported: %q", ans.Outcome)
	}
	other := otherSite(url) + "/vault"
	expectEvent(t, openPage(t, ctx, s, other), "dialog", "log-in")
	if ans, err = s.HandleDialog(ctx, browser.DialogOptions{}); err != nil || ans.Page.Title != "Closed" {
		t.Errorf("giving up: %+v, %v", ans.Page, err)
	}
	expectEvent(t, ans, "navigated", "(401 Unauthorized)")
	expectEvent(t, openPage(t, ctx, s, other), "dialog", "asks for a user name")
	if ans = openPage(t, ctx, s, url); ans.Page.Title != "Out" {
		t.Errorf("a log-in that is not answered cannot be left: %+v", ans.Page)
	}
}

func TestPermissionRequestsAreDeniedAndReported(t *testing.T) {
	ctx, s := session(t)
	page := openPage(t, ctx, s, site(t, map[string]any{"/": `<title>-</title>
<button onclick="print(); document.title = 'on'">Print</button>
<button onclick="navigator.geolocation.getCurrentPosition(() => {}, (e) => { document.title = 'no ' + e.code })">Where</button>
<button onclick="navigator.clipboard.readText().catch((e) => { document.title = e.name })">Paste</button>
<button onclick="document.documentElement.requestFullscreen()">Full</button>
<button onclick="window.close(); document.title = 'still'">Close</button>
<input type=file aria-label=Picture multiple>`}))
	if ans := click(t, ctx, s, page, "Print"); ans.Page.Title != "on" {
		t.Errorf("printing holds the page: %q", ans.Page.Title)
	} else {
		expectEvent(t, ans, "page", "asked to print")
	}
	ans := click(t, ctx, s, page, "Where")
	expectEvent(t, ans, "permission", "the location", "denied")
	expectEvent(t, click(t, ctx, s, page, "Paste"), "permission", "the clipboard")
	expectEvent(t, click(t, ctx, s, page, "Full"), "page", "fills the screen")
	if _, err := s.PressKey(ctx, "Escape"); err != nil {
		t.Fatal(err)
	}
	expectEvent(t, click(t, ctx, s, page, "Picture"), "file_chooser", "asks for files", "upload_file")
	_, err := s.HandleDialog(ctx, browser.DialogOptions{Accept: true})
	expectFault(t, err, surface.FaultDialog)
	if ans, err = s.HandleDialog(ctx, browser.DialogOptions{}); err != nil || ans.Outcome != "gave the page no file" {
		t.Errorf("giving no file: %q, %v", ans.Outcome, err)
	}
	if ans = click(t, ctx, s, page, "Close"); ans.Page.Title != "still" {
		t.Errorf("a tab that no script opened was closed by one: %+v", ans)
	}
}

func TestOnlyErrorsCausedByActionAreReported(t *testing.T) {
	ctx, s := session(t)
	page := openPage(t, ctx, s, site(t, map[string]any{"/": `<title>-</title>
<button onclick="for (let i = 0; i < 3; i++) console.error('same'); for (let i = 0; i < 9; i++) console.error('kind %s', i, {a: 'x'})">Loud</button> <button>Quiet</button>
<script>setTimeout(() => { console.error('by a timer'); document.title = 'late' }, 700)</script>`}))
	eventually(t, "the timer's error", func() bool {
		list, _, err := s.ConsoleMessages(browser.ConsoleOptions{Level: "error"})
		return err == nil && slices.ContainsFunc(list,
			func(m browser.ConsoleMessage) bool { return m.Text == "by a timer" })
	})
	ans := click(t, ctx, s, page, "Loud")
	expectEvent(t, ans, "console_error", `"same" (3 times)`)
	expectEvent(t, ans, "console_error", `"kind 0 {a: \"x\"}"`)
	expectEvent(t, ans, "console_error", "5 more, see console_messages")
	for _, e := range ans.Events {
		if strings.Contains(e.Text, "timer") {
			t.Errorf("the error of a timer is reported: %q", e.Text)
		}
	}
	if ans = click(t, ctx, s, page, "Quiet"); len(ans.Events) != 0 {
		t.Errorf("a quiet click tells %q", ans.Events)
	}
	list, more, err := s.ConsoleMessages(browser.ConsoleOptions{Level: "warning", Limit: 4, Clear: true})
	if err != nil || len(list) != 4 || more < 7 {
		t.Errorf("%d messages and %d more, %v", len(list), more, err)
	}
	if list, _, _ = s.ConsoleMessages(browser.ConsoleOptions{}); len(list) != 0 {
		t.Errorf("after clearing there are %+v", list)
	}
	_, _, err = s.ConsoleMessages(browser.ConsoleOptions{Level: "loud"})
	expectFault(t, err, surface.FaultInvalid)
}

func TestRequestsAreListedWithBodies(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{
		"/": `<title>-</title><button onclick="fetch('/api', {method: 'POST', body: 'ping', headers: {Authorization: 'Bearer geheim', 'X-Kind': 'k'}}).then((r) => r.text()).then((x) => { document.title = x })">Call</button><img src=/missing.png>`,
		"/api": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Set-Cookie", "id=geheim")
			w.WriteHeader(http.StatusAccepted)
			_, _ = w.Write([]byte(`{"pong":true}`))
		},
	})
	page := openPage(t, ctx, s, url)
	click(t, ctx, s, page, "Call")
	list, _ := s.Requests(browser.RequestFilter{URL: "/api", Status: "2xx", Type: "fetch"})
	if len(list) != 1 || list[0].Status != http.StatusAccepted || list[0].Method != "POST" || list[0].Running {
		t.Fatalf("the call is %+v", list)
	}
	d, err := s.Request(ctx, list[0].ID)
	if err != nil || d.RequestBody != "ping" || d.Body != `{"pong":true}` ||
		d.RequestHeaders["Authorization"] != "•••" || d.RequestHeaders["X-Kind"] != "k" {
		t.Errorf("the call was %+v, %v", d, err)
	}
	for _, v := range d.ResponseHeaders {
		if strings.Contains(v, "geheim") {
			t.Errorf("a secret header is listed: %v", d.ResponseHeaders)
		}
	}
	if list, _ = s.Requests(browser.RequestFilter{Status: "404", URL: "missing"}); len(list) != 1 ||
		list[0].Type != "image" {
		t.Errorf("what was missing: %+v", list)
	}
	if list, more := s.Requests(browser.RequestFilter{Limit: 1}); len(list) != 1 || more < 2 {
		t.Errorf("the newest one is %+v, %d more", list, more)
	}
	_, err = s.Request(ctx, 999)
	expectFault(t, err, surface.FaultNotFound)
}

// serveDownload serves a download under a name that tries to leave its folder.
func serveDownload(size int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", `attachment; filename="..\\..\\re<port>.pdf"`)
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = w.Write(make([]byte, size))
	}
}

func TestDownloadIsSavedUnderSafeName(t *testing.T) {
	dir := t.TempDir()
	ctx, b := newBrowser(t, browser.Config{DownloadDir: dir})
	url := site(t, map[string]any{
		"/":     `<a href=/file>Get it</a> <a href=/file target=_blank>In a tab</a>`,
		"/file": serveDownload(5000),
	})
	s := b.Session("other/../program")
	page := openPage(t, ctx, s, url)
	var paths []string
	for _, name := range []string{"Get it", "In a tab"} {
		ans := click(t, ctx, s, page, name)
		eventually(t, "the file is there", func() bool {
			list := s.Downloads()
			return len(list) == len(paths)+1 && list[len(list)-1].State == "done"
		})
		list := s.Downloads()
		d := list[len(list)-1]
		paths = append(paths, d.Path)
		expectEvent(t, ans, "download", "download: ", ".pdf")
		info, err := os.Stat(d.Path)
		if err != nil || info.Size() != 5000 || info.Mode().Perm() != 0o600 || d.Received != 5000 {
			t.Errorf("%+v: %v, %v", d, info, err)
		}
		if rel, err := filepath.Rel(dir, d.Path); err != nil || strings.HasPrefix(rel, "..") ||
			strings.Count(rel, "/") != 1 {
			t.Errorf("the file lies at %s, outside of %s", d.Path, dir)
		}
	}
	if paths[0] == paths[1] {
		t.Errorf("one file took the other's place: %s", paths[0])
	}
	if ans, err := s.Navigate(ctx, browser.NavigateOptions{URL: url + "/file"}); err != nil || ans.Page.URL != url+"/" {
		t.Errorf("opening a download: %+v, %v", ans.Page, err)
	} else {
		expectEvent(t, ans, "download", "5.0 KB, saved as "+dir)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*", ".partial", "*")); len(left) != 0 {
		t.Errorf("left over: %v", left)
	}
}

func TestRunningDownloadIsListedAndCanceled(t *testing.T) {
	ctx, b := newBrowser(t, browser.Config{})
	s := b.Session("")
	slow := make(chan struct{})
	url := site(t, map[string]any{
		"/": `<a href=/big download="big.iso">Get it</a>`,
		"/big": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Length", "100000000")
			w.Header().Set("Content-Disposition", "attachment")
			_, _ = w.Write(make([]byte, 200_000))
			w.(http.Flusher).Flush()
			select {
			case <-slow:
			case <-r.Context().Done():
			}
		},
	})
	defer close(slow)
	page := openPage(t, ctx, s, url)
	begun := time.Now()
	ans := click(t, ctx, s, page, "Get it")
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("the click waits for the whole file: %s", took)
	}
	// On a busy machine, the page settles before the download starts. Then the next answer has the event.
	eventually(t, "the download starts", func() bool { return len(b.State().Downloads) > 0 })
	if len(ans.Events) == 0 {
		ans = annotate(t, s, surface.AnnotateOptions{})
	}
	expectEvent(t, ans, "download", `"big.iso" is running`, "of 100.0 MB")
	state := func() event.Download { return b.State().Downloads[0] }
	if d := state(); d.State != "running" || d.Size != 100_000_000 {
		t.Errorf("the window sees %+v", d)
	}
	if err := s.CancelDownload(ctx, state().ID); err != nil {
		t.Fatal(err)
	}
	if d := state(); d.State != "cancelled" {
		t.Errorf("after cancelling it is %+v", d)
	}
	expectFault(t, s.CancelDownload(ctx, state().ID), surface.FaultInvalid)
	expectFault(t, s.CancelDownload(ctx, 77), surface.FaultNotFound)
}
