package app

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"time"

	"sextant/app/config"
	"sextant/backend/browser"
	"sextant/backend/sandbox/egress"
	"sextant/backend/store/audit"
	"sextant/backend/store/blobs"
	"sextant/backend/store/eventlog"
	"sextant/backend/store/pending"
	"sextant/backend/store/results"
	"sextant/backend/store/sqlite"
	"sextant/backend/surface/panelpage"
	"sextant/panels/browser/demo"
	"sextant/shared/event"
)

// DatabaseName is the SQLite file in the data folder.
const DatabaseName = "sextant.db"

// openRecord opens what is remembered: floor 2, record.
func (s *System) openRecord(ctx context.Context, _ Purpose) error {
	if err := s.openSecrets(); err != nil {
		return err
	}
	var err error
	if s.Store, err = sqlite.Open(ctx, filepath.Join(s.Config.DataDir, DatabaseName), s.Log); err != nil {
		return err
	}
	s.OnClose("store", s.Store.Close)
	if s.Events, err = eventlog.New(ctx, s.Store, s.Log); err != nil {
		return err
	}
	s.Events.SetMask(s.Secrets.MaskJSON)
	s.Pending = pending.New(s.Events)
	s.OnClose("events", func() error {
		s.Events.Close()
		s.background.Wait()
		return nil
	})
	s.Audit = audit.New(s.Store)
	if s.Blobs, err = blobs.New(filepath.Join(s.Config.DataDir, "blobs"), 0); err != nil {
		return err
	}
	if s.Results, err = results.New(ctx, filepath.Join(s.Config.DataDir, "results"), s.Store,
		s.Secrets.Mask); err != nil {
		return err
	}
	s.forgetResults()
	s.Settings, err = config.OpenSettings(ctx, s.Config, s.Store, s.Events, s.Secrets)
	return err
}

// forgetResults removes the long results of conversations that are deleted.
func (s *System) forgetResults() {
	sub := s.Events.Subscribe(eventlog.Filter{Kinds: []event.Kind{event.ConversationDeleted}}, eventlog.FromNow)
	s.background.Go(func() {
		defer sub.Close()
		for range sub.C() {
			if err := s.Results.Sweep(context.Background()); err != nil {
				s.Log.Warn("long results of a deleted conversation are left", "error", err)
			}
		}
	})
}

// The demo shop's address: a name that resolves nowhere, mapped to our own listener.
const (
	demoWord = "demo"
	demoHost = "demo.sextant.test"
)

// openGuard opens what judges every way out, and the demo shop behind it: floor 2, guard.
func (s *System) openGuard(context.Context, Purpose) error {
	s.Guard = egress.New(egress.Config{
		AllowHosts: s.Settings.List("allow_hosts"),
		DenyHosts:  s.Settings.List("deny_hosts"), Log: s.Log,
	})
	s.OnClose("egress", s.Guard.Close)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("opening the demo shop: %w", err)
	}
	server := &http.Server{Handler: demo.Handler(), ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(ln) // ends with Close
	}()
	s.OnClose("demo shop", func() error {
		err := server.Close()
		<-done
		return err
	})
	s.Guard.MapHost(demoHost, ln.Addr().String())
	return nil
}

// alias turns a word a person may type instead of an address into one.
func alias(word string) (string, bool) {
	if strings.EqualFold(strings.TrimSpace(word), demoWord) {
		return "http://" + demoHost + "/", true
	}
	return "", false
}

// openBrowser prepares the controlled Chromium; it starts when it is first needed: floor 3.
func (s *System) openBrowser(ctx context.Context, purpose Purpose) error {
	proxy, err := s.Guard.StartProxy()
	if err != nil {
		return fmt.Errorf("opening the browser's proxy: %w", err)
	}
	if purpose.AttachURL != "" {
		// Who reaches the debugging port of the browser we drive drives it too.
		if err := s.Guard.BlockURL(ctx, purpose.AttachURL); err != nil {
			return fmt.Errorf("attaching to a browser: %w", err)
		}
	}
	s.Browser = browser.New(browser.Config{
		Path:         s.Settings.Get("chromium"),
		ProfileDir:   s.profileDir(purpose),
		DownloadDir:  filepath.Join(s.Config.DataDir, "downloads"),
		Proxy:        proxy,
		Headless:     s.Settings.Get("headless") != "false",
		AttachURL:    purpose.AttachURL,
		CheckAddress: s.Guard.Check,
		Publish:      s.publish,
		OnPersonStep: s.stepped,
		Log:          s.Log,
	})
	s.OnClose("browser", s.Browser.Close)
	s.Window = panelpage.New(panelpage.Config{Elements: s.Browser.Elements(), Title: s.panelTitle})
	return nil
}

// profileDir is where the browser keeps its profile, "" for nowhere.
func (s *System) profileDir(purpose Purpose) string {
	name := s.Settings.Get("profile")
	switch {
	case name == config.ThrowAwayProfile, purpose.ThrowAway:
		return ""
	case name == "default", name == "":
		return filepath.Join(s.Config.DataDir, "browser")
	}
	return filepath.Join(s.Config.DataDir, "profiles", name)
}

// publish sends one event on; a failing disk must not stop what happened from being shown
// by the next one that gets through, so the error is logged.
func (s *System) publish(e event.Event) {
	if _, err := s.Events.Publish(context.Background(), e); err != nil {
		s.Log.Error("an event was not kept", "kind", e.Kind, "error", err)
	}
}

// journal is publish as the one-method interface that tools declare.
type journal struct{ sys *System }

// Publish records and shows e.
func (j journal) Publish(e event.Event) { j.sys.publish(e) }
