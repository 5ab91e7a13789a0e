package annotation

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func button(id int, name, group, row string) Element {
	e := Element{ID: id, Role: "button", Name: name, Group: group}
	if row != "" {
		e.States = []string{`in "` + row + `"`}
	}
	return e
}

func TestReferenceSaysWhatTellsElementApart(t *testing.T) {
	for name, c := range map[string]struct {
		page []Element
		want Reference
	}{
		"alone": {
			[]Element{
				button(1, "Save", "Profile", ""), button(2, "Close", "Profile", ""), button(3, "Help", "Page", ""),
			},
			Reference{Role: "button", Name: "Save", Group: "Profile", Near: []string{"Close"}},
		},
		"a twin in another group": {
			[]Element{button(1, "Save", "Profile", "Ana"), button(2, "Save", "Team", "Ben")},
			Reference{Role: "button", Name: "Save", Group: "Profile", Twins: true},
		},
		"a twin in another row": {
			[]Element{button(1, "Save", "Team", "Ana 12 €"), button(2, "Save", "Team", "Ben 12 €")},
			Reference{Role: "button", Name: "Save", Group: "Team", Row: "Ana # €", Twins: true},
		},
		"a twin in a row of another number": {
			[]Element{button(1, "Save", "Team", "Order #1042"), button(2, "Save", "Team", "Order #1043")},
			Reference{Role: "button", Name: "Save", Group: "Team", Row: "Order 1042", Twins: true},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, c.page[0].ReferenceAmong(c.page)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func BenchmarkReferenceAmong(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		page := make([]Element, n)
		for i := range page {
			page[i] = button(i+1, fmt.Sprintf("Button %d", i%(n/10)), fmt.Sprintf("Group %d", i), "Row "+fmt.Sprint(i))
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				page[n/2].ReferenceAmong(page)
			}
		})
	}
}
