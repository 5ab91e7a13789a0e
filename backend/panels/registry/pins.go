package registry

import (
	"context"
	"errors"
	"fmt"
)

// PinStore stores which panels are pinned. *sqlite.Store implements it.
type PinStore interface {
	PinnedPanels(ctx context.Context) ([]string, error)
	PinPanel(ctx context.Context, panel string, pinned bool) error
}

// ErrNoPanel reports that there is no panel with the given id, or none that can be used.
var ErrNoPanel = errors.New("no such panel")

func (r *Registry) loadPins(ctx context.Context) error {
	if r.cfg.Pins == nil {
		return nil
	}
	list, err := r.cfg.Pins.PinnedPanels(ctx)
	for _, id := range list {
		r.pinned[id] = true
	}
	return err
}

// SetPinned sets whether the tools of a panel are also available while another panel is active. It returns ErrNoPanel
// if there is no such panel.
func (r *Registry) SetPinned(ctx context.Context, panel string, pinned bool) error {
	r.reloadMu.Lock()
	defer r.reloadMu.Unlock()
	r.mu.Lock()
	e, was := r.entries[panel], r.pinned[panel]
	r.mu.Unlock()
	if e == nil || e.arrival == 0 {
		return fmt.Errorf("pinning %q: %w", panel, ErrNoPanel)
	}
	if was == pinned {
		return nil
	}
	if r.cfg.Pins != nil {
		if err := r.cfg.Pins.PinPanel(ctx, panel, pinned); err != nil {
			return err
		}
	}
	r.mu.Lock()
	r.pinned[panel] = pinned
	r.mu.Unlock()
	r.publish()
	return nil
}
