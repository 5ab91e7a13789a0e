package collect

import (
	"slices"
	"testing"
)

func TestSVGWithListenerOnAncestorIsListed(t *testing.T) {
	for how, wanted := range map[string]bool{
		"board.onpointerdown = () => {}":                                        true,
		"document.getElementById('box').onmousedown = () => {}":                 true,
		"document.addEventListener('mousedown', () => {})":                      true,
		"window.addEventListener('pointerdown', () => {})":                      true,
		"document.body.addEventListener('touchstart', () => {})":                true,
		"document.addEventListener('click', () => {})":                          false,
		"window.addEventListener('keydown', () => {})":                          false,
		"document.body.style.height = '3500px'":                                 false,
		"board.style.width = '1200px', board.style.height = '700px', 0":         false,
		"board.style.cssText = 'width:1200px;height:700px', onclick = () => {}": true,
	} {
		w := open(t, "above.html")
		w.js(t, "void ("+how+")")
		var names []string
		for _, n := range collectPage(t, w, Options{WholePage: true}).Nodes {
			if n.Role == "canvas" {
				names = append(names, n.Name)
			}
		}
		if slices.Contains(names, "Board") != wanted || slices.Contains(names, "Dot") {
			t.Errorf("%s: %q are listed", how, names)
		}
	}
}

func TestFullWindowLayerCoversOffscreenElements(t *testing.T) {
	w := open(t, "above.html")
	free := `
		button "Shown on hover" (invisible)
		checkbox "Drawn by a picture" (unchecked)
		button "Over its picture"
		button "Near"
		button "Far"`
	wantLines(t, lines(collectPage(t, w, Options{WholePage: true})), free)
	w.js(t, "document.getElementById('bar').hidden = false, 1")
	wantLines(t, lines(collectPage(t, w, Options{WholePage: true})), free)
	w.js(t, "document.getElementById('veil').hidden = false, 1")
	raw := collectPage(t, w, Options{WholePage: true})
	for name, usable := range map[string]bool{"Near": false, "Far": false, "Fine": true, "Further down": true} {
		n := named(t, raw, name)
		if n.Usable != usable || (n.CoveredByText == "") != usable {
			t.Errorf("%s is usable: %v, covered by %q", name, n.Usable, n.CoveredByText)
		}
		if !usable && n.CoveredByText != `dialog "Notice"` {
			t.Errorf("%s is covered by %q", name, n.CoveredByText)
		}
	}
}
