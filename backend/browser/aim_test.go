package browser_test

import (
	"fmt"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/surface"
)

// longForm is true where the long forms of tests are wanted (make e2e).
func longForm() bool { return os.Getenv("SEXTANT_WHOLE") != "" }

type viewSetup struct {
	zoom  string
	turn  string
	scale float64
	pinch float64
}

func viewSetups() []viewSetup {
	if !longForm() {
		return []viewSetup{
			{"0.5", "", 1, 1},
			{"3", "", 2, 1},
			{"0.75", "rotate(33deg) scale(.8)", 3, 1},
			{"1.5", "perspective(900px) rotateY(24deg)", 1, 1},
			{"1", "", 1, 2},
			{"2", "rotate(20deg)", 1, 1.5},
		}
	}
	var all []viewSetup
	for _, zoom := range []string{"0.5", "0.75", "1", "1.5", "2", "3"} {
		for _, scale := range []float64{1, 2, 3} {
			for _, turn := range []string{
				"", "rotate(33deg) scale(.8)", "scale(1.7)",
				"perspective(900px) rotateY(24deg)",
			} {
				all = append(all, viewSetup{zoom, turn, scale, 1})
			}
		}
		all = append(all, viewSetup{zoom, "", 1, 2})
	}
	return all
}

func TestClickAtEveryZoom(t *testing.T) {
	ctx, s := session(t)
	base := hardPages(t)
	openPage(t, ctx, s, "about:blank")
	for _, l := range viewSetups() {
		set := []proto.Request{
			proto.EmulationSetDeviceMetricsOverride{Width: 1000, Height: 700, DeviceScaleFactor: l.scale},
			proto.EmulationSetPageScaleFactor{PageScaleFactor: l.pinch},
		}
		page := openPage(t, ctx, s, fmt.Sprintf("%s/zoom?zoom=%s&turn=%s", base, l.zoom, url.QueryEscape(l.turn)))
		if err := s.SendForTest(ctx, set...); err != nil {
			t.Fatal(err)
		}
		page, err := s.Annotate(ctx, surface.AnnotateOptions{Scope: "page"})
		if err != nil {
			t.Fatal(err)
		}
		title, want := "", []byte(strings.Repeat("0", 12))
		for _, e := range page.Elements {
			// A transform can move some out at the upper left, where nobody comes.
			ans, err := s.Click(ctx, surface.ClickOptions{ID: e.ID})
			if err != nil {
				t.Errorf("%+v: %s: %v", l, e.Name, err)
				continue
			}
			title = ans.Page.Title
			var i int
			if _, err := fmt.Sscanf(e.Name, "b%d", &i); err != nil {
				t.Fatal(err)
			}
			want[i] = '1'
		}
		if title != string(want) || strings.Count(title, "1") < 8 {
			t.Errorf("%+v: the clicks came as %s, want %s", l, title, want)
		}
	}
}

func TestClickInFramesInFramesBelowFold(t *testing.T) {
	ctx, s := session(t)
	openPage(t, ctx, s, hardPages(t)+"/nest?n=6")
	page, err := s.Annotate(ctx, surface.AnnotateOptions{Scope: "page"})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{1, 6, 4, 2, 5, 3} {
		ans, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", "Level "+strconv.Itoa(n)).ID})
		if err != nil {
			t.Errorf("level %d: %v", n, err)
			continue
		}
		findElement(t, ans, "button", "Pressed "+strconv.Itoa(n))
	}
}

func TestClickHardToHitElements(t *testing.T) {
	ctx, s := session(t)
	openPage(t, ctx, s, hardPages(t)+"/targets")
	page, err := s.Annotate(ctx, surface.AnnotateOptions{Scope: "page"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, want string }{
		{"a link that begins at the end of a line and ends early", "wrap"},
		{"Far below", "below"},
		{"Span", "span"},
		{"Rect", "rect"},
		{"Circle", "circle"},
		{"Hook", "hook"},
		{"Thin line", "line"},
		{"Thin ring", "ring"},
		{"Corner", "corner"},
		{"Zigzag", "zig"},
		{"In two boxes", "deep box"},
		{"Row with a trap", "row"},
		{"Swapper", "swap"},
		{"First tab", "tab"},
		{"Hidden box", "box true"},
		{"Tilted", "tilted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			id := 0
			for _, e := range page.Elements {
				if e.Name == c.name && id == 0 {
					id = e.ID
				}
			}
			if id == 0 {
				t.Error("the element is not listed")
				return
			}
			ans, err := s.Click(ctx, surface.ClickOptions{ID: id})
			if err == nil && strings.Contains(ans.Note, "no click followed") {
				// It changed while the button was held: the answer says so, and the next click succeeds.
				ans, err = s.Click(ctx, surface.ClickOptions{ID: id})
			}
			if err != nil {
				t.Error(err)
				return
			}
			if got := result(t, ctx, s, "result"); got != c.want {
				t.Errorf("the page says %q, want %q (%s %s)", got, c.want, ans.Outcome, ans.Note)
			}
		})
	}
}

func TestClickMovingAndLateElements(t *testing.T) {
	ctx, s := session(t)
	base := hardPages(t)
	for range 3 {
		page := openPage(t, ctx, s, base+"/targets?moving")
		for _, c := range []struct{ name, want string }{{"Mover", "mover"}, {"Slider", "slider"}} {
			if _, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", c.name).ID}); err != nil {
				t.Errorf("%s: %v", c.name, err)
			} else if got := result(t, ctx, s, "result"); got != c.want {
				t.Errorf("%s: the page says %q", c.name, got)
			}
		}
	}
	page := openPage(t, ctx, s, base+"/targets?late")
	for _, c := range []struct{ name, want string }{{"Late", "late"}, {"Under a veil", "uncovered"}} {
		if _, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", c.name).ID}); err != nil {
			t.Errorf("%s: %v", c.name, err)
		} else if got := result(t, ctx, s, "result"); got != c.want {
			t.Errorf("%s: the page says %q", c.name, got)
		}
	}
}

func TestClickOnReplacedElementIsBlocked(t *testing.T) {
	ctx, s := session(t)
	page := openPage(t, ctx, s, site(t, map[string]any{"/": `<title>quiet</title><style>#v{position:fixed;inset:0;background:#0008;display:none}</style>
<button onmousemove="v.style.display='block'">Shy</button><div id=v aria-label=Veil role=dialog onpointerdown="document.title='felt'" onclick="document.title='felt'">Veil</div>`}))
	ans, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", "Shy").ID})
	f := expectFault(t, err, surface.FaultCovered)
	if !strings.Contains(f.Message, `dialog "Veil"`) {
		t.Errorf("the fault says %q (%+v)", f.Message, ans)
	}
	if ans, err := s.Annotate(ctx, surface.AnnotateOptions{}); err != nil || ans.Page.Title != "quiet" {
		t.Errorf("the veil got the press: %+v, %v", ans.Page, err)
	}
}
