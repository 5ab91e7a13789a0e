package recipes

import (
	"errors"
	"testing"

	"sextant/shared/annotation"
)

type (
	ref  = annotation.Reference
	list = []annotation.Element
)

func element(id int, role, name string, more ...func(*annotation.Element)) annotation.Element {
	e := annotation.Element{ID: id, Role: role, Name: name, Usable: true}
	for _, change := range more {
		change(&e)
	}
	return e
}

func in(row string) func(*annotation.Element) {
	return func(e *annotation.Element) { e.States = append(e.States, `in "`+row+`"`) }
}

func under(group string) func(*annotation.Element) {
	return func(e *annotation.Element) { e.Group = group }
}

func TestFindActsOnlyOnCertainElement(t *testing.T) {
	save := ref{Role: "button", Name: "Save", Group: "Profile", Near: []string{"Name", "City"}}
	row := ref{Role: "button", Name: "Delete", Row: "Ana Lima #", Twins: true}
	grouped := ref{Role: "button", Name: "Delete", Group: "Drafts", Twins: true}
	for name, c := range map[string]struct {
		want     ref
		elements list
		found    int
		alike    int
	}{
		"the same": {save, list{element(1, "button", "Save", under("Profile"))}, 1, 0},
		"a renamed group": {
			save, list{
				element(1, "button", "Save", under("You")), element(2, "textbox", "City", under("You")),
				element(3, "textbox", "Name", under("You")),
			}, 1, 0,
		},
		"a renamed group, half of it new": {
			save, list{
				element(1, "button", "Save", under("You")), element(2, "textbox", "City", under("You")),
			}, 0, 0,
		},
		"another group, the old gone": {save, list{element(1, "button", "Save", under("Payment"))}, 0, 0},
		"another group, the old stays": {
			save, list{
				element(1, "button", "Save", under("Payment")),
				element(2, "link", "Help", under("Profile")),
			}, 0, 0,
		},
		"a twin in the group": {
			save, list{
				element(1, "button", "Save", under("Profile")),
				element(2, "button", "Save", under("Profile")),
			}, 0, 2,
		},
		"a twin elsewhere": {
			save, list{
				element(1, "button", "Save", under("Profile")),
				element(2, "button", "Save", under("Other")),
			}, 1, 0,
		},
		"another case and a counter": {save, list{element(1, "button", "SAVE (3)", under("Profile"))}, 1, 0},
		"a loose match beside a near": {
			save, list{
				element(1, "button", "Save (2)", under("Profile")),
				element(2, "button", "Save all", under("Profile")),
			}, 0, 2,
		},
		"another role of the kind": {save, list{element(1, "link", "Save", under("Profile"))}, 1, 0},
		"another kind":             {save, list{element(1, "textbox", "Save", under("Profile"))}, 0, 0},
		"its row with other numbers": {
			row, list{
				element(1, "button", "Delete", in("Ana Lima 13")),
				element(2, "button", "Delete", in("Ben Cho 12")),
			}, 1, 0,
		},
		"only another row":            {row, list{element(2, "button", "Delete", in("Ben Cho 12"))}, 0, 0},
		"only one left without a row": {row, list{element(2, "button", "Delete")}, 0, 0},
		"a twin whose group is gone":  {grouped, list{element(2, "button", "Delete", under("Published"))}, 0, 0},
		"another number":              {ref{Role: "button", Name: "Bed 1"}, list{element(1, "button", "Bed 2")}, 0, 0},
		"only signs":                  {ref{Role: "button", Name: "+"}, list{element(1, "button", "−")}, 0, 0},
		"another frame": {
			ref{Role: "button", Name: "Pay", Frame: "https://a.example/pay"}, list{element(1, "button", "Pay")}, 0, 0,
		},
	} {
		t.Run(name, func(t *testing.T) {
			e, err := Find(c.want, c.elements)
			if e.ID != c.found || (err == nil) != (c.found > 0) {
				t.Fatalf("found %d (%v), want %d", e.ID, err, c.found)
			}
			var lost *NotFoundError
			if errors.As(err, &lost) && len(lost.Alike) != c.alike {
				t.Errorf("%d are alike (%v), want %d", len(lost.Alike), err, c.alike)
			}
		})
	}
}

func TestFindReadsNumbersOfRows(t *testing.T) {
	one, two := element(1, "button", "Open", in("Order #1042")), element(2, "button", "Open", in("Order #1043"))
	want := one.ReferenceAmong(list{one, two})
	if e, err := Find(want, list{two, one}); e.ID != 1 || err != nil {
		t.Errorf("found %d (%v)", e.ID, err)
	}
	if e, err := Find(want, list{two, element(3, "button", "Open", in("Order #1044"))}); err == nil {
		t.Errorf("found %d in the row of another number", e.ID)
	}
}
