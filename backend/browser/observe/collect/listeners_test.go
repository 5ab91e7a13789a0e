package collect

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func collectPage(t testing.TB, w *testWorld, o Options) RawDocument {
	t.Helper()
	raw, err := Collect(t.Context(), w, o)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// line is a node as one readable line for comparisons.
func line(n RawNode) string {
	s := fmt.Sprintf("%s %q", n.Role, n.Name)
	if n.Value != "" {
		s += fmt.Sprintf(" = %q", n.Value)
	}
	if len(n.States) > 0 {
		s += " (" + strings.Join(n.States, ", ") + ")"
	}
	if n.CoveredByText != "" {
		s += " under " + n.CoveredByText
	}
	return s
}

func lines(raw RawDocument) []string {
	var out []string
	for _, n := range raw.Nodes {
		out = append(out, line(n))
	}
	return out
}

// named is the node of that name.
func named(t testing.TB, raw RawDocument, name string) RawNode {
	t.Helper()
	for _, n := range raw.Nodes {
		if n.Name == name {
			return n
		}
	}
	t.Fatalf("nothing is called %q in:\n%s", name, strings.Join(lines(raw), "\n"))
	return RawNode{}
}

func wantLines(t *testing.T, got []string, want string) {
	t.Helper()
	w := strings.Split(strings.TrimSpace(want), "\n")
	for i := range w {
		w[i] = strings.TrimSpace(w[i])
	}
	if diff := cmp.Diff(w, got); diff != "" {
		t.Errorf("listed elements (-want +got):\n%s", diff)
	}
}

func TestFormIsListedAsDisplayed(t *testing.T) {
	raw := collectPage(t, open(t, "form.html"), Options{})
	wantLines(t, lines(raw), `
		link "Home"
		link "Acme"
		textbox "Name" = "Ana" (required)
		textbox "Password" = "•••••••"
		textbox "E-mail address"
		textbox "Postcode"
		combobox "Size" = "Medium" (or "Small, Large")
		slider "Volume" = "50 (0–100)"
		checkbox "Gift wrap" (checked)
		radio "Slow" (unchecked)
		radio "Fast" (checked)
		checkbox "News" (unchecked)
		file "Upload photo"
		textbox "Remark" = "Leave it" (readonly, multiline)
		button "Save all"
		button "Send" (disabled)
		button "Submit"
		button "Close"
		button "trash"
		button "Settings"
		button "search"
		clickable "Click me"
		clickable "Point at me"
		button "Bold" (pressed)
		textbox "Note" = "Dear all" (multiline)
		button "Terms" (collapsed)
		button "Under" under dialog "Cookies"
		button "OK"
		option "Red" (selected)
		option "Green"
		button "In shadow"`)
	if raw.Above != 0 || raw.Below != 2 {
		t.Errorf("%d above, %d below; want 0 and 2", raw.Above, raw.Below)
	}
	for name, group := range map[string]string{
		"Home": "Main", "Name": "Order", "Fast": "Speed", "Click me": "More",
		"OK": "Cookies",
	} {
		if g := named(t, raw, name).Group; g != group {
			t.Errorf("%s is in group %q, want %q", name, g, group)
		}
	}
	for _, n := range raw.Nodes {
		want := n.Name != "Send" && n.Name != "Under"
		if n.Usable != want {
			t.Errorf("%s: usable %v", line(n), n.Usable)
		}
		if !n.InView || n.Box.W <= 0 || n.Box.H <= 0 {
			t.Errorf("%s: in view %v, %+v", line(n), n.InView, n.Box)
		}
		if strings.Contains(n.Value+n.Key, "geheim") {
			t.Errorf("%s holds the password", line(n))
		}
	}
	if raw.Title != "A form" || raw.ReadyState != "complete" || raw.ViewW != 1280 || raw.ViewH != 800 ||
		raw.DocH < 1500 {
		t.Errorf("%+v", raw)
	}
}

func TestCoveredElementsAreNotOperable(t *testing.T) {
	w := open(t, "layers.html")
	raw := collectPage(t, w, Options{})
	wantLines(t, lines(raw), `
		button "Half under bar"
		button "Under bar" under banner "Top bar"
		button "Free"
		button "Below glass"
		button "Covered" under dialog "Cookies"
		button "Accept"
		button "Transparent"
		button "List first"
		button "Slide two"
		link "a link that wraps over lines"
		clickable "Card title Buy"
		button "Buy"
		button "Ring"
		checkbox "Fancy box" (unchecked)
		button "Switched off" (disabled)
		textbox "Off field" (disabled)
		button "Aria off" (disabled)
		button "Rotated"
		button "Clip path"
		clickable "Seen child"
		button "In contents"
		button "Closed" (collapsed)
		button "In shadow"
		button "Slotted"
		link "Deep link"`)
	if raw.Below != 2 || raw.Above != 0 {
		t.Errorf("%d above, %d below; the list's last and the far one are below", raw.Above, raw.Below)
	}
	if len(raw.Frames) != 1 {
		t.Fatalf("frames: %+v", raw.Frames)
	}
	f := raw.Frames[0]
	if f.Name != "inner" || f.Title != "Inner page" || !f.Visible || f.Box != (Rect{X: 707, Y: 347, W: 200, H: 100}) ||
		f.ScaleX != 1 {
		t.Errorf("frame: %+v", f)
	}
	w.js(t, "document.getElementById('head').remove(), scrollTo(0, 1400), 1")
	raw = collectPage(t, w, Options{})
	wantLines(t, lines(raw), `button "Far below"`)
	if raw.Above < 20 || raw.Below != 0 {
		t.Errorf("scrolled: %d above, %d below", raw.Above, raw.Below)
	}
}

func TestPageScopeIncludesOffscreenElements(t *testing.T) {
	raw := collectPage(t, open(t, "layers.html"), Options{WholePage: true})
	for _, name := range []string{"Far below", "List last"} {
		if n := named(t, raw, name); n.InView || !n.Usable {
			t.Errorf("%+v", n)
		}
	}
	if raw.Above+raw.Below != 0 {
		t.Errorf("%d above, %d below", raw.Above, raw.Below)
	}
	for _, n := range raw.Nodes {
		if slices.Contains([]string{
			"Inert", "Not slotted", "None", "Hidden", "In closed", "Cut away", "Slide three",
			"Off to the left", "In frame",
		}, n.Name) {
			t.Errorf("%s is listed and nobody can use it", n.Name)
		}
	}
}

func TestQueryKeepsMatches(t *testing.T) {
	w := open(t, "form.html")
	wantLines(t, lines(collectPage(t, w, Options{WholePage: true, Query: "BUTTON s"})), `
		button "Save all"
		button "Send" (disabled)
		button "Submit"
		button "Close"
		button "trash"
		button "Settings"
		button "search"
		button "Terms" (collapsed)
		button "In shadow"`)
	wantLines(t, lines(collectPage(t, w, Options{Query: "ana"})), `textbox "Name" = "Ana" (required)`)
}

func TestHandleIdentifiesNode(t *testing.T) {
	w := open(t, "form.html")
	before := collectPage(t, w, Options{})
	save := named(t, before, "Save all")
	w.js(
		t,
		`document.querySelector('h2').after(Object.assign(document.createElement('button'),{textContent:'New one'})), 1`,
	)
	after := collectPage(t, w, Options{})
	if named(t, after, "Save all").Handle != save.Handle {
		t.Error("an old node has another handle")
	}
	for _, n := range before.Nodes {
		if n.Handle == named(t, after, "New one").Handle {
			t.Errorf("the new node has the handle of %s", n.Name)
		}
	}
	if save.Key == "" || named(t, after, "Save all").Key != save.Key {
		t.Error("the key of an unchanged node changed")
	}
}

func TestCollectDoesNotChangePage(t *testing.T) {
	w := open(t, "layers.html")
	w.js(
		t,
		`window.seen=0, new MutationObserver(l=>seen+=l.length).observe(document,{subtree:true,childList:true,attributes:true,characterData:true}),
		window.html=document.documentElement.outerHTML, window.before=0, before=Object.getOwnPropertyNames(window).length, 1`,
	)
	collectPage(t, w, Options{WholePage: true})
	collectPage(t, w, Options{})
	if got := w.js(t, `seen + ' ' + (Object.getOwnPropertyNames(window).length - before) + ' ' + (html === document.documentElement.outerHTML) + ' ' + typeof __sextant`); got != "0 0 true undefined" {
		t.Errorf("mutations, new globals, same HTML, our name: %s", got)
	}
}

func TestClipNarrowsViewport(t *testing.T) {
	raw := collectPage(t, open(t, "layers.html"), Options{Clip: &Rect{X: 0, Y: 90, W: 200, H: 30}})
	wantLines(t, lines(raw), `button "Free"`)
	if raw.Above == 0 || raw.Below == 0 {
		t.Errorf("%d above, %d below", raw.Above, raw.Below)
	}
}

func TestDelegatedListeners(t *testing.T) {
	wantLines(t, lines(collectPage(t, open(t, "delegate.html"), Options{})), `
		clickable "React says click"
		clickable "Svelte paragraph"
		clickable "Hot one"
		button "First"
		button "Second"
		clickable "Tile with words"`)
}

func TestItemsWithPointerCursorReplaceTheirList(t *testing.T) {
	raw := collectPage(
		t,
		openURL(
			t,
			"data:text/html,"+url.PathEscape(
				`<ul id="l"><li style="cursor:pointer">One</li><li style="cursor:pointer">Two</li></ul>
<script>document.getElementById('l').addEventListener('click', () => {})</script>`,
			),
		),
		Options{},
	)
	named(t, raw, "One")
	named(t, raw, "Two")
	if len(raw.Nodes) != 2 {
		t.Errorf("listed are %v", lines(raw))
	}
}

func TestLinkWithoutTextIsNamedByItsURL(t *testing.T) {
	raw := collectPage(t, openURL(t, "data:text/html,"+
		url.PathEscape(
			`<a href="http://x.example/shop/settings/?a=b"><svg width="16" height="16"><circle cx="8" cy="8" r="7"/></svg></a>`,
		)), Options{})
	named(t, raw, "settings")
}

func TestPageWithPatchedBuiltinsIsListed(t *testing.T) {
	w := open(t, "form.html")
	before := lines(collectPage(t, w, Options{}))
	w.js(t, `(() => {
		Reflect.ownKeys = () => { throw new Error('no') }
		Array.prototype.push = Element.prototype.getAttribute = document.querySelectorAll = null
		Document.prototype.elementFromPoint = () => null
		JSON.parse = Map.prototype.get = Set.prototype.has = () => { throw new Error('no') }
		return 1 })()`)
	after := lines(collectPage(t, w, Options{}))
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("listed elements (-before +after):\n%s", diff)
	}
}

