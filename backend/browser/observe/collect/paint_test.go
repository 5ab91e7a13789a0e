package collect

import (
	"strings"
	"testing"

	"github.com/go-rod/rod/lib/proto"
)

func TestElementsWithoutTextAreNamedByAppearance(t *testing.T) {
	raw := collectPage(t, open(t, "paint.html"), Options{})
	wantLines(t, lines(raw), `
		clickable "red chip"
		clickable "blue #2966a3 chip"
		clickable "yellow chip lamp"
		clickable "Word"
		clickable "red circle"
		clickable "blue square"
		clickable "lime triangle"
		clickable "teal polygon of 5 corners"
		clickable "purple line"
		clickable "K" = "orange"
		listitem "One" (draggable)
		listitem "Two" (draggable)
		clickable "Card" (draggable)
		slider "Zoom" = "25 % (3–97)"
		slider "Depth" = "75 % (5–95)"`)
}

func TestNamesOfSlidersListsAndPictures(t *testing.T) {
	w := open(t, "paint.html")
	const track = `<div class="range-track" style="position:relative;width:100px;height:10px">`
	const dot = "data:image/gif;base64,R0lGODlhAQABAAAAACw="
	w.js(t, `document.body.innerHTML = '`+
		`<label>Speed <input type=range min=1 max=9 value=4></label><output>4</output> <input type=range max=50 value=7>`+
		`<span>7</span> <input type=range max=5 value=2>`+
		`<p>Low</p>`+track+`<i class=thumb tabindex=0 style="position:absolute;width:20px;height:10px;left:0"></i></div>`+
		`<p>High</p>`+track+`<i class=thumb tabindex=0 style="position:absolute;width:20px;height:10px;margin-left:-10px;left:100%"></i></div>`+
		`<div role=slider tabindex=0 aria-valuenow=3 aria-valuemin=1 aria-valuemax=5>Volume</div>`+
		`<ul onclick=1><li>Austrian<li>Belgian<li>Danish</ul>`+
		`<style>#icon:hover{content:url("`+dot+`#hover-off")}</style><img id=icon onclick=1 src="`+dot+`" width=40 height=40 class=bell>', 1`)
	want := `
		slider "Speed" = "4 (1–9)"
		slider "" = "7 (0–50)"
		slider "" = "2 (0–5)"
		slider "Low" = "10 % (10–90)"
		slider "High" = "100 % (0–100)"
		slider "Volume" = "3 (1–5)"
		list ""
		img "bell"`
	wantLines(t, lines(collectPage(t, w, Options{})), want)
	box := named(t, collectPage(t, w, Options{}), "bell").Box
	if err := w.page.Mouse.MoveTo(proto.Point{X: box.X + 5, Y: box.Y + 5}); err != nil {
		t.Fatal(err)
	}
	wantLines(t, lines(collectPage(t, w, Options{})), want)
}

func TestReadTextIncludesColorsIconsAndImages(t *testing.T) {
	html, err := HTML(t.Context(), open(t, "paint.html"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"(green #3c8f1a) ", "(white) ", "(icon: glyph anchor) ", "(red) ", "(blue #2966a3) ",
		"red circle 40×40 around 40,", "blue square 40×40", "black-outlined rectangle 60×40", "lime triangle 40×40",
		"teal polygon of 5 corners", "purple line 100,", `orange "K"`, "word lastly</p>",
	} {
		if !strings.Contains(html, want) {
			t.Errorf("not reported: %s", want)
		}
	}
	if n := strings.Count(html, "(picture:"); n != 1 {
		t.Errorf("%d pictures, want one: an icon is none", n)
	}
}
