package browser_test

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"sextant/backend/browser"
	"sextant/backend/surface"
	"sextant/build/testsites"
	"sextant/shared/annotation"
)

// hardPages serves the pages of testsites.
func hardPages(t testing.TB) string {
	t.Helper()
	s := httptest.NewServer(testsites.Handler())
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// result is what the page wrote into #result, or another element by its id.
func result(t testing.TB, ctx context.Context, s *browser.Session, id string) string {
	t.Helper()
	html, _, _, err := s.HTML(ctx)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(html, `id="`+id+`"`)
	if !found {
		t.Fatalf("the page has no #%s: %s", id, html)
	}
	_, rest, _ = strings.Cut(rest, ">")
	text, _, _ := strings.Cut(rest, "<")
	return text
}

// idOf finds the one element of the name, whatever its role.
func idOf(t testing.TB, ans annotation.Observation, name string) int {
	t.Helper()
	id := 0
	for _, e := range ans.Elements {
		if e.Name == name {
			if id != 0 {
				t.Fatalf("several elements are called %q in %+v", name, ans.Elements)
			}
			id = e.ID
		}
	}
	if id == 0 {
		t.Fatalf("nothing is called %q in %+v", name, ans.Elements)
	}
	return id
}

func TestDragElementOntoElement(t *testing.T) {
	ctx, s := session(t)
	url := hardPages(t)
	for _, c := range []struct{ from, to, want string }{
		{"Apple", "Cherry", "Berry Cherry Apple Date Elder"},
		{"Date", "Berry", "Apple Date Berry Cherry Elder"},
		{"Apple", "Elder", "Berry Cherry Date Elder Apple"},
		{"Elder", "Apple", "Elder Apple Berry Cherry Date"},
		{"Fig", "Hazel", "Grape Hazel Fig Ilama"},
		{"Ilama", "Fig", "Ilama Fig Grape Hazel"},
		{"Jujube", "Lime", "Kiwi Lime Jujube"},
		{"Kiwi", "Basket", "basket: Kiwi"},
		{"Ball", "Goal", "goal"},
	} {
		t.Run(c.from+"_to_"+c.to, func(t *testing.T) {
			page := openPage(t, ctx, s, url+"/drag")
			o := browser.DragOptions{From: browser.Point{ID: idOf(t, page, c.from)}}
			if c.to == "Goal" {
				o.To = &browser.Point{X: 330, Y: goalY(t, page)}
			} else {
				o.To = &browser.Point{ID: idOf(t, page, c.to)}
			}
			ans, err := s.Drag(ctx, o)
			if err != nil {
				t.Error(err)
				return
			}
			if !strings.HasPrefix(ans.Outcome, "dragged [") || ans.Note != "" {
				t.Errorf("the outcome is %q (%s)", ans.Outcome, ans.Note)
			}
			if got := result(t, ctx, s, "result"); got != c.want {
				t.Errorf("the page says %q, want %q", got, c.want)
			}
			if c.from == "Kiwi" && ans.Page.Title != "drag ended" {
				t.Errorf("the source of the drag got no dragend: %q", ans.Page.Title)
			}
		})
	}
}

// agenda is a day of slots in a box that scrolls: pressing on one and letting go on another makes
// an entry, and an entry that is there lies over the middle of slot 3.
const agenda = `<body style="margin:16px"><p id="result">nothing</p>
<div id="day" style="position:relative;width:240px;height:120px;overflow:auto"></div><p style="height:600px">Below</p><script>
let from = null
for (let i = 0; i < 20; i++) {
  const slot = document.createElement('div')
  Object.assign(slot, { textContent: 'Slot ' + i, style: 'height:29px;border-top:1px solid;user-select:none' })
  slot.onmousedown = () => { from = i }
  slot.onmouseup = () => { if (from !== null) document.getElementById('result').textContent = from + ' to ' + i; from = null }
  document.getElementById('day').append(slot)
}
document.getElementById('day').insertAdjacentHTML('beforeend', '<div style="position:absolute;left:80px;top:85px;width:80px;height:40px;background:#cdf">Taken</div>')
document.onmouseup = () => { from = null }
</script>`

func TestDropInScrolledBoxAndBesideCover(t *testing.T) {
	ctx, s := session(t)
	url := site(t, map[string]any{"/": agenda})
	for _, c := range []struct{ from, to, want string }{
		{"Slot 1", "Slot 3", "1 to 3"},
		{"Slot 3", "Slot 1", "3 to 1"},
		{"Slot 6", "Slot 8", "6 to 8"},
		{"Slot 2", "Slot 12", "2 to 12"},
		{"Slot 17", "Slot 3", "17 to 3"},
	} {
		t.Run(c.from+"_to_"+c.to, func(t *testing.T) {
			openPage(t, ctx, s, url)
			page, err := s.Annotate(ctx, surface.AnnotateOptions{Scope: "page"})
			if err != nil {
				t.Fatal(err)
			}
			o := browser.DragOptions{
				From: browser.Point{ID: idOf(t, page, c.from)},
				To:   &browser.Point{ID: idOf(t, page, c.to)},
			}
			if _, err := s.Drag(ctx, o); err != nil {
				t.Error(err)
				return
			}
			if got := result(t, ctx, s, "result"); got != c.want {
				t.Errorf("the page says %q", got)
			}
		})
	}
}

// goalY is the vertical position of the ball and the goal.
func goalY(t testing.TB, page annotation.Observation) float64 {
	t.Helper()
	for _, e := range page.Elements {
		if e.Name == "Ball" {
			return e.Box.Y + e.Box.Height/2 + 10
		}
	}
	t.Fatal("no ball")
	return 0
}

func TestDragSliderByOffset(t *testing.T) {
	ctx, s := session(t)
	page := openPage(t, ctx, s, hardPages(t)+"/drag")
	ans, err := s.Drag(ctx, browser.DragOptions{
		From: browser.Point{ID: idOf(t, page, "Price")},
		By:   &browser.Point{X: 73},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := result(t, ctx, s, "result"); got != "price 73" || !strings.HasSuffix(ans.Outcome, "by (73, 0)") {
		t.Errorf("the page says %q, the answer %q", got, ans.Outcome)
	}
	_, err = s.Drag(ctx, browser.DragOptions{From: browser.Point{ID: idOf(t, page, "Price")}})
	expectFault(t, err, surface.FaultInvalid)
}

func TestRefusedDropIsReported(t *testing.T) {
	ctx, s := session(t)
	page := openPage(t, ctx, s, hardPages(t)+"/drag")
	ans, err := s.Drag(ctx, browser.DragOptions{
		From: browser.Point{ID: idOf(t, page, "Lime")},
		To:   &browser.Point{ID: idOf(t, page, "Price")},
	})
	if err != nil || !strings.Contains(ans.Note, "did not take the drop") {
		t.Errorf("the answer is %+v, %v", ans, err)
	}
	// The mouse is free again.
	if _, err := s.Click(ctx, surface.ClickOptions{ID: idOf(t, page, "Basket")}); err != nil {
		t.Error(err)
	}
}

func TestDragInCrossSiteFrame(t *testing.T) {
	ctx, s := session(t)
	inner := hardPages(t)
	outer := site(t, map[string]any{"/": `<title>Out</title><div style="height:1200px"></div><iframe src="` +
		otherSite(inner) + `/drag" style="width:760px;height:600px;border:3px solid"></iframe>`})
	openPage(t, ctx, s, outer)
	page, err := s.Annotate(ctx, surface.AnnotateOptions{Scope: "page"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ from, to, want string }{
		{"Apple", "Cherry", "Berry Cherry Apple Date Elder"},
		{"Kiwi", "Basket", "basket: Kiwi"},
	} {
		if _, err := s.Drag(ctx, browser.DragOptions{
			From: browser.Point{ID: idOf(t, page, c.from)},
			To:   &browser.Point{ID: idOf(t, page, c.to)},
		}); err != nil {
			t.Fatal(err)
		}
		if got := result(t, ctx, s, "result"); got != c.want {
			t.Errorf("the page in the frame says %q, want %q", got, c.want)
		}
	}
}

func TestDrawLineWithPoints(t *testing.T) {
	ctx, s := session(t)
	page := openPage(t, ctx, s, hardPages(t)+"/draw")
	left, top := 17.0, 0.0
	if i := idOf(t, page, "Sheet"); i != 0 {
		for _, e := range page.Elements {
			if e.ID == i {
				left, top = e.Box.X+1, e.Box.Y+1
			}
		}
	}
	at := func(x, y float64) browser.Point { return browser.Point{X: left + x, Y: top + y} }
	ans, err := s.MovePath(ctx, []browser.Point{at(20, 20), at(120, 20), at(120, 120), at(20, 120), at(20, 20)}, true)
	if err != nil {
		t.Fatal(err)
	}
	if got := result(t, ctx, s, "result"); got != "1 stroke, smooth, box 20 20 120 120" ||
		!strings.Contains(ans.Outcome, "Sheet") {
		t.Errorf("the page says %q, the answer %q", got, ans.Outcome)
	}
	ans, err = s.ClickAt(ctx, browser.ClickAtOptions{X: left + 33, Y: top + 44, Count: 2})
	if err != nil || ans.Page.Title != "twice at 33 44" || !strings.Contains(ans.Outcome, "Sheet") {
		t.Errorf("%q, %q, %v", ans.Page.Title, ans.Outcome, err)
	}
	_, err = s.ClickAt(ctx, browser.ClickAtOptions{X: 5, Y: 99_999})
	expectFault(t, err, surface.FaultInvalid)
	_, err = s.MovePath(ctx, nil, true)
	expectFault(t, err, surface.FaultInvalid)
}

func TestPointInFrameNamesFrame(t *testing.T) {
	ctx, s := session(t)
	inner := site(t, map[string]any{"/": `<body style="margin:0"><button style="position:absolute;left:40px;top:30px;width:100px;height:40px" onclick="this.textContent='Pressed'">Deep</button>`})
	page := openPage(t, ctx, s, site(t, map[string]any{"/": `<body style="margin:0"><iframe src="` + otherSite(inner) +
		`" style="position:absolute;left:100px;top:50px;border:0;width:300px;height:200px"></iframe>`}))
	ans, err := s.ClickAt(ctx, browser.ClickAtOptions{X: 190, Y: 100})
	if err != nil || !strings.Contains(ans.Outcome, "["+strconv.Itoa(idOf(t, page, "Deep"))+`] button "Deep"`) {
		t.Errorf("the outcome is %q, %v", ans.Outcome, err)
	}
	findElement(t, ans, "button", "Pressed")
}

func TestUploadToInputsAndChoosers(t *testing.T) {
	ctx, s := session(t)
	dir := t.TempDir()
	one, two := filepath.Join(dir, "one.txt"), filepath.Join(dir, "two.txt")
	for p, text := range map[string]string{one: "first", two: "second"} {
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	page := openPage(t, ctx, s, hardPages(t)+"/upload")
	for _, c := range []struct {
		name, want string
		paths      []string
	}{
		{"Plain", "plain one.txt: first", []string{one}},
		{"Many", "many one.txt: first, two.txt: second", []string{one, two}},
		{"Choose a picture", "hid two.txt: second", []string{two}},
		{"Upload…", "asked one.txt: first", []string{one}},
		{"Drop here", "zone two.txt: second", []string{two}},
	} {
		t.Run(c.name, func(t *testing.T) {
			id := 0
			for _, e := range page.Elements {
				if strings.HasPrefix(e.Name, c.name) {
					id = e.ID
				}
			}
			ans, err := s.Upload(ctx, id, c.paths)
			if err != nil {
				t.Error(err)
				return
			}
			if got := result(t, ctx, s, "result"); got != c.want {
				t.Errorf("the page says %q, want %q", got, c.want)
			}
			if !strings.Contains(ans.Outcome, filepath.Base(c.paths[0])+`" (`) {
				t.Errorf("the outcome is %q", ans.Outcome)
			}
		})
	}
	for _, paths := range [][]string{{dir}, {filepath.Join(dir, "none")}, {"relative"}, {}, {one, two}} {
		_, err := s.Upload(ctx, idOf(t, page, "Plain"), paths)
		expectFault(t, err, surface.FaultInvalid)
	}
	_, err := s.Upload(ctx, idOf(t, page, "Nothing"), []string{one})
	expectFault(t, err, surface.FaultBlocked)
}
