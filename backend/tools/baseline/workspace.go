package baseline

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"sextant/shared/event"
	"sextant/shared/navigation"
)

// stateKey is where the workspace's state is kept.
const stateKey = "workspace.state"

// Surfaces that are not panels.
const (
	surfaceAssistant = "assistant"
	surfacePage      = "page"
)

// Workspace is what stands in the window: the active panel, those that are open, the
// activity bar and the assistant's prompt notes. Its reading methods may be called at any
// time; changes are made by the tools. Safe for concurrent use.
type Workspace struct {
	cfg Config

	mu    sync.Mutex
	state state
}

// state is the kept form.
type state struct {
	Active string `json:"active"`
	// Open are the open panels, the last used at the end.
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
		cfg.Log.Warn("workspace not restored", "error", err)
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

// usable are the panels that can be opened.
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

// ActivePanel is the id of the panel in front. When that one is gone, it is the first of
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

// OpenPanels are the ids of open panels, the active one last.
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

// ActivityBar is the bar's state.
func (w *Workspace) ActivityBar() event.ActivityBar {
	w.mu.Lock()
	defer w.mu.Unlock()
	bar := w.state.Bar
	bar.Devices = slices.Clone(bar.Devices)
	return bar
}

// Focus is what has the focus: a panel's id, "assistant", "page", or "" for nothing asked.
func (w *Workspace) Focus() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state.Focus
}

// PromptNotes are the notes appended to the system prompt, oldest first.
func (w *Workspace) PromptNotes() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.state.Notes)
}

// change keeps what edit makes of the state and publishes the events it gives. When
// either fails, nothing has changed. Changes happen one after the other, so that events
// stand in the log in the order of the states they tell of.
func (w *Workspace) change(ctx context.Context, edit func(*state) []event.Event) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	next := w.state
	next.Open = slices.Clone(next.Open)
	next.Notes = slices.Clone(next.Notes)
	next.Bar.Devices = slices.Clone(next.Bar.Devices)
	events := edit(&next)
	text, err := json.Marshal(next)
	if err != nil {
		return fmt.Errorf("keeping the workspace: %w", err)
	}
	if err := w.cfg.Settings.SetSetting(ctx, stateKey, string(text)); err != nil {
		return fmt.Errorf("keeping the workspace: %w", err)
	}
	if len(events) > 0 {
		if _, err := w.cfg.Journal.Publish(ctx, events...); err != nil {
			return fmt.Errorf("telling of the workspace: %w", err)
		}
	}
	w.state = next
	return nil
}

// show puts panel id in front.
func (w *Workspace) show(s *state, id string) []event.Event {
	s.Open = append(slices.DeleteFunc(s.Open, func(o string) bool { return o == id }), id)
	s.Active, s.Focus = id, id
	return []event.Event{event.New(event.PanelOpened, event.PanelRef{Panel: id})}
}
