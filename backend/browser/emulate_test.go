package browser_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sextant/backend/browser"
	"sextant/backend/surface"
)

func evaluate(t testing.TB, ctx context.Context, s *browser.Session, script string) string {
	t.Helper()
	_, got, err := s.Evaluate(ctx, browser.EvaluateOptions{Script: script})
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return got.Text
}

const viewportScript = `[innerWidth, innerHeight, devicePixelRatio, navigator.maxTouchPoints > 0, matchMedia('(prefers-color-scheme: dark)').matches, navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone, /Android.* Mobile/.test(navigator.userAgent)].join()`

func TestEmulationSurvivesNavigationAndRestart(t *testing.T) {
	ctx, b := newBrowser(t, browser.Config{})
	s := b.Session("")
	url := site(t, map[string]any{"/": `<meta name=viewport content="width=device-width"><title>One</title><button onclick="this.textContent = 'Hit'">B</button>
<iframe src="/frame" width=200></iframe>`, "/frame": `<title>F</title>`})
	openPage(t, ctx, s, url)
	phone := browser.Emulation{
		Device: "phone", Width: 390, Height: 844, Scale: 3, Mobile: true, Touch: true, ColorScheme: "dark",
		Locale: "de-DE", Timezone: "Asia/Tokyo",
		Geolocation: &browser.Geolocation{Latitude: 52.5, Longitude: 13.4, Accuracy: 10},
	}
	const want = `"390,844,3,true,true,de-DE,Asia/Tokyo,true"`
	if _, err := s.Emulate(ctx, phone); err != nil {
		t.Fatal(err)
	}
	if got := evaluate(t, ctx, s, viewportScript); got != want {
		t.Errorf("the page sees %s", got)
	}
	page := openPage(t, ctx, s, otherSite(url))
	if got := evaluate(t, ctx, s, viewportScript); got != want {
		t.Errorf("after a navigation the page sees %s", got)
	}
	where := "new Promise((r) => navigator.geolocation.getCurrentPosition((p) => r(p.coords.latitude), (e) => r('no " +
		"' + e.code)))"
	if got := evaluate(t, ctx, s, where); got != "52.5" {
		t.Errorf("the page is at %s", got)
	}
	findElement(t, click(t, ctx, s, page, "B"), "button", "Hit")
	if tab := b.State().Tabs[0]; tab.Device != "phone" {
		t.Errorf("the window sees %+v", tab)
	}
	b.KillForTest()
	eventually(t, "the state says that it ended", func() bool { return b.State().Status == "failed" })
	if _, err := s.Annotate(ctx, surface.AnnotateOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := evaluate(t, ctx, s, viewportScript); got != want {
		t.Errorf("after a restart the page sees %s", got)
	}
	if _, err := s.Emulate(ctx, browser.Emulation{}); err != nil {
		t.Fatal(err)
	}
	if got := evaluate(t, ctx, s, viewportScript); !strings.HasPrefix(got, `"1280,800,1,false,false,en`) ||
		strings.Contains(got, "Tokyo") || !strings.HasSuffix(got, `false"`) {
		t.Errorf("at the end the page sees %s", got)
	}
	if got := evaluate(t, ctx, s, where); got != `"no 1"` {
		t.Errorf("at the end the page is at %s", got)
	}
	_, err := s.Emulate(ctx, browser.Emulation{Timezone: "Mars/North"})
	expectFault(t, err, surface.FaultInvalid)
	_, err = s.Emulate(ctx, browser.Emulation{Network: "5g"})
	expectFault(t, err, surface.FaultInvalid)
	if _, err := s.Emulate(ctx, browser.Emulation{Network: "offline"}); err != nil {
		t.Fatal(err)
	}
	_, err = s.Navigate(ctx, browser.NavigateOptions{URL: url})
	if f := expectFault(t, err, surface.FaultNoPage); !strings.Contains(f.Message, "INTERNET_DISCONNECTED") {
		t.Errorf("without a network: %q", f.Message)
	}
}

func TestGeolocationIsLimitedToTheTabsSite(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{"/": `<title>-</title><script>
const asked = new Promise((r) => navigator.geolocation.getCurrentPosition((p) => r(p.coords.latitude), (e) => r('no ' + e.code)))
</script>`})
	other := otherSite(url)
	openPage(t, ctx, s, other)
	_, tabs, err := s.ManageTabs(ctx, browser.TabCommand{Action: "open", URL: url})
	if err != nil {
		t.Fatal(err)
	}
	aside, fore := tabs[0].ID, tabs[1].ID
	if _, err := s.Emulate(ctx, browser.Emulation{Geolocation: &browser.Geolocation{Latitude: 52.5}}); err != nil {
		t.Fatal(err)
	}
	again := "new Promise((r) => navigator.geolocation.getCurrentPosition((p) => r(p.coords.latitude), (e) => r('no " +
		"' + e.code)))"
	want := func(when, script, latitude string) {
		t.Helper()
		if got := evaluate(t, ctx, s, script); got != latitude {
			t.Errorf("%s: %s, want %s", when, got, latitude)
		}
	}
	want("the tab that pretends", again, "52.5")
	to := func(id int) {
		t.Helper()
		if _, _, err := s.ManageTabs(ctx, browser.TabCommand{Action: "select", Tab: id}); err != nil {
			t.Fatal(err)
		}
	}
	to(aside)
	want("another site in another tab", again, `"no 1"`)
	to(fore)
	openPage(t, ctx, s, other)
	want("the other site, in its first line", "asked", "52.5")
	openPage(t, ctx, s, "about:blank")
	to(aside)
	want("that site once the tab has left it", again, `"no 1"`)
	openPage(t, ctx, s, url)
	want("the first site once the tab has left it", again, `"no 1"`)
}

