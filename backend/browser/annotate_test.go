package browser_test

import (
	"fmt"
	"strings"
	"testing"

	"sextant/backend/browser"
	"sextant/backend/surface"
	"sextant/shared/annotation"
)

// annotate looks and fails the test when that fails.
func annotate(t *testing.T, s *browser.Session, o surface.AnnotateOptions) annotation.Observation {
	t.Helper()
	ans, err := s.Annotate(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return ans
}

func names(ans annotation.Observation) string {
	var list []string
	for _, e := range ans.Elements {
		list = append(list, e.Name)
	}
	return strings.Join(list, ",")
}

func TestAnnotatePageIncludesViewport(t *testing.T) {
	ctx, s := session(t)
	var below strings.Builder
	for i := range 40 {
		fmt.Fprintf(&below, `<p style="height:100px"><button>Row %d</button>`, i)
	}
	url := site(t, map[string]any{"/": `<title>T</title><h1>Head</h1><button onclick="late.textContent='Later'">Top</button>` + below.String() +
		`<button id=late>Last</button><iframe style="margin-top:3000px" srcdoc="<button>Framed</button>"></iframe>`})
	openPage(t, ctx, s, url)
	view := annotate(t, s, surface.AnnotateOptions{})
	whole := annotate(t, s, surface.AnnotateOptions{Scope: "page"})
	again := annotate(t, s, surface.AnnotateOptions{})
	if len(whole.Elements) != 43 || whole.Below != 0 || whole.OnlyChanges {
		t.Errorf("the whole page: %d elements, %d below, changes %v", len(whole.Elements), whole.Below,
			whole.OnlyChanges)
	}
	if names(view) != names(again) || view.Page.Version != again.Page.Version || len(again.Elements)+again.Below < 42 {
		t.Errorf("annotating the whole page changed the result for the viewport: %s, %s", names(view), names(again))
	}
	if e := findElement(t, whole, "button", "Framed"); e.InView {
		t.Errorf("an element in a frame below the viewport is in view: %+v", e)
	}
	if e, ok := s.Element(findElement(t, whole, "button", "Row 39").ID); !ok || e.Name != "Row 39" {
		t.Errorf("an element below the viewport has no id: %+v", e)
	}
	if ans := annotate(t, s, surface.AnnotateOptions{Scope: "page", ChangesOnly: true}); len(ans.Elements) != 0 ||
		!ans.OnlyChanges {
		t.Errorf("nothing changed, but: %+v", ans.Elements)
	}
	if _, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, view, "button", "Top").ID}); err != nil {
		t.Fatal(err)
	}
	if ans := annotate(t, s, surface.AnnotateOptions{Scope: "page", ChangesOnly: true}); names(ans) != "Later" &&
		names(ans) != "Top,Later" {
		t.Errorf("one thing below changed, but: %s", names(ans))
	}
}

func TestQueryRanksAndListsAlternatives(t *testing.T) {
	ctx, s := session(t)
	openPage(t, ctx, s, site(t, map[string]any{"/": `<title>T</title>
		<nav aria-label="Main menu"><a href=/a>Add-ons</a></nav><a href=/c>Cart</a>
		<section><h2>Brass lamp</h2><button>Add</button> <button>Add to cart</button></section>
		<label>Cart note <input value="for Ana"></label><div style="height:3000px"></div><button>Pay now</button>`}))
	for query, want := range map[string]string{
		"cart": "Cart,Cart note,Add to cart", "ADD to  Cart": "Add to cart", "brass": "Add,Add to cart",
		"textbox ana": "Cart note",
		"menu":        "Add-ons", "pay": "Pay now",
	} {
		t.Run(query, func(t *testing.T) {
			ans := annotate(t, s, surface.AnnotateOptions{Query: query})
			if names(ans) != want {
				t.Errorf("got %s, want %s", names(ans), want)
			}
			if (query == "pay") != strings.Contains(ans.Note, "elsewhere on the page") {
				t.Errorf("the note is %q", ans.Note)
			}
		})
	}
	ans := annotate(t, s, surface.AnnotateOptions{Query: "cart checkout"})
	if names(ans) != "Cart,Add to cart,Cart note" || !strings.Contains(ans.Note, "some of its words") {
		t.Errorf("half a match: %s %q", names(ans), ans.Note)
	}
	ans = annotate(t, s, surface.AnnotateOptions{Query: "zebra"})
	if len(ans.Elements) != 0 || !strings.Contains(ans.Note,
		`Nothing on the page matches "zebra". There is: 3 × button, 2 × link, 1 × textbox.`) {
		t.Errorf("no match: %s %q", names(ans), ans.Note)
	}
}

func TestElementsCoveredByDialogAreNotNew(t *testing.T) {
	ctx, s := session(t)
	page := openPage(t, ctx, s, site(t, map[string]any{"/": `<title>T</title><button>One</button><button>Two</button><button id=three>Three</button>
		<button onclick="three.textContent='Four'; box.showModal()">Open</button><dialog id=box aria-label=Box><button>New</button><button onclick="box.close()">Close</button></dialog>`}))
	familiar := func(ans annotation.Observation) string {
		var list []string
		for _, e := range ans.Elements {
			if e.OnlyCoverChanged {
				list = append(list, e.Name)
			}
		}
		return strings.Join(list, ",")
	}
	if f := familiar(page); f != "" {
		t.Errorf("on the first look %s is familiar", f)
	}
	open, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, page, "button", "Open").ID})
	if err != nil {
		t.Fatal(err)
	}
	if f := familiar(open); f != "One,Two" && f != "One,Two,Open" {
		t.Errorf("under the dialog %s is familiar in %+v", f, open.Elements)
	}
	shut, err := s.Click(ctx, surface.ClickOptions{ID: findElement(t, open, "button", "Close").ID})
	if err != nil {
		t.Fatal(err)
	}
	if f := familiar(shut); !strings.HasPrefix(f, "One,Two,Four") {
		t.Errorf("from under the dialog %s is familiar in %+v", f, shut.Elements)
	}
}
