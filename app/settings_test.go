package app

import (
	"context"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"sextant/app/config"
	"sextant/backend/store/eventlog"
	"sextant/shared/event"
)

// dawdling takes its time after it kept a setting, each time another.
type dawdling struct{ config.Store }

func (d dawdling) SetSetting(ctx context.Context, key, value string) error {
	err := d.Store.SetSetting(ctx, key, value)
	time.Sleep(rand.N(3 * time.Millisecond))
	return err
}

func TestConcurrentChangesOfASettingAgree(t *testing.T) {
	sys := openTest(t, OpenOptions{})
	sys.Settings.Store = dawdling{sys.Settings.Store}
	heard := sys.Events.Subscribe(eventlog.Filter{Kinds: []event.Kind{event.SettingChanged}}, eventlog.FromNow)
	defer heard.Close()
	const key = "rounds"
	for round := range 15 {
		var all sync.WaitGroup
		for n := range 4 {
			all.Go(func() {
				if _, err := sys.Settings.Set(t.Context(), key, strconv.Itoa(1+n*100+round)); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		var reported string
		for range 4 {
			reported = string((<-heard.C()).Data)
		}
		kept, _, err := sys.Store.Setting(t.Context(), key)
		if now := sys.Settings.Get(key); err != nil || now != kept || !strings.Contains(reported, `"`+now+`"`) {
			t.Fatalf("round %d: in force is %s, stored is %s, the event has %s (%v)", round, now, kept, reported, err)
		}
	}
}

func TestResetSettingHasItsDefaultAlsoAfterARestart(t *testing.T) {
	sys := openTest(t, OpenOptions{})
	for _, value := range []string{"0", "-1", "ten", "", "10000"} {
		t.Run("rounds "+value, func(t *testing.T) {
			if set, err := sys.Settings.Set(t.Context(), "rounds", value); err == nil {
				t.Errorf("%q became %+v", value, set)
			}
		})
	}
	if _, err := sys.Settings.Set(t.Context(), "rounds", "7"); err != nil || sys.Settings.Int("rounds") != 7 {
		t.Fatalf("%d, error %v", sys.Settings.Int("rounds"), err)
	}
	heard := sys.Events.Subscribe(eventlog.Filter{Kinds: []event.Kind{event.SettingChanged}}, eventlog.FromNow)
	defer heard.Close()
	set, err := sys.Settings.Reset(t.Context(), "rounds")
	if err != nil || set.Value != "10" || set.Source != config.SourceDefault || sys.Settings.Int("rounds") != 10 {
		t.Errorf("%+v, in force %d, error %v", set, sys.Settings.Int("rounds"), err)
	}
	if reported := string((<-heard.C()).Data); !strings.Contains(reported, `"10"`) ||
		!strings.Contains(reported, config.SourceDefault) {
		t.Errorf("the event has %s", reported)
	}
	if _, kept, err := sys.Store.Setting(t.Context(), "rounds"); kept || err != nil {
		t.Errorf("stored: %t, error %v", kept, err)
	}
	if _, err := sys.Settings.Reset(t.Context(), "addr"); err == nil {
		t.Error("a setting of the start was reset")
	}
}

func TestStartAtLogin(t *testing.T) {
	sys := openTest(t, OpenOptions{})
	config := t.TempDir()
	t.Setenv("XDG_CONFIG_HOME", config)
	entry := filepath.Join(config, "autostart", "sextant.desktop")
	if _, err := sys.Settings.Set(t.Context(), "autostart", "on"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(entry); err != nil {
		t.Errorf("there is no entry: %v", err)
	}
	if _, err := sys.Settings.Reset(t.Context(), "autostart"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(entry); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the entry stays: %v", err)
	}
	t.Setenv("XDG_CONFIG_HOME", entry) // no folder can be created in a file
	if err := os.WriteFile(entry, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := sys.Settings.Set(t.Context(), "autostart", "on")
	if err == nil || !strings.Contains(err.Error(), "not changed") {
		t.Errorf("a failure is reported as %v", err)
	}
	if got := sys.Settings.Get("autostart"); got != "off" {
		t.Errorf("after the failure, the setting is %s", got)
	}
}
