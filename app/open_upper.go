package app

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"sextant/backend/agent/llm/modelapi"
	"sextant/backend/agent/llm/providers"
	"sextant/backend/agent/loop"
	"sextant/backend/agent/pilot"
	"sextant/backend/agent/toolcalls/probe"
	httpapi "sextant/backend/api/http"
	"sextant/backend/mcp/client"
	mcpconfig "sextant/backend/mcp/config"
	"sextant/backend/panels/authoring"
	"sextant/backend/panels/calls"
	toolpanels "sextant/backend/panels/registry"
	"sextant/backend/panels/settings"
	"sextant/backend/pipeline"
	"sextant/backend/pipeline/approval"
	"sextant/backend/pipeline/catalog"
	"sextant/backend/policy"
	"sextant/backend/sandbox/egress"
	"sextant/backend/store/eventlog"
	"sextant/backend/tools/custom"
	"sextant/backend/tools/findtools"
	"sextant/backend/tools/page"
	"sextant/backend/tools/readresult"
	"sextant/backend/tools/subagent"
	"sextant/backend/tools/web"
	"sextant/backend/tools/workspace"
	"sextant/frontend"
	"sextant/panels"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// closePatience bounds how long closing waits for running calls.
const closePatience = 5 * time.Second

// openTools opens the origins of tools: floor 4.
func (s *System) openTools(ctx context.Context, purpose Purpose) error {
	err := s.openPages(purpose)
	if err != nil {
		return err
	}
	s.openConfine()
	s.openFiles(ctx)
	if err := s.openPanels(); err != nil {
		return err
	}
	s.Panels = toolpanels.New(toolpanels.Config{
		Builtin: panels.Builtin(), Handlers: s.panelHandlers(), Inert: inertTools(),
		Dirs: filepath.SplitList(s.Settings.Get("panels")), Reserved: s.reserved,
		Publisher: journal{s}, Data: s.Config.DataDir, PageURL: s.Pages.URL, Egress: s.Guard.Transport(),
		Programs: s.panelPrograms(), Call: s.callOfScript, Settings: settings.New(s.Store, s.Secrets),
		Accepted: s.Store, Pins: s.Store, Undos: s.Store, Log: s.Log,
	})
	s.Baseline = workspace.New(workspace.Config{
		Operable: func(ctx context.Context, panel string) (int, bool) { return s.Environment.Operable(ctx, panel) },
		Nav:      s.Nav, Panels: s.Panels.Panels, Journal: s.Events, Settings: s.Store,
		NotesDir: filepath.Join(s.Config.DataDir, "developer-notes"), Log: s.Log,
	})
	s.Making = authoring.NewPanels(authoring.Config{
		Folder: s.Panels.Folder(), Registry: s.Panels, Reserved: s.reserved,
		Open: s.showPanel,
	})
	s.openShell()
	s.Kept = readresult.New(s.Results, s.Store)
	offered := func(panel string) []toolspec.Definition { return s.Discovery.ForPanel(panel).All() }
	s.Catalogue = findtools.New(offered)
	s.Subagent = subagent.New(s.handOn)
	s.Web = web.New(web.Config{
		Transport: s.Guard.Transport(), Allowed: s.mayFollow, Setting: s.Settings.Get,
		Secrets: s.Secrets, Log: s.Log,
	})
	steps := func(ctx context.Context, call toolspec.Call) toolspec.Result { return s.Pipeline.Do(ctx, call) }
	s.asPanels = calls.New(steps)
	if s.Environment, err = page.New(s.Browser, s.Nav, page.Options{
		Aliases: alias, Do: steps, Secrets: s.Secrets, Folder: s.Workspace, Window: s.Window,
		Active: s.Baseline.ActivePanel,
	}); err != nil {
		return err
	}
	if s.Created, err = custom.New(ctx, custom.Config{
		Store: s.Store, Log: s.Log, Do: steps,
		Others: offered,
		Changed: func() {
			if _, err := s.Events.Publish(context.WithoutCancel(ctx),
				event.New(event.CatalogueChanged, event.NoData{})); err != nil {
				s.Log.Error("catalogue change not published", "err", err)
			}
		},
	}); err != nil {
		return err
	}
	// What watches asks every room for its names, so that it starts when all are there.
	if err := s.Panels.Start(ctx); err != nil {
		return fmt.Errorf("reading panels: %w", err)
	}
	s.editorChanged(s.Editor.State())
	s.OnClose("panels", func() error { s.Panels.Close(); return nil })
	guard := egress.New(egress.Config{
		AllowHosts: s.Settings.List("allow_hosts"),
		DenyHosts:  s.Settings.List("deny_hosts"), Log: s.Log,
	})
	s.OnClose("egress of mcp servers", guard.Close)
	s.mcpGuard = guard
	s.MCP = mcp.New(mcp.Config{
		Path: filepath.Join(s.Config.ConfigDir, mcpconfig.FileName), Journal: journal{s}, Log: s.Log,
		Version: Version, Dir: s.Workspace(), Secrets: s.Secrets, Egress: &mcpEgress{s, guard},
		Store: s.Secrets, Memory: s.Store, OpenPage: s.signsIn(purpose), Ask: s.serverAsks, Review: s.serverChanged,
		Sandbox: s.serverSandbox(purpose),
		Folder:  s.Workspace, AskRoots: s.serverWantsFolder, Sample: s.serverSamples,
		CanSample: func() bool { return s.modelForServers() != "" },
		NewIssuer: s.newIssuer(purpose), ClientMetadata: s.Settings.Get("mcp_client_metadata"),
	})
	if err := s.MCP.Start(ctx); err != nil {
		return fmt.Errorf("starting MCP servers: %w", err)
	}
	s.OnClose("mcp servers", func() error { s.MCP.Close(); return nil })
	return nil
}

