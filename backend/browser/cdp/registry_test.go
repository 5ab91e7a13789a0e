package cdp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"
	"go.uber.org/goleak"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/launch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// eventLog records events in their order.
type eventLog struct {
	opened chan *cdp.Page
	mu     sync.Mutex
	heard  []string
}

func (l *eventLog) HandlePageOpened(p *cdp.Page) {
	l.add("opened")
	l.opened <- p
}
func (l *eventLog) HandlePageEvent(_ *cdp.Page, e cdp.Event) { l.add(e.Method) }
func (l *eventLog) HandlePageClosed(*cdp.Page)               {}

func (l *eventLog) add(what string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard = append(l.heard, what)
}

func (l *eventLog) has() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.heard)
}

// open starts a real Chromium and one tab on url.
func open(t *testing.T, url string) (context.Context, *cdp.Page) {
	t.Helper()
	ctx, page, _ := listen(t, url)
	return ctx, page
}

// listen is open that also returns the events.
func listen(t *testing.T, url string) (context.Context, *cdp.Page, *eventLog) {
	t.Helper()
	path, err := launch.Find("")
	if errors.Is(err, launch.ErrNotFound) {
		t.Skip("no Chromium on this machine: " + launch.InstallHint)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	t.Cleanup(cancel)
	proc, err := launch.Start(ctx, launch.Options{Path: path, Headless: true})
	if err != nil {
		t.Fatal(err)
	}
	l := &eventLog{opened: make(chan *cdp.Page, 8)}
	reg, err := cdp.Open(ctx, proc.Pipe, cdp.Options{
		Handler: l, DocumentCounter: &cdp.Counter{}, Log: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(func() {
		proc.Kill()
		if err := proc.Close(time.Second); err != nil {
			t.Error(err)
		}
		if reg != nil {
			reg.Conn().Wait()
		}
	})
	if err != nil {
		t.Fatalf("%v; the browser said: %s", err, proc.Stderr())
	}
	if _, err := (proto.TargetCreateTarget{URL: url}).Call(reg.Client(ctx)); err != nil {
		t.Fatal(err)
	}
	select {
	case p := <-l.opened:
		return ctx, p, l
	case <-ctx.Done():
		t.Fatal("no tab opened")
		return nil, nil, nil
	}
}

// eventually polls a condition.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for !ok() {
		if time.Now().After(deadline) {
			t.Fatalf("never happened: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func site(t *testing.T, pages map[string]string) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, pages[r.URL.Path])
	}))
	t.Cleanup(s.Close)
	return s
}

func otherSite(url string) string { return strings.Replace(url, "127.0.0.1", "localhost", 1) }

func TestCrossSiteFrameHasSessionAndPlacement(t *testing.T) {
	inner := site(
		t,
		map[string]string{
			"/":     `<body style="margin:0"><iframe src="/deep" style="position:absolute;left:7px;top:9px;border:0"></iframe>`,
			"/deep": `<p id=deep>deep`,
		},
	)
	outer := site(t, map[string]string{"/": `<body style="margin:0"><iframe id=f src="` + otherSite(inner.URL) +
		`/" style="position:absolute;left:100px;top:50px;border:3px solid;width:400px;height:300px;transform-origin:0 0;transform:scale(.5)"></iframe>`})
	ctx, page := open(t, outer.URL)
	var deep *cdp.Document
	eventually(t, "the frame inside the cross-site frame says who it is", func() bool {
		for _, d := range page.Documents() {
			raw, err := d.Call(ctx, `function (id) { return document.getElementById(id) ? location.host : '' }`, "deep")
			if err == nil && strings.Contains(string(raw), "localhost") {
				deep = d
			}
		}
		return deep != nil
	})
	place, err := deep.Placement(ctx)
	if err != nil {
		t.Fatal(err)
	}
	// 3 px border and 7/9 px offset, all at half size.
	if place.X != 105 || place.Y != 56 || place.ScaleX != .5 || place.ScaleY != .5 {
		t.Errorf("the nested frame is at %+v, want x 105, y 56, half size", place)
	}
	child, err := page.MainDocument().Child(ctx, 1, `function () { return document.getElementById('f') }`)
	if err != nil || child == nil || !strings.Contains(child.URL(), "localhost") {
		t.Errorf("the frame element leads to %v, %v", child, err)
	}
	if got := deep.Parent(); got != child {
		t.Errorf("the deep frame's parent is %v, want the cross-site frame", got)
	}
	raw, err := deep.EvalMain(ctx, `getEventListeners(document) && location.pathname`)
	if err != nil || string(raw) != `"/deep"` {
		t.Errorf("the page's own world answers %s, %v", raw, err)
	}
}

func TestEventsDuringSetupFollowOpening(t *testing.T) {
	_, _, l := listen(t, "about:blank")
	// The empty page's own script world is there before the tab is ready and is reported once.
	eventually(t, "the script world of the empty page", func() bool {
		return slices.Contains(l.has(), "Runtime.executionContextCreated")
	})
	if heard := l.has(); heard[0] != "opened" {
		t.Errorf("before its opening the tab did %s", heard[0])
	}
}

func TestNavigationEndsDocument(t *testing.T) {
	s := site(t, map[string]string{"/": `<title>one`, "/two": `<title>two`})
	ctx, page := open(t, s.URL+"/")
	eventually(t, "the first page", func() bool { return page.MainDocument().URL() == s.URL+"/" })
	one := page.MainDocument()
	if _, err := one.Call(ctx, `function () { globalThis.mark = 1 }`); err != nil {
		t.Fatal(err)
	}
	if _, err := (proto.PageNavigate{URL: s.URL + "/two"}).Call(page.Client(ctx)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the first document ends", func() bool { return !one.IsCurrent() })
	if _, err := one.Call(ctx, `function () { return 1 }`); !errors.Is(err, cdp.ErrReplaced) {
		t.Errorf("a call into the first document gives %v, want ErrReplaced", err)
	}
	raw, err := page.MainDocument().Call(ctx, `function () { return [typeof mark, document.title] }`)
	var got []string
	if err != nil || json.Unmarshal(raw, &got) != nil || got[0] != "undefined" || got[1] != "two" {
		t.Errorf("the second document says %s, %v", raw, err)
	}
}

func TestScriptExceptionIsError(t *testing.T) {
	s := site(t, map[string]string{"/": `x`})
	ctx, page := open(t, s.URL+"/")
	eventually(t, "the page", func() bool { return page.MainDocument().URL() == s.URL+"/" })
	_, err := page.MainDocument().Call(ctx, `function () { throw new Error('no such luck') }`)
	var script *cdp.ScriptError
	if !errors.As(err, &script) || !strings.Contains(script.Text, "no such luck") {
		t.Errorf("got %v", err)
	}
}
