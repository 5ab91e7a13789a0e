package observe

import (
	"context"
	"slices"

	"sextant/shared/annotation"
)

// Compare says which elements of now are new or different, and which numbers of before do
// not belong to the page any more. What was only scrolled out of sight is not gone.
func (o *Observer) Compare(ctx context.Context, before, now *Snapshot) (changes []annotation.Element, gone []int) {
	if before == nil {
		return now.Elements, nil
	}
	for _, e := range now.Elements {
		i, was := before.ByID[e.ID]
		if !was || annotation.Changed(before.Elements[i], e) {
			e.OnlyCoverChanged = was && !annotation.Changed(annotation.Uncovered(before.Elements[i]),
				annotation.Uncovered(e))
			changes = append(changes, e)
		}
	}
	away := map[int][]int{}
	for _, e := range before.Elements {
		if _, still := now.ByID[e.ID]; still {
			continue
		}
		thing, ok := o.elements.Element(e.ID)
		if !ok {
			gone = append(gone, e.ID)
			continue
		}
		away[thing.Doc] = append(away[thing.Doc], e.ID)
	}
	for doc, ids := range away {
		gone = append(gone, o.vanished(ctx, doc, ids)...)
	}
	slices.Sort(gone)
	return changes, gone
}

// vanished are the ids of a document's nodes that were removed or are no longer shown.
func (o *Observer) vanished(ctx context.Context, doc int, ids []int) []int {
	d := o.Document(doc)
	if d == nil {
		return ids
	}
	handles := make([]int, len(ids))
	for i, id := range ids {
		thing, _ := o.elements.Element(id)
		handles[i] = thing.Handle
	}
	alive, err := askNodes(ctx, d, handles, "n !== null && n.checkVisibility({ visibilityProperty: true })")
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
