package config

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"sextant/backend/sandbox/secrets"
	"sextant/shared/event"
)

// Prefixes of the keys that only the window uses: for unsent text and the sizes of its regions.
const (
	DraftPrefix = "draft."
	ViewPrefix  = "view."
)

// Store stores the settings that were changed in the window, except secret ones.
type Store interface {
	Setting(ctx context.Context, key string) (value string, ok bool, err error)
	SetSetting(ctx context.Context, key, value string) error
	UnsetSetting(ctx context.Context, key string) error
}

type publisher interface {
	Publish(ctx context.Context, events ...event.Event) ([]event.Event, error)
}

// Settings contains the values of all settings in all layers. It is safe for concurrent use.
type Settings struct {
	config *Config
	Store  Store
	events publisher
	vault  *secrets.Vault

	// changing is held while a change is stored and published, so that the last of two concurrent changes is stored and
	// published last. It is locked before mu.
	changing sync.Mutex
	mu       sync.RWMutex
	window   map[string]string
	// OnChange is called after each change, before its event is published. It may read settings but not change any. Set
	// it before Settings is used concurrently.
	OnChange func(key string)
}

// OpenSettings returns Settings for config and the values in store and vault.
func OpenSettings(ctx context.Context, config *Config, store Store, events publisher, vault *secrets.Vault) (*Settings,
	error,
) {
	s := &Settings{
		config: config, Store: store, events: events, vault: vault, window: map[string]string{},
		OnChange: func(string) {},
	}
	for _, k := range Keys() {
		if !k.Window {
			continue
		}
		value, ok, err := store.Setting(ctx, k.Name)
		if k.Secret {
			value, ok = vault.Key(k.Name)
			err = nil
		}
		if err != nil {
			return nil, fmt.Errorf("reading setting %s: %w", k.Name, err)
		}
		if ok {
			s.window[k.Name] = value
		}
	}
	return s, nil
}

// Get returns the value of a setting, "" if there is no such setting.
func (s *Settings) Get(name string) string {
	v, _ := s.Lookup(name)
	return v
}

// Int returns the value of a setting as a number if it is greater than 0, otherwise the default.
func (s *Settings) Int(name string) int {
	if n, err := strconv.Atoi(s.Get(name)); err == nil && n > 0 {
		return n
	}
	k, _ := FindKey(name)
	n, _ := strconv.Atoi(k.Default)
	return n
}

// Count returns the value of a setting as a number if it is at least 0, otherwise the default.
func (s *Settings) Count(name string) int {
	if n, err := strconv.Atoi(s.Get(name)); err == nil && n >= 0 {
		return n
	}
	return s.Int(name)
}

// List returns the comma-separated entries of a setting, without empty ones.
func (s *Settings) List(name string) []string {
	var out []string
	for p := range strings.SplitSeq(s.Get(name), ",") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}

// Lookup returns the value of a setting and its source.
func (s *Settings) Lookup(name string) (value, source string) {
	if v, source, ok := s.config.FixedValue(name); ok {
		return v, source
	}
	s.mu.RLock()
	v, ok := s.window[name]
	s.mu.RUnlock()
	if ok {
		return v, SourceWindow
	}
	k, _ := FindKey(name)
	return k.Default, SourceDefault
}

// All returns all settings with their sources. For a secret, the value only says whether it is set.
func (s *Settings) All() []event.Setting {
	var out []event.Setting
	for _, k := range Keys() {
		v, source := s.Lookup(k.Name)
		if k.Secret && v != "" {
			v = "set"
		}
		about := &event.SettingDescription{
			Doc:     k.Doc,
			Default: k.Default,
			OneOf:   k.OneOf,
			Window:  k.Window,
			Secret:  k.Secret,
		}
		out = append(out, event.Setting{Key: k.Name, Value: v, Source: source, Description: about})
	}
	return out
}

// Set changes a setting in the window's layer, and stores and publishes the change. It returns an error if the window
// may not change the setting, a stronger layer fixes it, or the value is invalid. Keys that begin with "draft." or
// "view." accept any text and are not published.
func (s *Settings) Set(ctx context.Context, name, value string) (event.Setting, error) {
	if strings.HasPrefix(name, DraftPrefix) || strings.HasPrefix(name, ViewPrefix) {
		if err := s.Store.SetSetting(ctx, name, value); err != nil {
			return event.Setting{}, fmt.Errorf("not saved: %w", err)
		}
		return event.Setting{Key: name, Value: value, Source: SourceWindow}, nil
	}
	k, err := s.changeable(name)
	if err != nil {
		return event.Setting{}, err
	}
	if err := CheckValue(name, value); err != nil {
		return event.Setting{}, err
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	if err := k.apply(value); err != nil {
		return event.Setting{}, err
	}
	if err := s.save(ctx, k, value); err != nil {
		return event.Setting{}, fmt.Errorf("not saved: %w", err)
	}
	s.mu.Lock()
	s.window[name] = value
	s.mu.Unlock()
	return s.publish(ctx, k)
}

// Reset removes the value in the window's layer, so that the default applies, and publishes the change. It returns an
// error in the same cases as Set.
func (s *Settings) Reset(ctx context.Context, name string) (event.Setting, error) {
	k, err := s.changeable(name)
	if err != nil {
		return event.Setting{}, err
	}
	s.changing.Lock()
	defer s.changing.Unlock()
	if err := k.apply(k.Default); err != nil {
		return event.Setting{}, err
	}
	if k.Secret {
		err = s.vault.SetKey(name, "")
	} else {
		err = s.Store.UnsetSetting(ctx, name)
	}
	if err != nil {
		return event.Setting{}, fmt.Errorf("not saved: %w", err)
	}
	s.mu.Lock()
	delete(s.window, name)
	s.mu.Unlock()
	return s.publish(ctx, k)
}

func (k *Key) apply(value string) error {
	if k.Apply == nil {
		return nil
	}
	if err := k.Apply(value); err != nil {
		return fmt.Errorf("not changed: %w", err)
	}
	return nil
}

func (s *Settings) changeable(name string) (Key, error) {
	k, ok := FindKey(name)
	if !ok || !k.Window {
		return k, fmt.Errorf("%q cannot be set in the window", name)
	}
	if _, source, fixed := s.config.FixedValue(name); fixed {
		return k, fmt.Errorf("%s is fixed by the %s; change it there", name, source)
	}
	return k, nil
}

// publish calls OnChange and publishes the value of a setting. The caller holds s.changing.
func (s *Settings) publish(ctx context.Context, k Key) (event.Setting, error) {
	s.OnChange(k.Name)
	value, source := s.Lookup(k.Name)
	shown := event.Setting{Key: k.Name, Value: value, Source: source}
	if k.Secret && value != "" {
		shown.Value = "set"
	}
	_, err := s.events.Publish(ctx, event.New(event.SettingChanged, shown))
	return shown, err
}

func (s *Settings) save(ctx context.Context, k Key, value string) error {
	if !k.Secret {
		return s.Store.SetSetting(ctx, k.Name, value)
	}
	return s.vault.SetKey(k.Name, value)
}
