package app

import (
	"context"
	"crypto/rand"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sextant/app/config"
	"sextant/backend/browser"
	"sextant/backend/browser/page/downloaddir"
	"sextant/backend/browser/pool"
	"sextant/backend/browser/upload"
	"sextant/backend/panelpage"
	"sextant/backend/pipeline"
	"sextant/backend/sandbox/confine"
	"sextant/backend/sandbox/egress"
	"sextant/backend/telemetry"
	"sextant/panels/browser/demo"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// openEgress opens the guards that check all network connections, the sandbox of commands, and the demo shop.
func (s *System) openEgress(ctx context.Context, _ OpenOptions) error {
	config := egress.Config{
		AllowHosts: s.Settings.List("allow_hosts"), DenyHosts: s.Settings.List("deny_hosts"), Log: s.Log,
	}
	s.Egress, s.mcpEgress = egress.New(config), egress.New(config)
	s.OnClose("egress", s.Egress.Close)
	s.OnClose("egress of MCP servers", s.mcpEgress.Close)
	s.Confine = confine.New(confine.Config{
		Home: s.home, SecretPaths: []string{s.Config.DataDir, s.Config.ConfigDir},
		BlockedPorts: func() []uint16 { return append(s.Egress.BlockedPorts(), s.mcpEgress.BlockedPorts()...) },
	})
	addr, stop, err := demo.Listen()
	if err != nil {
		return err
	}
	s.OnClose("demo shop", stop)
	s.Egress.MapHost(demo.Host, addr)
	sent, err := telemetry.Start(ctx, s.Settings.Get("otlp_endpoint"), Version, s.Log)
	if err != nil {
		s.Config.Problems = append(s.Config.Problems, err.Error())
		return nil
	}
	s.OnClose("telemetry", sent)
	return nil
}

func (s *System) openBrowser(ctx context.Context, options OpenOptions) error {
	var err error
	if s.Uploads, err = upload.Open(s.dataPath("uploads")); err != nil {
		return err
	}
	s.OnClose("uploads", s.Uploads.Close)
	proxy, err := s.Egress.StartProxy()
	if err != nil {
		return fmt.Errorf("opening the browser's proxy: %w", err)
	}
	blocked := append(slices.Clone(options.Browsers), options.AttachURL)
	if options.Queue != nil {
		blocked = append(blocked, options.Queue.PageURL())
	}
	for _, address := range slices.DeleteFunc(blocked, func(address string) bool { return address == "" }) {
		// A program that can connect to the debugging port controls the browser.
		if err := s.Egress.BlockURL(ctx, address); err != nil {
			return fmt.Errorf("closing an address to pages: %w", err)
		}
	}
	config := browser.Config{
		Path:         s.Settings.Get("chromium"),
		DownloadDir:  s.dataPath("downloads"),
		Proxy:        proxy,
		Headless:     s.Settings.Get("headless") != "false",
		CheckAddress: s.Egress.Check,
		ExplainFailure: func(address string) (head, text string) {
			why, known := s.Egress.LastFailure(address)
			if !known {
				return "", ""
			}
			return why.Head, why.Reason + ". " + why.Next
		},
		Log: s.Log,
	}
	window := config
	window.ProfileDir, window.AttachURL = s.profileDir(options), options.AttachURL
	window.Publish, window.OnPersonStep = s.publish, s.recordPersonStep
	s.Browser = browser.New(window)
	s.OnClose("browser", s.Browser.Close)
	config.Headless, config.SharesDownloadDir, config.DownloadDir = true, true, s.dataPath("batch-downloads")
	downloaddir.TidyAll(config.DownloadDir)
	s.browsers = pool.New(s.Browser, config, options.Browsers)
	s.OnClose("browsers of batches", s.browsers.Close)
	s.PanelPages = panelpage.New(panelpage.Config{Elements: s.Browser.Elements(), Title: s.panelTitle})
	return nil
}

func (s *System) profileDir(options OpenOptions) string {
	name := s.Settings.Get("profile")
	switch {
	case name == config.TemporaryProfile, options.TemporaryProfile:
		return ""
	case name == "default", name == "":
		return s.dataPath("browser")
	}
	return filepath.Join(s.Config.DataDir, "profiles", name)
}

func (s *System) panelTitle(id string) string {
	for _, p := range s.Panels.Panels() {
		if p.ID == id {
			return p.Title
		}
	}
	return ""
}

// recordPersonStep records an action of the person in the live view as a call of the corresponding tool. The action has
// already happened, so nothing is decided.
func (s *System) recordPersonStep(step browser.PersonStep) {
	id := "hand_" + strings.ToLower(rand.Text())
	now := time.Now().UTC()
	request := event.CallRequest{
		Tool: step.Tool, Args: step.Args, Origin: toolspec.OriginBaseline, Caller: toolspec.CallerPerson,
		Sentence: step.Sentence,
	}
	err := s.Audit.WriteCall(context.Background(), event.CallIntent{CallRecord: event.CallRecord{
		ID: id, CallRequest: request, Target: step.URL, Decision: "allowed", Reason: "The person did it.",
		Started: now,
	}}, event.CallResult{Status: event.CallDone, Sentence: step.Sentence})
	if err != nil {
		s.Log.Error("a person's step is not in the audit log", "tool", step.Tool, "err", err)
	}
	s.publish(event.New(event.CallStarted, event.CallStart{
		CallRequest: request, Elements: step.Elements, PageURL: step.URL,
	}).OfCall(id))
	s.publish(event.New(event.CallEnded, event.CallEnd{
		Tool: step.Tool, Status: event.CallDone,
		Sentence: step.Sentence,
	}).OfCall(id))
}

type pageControl struct{ browser *browser.Browser }

var _ pipeline.PageControl = pageControl{}

// TakenOver implements pipeline.PageControl.
func (c pageControl) TakenOver() bool { return c.browser.State().TakenOver }

// WaitReturned implements pipeline.PageControl.
func (c pageControl) WaitReturned(ctx context.Context) error { return c.browser.AwaitGiveBack(ctx) }

// SetActor implements pipeline.PageControl.
func (c pageControl) SetActor(caller toolspec.Caller) { c.browser.SetActor(string(caller)) }