// reserved are the names no panel's tool may have.
func (s *System) reserved() []string {
	names := append(s.Nav.ToolNames(), toolspec.CallTool, toolspec.FinalResponse)
	for _, r := range append(s.toolRooms(), s.Baseline) {
		for _, d := range r.Definitions("") {
			names = append(names, d.Name)
		}
	}
	return names
}

// openCalls opens the way of a call: floor 3, which needs the origins by their interfaces.
func (s *System) openCalls(context.Context, Purpose) error {
	sources := []catalog.Source{s.Baseline, s.Environment}
	for _, r := range s.toolRooms() {
		sources = append(sources, switched{r, s.Settings})
	}
	s.Discovery = catalog.New(append(sources, s.Panels, s.MCP, s.Created)...)
	s.Discovery.Exclude(func() []string { return s.Settings.List("tools_off") })
	s.Desk = approval.New(s.Events)
	close(s.deskOpen)
	s.Pipeline = pipeline.New(pipeline.Config{
		Tools: s.Discovery, Approvals: s.Desk, Recorder: s.Events, Audit: s.Audit, Grants: s.Store, Blobs: s.Blobs,
		Results: s.Results,
		Pages:   pageControl{s.Browser}, Dialer: s.Guard, Pending: s.Pending,
		Policy: func() policy.Settings {
			return policy.Settings{
				Mode: policy.Mode(s.Settings.Get("mode")), AllowHosts: s.Settings.List("allow_hosts"),
				Folder:         followed(s.Workspace()),
				DisabledGroups: s.Settings.List("groups_off"), DisabledTools: s.Settings.List("tools_off"),
				AllowTools: s.Settings.List("tools_allow"), AskTools: s.Settings.List("tools_ask"),
			}
		},
		CallTools: s.callTools, Secrets: s.Secrets, Log: s.Log,
	})
	s.OnClose("pipeline", func() error {
		ctx, cancel := context.WithTimeout(context.Background(), closePatience)
		defer cancel()
		return s.Pipeline.Close(ctx)
	})
	// Before the Pipeline, whose calls some of them make: closing goes backwards.
	s.OnClose("terminals", func() error { s.Terminals.Close(); return nil })
	s.Pipeline.Register(toolspec.OriginBaseline, router{s, s.environmentNames(), byTool(s.toolRooms()...)})
	s.Pipeline.Register(toolspec.OriginPanel, s.Panels)
	s.Pipeline.Register(toolspec.OriginMCP, s.MCP)
	s.Pipeline.Register(toolspec.OriginCreated, s.Created)
	return nil
}

func (s *System) environmentNames() map[string]bool {
	names := map[string]bool{}
	for _, c := range s.Nav.Environment {
		names[c.Tool] = true
	}
	return names
}

// openAgent opens who decides what to call: floor 4.
func (s *System) openAgent(ctx context.Context, _ Purpose) error {
	secret, err := s.promptSecret(ctx)
	if err != nil {
		return err
	}
	s.Models = providers.New(providers.Config{
		Services: s.modelServices(), Fallback: func() string { return s.Settings.Get("fallback_model") }, Log: s.Log,
		// Only what a person configured for a model is open to it, and to nothing else.
		Egress: func() *egress.Guard {
			return egress.New(egress.Config{DenyHosts: s.Settings.List("deny_hosts"), Log: s.Log})
		},
	})
	s.OnClose("models", func() error { s.Models.Close(); return nil })
	s.Settings.OnChange = func(key string) {
		if key == "tools_off" || key == "groups_off" {
			s.publish(event.New(event.CatalogueChanged, event.NoData{}))
		}
		if provider, _, ok := strings.Cut(key, "_"); ok {
			if service, ok := s.modelServices()[provider]; ok {
				s.Models.Configure(provider, service)
			}
		}
	}
	s.Pilot = pilot.New(pilot.Config{Live: s.pilotLive})
	s.Loop = loop.New(loop.Config{
		Pilot: s.Pilot,
		Tools: offeredTools{s.Discovery}, Calls: s.Pipeline, Journal: s.Events, Pending: s.Pending, History: s.Store,
		Queue: s.Store, Models: s.Models,
		Formats: probe.New(probe.Config{
			Settings: s.Store, Overrides: func() []string { return s.Settings.List("dialects") }, Log: s.Log,
		}),
		Limits: func() loop.Limits {
			return loop.Limits{CallsPerTurn: s.Settings.Int("calls_per_turn"), Rounds: s.Settings.Int("rounds")}
		},
		Budget:        s.spend(),
		ContextShare:  func() int { return s.Settings.Int("context_share") },
		SnapshotTools: []string{s.Nav.Tool("annotate")}, MarkerSecret: secret,
		CoreTools: append(s.Nav.Core(), toolspec.ReadResult),
		Window:    func() int { return s.Settings.Int("context_window") },
		Pages:     s.apps.tells, Notes: s.Baseline.PromptNotes, ActivePanel: s.Baseline.ActivePanel, Log: s.Log,
	})
	s.OnClose("loop", func() error { s.Loop.Close(); return nil })
	s.forgetTurns()
	s.followDevice()
	return nil
}

