package registry

import (
	"context"
	"encoding/json"
	"fmt"

	"sextant/backend/panels/settings"
)

func (r *Registry) settingsOf(panel string) func() (string, error) {
	if r.cfg.Settings == nil {
		return nil
	}
	return func() (string, error) {
		return r.cfg.Settings.JSON(context.Background(), panel, r.state.Load().config[panel])
	}
}

// Settings returns the settings of panel for display. ok is false if there is no usable panel with this id.
func (r *Registry) Settings(ctx context.Context, panel string) (list []settings.PanelSetting, ok bool, err error) {
	fields, ok := r.state.Load().config[panel]
	if !ok || r.cfg.Settings == nil {
		return []settings.PanelSetting{}, ok, nil
	}
	list, err = r.cfg.Settings.List(ctx, panel, fields)
	return list, true, err
}

// SetSettings stores values for panel; see settings.Settings.Set for its errors. null resets a setting to its default.
// SetSettings stops a running program, so that the next call starts it with the new values.
func (r *Registry) SetSettings(ctx context.Context, panel string, values map[string]json.RawMessage) error {
	fields, ok := r.state.Load().config[panel]
	if !ok || r.cfg.Settings == nil {
		return fmt.Errorf("there is no panel %s with settings", panel)
	}
	if err := r.cfg.Settings.Set(ctx, panel, fields, values); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.entries[panel]; e != nil && e.runner != nil {
		e.runner.Restart()
	}
	return nil
}
