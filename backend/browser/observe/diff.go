package observe

import (
	"context"

	"sextant/shared/annotation"
)

// Compare returns the elements of now that are new or changed, and the ids of before that are gone. When before is
// nil, all elements are new.
func (o *Observer) Compare(ctx context.Context, before, now *Snapshot) (changes []annotation.Element, gone []int) {
	if before == nil {
		return now.Elements, nil
	}
	return o.elements.Compare(before.List, now.List, func(doc int, handles []int) ([]bool, bool) {
		d := o.Document(doc)
		if d == nil {
			return nil, false
		}
		shown, err := askNodes(ctx, d, handles, "n !== null && n.checkVisibility({ visibilityProperty: true })")
		if err != nil {
			return nil, true
		}
		return shown, true
	})
}
