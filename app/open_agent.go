package app

import (
	"context"
	"strings"
	"sync"
	"time"

	"sextant/backend/agent/instructions"
	"sextant/backend/agent/llm/modelapi"
	"sextant/backend/agent/llm/providers"
	"sextant/backend/agent/loop"
	"sextant/backend/agent/loop/budget"
	"sextant/backend/agent/pilot"
	"sextant/backend/agent/pilot/grammar"
	"sextant/backend/agent/pricing"
	"sextant/backend/agent/toolcalls/probe"
	"sextant/backend/pipeline"
	"sextant/backend/pipeline/catalog"
	"sextant/backend/policy"
	"sextant/backend/sandbox/egress"
	"sextant/backend/sandbox/secrets"
	"sextant/backend/tools/baseline"
	"sextant/backend/tools/page"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

const closeLimit = 5 * time.Second

func (s *System) openPipeline(context.Context, OpenOptions) error {
	sources := []catalog.Source{s.Workspace, s.PageTools}
	for _, t := range s.toolkits() {
		sources = append(sources, baseline.WithoutGroups(t, func() []string { return s.Settings.List("groups_off") }))
	}
	s.Catalog = catalog.NewRegistry(append(sources, s.Panels, s.MCP, s.Created, s.Recipes)...)
	s.Catalog.Exclude(func() []string { return s.Settings.List("tools_off") })
	s.Pipeline = pipeline.New(pipeline.Config{
		Tools: s.Catalog, Approvals: s.Approvals, Recorder: s.Events, Audit: s.Audit, Grants: s.Store, Log: s.Log,
		Results: s.Results, PageControl: pageControl{s.Browser}, Dialer: s.Egress, Pending: s.Pending, Blobs: s.Blobs,
		Policy: s.policySettings, CallTools: s.callTools, OpenTool: s.Nav.OpenTool, Secrets: s.Secrets,
		Unattended:  s.unattended,
		PageAddress: func(session string) string { return s.browsers.Session(session).Address() },
		SignedIn:    func(session string) bool { return s.browsers.Session(session).SignedIn() },
	})
	s.OnClose("pipeline", func() error {
		ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
		defer cancel()
		return s.Pipeline.Close(ctx)
	})
	// Terminals make calls, so they are closed before the pipeline.
	s.OnClose("terminals", func() error { s.Terminals.Close(); return nil })
	s.Pipeline.Register(toolspec.OriginBaseline, baseline.New(baseline.Config{
		Nav: s.Nav, Page: s.PageTools, Workspace: s.Workspace, Toolkits: s.toolkits(), PanelIDs: s.panelIDs,
	}))
	s.Pipeline.Register(toolspec.OriginPanel, s.Panels)
	s.Pipeline.Register(toolspec.OriginMCP, s.MCP)
	s.Pipeline.Register(toolspec.OriginCreated, s.Created)
	s.Pipeline.Register(toolspec.OriginRecipe, s.Recipes)
	return nil
}

func (s *System) policySettings() policy.Settings {
	return policy.Settings{
		Mode: policy.Mode(s.Settings.Get("mode")), AllowHosts: s.Settings.List("allow_hosts"),
		Folder:         s.realWorkspace(),
		DisabledGroups: s.Settings.List("groups_off"), DisabledTools: s.Settings.List("tools_off"),
		AllowTools: s.Settings.List("tools_allow"), AskTools: s.Settings.List("tools_ask"),
	}
}

func (s *System) callTools(panel string) []string {
	names, _ := s.Panels.CallTools(panel)
	return names
}

func (s *System) panelIDs() []string {
	var ids []string
	for _, p := range s.Panels.Panels() {
		ids = append(ids, p.ID)
	}
	return ids
}

func (s *System) openAgent(ctx context.Context, _ OpenOptions) error {
	secret, err := s.promptSecret(ctx)
	if err != nil {
		return err
	}
	if s.Instructions, err = instructions.Open(ctx, s.Store); err != nil {
		return err
	}
	s.Models = providers.New(providers.Config{
		Services: s.modelServices(), Fallback: func() string { return s.Settings.Get("fallback_model") }, Log: s.Log,
		PauseLimit: func() time.Duration { return time.Duration(s.Settings.Int("answer_pause")) * time.Second },
		// Each network service has its own guard, so that the address that a person configured for it is allowed for it
		// alone.
		Egress: func() *egress.Guard {
			return egress.New(egress.Config{DenyHosts: s.Settings.List("deny_hosts"), Log: s.Log})
		},
	})
	s.OnClose("models", func() error { s.Models.Close(); return nil })
	s.Settings.OnChange = s.settingChanged
	s.Pilot = pilot.New(pilot.Config{Window: s.pilotState})
	s.Loop = loop.New(loop.Config{
		Pilot: s.Pilot,
		Tools: toolList{s}, Calls: s.Pipeline, Journal: s.Events, Pending: s.Pending, History: s.Store,
		Queue: s.Store, Models: s.Models, Pictures: s.Blobs,
		Formats: probe.New(probe.Config{
			Settings: s.Store, Overrides: func() []string { return s.Settings.List("dialects") }, Log: s.Log,
		}),
		Limits: func() loop.Limits {
			return loop.Limits{CallsPerTurn: s.Settings.Int("calls_per_turn"), Rounds: s.Settings.Int("rounds")}
		},
		Budget:        s.budget(),
		ContextShare:  func() int { return s.Settings.Int("context_share") },
		SnapshotTools: []string{s.Nav.EnvironmentTool("annotate")}, MarkerSecret: secret,
		CoreTools:     append(s.Nav.CoreTools(), toolspec.ReadResult),
		ContextWindow: func() int { return s.Settings.Int("context_window") },
		Instructions:  func() string { return s.Instructions.In(s.WorkspaceFolder()) },
		PageContexts:  s.Apps.PageContexts, Notes: s.Workspace.PromptNotes, ActivePanel: s.Workspace.ActivePanel,
		Log: s.Log,
	})
	s.OnClose("loop", func() error { s.Loop.Close(); return nil })
	s.on(event.TurnEnded, func(e event.Event) { s.Pipeline.EndTurn(e.Turn) })
	s.followDevice()
	return nil
}

// promptSecret returns the secret that marks outside text in prompts. It is created once for each data folder.
func (s *System) promptSecret(ctx context.Context) (string, error) {
	const key = "prompt_secret"
	stored, ok, err := s.Store.Setting(ctx, key)
	if err != nil || ok && stored != "" {
		return stored, err
	}
	stored = loop.NewSecret()
	return stored, s.Store.SetSetting(ctx, key, stored)
}

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

func (s *System) settingChanged(key string) {
	if key == "tools_off" || key == "groups_off" {
		s.publish(event.New(event.CatalogChanged, event.NoData{}))
	}
	if provider, _, ok := strings.Cut(key, "_"); ok {
		if service, ok := s.modelServices()[provider]; ok {
			s.Models.Configure(provider, service)
		}
	}
}

func (s *System) followDevice() {
	set := func(name string) { s.Browser.Session("").SetDevice(page.EmulationFor(name)) }
	shown := s.Workspace.ActivityBar().Device
	set(shown)
	s.on(event.ActivityBarChanged, func(event.Event) {
		if now := s.Workspace.ActivityBar().Device; now != shown {
			shown = now
			set(now)
		}
	})
}

type toolList struct{ sys *System }

// Definitions returns the tools that can be called while panel is active.
func (t toolList) Definitions(panel string) []toolspec.Definition { return t.sys.offeredTools(panel) }

func (s *System) pilotState(panel string) grammar.WindowState {
	state := sync.OnceValue(func() event.BrowserState { return secrets.MaskValue(s.Secrets, s.Browser.State()) })
	return grammar.WindowState{
		Marks:       sync.OnceValue(func() *event.Marks { return secrets.MaskValue(s.Secrets, s.Browser.Marks()) }),
		PageInFront: func() bool { return s.Workspace.ActivePanel() == "browser" },
		Tabs:        func() []event.Tab { return state().Tabs },
		ActiveTab:   func() int { return state().Active },
		Tools:       s.offeredTools(panel),
		Paths:       pilot.PathCompleter(s.WorkspaceFolder()),
	}
}

// budget returns the configuration of budgets for the loop. The settings were checked when they were set.
func (s *System) budget() budget.Config {
	limit := func(scope string) budget.Limit {
		cost, err := pricing.ParseMoney(s.Settings.Get("cost_" + scope))
		if err != nil {
			s.Log.Error("budget not read", "setting", "cost_"+scope, "err", err)
		}
		return budget.Limit{Tokens: s.Settings.Count("tokens_" + scope), Cost: cost}
	}
	return budget.Config{
		History: s.Store,
		Budgets: func() budget.Limits {
			return budget.Limits{Turn: limit("per_turn"), Conversation: limit("per_conversation")}
		},
		Price: func(model string) (pricing.Price, bool) {
			list, err := pricing.Parse(s.Settings.Get("prices"))
			if err != nil {
				s.Log.Error("prices not read", "err", err)
			}
			return list.Price(model)
		},
	}
}
