package identity_test

import (
	"slices"
	"testing"

	"sextant/backend/browser/observe/identity"
)

// page is a document for the registry: the handles in it and the count of fingerprints.
type page struct {
	alive []int
	keys  map[string]int
	asked int
	now   float64
}

// clock goes on with every look.
func (p *page) clock() float64 {
	p.now++
	return p.now
}

func (p *page) AreConnected(handles []int) ([]bool, error) {
	p.asked++
	out := make([]bool, len(handles))
	for i, h := range handles {
		out[i] = slices.Contains(p.alive, h)
	}
	return out, nil
}

func (p *page) KeyCounts() (map[string]int, error) { return p.keys, nil }

func buttonNode(handle int, key string) identity.Node {
	// What has a higher handle came later.
	return identity.Node{Handle: handle, Key: key, Role: "button", Name: key, Born: float64(handle)}
}

func assign(t *testing.T, b *identity.ElementRegistry, p *page, seen ...identity.Node) []int {
	t.Helper()
	ids, _, err := b.Assign(1, 1, p.clock(), seen, p)
	if err != nil {
		t.Fatal(err)
	}
	return ids
}

func TestNodeKeepsID(t *testing.T) {
	t.Parallel()
	b, p := identity.NewElementRegistry(), &page{}
	first := assign(t, b, p, buttonNode(1, "save"), buttonNode(2, "help"))
	again := assign(t, b, p, buttonNode(2, "help"), buttonNode(3, "new"), buttonNode(1, "save"))
	if !slices.Equal(again, []int{first[1], 3, first[0]}) {
		t.Errorf("first %v, then %v", first, again)
	}
	if p.asked != 0 {
		t.Error("the page was asked although nothing could have been replaced")
	}
}

func TestUniqueReplacementKeepsID(t *testing.T) {
	t.Parallel()
	b, p := identity.NewElementRegistry(), &page{alive: []int{1}}
	first := assign(t, b, p, buttonNode(1, "save"))
	p.alive, p.keys = []int{9}, map[string]int{"save": 1}
	ids, rebound, err := b.Assign(1, 1, p.clock(), []identity.Node{buttonNode(9, "save")}, p)
	if err != nil || !slices.Equal(ids, first) || !slices.Equal(rebound, first) {
		t.Errorf("numbers %v, moved %v, %v; want %v", ids, rebound, err, first)
	}
	if element, ok := b.Element(first[0]); !ok || element.Handle != 9 {
		t.Errorf("the id means %+v, want handle 9", element)
	}
}

func TestAmbiguousReplacementGetsNewID(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		alive []int
		keys  map[string]int
		seen  []identity.Node
	}{
		"the old node still lives": {
			[]int{1, 9},
			map[string]int{"delete": 2},
			[]identity.Node{buttonNode(9, "delete")},
		},
		"two nodes look the same": {
			[]int{8, 9},
			map[string]int{"delete": 2},
			[]identity.Node{buttonNode(8, "delete"), buttonNode(9, "delete")},
		},
		"a second one is out of sight": {
			[]int{9},
			map[string]int{"delete": 2},
			[]identity.Node{buttonNode(9, "delete")},
		},
		"what came looks different (no key)": {[]int{9}, map[string]int{"": 1}, []identity.Node{buttonNode(9, "")}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			b, p := identity.NewElementRegistry(), &page{alive: []int{1}}
			first := assign(t, b, p, buttonNode(1, "delete"))
			p.alive, p.keys = c.alive, c.keys
			if ids := assign(t, b, p, c.seen...); slices.Contains(ids, first[0]) {
				t.Errorf("number %d went to another node: %v", first[0], ids)
			}
		})
	}
}

func TestIdenticalRemovedNodesAreNotMatched(t *testing.T) {
	t.Parallel()
	b, p := identity.NewElementRegistry(), &page{alive: []int{1, 2}}
	first := assign(t, b, p, buttonNode(1, "row"), buttonNode(2, "row"))
	p.alive, p.keys = []int{3}, map[string]int{"row": 1}
	ids := assign(t, b, p, buttonNode(3, "row"))
	if slices.Contains(first, ids[0]) {
		t.Errorf("one of %v went to a node that could replace either", first)
	}
}

func TestIDsOfClosedDocumentAreNotReused(t *testing.T) {
	t.Parallel()
	b, p := identity.NewElementRegistry(), &page{}
	first := assign(t, b, p, buttonNode(1, "save"))
	b.EndDocument(1)
	ids, _, err := b.Assign(1, 2, p.clock(), []identity.Node{buttonNode(1, "save")}, p)
	if err != nil || ids[0] == first[0] {
		t.Errorf("the next document's node got %v, %v", ids, err)
	}
	if element, ok := b.Element(first[0]); !ok || element.Name != "save" || element.Doc != 1 {
		t.Errorf("number %d is remembered as %+v", first[0], element)
	}
	if !b.WasIssued(first[0]) || b.WasIssued(99) {
		t.Error("a number that was never given counts as given")
	}
}
