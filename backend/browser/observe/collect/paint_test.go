package collect

import (
	"strings"
	"testing"
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
		slider "Zoom" = "25 %"
		slider "Depth" = "75 %"`)
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
