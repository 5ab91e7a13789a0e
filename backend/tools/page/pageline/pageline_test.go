package pageline

import (
	"strings"
	"testing"
	"time"

	"sextant/backend/tools/page/observation"
	"sextant/shared/annotation"
	"sextant/shared/toolspec"
)

func TestPageIsNamedOnce(t *testing.T) {
	var lines Memory
	shop := annotation.Page{Title: "Shop", URL: "https://shop.example/", Tab: 1}
	cart, other := shop, shop
	cart.Title, other.Tab = "Cart", 2
	model := toolspec.Provenance{Caller: toolspec.CallerModel, Conversation: "a"}
	second := toolspec.Provenance{Caller: toolspec.CallerModel, Conversation: "b"}
	count := func(string) int { return 1 }
	for i, c := range []struct {
		from    toolspec.Provenance
		page    annotation.Page
		changes bool
		listed  int
		before  string
		parent  string
		named   bool
	}{
		{from: model, page: shop, named: true},
		{from: model, page: shop, changes: true},
		{from: model, page: shop, changes: true, before: "1 clicked [5]\n"},
		{from: model, page: shop, named: true},
		{from: second, page: shop, changes: true, named: true},
		{from: model, page: shop, changes: true, listed: 12, named: true},
		{from: model, page: cart, changes: true, named: true},
		{from: model, page: cart, changes: true},
		{from: model, page: shop, changes: true, parent: "c1", named: true},
		{from: model, page: cart, changes: true},
		{from: model, page: other, changes: true, named: true},
		{from: toolspec.Provenance{Caller: toolspec.CallerPilot}, page: other, changes: true, named: true},
		{from: toolspec.Provenance{Caller: toolspec.CallerPilot}, page: other, changes: true, named: true},
	} {
		a := annotation.Observation{
			Page: c.page, Outcome: "clicked [5]", OnlyChanges: c.changes,
			Elements: make([]annotation.Element, c.listed),
		}
		r := lines.Shorten(toolspec.Call{From: c.from, ParentCall: c.parent, Surface: &toolspec.Surface{}},
			observation.Result(a, c.before, 0, count, "Clicked"))
		whole := strings.HasSuffix(r.Text, "clicked [5]") || c.listed > 0
		if got := strings.Contains(r.Text, "Page: "); got != c.named || !whole {
			t.Errorf("%d: the page is named: %t, want %t\n%s", i, got, c.named, r.Text)
		}
	}
	for key, shown := range lines.shown {
		shown.at = shown.at.Add(-time.Hour)
		lines.shown[key] = shown
	}
	call := toolspec.Call{From: model, Surface: &toolspec.Surface{}}
	late := observation.Result(annotation.Observation{Page: other, OnlyChanges: true, Outcome: "x"}, "", 0, count, "")
	if r := lines.Shorten(call, late); !strings.Contains(r.Text, "Page: ") {
		t.Error("after an hour, the page is not named again")
	}
}
