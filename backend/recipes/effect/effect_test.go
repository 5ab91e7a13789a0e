package effect

import (
	"strings"
	"testing"

	"sextant/shared/annotation"
	"sextant/shared/recipe"
)

func TestMissingEffects(t *testing.T) {
	page := func(url string, changes bool, names ...string) annotation.Observation {
		o := annotation.Observation{Page: annotation.Page{URL: url}, OnlyChanges: changes}
		for i, name := range names {
			o.Elements = append(o.Elements, annotation.Element{ID: i + 1, Role: "link", Name: name})
		}
		return o
	}
	basket := []annotation.Reference{{Role: "link", Name: "Basket (1)"}}
	for name, c := range map[string]struct {
		want        recipe.Effect
		before, now annotation.Observation
		came        bool
		missing     string
		said        []string
	}{
		"another page": {recipe.Effect{Event: "navigated"}, page("a", false), page("b", false), false, "", nil},
		"the same page": {
			recipe.Effect{Event: "navigated"}, page("a", false), page("a", false), false, "leads to another page", nil,
		},
		"the same page again": {recipe.Effect{Event: "navigated"}, page("a", false), page("a", false), true, "", nil},
		"no download": {
			recipe.Effect{Event: "download"}, page("a", false), page("b", false), false, "download", nil,
		},
		"a counter": {
			recipe.Effect{Appears: basket}, page("a", false), page("a", true, "Basket (7)"), false, "", nil,
		},
		"nothing appears": {
			recipe.Effect{Appears: basket}, page("a", false), page("a", true), false, "Basket (1)”", nil,
		},
		"there before": {
			recipe.Effect{Appears: basket},
			page("a", false, "Basket (1)"), page("a", false, "Basket (1)"), false,
			"appears", nil,
		},
		"a page of the pattern": {
			recipe.Effect{URL: "https://a.example/order/*"},
			page("a", false),
			page("https://a.example/order/12?x=1#y", false), false, "", nil,
		},
		"a text with other numbers": {
			recipe.Effect{Texts: []string{"Saved at 12:01"}},
			page("a", false), page("a", true), false, "",
			[]string{"· Saved at 9:30 ·"},
		},
		"another text": {
			recipe.Effect{Texts: []string{"Saved at 12:01"}},
			page("a", false), page("a", true), false,
			"the page says “Saved",
			[]string{"Not saved", "Saved by"},
		},
		"one of two texts": {
			recipe.Effect{Texts: []string{"Your order", "It is paid"}},
			page("a", false), page("a", true), false,
			"the page says “It is paid",
			[]string{"Your order", "Payment declined"},
		},
		"a page below it": {
			recipe.Effect{URL: "https://a.example/order/*"},
			page("a", false),
			page("https://a.example/order/12/more", false), false, "order", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := Missing(c.want, c.before, c.now, c.came, c.said)
			if (err == nil) != (c.missing == "") || (err != nil && !strings.Contains(err.Error(), c.missing)) {
				t.Errorf("%v, want %q", err, c.missing)
			}
		})
	}
}
