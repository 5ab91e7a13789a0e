package recipes

import (
	"errors"
	"testing"

	"sextant/shared/annotation"
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
	save := annotation.Reference{Role: "button", Name: "Save", Group: "Profile"}
	row := annotation.Reference{Role: "button", Name: "Delete", Row: "Ana Lima 12", Twins: true}
	grouped := annotation.Reference{Role: "button", Name: "Delete", Group: "Drafts", Twins: true}
	for name, c := range map[string]struct {
		want     annotation.Reference
		elements []annotation.Element
		found    int
		alike    int
	}{
		"the same":                     {save, []annotation.Element{element(1, "button", "Save", under("Profile"))}, 1, 0},
		"a renamed group":              {save, []annotation.Element{element(1, "button", "Save", under("You"))}, 1, 0},
		"another group, the old stays": {save, []annotation.Element{element(1, "button", "Save", under("Payment")), element(2, "link", "Help", under("Profile"))}, 0, 0},
		"a twin in the group":          {save, []annotation.Element{element(1, "button", "Save", under("Profile")), element(2, "button", "Save", under("Profile"))}, 0, 2},
		"a twin elsewhere":             {save, []annotation.Element{element(1, "button", "Save", under("Profile")), element(2, "button", "Save", under("Other"))}, 1, 0},
		"another case and a counter":   {save, []annotation.Element{element(1, "button", "SAVE (3)", under("Profile"))}, 1, 0},
		"a loose match beside a near":  {save, []annotation.Element{element(1, "button", "save", under("Profile")), element(2, "button", "Save all", under("Profile"))}, 0, 2},
		"another role of the kind":     {save, []annotation.Element{element(1, "link", "Save", under("Profile"))}, 1, 0},
		"another kind":                 {save, []annotation.Element{element(1, "textbox", "Save", under("Profile"))}, 0, 0},
		"its row with other numbers":   {row, []annotation.Element{element(1, "button", "Delete", in("Ana Lima 13")), element(2, "button", "Delete", in("Ben Cho 12"))}, 1, 0},
		"only another row":             {row, []annotation.Element{element(2, "button", "Delete", in("Ben Cho 12"))}, 0, 0},
		"only one left without a row":  {row, []annotation.Element{element(2, "button", "Delete")}, 0, 0},
		"a twin whose group is gone":   {grouped, []annotation.Element{element(2, "button", "Delete", under("Published"))}, 0, 0},
		"another room":                 {annotation.Reference{Role: "button", Name: "Room 1"}, []annotation.Element{element(1, "button", "Room 2")}, 0, 0},
		"only signs":                   {annotation.Reference{Role: "button", Name: "+"}, []annotation.Element{element(1, "button", "−")}, 0, 0},
		"another frame":                {annotation.Reference{Role: "button", Name: "Pay", Frame: "https://a.example/pay"}, []annotation.Element{element(1, "button", "Pay")}, 0, 0},
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