// promptSecret is what marks text from outside in prompts, made once for this data folder.
func (s *System) promptSecret(ctx context.Context) (string, error) {
	const key = "prompt_secret"
	kept, ok, err := s.Store.Setting(ctx, key)
	if err != nil || ok && kept != "" {
		return kept, err
	}
	kept = loop.NewSecret()
	return kept, s.Store.SetSetting(ctx, key, kept)
}

// modelServices are the services for models as the settings have them, by provider.
func (s *System) modelServices() map[string]providers.Service {
	services := map[string]providers.Service{}
	for _, provider := range []string{"openai", "anthropic", "gemini", "openrouter"} {
		services[provider] = providers.Service{
			BaseURL: s.Settings.Get(provider + "_base_url"),
			Key:     s.Settings.Get(provider + "_api_key"),
		}
	}
	openai := services["openai"]
	openai.Format = modelapi.Format(s.Settings.Get("openai_format"))
	services["openai"] = openai
	return services
}

// followDevice makes the window's tabs pretend to be the device that the activity bar shows.
func (s *System) followDevice() {
	sub := s.Events.Subscribe(eventlog.Filter{Kinds: []event.Kind{event.ActivityBarChanged}}, eventlog.FromNow)
	set := func(name string) { s.Browser.Session("").SetDevice(page.Device(name)) }
	set(s.Baseline.ActivityBar().Device)
	s.background.Go(func() {
		defer sub.Close()
		shown := s.Baseline.ActivityBar().Device
		for range sub.C() {
			if now := s.Baseline.ActivityBar().Device; now != shown {
				shown = now
				set(now)
			}
		}
	})
}

// forgetTurns tells the Pipeline of turns that ended, so that it drops what it remembers of them.
func (s *System) forgetTurns() {
	sub := s.Events.Subscribe(eventlog.Filter{Kinds: []event.Kind{event.TurnEnded}}, eventlog.FromNow)
	s.background.Go(func() {
		defer sub.Close()
		for e := range sub.C() {
			s.Pipeline.EndTurn(e.Turn)
		}
	})
}

// offeredTools is the Catalogue as the loop asks for it.
type offeredTools struct{ discovery *catalog.Registry }

// Definitions lists what can be called while panel is active.
func (o offeredTools) Definitions(panel string) []toolspec.Definition {
	return o.discovery.ForPanel(panel).All()
}

// rooms is what the HTTP door hands over to.
func (s *System) rooms() httpapi.Services {
	return httpapi.Services{
		Version: Version, Nav: s.Nav, Keys: s.keys, WindowFiles: frontend.Files(), WindowBuilt: frontend.Built(),
		Pipeline: s.Pipeline, Catalog: s.Discovery, Approvals: s.Desk, Store: s.Store, Events: s.Events, Audit: s.Audit,
		Blobs: s.Blobs, Results: s.Results, Loop: s.Loop, Models: s.Models, Pilot: s.Pilot, Panels: s.Panels,
		Authoring: s.Making, PagesOrigin: s.Pages.Origin(), MCP: s.MCP, Apps: &s.apps,
		ImportReader: s.importReader, Workspace: s.Baseline,
		CreatedTools: s.Created, FileTools: s.Files,
		Editor: s.Editor, Notes: s.Notes,
		Browser: s.Browser, Settings: s.Settings, Secrets: s.Secrets,
		ServerCommand: s.mcpCommand, CallAsPanel: s.CallAsPanel,
		Snapshot: s.snapshot, HasWindow: s.hub.Watched, WebSocket: s.hub,
		TerminalSocket: s.shells, MCPHandler: s.guests,
		Programs: programs{s}, Log: s.Log,
	}
}

// followed is a folder with its links followed, as the files of calls are told; one that cannot
// be read stays as it is, and then more is asked.
func followed(folder string) string {
	if followed, err := filepath.EvalSymlinks(folder); err == nil {
		return followed
	}
	return folder
}

// NonNil makes JSON arrays of nil slices.
func NonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
