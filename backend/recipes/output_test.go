package recipes

import (
	"reflect"
	"testing"

	"sextant/shared/recipe"
)

const orderPage = `# Thank you, Ada

Your order **A_1042** is on its way.

Order number: A_1042

- 5,00 €

Delivery

[Total](http://shop.test/total)

72 €

| Lamp | Price | |
| --- | --- | --- |
| [Fen](http://shop.test/fen) | 72 € | Remove |
| Moor | 64 € | Remove |

## Fen

72 €

Clamp arm

## Moor

64 €

![](x.png)

Enamel dome
`

func TestValueIsFoundAgainByItsExample(t *testing.T) {
	page := blocksOf(orderPage)
	later := blocksOf(`# Thank you, Bo

Your order B_7 is on its way.

Order number: B_7

Total

128 €

| Lamp | Price | |
| --- | --- | --- |
| Moor | 64 € | Remove |
| Fen | 70 € | Remove |
| Tarn | 90 € | Remove |

## Tarn

90 €
`)
	for _, c := range []struct {
		example     string
		all         bool
		want, later any
	}{
		{"A_1042", false, "A_1042", "B_7"},
		{"Ada", false, "Ada", "Bo"},
		{"- 5,00 €", false, "- 5,00 €", nil},
		{
			"64 €", true,
			[]map[string]string{{"Lamp": "Fen", "Price": "72 €"}, {"Lamp": "Moor", "Price": "64 €"}},
			[]map[string]string{
				{"Lamp": "Moor", "Price": "64 €"}, {"Lamp": "Fen", "Price": "70 €"}, {"Lamp": "Tarn", "Price": "90 €"},
			},
		},
		{"Enamel dome", true, []map[string]string{
			{"title": "Fen", "line_1": "72 €", "line_2": "Clamp arm"},
			{"title": "Moor", "line_1": "64 €", "line_2": "Enamel dome"},
		}, []map[string]string{{"title": "Tarn", "line_1": "90 €"}}},
	} {
		o, value, err := findOutput(c.example, c.all, page)
		if err != nil || !reflect.DeepEqual(value, c.want) {
			t.Errorf("%q: %v (%v), want %v", c.example, value, err, c.want)
			continue
		}
		if again, err := read(o, later); !reflect.DeepEqual(again, c.later) {
			t.Errorf("%q, later: %v (%v), want %v by %+v", c.example, again, err, c.later, o)
		}
	}
	if value, err := read(recipe.Output{Label: "Total"}, blocksOf("Total\n\n128 €\n\nTotal savings: 5 €")); err == nil {
		t.Errorf("of two totals, %v was read", value)
	}
	if value, err := read(recipe.Output{Label: "Number"}, blocksOf("Number\n\n## Delivery\n\nsoon")); err == nil {
		t.Errorf("the next heading was read: %v", value)
	}
	table := blocksOf("| Language | Price |\n| --- | --- |\n| C | 1 |\n| C++ | 2 |\n| D | 3 | 4 |\n\n" +
		"| Old | Price |\n|---|---|\n| C++ | 9 |")
	if value, err := read(recipe.Output{Label: "C++", Columns: []string{"Price"}}, table[:2]); value != "2" {
		t.Errorf("the price of C++ is %v (%v)", value, err)
	}
	if value, err := read(recipe.Output{Columns: []string{"Language"}}, table); err != nil || len(table) != 3 {
		t.Errorf("the languages are %v (%v)", value, err)
	}
	if value, err := read(recipe.Output{Label: "D", Columns: []string{"Price"}}, table); err == nil {
		t.Errorf("a row of another length was read: %v", value)
	}
	for _, wrong := range []struct {
		example string
		all     bool
	}{{"Loam", false}, {"", false}, {"Clamp arm", false}, {"Thank you, Ada", false}} {
		if o, value, err := findOutput(wrong.example, wrong.all, page); err == nil {
			t.Errorf("%q: %v by %+v", wrong.example, value, o)
		}
	}
}
