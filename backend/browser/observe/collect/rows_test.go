package collect

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func TestSameNamesAreDistinguishedByRow(t *testing.T) {
	w := open(t, "places.html")
	raw := collectPage(t, w, Options{WholePage: true})
	wantLines(t, lines(raw), `
		button "trash" (in "Ana Lima")
		button "Edit" (in "Ana Lima")
		button "trash" (in "Ben Okri")
		button "Edit" (in "Ben Okri")
		button "trash" (in "Cleo Wu")
		button "Edit" (in "Cleo Wu")
		tab "Tab one"
		tab "Tab two"
		checkbox "U8VL" (unchecked)
		textbox "plain"
		textbox "Genre"
		link "Left half"
		link "Round"
		button "In the safe"
		link "Deeper"
		textbox "Sealed field"
		clickable "Heard"
		button "After the frame"`)
	if g := raw.Nodes[0].Group; g != "People" {
		t.Errorf("the first button is in group %q", g)
	}
	if len(raw.Frames) != 1 || raw.Frames[0].NodesBefore != len(raw.Nodes)-1 {
		t.Errorf("the frame is at %+v of %d", raw.Frames, len(raw.Nodes))
	}
	box := named(t, raw, "Round").Box
	if box.W != 40 || box.H != 40 {
		t.Errorf("the round part of the picture: %+v", box)
	}
}

func TestSameNamesInOneRowAreNumbered(t *testing.T) {
	w := open(t, "places.html")
	w.js(t, `document.body.innerHTML = ['8am', '9am'].map((h) => '<div><span>' + h + '</span><div><div class=half onmousedown=1 style="height:20px"></div><div class=half onmousedown=1 style="height:20px"></div></div></div>').join(''), 1`)
	wantLines(t, lines(collectPage(t, w, Options{})), `
		clickable "half" (in "8am" 1 of 2)
		clickable "half" (in "8am" 2 of 2)
		clickable "half" (in "9am" 1 of 2)
		clickable "half" (in "9am" 2 of 2)`)
}

func TestRowsAreNamed(t *testing.T) {
	w := open(t, "places.html")
	for _, c := range []struct{ name, html, want string }{
		{
			"lists of mixed length", `<ul><li>Ana <button>Call</button><button>Call</button><li>Ben <button>Call</button>` +
				`<button>Call</button><li>Cem <button>Call</button></ul>`, `
			button "Call" (in "Ana" 1 of 2)
			button "Call" (in "Ana" 2 of 2)
			button "Call" (in "Ben" 1 of 2)
			button "Call" (in "Ben" 2 of 2)
			button "Call" (in "Cem")`,
		},
		{
			"a heading before other words", `<div>10h ago Quis velit <h3>Carmella</h3><p>more<p><button>Like</button></div>` +
				`<div>11h ago <h3>Dario</h3><button>Like</button></div>`, `
			button "Like" (in "Carmella")
			button "Like" (in "Dario")`,
		},
		{
			"the same heading twice", `<div><h3>Ana</h3> 3 May <button>Open</button></div><div><h3>Ana</h3> 9 May ` +
				`<button>Open</button></div><div><h3>Ben</h3> 9 May <button>Open</button></div>`, `
			button "Open" (in "Ana 3 May")
			button "Open" (in "Ana 9 May")
			button "Open" (in "Ben")`,
		},
		{
			"the same link in two menus", `<nav><a href=#1>Lamps</a> <a href=#2>Bulbs</a> <a href=#3>Cables</a> ` +
				`<a href=#m>Makers</a></nav><footer><a href=#4>Imprint</a> <a href=#5>Terms</a> <a href=#6>Press</a> ` +
				`<a href=#m>Makers</a></footer>`, `
			link "Lamps"
			link "Bulbs"
			link "Cables"
			link "Makers" (in "Navigation")
			link "Imprint"
			link "Terms"
			link "Press"
			link "Makers" (in "Footer")`,
		},
		{
			"equal things", `<div style="width:90px;line-height:0">` + strings.Repeat(`<i onclick=1 title=circle `+
				`style="display:inline-block;width:30px;height:30px;cursor:pointer"></i>`, 5) + `</div>`, `
			clickable "circle" (at row 1, 1 of 3)
			clickable "circle" (at row 1, 2 of 3)
			clickable "circle" (at row 1, 3 of 3)
			clickable "circle" (at row 2, 1 of 2)
			clickable "circle" (at row 2, 2 of 2)`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			html, err := json.Marshal(c.html)
			if err != nil {
				t.Fatal(err)
			}
			w.js(t, `document.body.innerHTML = `+string(html)+`, 1`)
			wantLines(t, lines(collectPage(t, w, Options{})), c.want)
		})
	}
}

func TestPressInClosedShadowRoot(t *testing.T) {
	w := open(t, "places.html")
	for _, name := range []string{"In the safe", "Deeper", "Heard", "Left half"} {
		n := named(t, collectPage(t, w, Options{WholePage: true}), name)
		p := pointOf(t, w, n.Handle)
		if p.State != "ok" && p.State != "moving" {
			t.Fatalf("%s: %+v", name, p)
		}
		if err := GuardPress(t.Context(), w, n.Handle, "click"); err != nil {
			t.Fatal(err)
		}
		press(t, w, p)
		if met, err := EndPressGuard(t.Context(), w); err != nil || !met.Hit {
			t.Errorf("%s: the press met %q %v", name, met.Text, err)
		}
	}
}

func TestAddedAndRemovedListeners(t *testing.T) {
	w := open(t, "form.html")
	has := func(name string) bool {
		return slices.ContainsFunc(collectPage(t, w, Options{WholePage: true}).Nodes,
			func(n RawNode) bool { return n.Name == name })
	}
	w.js(t, `(() => { const m = document.querySelector('main'); for (let i = 0; i < 60; i++) { const d = document.createElement('p'); d.textContent = 'Late ' + i; m.append(d) } return 1 })()`)
	if has("Late 7") {
		t.Error("a paragraph is listed without a listener")
	}
	w.js(t, `(() => { window.f = () => {}; for (const p of document.querySelectorAll('p')) p.addEventListener('click', f); return 1 })()`)
	if !has("Late 7") || !has("Late 59") {
		t.Error("listeners of many elements are not known")
	}
	w.js(t, `(() => { for (const p of document.querySelectorAll('p')) if (p.textContent !== 'Late 8') p.removeEventListener('click', f); return 1 })()`)
	if has("Late 7") || !has("Late 8") {
		t.Error("listeners that were taken away are still believed in")
	}
	w.js(t, `(() => { const p = document.createElement('p'); p.textContent = 'One more'; p.onclick = () => {}; document.querySelector('main').append(p); return 1 })()`)
	if !has("One more") || !has("Late 8") {
		t.Error("one new listener is not known")
	}
}