func TestDraggableCardIsListedBesideItsButton(t *testing.T) {
	raw := collectPage(
		t,
		openURL(
			t,
			"data:text/html,"+url.PathEscape(
				`<div draggable="true"><a href="/a">Fix the gutter</a></div><x-card draggable="true" style="display:block"></x-card>
<script>document.querySelector('x-card').attachShadow({mode: 'open'}).innerHTML = '<span>Order tiles</span> <button>More</button>'</script>`,
			),
		),
		Options{},
	)
	want := []string{
		`clickable "Fix the gutter" (draggable)`, `link "Fix the gutter"`,
		`clickable "Order tiles More" (draggable)`, `button "More"`,
	}
	if diff := cmp.Diff(want, lines(raw)); diff != "" {
		t.Errorf("listed elements (-want +got):\n%s", diff)
	}
}

func TestSortedColumnIsReported(t *testing.T) {
	raw := collectPage(t, openURL(t, "data:text/html,"+
		url.PathEscape(
			`<table><tr><th aria-sort="descending" onclick="1">Price</th><th aria-sort="none" onclick="1">Name</th></tr></table>`,
		)), Options{})
	if got := strings.Join(lines(raw), "; "); got != `columnheader "Price" (sorted descending); columnheader "Name"` {
		t.Errorf("listed are %s", got)
	}
}
