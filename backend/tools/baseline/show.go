package baseline

import (
	"context"

	"sextant/shared/event"
)

// Show makes the panel id the active one, as its open tool does, when it is not already.
// A panel that is not there or not usable is left alone.
func (w *Workspace) Show(ctx context.Context, id string) error {
	if _, ok := w.panel(id); !ok || w.ActivePanel() == id {
		return nil
	}
	return w.change(ctx, func(s *state) []event.Event { return w.show(s, id) })
}
