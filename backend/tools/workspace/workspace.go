package workspace

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"sextant/shared/event"
	"sextant/shared/navigation"
)

const stateKey = "workspace.state"

// Values of Focus that are not panels.
const (
	surfaceAssistant = "assistant"
	surfacePage      = "page"
)

// Workspace is the state of the window: the active panel, the open panels, the activity bar and the prompt notes. It is
// safe for concurrent use.
type Workspace struct {
	cfg Config

	mu    sync.Mutex
	state state
}

type state struct {
	Active string `json:"active"`
	// Open contains the open panels, the most recently used last.
	Open  []string          `json:"open"`
	Bar   event.ActivityBar `json:"bar"`
	Focus string            `json:"focus"`
	Notes []string          `json:"notes"`
}

func newWorkspace(cfg Config) *Workspace {
	w := &Workspace{cfg: cfg}
	ctx := context.Background()
	text, ok, err := cfg.Settings.Setting(ctx, stateKey)
	if err == nil && ok {
		err = json.Unmarshal([]byte(text), &w.state)
	}
	if err != nil {
		cfg.Log.Warn("workspace not restored", "err", err)
		w.state = state{}
	}
	w.state.Bar.Devices = slices.DeleteFunc(w.state.Bar.Devices, func(name string) bool {
		_, known := DeviceNamed(name)
		return !known
	})
	if len(w.state.Bar.Devices) == 0 {
		w.state.Bar.Devices = deviceNames()
	}
	if !slices.Contains(w.state.Bar.Devices, w.state.Bar.Device) {
		w.state.Bar.Device = w.state.Bar.Devices[0]
	}
	return w
}

func (w *Workspace) nav() *navigation.Map {
	panels := w.cfg.Panels()
	ids := make([]string, len(panels))
	for i, p := range panels {
		ids[i] = p.ID
	}
	return w.cfg.Nav.WithPanels(ids)
}

func (w *Workspace) usable() []event.Panel {
	return slices.DeleteFunc(slices.Clone(w.cfg.Panels()), func(p event.Panel) bool { return !p.Usable })
}

func (w *Workspace) panel(id string) (event.Panel, bool) {
	panels := w.usable()
	i := slices.IndexFunc(panels, func(p event.Panel) bool { return p.ID == id })
	if i < 0 {
		return event.Panel{}, false
	}
	return panels[i], true
}

// ActivePanel returns the id of the active panel. If that panel can no longer be opened, it returns the first panel of
// the map.
func (w *Workspace) ActivePanel() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.active()
}

func (w *Workspace) active() string {
	if _, ok := w.panel(w.state.Active); ok {
		return w.state.Active
	}
	return w.cfg.Nav.Panels[0]
}

// OpenPanels returns the ids of the open panels, the active one last.
func (w *Workspace) OpenPanels() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.open()
}

func (w *Workspace) open() []string {
	ids := slices.DeleteFunc(slices.Clone(w.state.Open), func(id string) bool {
		_, ok := w.panel(id)
		return !ok || id == w.active()
	})
	return append(ids, w.active())
}

// ActivityBar returns the state of the activity bar.
func (w *Workspace) ActivityBar() event.ActivityBar {
	w.mu.Lock()
	defer w.mu.Unlock()
	bar := w.state.Bar
	bar.Devices = slices.Clone(bar.Devices)
	return bar
}

// FocusedSurface returns the focused surface: the id of a panel, "assistant", "page", or "" if it was never set.
func (w *Workspace) FocusedSurface() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state.Focus
}

// PromptNotes returns the prompt notes, oldest first.
func (w *Workspace) PromptNotes() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.state.Notes)
}

// Updates run one at a time, so that the events have the order of the states. If storing or publishing fails, the state
// in memory does not change.
func (w *Workspace) update(ctx context.Context, edit func(*state) []event.Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	next := w.state
	next.Open = slices.Clone(next.Open)
	next.Notes = slices.Clone(next.Notes)
	next.Bar.Devices = slices.Clone(next.Bar.Devices)
	events := edit(&next)
	text, err := json.Marshal(next)
	if err != nil {
		return fmt.Errorf("storing the workspace: %w", err)
	}
	if err := w.cfg.Settings.SetSetting(ctx, stateKey, string(text)); err != nil {
		return fmt.Errorf("storing the workspace: %w", err)
	}
	if len(events) > 0 {
		if _, err := w.cfg.Journal.Publish(ctx, events...); err != nil {
			return fmt.Errorf("publishing a change of the workspace: %w", err)
		}
	}
	w.state = next
	return nil
}

// ShowPanel activates the panel id, as the tool that opens it does. It does nothing for a panel that is already active,
// unknown or unusable.
func (w *Workspace) ShowPanel(ctx context.Context, id string) error {
	if _, ok := w.panel(id); !ok || w.ActivePanel() == id {
		return nil
	}
	return w.update(ctx, func(s *state) []event.Event { return w.show(s, id) })
}

func (w *Workspace) show(s *state, id string) []event.Event {
	s.Open = append(slices.DeleteFunc(s.Open, func(o string) bool { return o == id }), id)
	s.Active, s.Focus = id, id
	return []event.Event{event.New(event.PanelOpened, event.PanelRef{Panel: id})}
}
