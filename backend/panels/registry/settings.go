package registry

import (
	"context"
	"encoding/json"
	"fmt"

	"sextant/backend/panels/settings"
)

// settingsOf returns the user's settings for panel when it is called; nil when nothing is stored.
func (r *Registry) settingsOf(panel string) func() (string, error) {
	if r.cfg.Settings == nil {
		return nil
	}
	return func() (string, error) {
		return r.cfg.Settings.Text(context.Background(), panel, r.state.Load().config[panel])
	}
}

// Settings are the settings of panel for display; ok is false when there is no such panel.
func (r *Registry) Settings(ctx context.Context, panel string) (list []settings.PanelSetting, ok bool, err error) {
	fields, ok := r.state.Load().config[panel]
	if !ok || r.cfg.Settings == nil {
		return []settings.PanelSetting{}, ok, nil
	}
	list, err = r.cfg.Settings.List(ctx, panel, fields)
	return list, true, err
}

// SetSettings stores values for panel, all or none; null resets one to its default. A running program
// is stopped, so that the next call starts it with them.
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
