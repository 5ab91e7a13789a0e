package browser

import (
	"context"
	"slices"

	"sextant/shared/annotator"
)

// compare says which elements of now are new or different, and which numbers of before do
// not stand on the page any more. What was only scrolled out of sight is not gone.
func (t *tab) compare(ctx context.Context, before, now *look) (changes []annotator.Element, gone []int) {
	if before == nil {
		return now.elements, nil
	}
	for _, e := range now.elements {
		i, was := before.byID[e.ID]
		if !was || annotator.Differs(before.elements[i], e) {
			e.Familiar = was && !annotator.Differs(annotator.Uncovered(before.elements[i]), annotator.Uncovered(e))
			changes = append(changes, e)
		}
	}
	away := map[int][]int{}
	for _, e := range before.elements {
		if _, still := now.byID[e.ID]; still {
			continue
		}
		thing, ok := t.s.b.book.Thing(e.ID)
		if !ok {
			gone = append(gone, e.ID)
			continue
		}
		away[thing.Doc] = append(away[thing.Doc], e.ID)
	}
	for doc, ids := range away {
		gone = append(gone, t.vanished(ctx, doc, ids)...)
	}
	slices.Sort(gone)
	return changes, gone
}

// vanished are those of a document's numbers whose nodes are not in it any more or not shown.
func (t *tab) vanished(ctx context.Context, doc int, ids []int) []int {
	d := t.document(doc)
	if d == nil {
		return ids
	}
	handles := make([]int, len(ids))
	for i, id := range ids {
		thing, _ := t.s.b.book.Thing(id)
		handles[i] = thing.Handle
	}
	alive, err := probe(ctx, d, handles, "n !== null && n.checkVisibility({ visibilityProperty: true })")
	if err != nil {
		return nil
	}
	var gone []int
	for i, id := range ids {
		if i < len(alive) && !alive[i] {
			gone = append(gone, id)
		}
	}
	return gone
}
