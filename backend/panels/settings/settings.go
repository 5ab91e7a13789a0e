// Package settings stores the settings of panels: the values for the fields of a manifest's config. Sensitive values
// are stored as secrets, and only the panel's backend gets them.
package settings

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"sextant/backend/panels/manifest"
)

const maxText = 10_000

// Store stores values by panel and name. *sqlite.Store implements it.
type Store interface {
	PanelConfig(ctx context.Context, panel string) (map[string]json.RawMessage, error)
	SetPanelConfig(ctx context.Context, panel string, values map[string]json.RawMessage) error
}

// SecretStore stores sensitive values. Storing "" deletes a value. *secrets.Vault implements it.
type SecretStore interface {
	Key(name string) (string, bool)
	SetKey(name, value string) error
}

// Settings contains the settings of all panels. It is safe for concurrent use.
type Settings struct {
	store Store
	keys  SecretStore
}

// New returns Settings that stores sensitive values in keys and all others in store.
func New(store Store, keys SecretStore) *Settings { return &Settings{store: store, keys: keys} }

// PanelSetting is a setting for display. Value is the default if none is stored. A sensitive setting has neither.
type PanelSetting struct {
	Name        string          `json:"name"`
	Type        string          `json:"type"`
	Description string          `json:"description,omitempty"`
	Sensitive   bool            `json:"sensitive,omitempty"`
	Default     json.RawMessage `json:"default,omitempty"`
	Value       json.RawMessage `json:"value,omitempty"`
	// Stored is true if a valid value is stored. It may equal the default.
	Stored bool `json:"set,omitempty"`
}

func keyOf(panel, name string) string { return "panel." + panel + "." + name }

// List returns the settings of panel with the given fields, sorted by name. It ignores stored values of a wrong type.
func (s *Settings) List(ctx context.Context, panel string, fields map[string]manifest.ConfigField) ([]PanelSetting,
	error,
) {
	stored, err := s.store.PanelConfig(ctx, panel)
	if err != nil {
		return nil, err
	}
	all := []PanelSetting{}
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		f := fields[name]
		one := PanelSetting{
			Name: name, Type: f.Type, Description: f.Description, Sensitive: f.Sensitive,
			Default: f.Default, Value: f.Default,
		}
		if f.Sensitive {
			one.Default, one.Value = nil, nil
			_, one.Stored = s.keys.Key(keyOf(panel, name))
		} else if value, ok := stored[name]; ok && fits(f.Type, value) == "" {
			one.Value, one.Stored = value, true
		}
		all = append(all, one)
	}
	return all, nil
}

// JSON returns the values, including sensitive ones and defaults, as a JSON object for the panel's backend.
func (s *Settings) JSON(ctx context.Context, panel string, fields map[string]manifest.ConfigField) (string, error) {
	list, err := s.List(ctx, panel, fields)
	if err != nil {
		return "", err
	}
	all := map[string]json.RawMessage{}
	for _, one := range list {
		value := one.Value
		if one.Sensitive {
			value = fields[one.Name].Default
			if text, ok := s.keys.Key(keyOf(panel, one.Name)); ok {
				value = json.RawMessage(text)
			}
		}
		if len(value) > 0 {
			all[one.Name] = value
		}
	}
	b, err := json.Marshal(all)
	return string(b), err
}

// InvalidError reports that values were refused. Fields maps the names of the settings to the reasons.
type InvalidError struct{ Fields map[string]string }

// Error implements error.
func (i *InvalidError) Error() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(i.Fields)) {
		parts = append(parts, name+" "+i.Fields[name])
	}
	return strings.Join(parts, "; ")
}

// Set stores values. null resets a setting to its default. If a setting is unknown or a value does not match it, Set
// stores nothing and returns an *InvalidError. After another error, some sensitive values may have been stored.
func (s *Settings) Set(ctx context.Context, panel string, fields map[string]manifest.ConfigField,
	values map[string]json.RawMessage,
) error {
	wrong := &InvalidError{Fields: map[string]string{}}
	plain, sensitive := map[string]json.RawMessage{}, map[string]string{}
	for name, value := range values {
		f, known := fields[name]
		none := len(value) == 0 || bytes.Equal(bytes.TrimSpace(value), []byte("null"))
		why := ""
		switch {
		case !known:
			why = "is not a setting of the panel"
		case !none:
			why = fits(f.Type, value)
		}
		switch {
		case why != "":
			wrong.Fields[name] = why
		case f.Sensitive && none:
			sensitive[name] = ""
		case f.Sensitive:
			sensitive[name] = string(value)
		case none:
			plain[name] = nil
		default:
			plain[name] = value
		}
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}
	for name, value := range sensitive {
		if err := s.keys.SetKey(keyOf(panel, name), value); err != nil {
			return err
		}
	}
	return s.store.SetPanelConfig(ctx, panel, plain)
}

// fits says why value does not have the type kind, "" if it does.
func fits(kind string, value json.RawMessage) string {
	value = bytes.TrimSpace(value)
	switch kind {
	case "boolean":
		if string(value) != "true" && string(value) != "false" {
			return "should be true or false"
		}
	case "integer":
		if _, err := strconv.ParseInt(string(value), 10, 64); err != nil {
			return "should be a whole number"
		}
	case "number":
		var n json.Number
		if bytes.HasPrefix(value, []byte(`"`)) || json.Unmarshal(value, &n) != nil {
			return "should be a number"
		}
	default:
		var text string
		if json.Unmarshal(value, &text) != nil {
			return "should be text"
		}
		if len(text) > maxText {
			return fmt.Sprintf("is longer than %d bytes", maxText)
		}
	}
	return ""
}
