package identity_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"sextant/backend/browser/observe/identity"
)

// node is one node of a model of a document.
type node struct {
	handle    int
	key, row  string
	born      float64
	connected bool
}

// world is a model of one document and of what its numbers must be. It answers the registry's
// questions as a page would.
type world struct {
	doc   int
	now   float64
	last  int
	nodes []*node
	// owner is the node that a number was given to last, seen when and how it was seen then.
	owner map[int]*node
	seen  map[int]float64
	key   map[int]string
	row   map[int]string
	// dead are numbers whose node became another thing, unsure those whose replacement was not
	// clear once.
	dead, unsure map[int]bool
}

func (w *world) AreConnected(handles []int) ([]bool, error) {
	out := make([]bool, len(handles))
	for i, h := range handles {
		out[i] = slices.ContainsFunc(w.nodes, func(n *node) bool { return n.handle == h && n.connected })
	}
	return out, nil
}

func (w *world) KeyCounts() (map[string]int, error) {
	keys := map[string]int{}
	for _, n := range w.connected() {
		keys[n.key]++
	}
	return keys, nil
}

func (w *world) connected() []*node {
	return slices.DeleteFunc(slices.Clone(w.nodes), func(n *node) bool { return !n.connected })
}

func (w *world) alive(t *rapid.T) *node {
	list := w.connected()
	if len(list) == 0 {
		t.Skip("nothing lives")
	}
	return rapid.SampledFrom(list).Draw(t, "node")
}

func (w *world) add(key, row string) {
	w.last++
	w.now++
	w.nodes = append(w.nodes, &node{handle: w.last, key: key, row: row, born: w.now, connected: true})
}

// numberOf is the number that a node holds, 0 for none.
func (w *world) numberOf(n *node) int {
	for id, o := range w.owner {
		if o == n && !w.dead[id] {
			return id
		}
	}
	return 0
}

// replacements says which numbers have to move to which of the nodes that are looked at and have none:
// to the only living node of its look, which came after its own node was seen last, moves the
// only number whose node is gone. Numbers that met a node and could not move never will.
func (w *world) replacements(looked []*node) map[*node]int {
	move := map[*node]int{}
	for _, n := range looked {
		if w.numberOf(n) != 0 {
			continue
		}
		var gone []int
		for id, o := range w.owner {
			if !o.connected && w.key[id] == n.key && !w.dead[id] && !w.unsure[id] {
				gone = append(gone, id)
			}
		}
		keys, _ := w.KeyCounts()
		if len(gone) == 1 && keys[n.key] == 1 && n.born > w.seen[gone[0]] {
			move[n] = gone[0]
			continue
		}
		for _, id := range gone {
			w.unsure[id] = true
		}
	}
	return move
}

func textOfRow(row string) string {
	_, after, _ := strings.Cut(row, ".")
	return after
}

// observe numbers some of the living nodes and checks the numbers.
func (w *world) observe(t *rapid.T, b *identity.ElementRegistry, whole bool, given map[int]bool) (moved int) {
	var looked []*node
	var seen []identity.Node
	for _, n := range w.connected() {
		if whole || rapid.Bool().Draw(t, fmt.Sprintf("sees %d", n.handle)) {
			looked = append(looked, n)
			seen = append(seen, identity.Node{
				Handle: n.handle, Key: n.key, Role: "button", Name: n.key, RowHash: n.row,
				Born: n.born,
			})
		}
	}
	had := map[*node]int{}
	for _, n := range looked {
		id := w.numberOf(n)
		// A node that is in another row now is another item, and its id ends; a row with a changed
		// counter is the same row.
		if id != 0 && w.row[id] != "" && textOfRow(w.row[id]) != textOfRow(n.row) {
			w.dead[id] = true
			id = 0
		}
		had[n] = id
	}
	heirs := w.replacements(looked)
	w.now++
	ids, rebound, err := b.Assign(1, w.doc, w.now, seen, w)
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range looked {
		id := ids[i]
		switch {
		case had[n] != 0 && id != had[n]:
			t.Fatalf("%+v was %d and is %d", n, had[n], id)
		case had[n] != 0:
		case heirs[n] != 0 && (id != heirs[n] || !slices.Contains(rebound, id)):
			t.Fatalf("%+v is %d (moved: %v), want %d to move there", n, id, rebound, heirs[n])
		case heirs[n] == 0 && (id == 0 || given[id] || slices.Contains(rebound, id)):
			t.Fatalf("%+v is %d (moved: %v), want a number that was never given", n, id, rebound)
		}
		given[id] = true
		w.owner[id], w.seen[id], w.key[id], w.row[id] = n, w.now, n.key, n.row
	}
	return len(rebound)
}

func newWorld(doc int) *world {
	return &world{
		doc: doc, owner: map[int]*node{}, seen: map[int]float64{}, key: map[int]string{}, row: map[int]string{},
		dead: map[int]bool{}, unsure: map[int]bool{},
	}
}

func TestIDMovesOnlyToUniqueReplacement(t *testing.T) {
	t.Parallel()
	// Long enough that each rule of the registry, left out, is missed; it is under a second. No file is
	// kept of a failure, which says all of itself.
	for name, value := range map[string]string{
		"rapid.checks": "3000", "rapid.steps": "60",
		"rapid.nofailfile": "true",
	} {
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	moves := 0
	rapid.Check(t, func(t *rapid.T) {
		b := identity.NewElementRegistry()
		given := map[int]bool{}
		worlds := []*world{newWorld(1), newWorld(2)}
		docs := 2
		some := func(t *rapid.T) *world { return rapid.SampledFrom(worlds).Draw(t, "document") }
		keys, rows := rapid.SampledFrom([]string{"a", "b", "c", "d"}),
			rapid.SampledFrom([]string{"", "", "", "1.ann", "2.ann", "3.bob"})
		t.Repeat(map[string]func(*rapid.T){
			"birth":  func(t *rapid.T) { some(t).add(keys.Draw(t, "key"), rows.Draw(t, "row")) },
			"death":  func(t *rapid.T) { some(t).alive(t).connected = false },
			"rename": func(t *rapid.T) { some(t).alive(t).key = keys.Draw(t, "key") },
			"reuse":  func(t *rapid.T) { some(t).alive(t).row = rows.Draw(t, "row") },
			"replace": func(t *rapid.T) {
				w := some(t)
				n := w.alive(t)
				n.connected = false
				w.add(n.key, n.row)
			},
			"render": func(t *rapid.T) {
				w := some(t)
				for _, n := range w.connected() {
					n.connected = false
					w.add(n.key, n.row)
				}
			},
			"glance": func(t *rapid.T) { moves += some(t).observe(t, b, false, given) },
			"look":   func(t *rapid.T) { moves += some(t).observe(t, b, true, given) },
			"leave": func(t *rapid.T) {
				i := rapid.IntRange(0, 1).Draw(t, "document")
				b.EndDocument(worlds[i].doc)
				docs++
				worlds[i] = newWorld(docs)
			},
			"": func(t *rapid.T) {
				for _, w := range worlds {
					held := map[*node]int{}
					for id, n := range w.owner {
						element, ok := b.Element(id)
						if w.dead[id] {
							continue
						}
						if other := held[n]; !ok || element.Handle != n.handle || other != 0 {
							t.Fatalf("%d means %+v (and %d does), want %+v", id, element, other, n)
						}
						held[n] = id
					}
				}
			},
		})
	})
	if moves == 0 {
		t.Error("no number ever moved: nothing was proved")
	}
}