func TestClickOnScaledDownPhonePage(t *testing.T) {
	ctx, s := session(t)
	openPage(t, ctx, s, site(t, map[string]any{
		"/": `<title>Wide</title><body style="width:1600px"><button style="position:absolute;left:700px;top:500px" onclick="this.textContent = 'Hit'">B</button>`,
	}))
	ans, err := s.Emulate(ctx, browser.Emulation{Width: 390, Height: 844, Scale: 2, Mobile: true, Touch: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("viewport: %s", evaluate(t, ctx, s, "[innerWidth, innerHeight, visualViewport.scale].join()"))
	findElement(t, click(t, ctx, s, ans, "B"), "button", "Hit")
}

func TestNewTabInheritsEmulation(t *testing.T) {
	ctx, b := newBrowser(t, browser.Config{})
	s := b.Session("")
	url := site(t, map[string]any{"/": `<title>One</title>`})
	s.SetDevice(browser.Emulation{Device: "tablet", Width: 820, Height: 1180, Scale: 2, Touch: true})
	openPage(t, ctx, s, url)
	if got := evaluate(t, ctx, s, "innerWidth"); got != "820" {
		t.Errorf("the first tab is %s wide", got)
	}
	s.SetDevice(browser.Emulation{})
	if got := evaluate(t, ctx, s, "innerWidth"); got != "1280" {
		t.Errorf("at the end it is %s wide", got)
	}
}

func TestSavePDF(t *testing.T) {
	dir := t.TempDir()
	ctx, b := newBrowser(t, browser.Config{DownloadDir: dir})
	s := b.Session("")
	openPage(t, ctx, s, site(t,
		map[string]any{"/": `<title>../A report</title><h1>Report</h1><p style="page-break-before:always">Two`}))
	for _, name := range []string{"A report.pdf", "A report (2).pdf"} {
		d, err := s.PrintPDF(ctx, browser.PDFOptions{Landscape: true, Scale: 0.5})
		if err != nil {
			t.Fatal(err)
		}
		raw, err := os.ReadFile(d.Path)
		if err != nil || d.Path != filepath.Join(dir, name) || !bytes.HasPrefix(raw, []byte("%PDF-")) ||
			int64(len(raw)) != d.Size {
			t.Errorf("%+v: %d bytes, %v", d, len(raw), err)
		}
	}
	if list := s.Downloads(); len(list) != 2 || list[0].State != "done" {
		t.Errorf("listed is %+v", list)
	}
	_, err := s.PrintPDF(ctx, browser.PDFOptions{Pages: "7-9"})
	expectFault(t, err, surface.FaultInvalid)
	_, err = s.PrintPDF(ctx, browser.PDFOptions{Paper: "a17"})
	expectFault(t, err, surface.FaultInvalid)
}

func TestPageToolsAreListedAndCalled(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{
		"/": `<title>-</title><form toolname="search" tooldescription="Finds things"><input name=q toolparamdescription="what"><button>Go</button></form>
<script>document.modelContext.registerTool({name: 'add', description: 'Adds', inputSchema: {type: 'object', properties: {a: {type: 'number'}}}, execute: async (x) => { document.title = 'added'; return {content: [{type: 'text', text: 'sum ' + (x.a + 1)}]} }});
document.modelContext.registerTool({name: 'fail', description: 'Fails', execute: async () => { throw new Error('on purpose') }})</script>`,
		"/none": `<title>None</title>`,
	})
	openPage(t, ctx, s, url)
	list, err := s.PageTools(ctx)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]browser.PageTool{}
	for _, p := range list {
		names[p.Name] = p
	}
	if len(list) != 3 || !names["search"].FillsForm || names["add"].FillsForm ||
		!strings.Contains(string(names["add"].Parameters), `"a"`) {
		t.Fatalf("offered is %+v", list)
	}
	ans, said, err := s.CallPageTool(ctx, "add", url, json.RawMessage(`{"a":2}`))
	if err != nil || said != "sum 3" || ans.Page.Title != "added" {
		t.Errorf("add says %q, %+v, %v", said, ans.Page, err)
	}
	_, _, err = s.CallPageTool(ctx, "fail", url, nil)
	if f := expectFault(t, err, surface.FaultInvalid); !strings.Contains(f.Message, "on purpose") {
		t.Errorf("the fault says %q", f.Message)
	}
	ans, _, err = s.CallPageTool(ctx, "search", url, json.RawMessage(`{"q":"lamp"}`))
	if err != nil || !strings.Contains(ans.Note, "not sent") ||
		evaluate(t, ctx, s, "document.forms[0].q.value") != `"lamp"` {
		t.Errorf("the form: %+v, %v", ans, err)
	}
	_, _, err = s.CallPageTool(ctx, "nothing", url, nil)
	expectFault(t, err, surface.FaultNotFound)
	openPage(t, ctx, s, url+"/none")
	if list, err = s.PageTools(ctx); err != nil || len(list) != 0 {
		t.Errorf("a page without tools offers %+v, %v", list, err)
	}
}
