package browser_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"sextant/backend/browser"
	"sextant/backend/surface"
)

func TestPageOfManyEmptyBoxes(t *testing.T) {
	ctx, s := session(t)
	page := openPage(t, ctx, s, site(t, map[string]any{"/": `<title>Grid</title><style>i{display:inline-block}div{width:9px;height:9px;float:left}</style>
<button>Start</button>` + strings.Repeat("<div></div>", 500)}))
	findElement(t, page, "button", "Start")
}

func TestCanceledDragDoesNotClick(t *testing.T) {
	ctx, s := session(t)
	page := openPage(t, ctx, s, site(t, map[string]any{"/": `<title>quiet</title><style>#v{position:fixed;inset:0;display:none}</style>
<button>Shy</button><button id=v>Veil</button><script>
document.querySelector('button').onmousemove = () => { v.style.display = 'block' }
for (const k of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click']) v.addEventListener(k, () => { document.title += ' ' + k })
</script>`}))
	_, err := s.Drag(ctx, browser.DragOptions{
		From: browser.Point{ID: findElement(t, page, "button", "Shy").ID},
		By:   &browser.Point{X: 40},
	})
	expectFault(t, err, surface.FaultCovered)
	if ans, err := s.Annotate(ctx, surface.AnnotateOptions{}); err != nil || ans.Page.Title != "quiet" {
		t.Errorf("the veil got the drag: %+v, %v", ans.Page, err)
	}
}

func TestMissedClickIsNotRepeatedAfterRequest(t *testing.T) {
	ctx, s := session(t)
	page := openPage(t, ctx, s, site(t, map[string]any{"/": `<title>slips</title><style>button:active{transform:translateX(300px)}</style><button>Slippery</button><script>
let n = 0
const b = document.querySelector('button')
b.onmousedown = () => { n++; fetch('/felt') }
b.onclick = () => { n += 100 }
</script>`, "/felt": ""}))
	if _, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", "Slippery").ID}); err != nil {
		t.Fatal(err)
	}
	if got := evaluate(t, ctx, s, "n"); got != "1" {
		t.Errorf("the page got %s presses", got)
	}
}

func TestWaitEndedByDialogIsNotSuccess(t *testing.T) {
	ctx, s := session(t)
	var waiting atomic.Bool
	openPage(t, ctx, s, site(t, map[string]any{
		"/": `<title>Late</title><p>Here</p><script>
			const ask = async () => await (await fetch('/waiting')).text() === 'true' ? alert('Stop') : setTimeout(ask, 300)
			ask()</script>`,
		"/waiting": func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, waiting.Load()) },
	}))
	go func() {
		for !s.ActingForTest() && ctx.Err() == nil {
			time.Sleep(5 * time.Millisecond)
		}
		time.Sleep(300 * time.Millisecond) // well after the wait began
		waiting.Store(true)
	}()
	ans, err := s.Wait(ctx, surface.WaitOptions{Text: "Never", Seconds: 20})
	if err != nil || ans.Outcome != `stopped waiting: "Never" did not appear` {
		t.Errorf("the answer is %+v, %v", ans, err)
	}
}

func TestAuthRequestSurvivesAlert(t *testing.T) {
	ctx, s := session(t)
	var asked atomic.Bool
	openPage(t, ctx, s, site(t, map[string]any{
		"/": `<title>Outer</title><script>
			const ask = async () => await (await fetch('/asked')).text() === 'true' ? alert('Wait') : setTimeout(ask, 100)
			setTimeout(() => { location = '/closed'; ask() }, 100)</script>`,
		"/asked": func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, asked.Load()) },
		"/closed": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", `Basic realm="Vault"`)
			w.WriteHeader(http.StatusUnauthorized)
		},
	}))
	eventually(t, "the site asks for a log-in", func() bool {
		what, _ := s.DescribeDialog()
		return strings.Contains(what, "user name")
	})
	asked.Store(true)
	eventually(t, "the alert lies over the question", func() bool {
		what, _ := s.DescribeDialog()
		return strings.Contains(what, "Wait")
	})
	if _, err := s.HandleDialog(ctx, browser.DialogOptions{Accept: true}); err != nil {
		t.Fatal(err)
	}
	if what, _ := s.DescribeDialog(); !strings.Contains(what, "user name") {
		t.Errorf("after the alert was answered the tab asks for %q", what)
	}
}
