package app

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"sextant/app/openurl"
	"sextant/backend/api/mcpapps"
	"sextant/backend/api/pages"
	mcpconfig "sextant/backend/mcp/config"
	"sextant/backend/panels/authoring"
	"sextant/backend/panels/backends/process"
	"sextant/backend/panels/calls"
	"sextant/backend/panels/registry"
	panelsettings "sextant/backend/panels/settings"
	"sextant/backend/policy/redact"
	"sextant/backend/recipes"
	"sextant/backend/tools/shell"
	"sextant/panels"
	browserpanel "sextant/panels/browser"
	codeeditor "sextant/panels/code-editor"
	filespanel "sextant/panels/files"
	"sextant/panels/home"
	mcpservers "sextant/panels/mcp-servers"
	notespanel "sextant/panels/notes"
	recipespanel "sextant/panels/recipes"
	schedulespanel "sextant/panels/schedules"
	"sextant/panels/settings"
	"sextant/panels/terminal"
	"sextant/panels/tools"
	data "sextant/shared/batch"
	"sextant/shared/event"
	"sextant/shared/recipe"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// openPageServer opens the second origin, which serves the pages of panels and MCP servers. Without options.Serve, the
// origin has no address.
func (s *System) openPageServer(_ context.Context, options OpenOptions) error {
	s.PageServer = pages.New(pages.Config{Source: s.pageSource, Log: s.Log})
	s.Apps = mcpapps.New(mcpapps.Config{
		Servers: s.mcpServers, Do: s.do, PageURL: s.PageServer.URL, HasWindow: s.hasWindow, Mask: s.Secrets.Mask,
		OpenMail: openurl.WithDesktop, Log: s.Log,
	})
	if !options.Serve {
		return nil
	}
	if err := s.PageServer.Listen(); err != nil {
		return err
	}
	s.OnClose("page server", s.PageServer.Close)
	return nil
}

func (s *System) pageSource(id string) (pages.Source, bool) {
	if page, ok := s.Apps.Page(id); ok {
		return page, true
	}
	page, ok := s.Panels.Webview(id)
	return pages.Source{
		Root: page.Root, Folder: page.Folder, HiddenFiles: page.HiddenFiles, Origins: pages.PanelOrigins(page.CSP),
	}, ok
}

// recordVisit stores a visited page. An address with a secret in its query is stored without the query and the title,
// and not at all if the secret is elsewhere in it. A failure loses only a line of the history.
func (s *System) recordVisit(v wire.Visit) {
	hasSecret := func(text string) bool {
		plain, _ := url.QueryUnescape(text)
		return s.Secrets.Mask(text) != text || s.Secrets.Mask(plain) != plain || redact.New(nil).Address(text) != text
	}
	if hasSecret(v.URL) {
		v.URL, v.Title = v.URL[:strings.IndexAny(v.URL+"?", "?#")], ""
	}
	if hasSecret(v.URL) {
		return
	}
	if hasSecret(v.Title) {
		v.Title = ""
	}
	if err := s.Store.RecordVisit(context.Background(), v); err != nil {
		s.Log.Warn("a visited page was not stored", "error", err)
	}
}

func (s *System) openPanels(context.Context, OpenOptions) error {
	s.Editor = codeeditor.New(s.Files, codeeditor.OpenStateStore(s.dataPath("editor"), s.editorChanged))
	var err error
	if s.Notes, err = notespanel.New(s.Files, s.dataPath("notes")); err != nil {
		return err
	}
	s.Terminals = terminal.New(terminal.Config{
		Confine: s.Confine, Shell: terminal.UserShell(), Folder: s.WorkspaceFolder, RunCommand: s.runInTerminal,
		Log: s.Log,
	})
	s.browserPanel = browserpanel.New(browserpanel.Services{
		Bookmarks: s.Store.Bookmarks, SaveBookmark: s.Store.SaveBookmark, RemoveBookmark: s.Store.DeleteBookmark,
		Visits: s.Store.Visits, RecordVisit: s.recordVisit, ActiveTab: s.activeTab, ReadPage: s.pageContent,
	})
	s.on(event.BrowserChanged, func(e event.Event) { s.browserPanel.RecordVisits(s.Browser.State(), e.Time) })
	s.panelCalls = calls.New(s.do)
	s.Panels = registry.New(registry.Config{
		Builtin: panels.Builtin(), Handlers: s.panelHandlers(), InertTools: panels.InertTools(),
		Dirs: filepath.SplitList(s.Settings.Get("panels")), Reserved: s.reservedNames,
		Publisher: publisher{s}, Data: s.Config.DataDir, PageURL: s.PageServer.URL, Egress: s.Egress.Transport(),
		Programs: process.Config{
			Confine: s.Confine, Egress: s.Egress, Home: s.home, Places: s.ProtectedPaths,
			ForbiddenPaths: s.forbiddenIn("a panel's program"),
		},
		Call: s.panelCalls.Call, Settings: panelsettings.New(s.Store, s.Secrets),
		AcceptedManifests: s.Store, Pins: s.Store, Undos: s.Store, Log: s.Log,
	})
	s.Authoring = authoring.NewTools(authoring.Config{
		Folder: s.Panels.Folder(), Registry: s.Panels, Reserved: s.reservedNames, Open: s.showPanel,
	})
	return nil
}

// The registry finds handlers that describe their calls by a type assertion. FileHandler must pass it.
var _ registry.Describer = (*panels.FileHandler)(nil)

func (s *System) panelHandlers() map[string]http.Handler {
	return map[string]http.Handler{
		"terminal":    s.Terminals.Handler(),
		codeeditor.ID: s.Editor,
		"files":       filespanel.New(s.Files),
		"notes":       s.Notes,
		"browser":     s.browserPanel.Handler(),
		"tools": tools.Handler(tools.Services{
			Calls: s.Audit.List, Call: s.Audit.Get, Exists: s.toolExists,
			DisabledTools: func() []string { return s.Settings.List("tools_off") },
			SetDisabledTools: func(ctx context.Context, off []string) error {
				_, err := s.Settings.Set(ctx, "tools_off", strings.Join(off, ","))
				return err
			},
		}),
		"recipes": recipespanel.Handler(recipespanel.Services{
			List: func() ([]recipe.Recipe, error) {
				all, _, err := s.Recipes.Reload()
				return all, err
			},
			ToolName: recipes.ToolName, Sentence: recipes.Sentence,
			Draft: func(ctx context.Context, conversation string) (recipe.Recipe, error) {
				return s.Recipes.Draft(ctx, recipes.Source{Conversation: conversation})
			},
			FindValue: func(ctx context.Context, from toolspec.Provenance, parameters []recipe.Parameter,
				want recipe.Wanted,
			) (recipe.Step, any, error) {
				return s.Recipes.FindValue(ctx, from, parameters, want)
			},
			Add: func(rec recipe.Recipe) error { return s.Recipes.Add(rec) },
			SaveReplacements: func(name string) ([]recipe.Replacement, error) {
				return s.Recipes.SaveReplacements(name)
			},
			AddBatch: s.addBatch, Batches: func() []data.Batch { return s.Batches.Batches() },
			Counts: func(ctx context.Context, id string) (data.Counts, error) { return s.Batches.Counts(ctx, id) },
		}),
		"schedules": schedulespanel.Handler(func() schedulespanel.Schedules { return s.Schedules }),
		"settings":  settings.Handler(settings.Services{Settings: s.Settings.All, Set: s.Settings.Set}),
		"home": home.Handler(home.Services{
			Snapshot: s.snapshot, Conversations: s.Store.Conversations,
			Messages: s.Store.Messages,
		}),
		"mcp-servers": mcpservers.Handler(mcpservers.Services{
			List:       func() []event.MCPServer { return s.MCP.List() },
			Log:        func(name string) (string, error) { return s.MCP.Log(name) },
			SetEnabled: func(name string, on bool) error { return s.MCP.SetEnabled(context.Background(), name, on) },
			Add: func(p mcpservers.Proposal) error {
				return s.MCP.Put(p.Name, mcpconfig.Entry{Command: p.Command, Args: p.Args, URL: p.URL, Disabled: true},
					false)
			},
		}),
	}
}

func (s *System) toolExists(tool string) bool {
	is := func(d toolspec.Definition) bool { return d.Name == tool }
	return slices.ContainsFunc(s.Catalog.ForPanel("").All(), is) ||
		slices.ContainsFunc(s.Panels.AllDefinitions(), is) ||
		slices.Contains(s.Settings.List("tools_off"), tool)
}

func (s *System) pageContent(ctx context.Context, call toolspec.Call) toolspec.Result {
	return s.Pipeline.Do(ctx, toolspec.Call{
		Tool: s.Nav.EnvironmentTool("content"), Args: json.RawMessage(`{"format":"markdown"}`), Panel: call.Panel, From: call.From,
	})
}

func (s *System) activeTab() event.Tab {
	state := s.Browser.State()
	for _, tab := range state.Tabs {
		if tab.ID == state.Active {
			return tab
		}
	}
	return event.Tab{}
}

func (s *System) editorChanged(state wire.EditorState) {
	if s.Panels == nil {
		return // openTools publishes the context after the panels are read
	}
	if err := s.Panels.PublishContext(codeeditor.ID, codeeditor.ContextValues(state)); err != nil {
		s.Log.Warn("what is open in the code editor is not known to its tools", "err", err)
	}
}

func (s *System) runInTerminal(ctx context.Context, r terminal.CommandRun) toolspec.Result {
	ctx = shell.WithTerminal(ctx, &shell.Terminal{
		Columns: r.Columns, Rows: r.Rows, OnStart: r.OnStart,
		Output: writerFunc(r.OnOutput),
	})
	return s.Pipeline.Do(ctx, toolspec.Call{
		Tool: "bash", Args: r.Args, Panel: r.Call.Panel, ParentCall: r.Call.ID, From: r.Call.From,
	})
}

type writerFunc func([]byte)

// Write implements io.Writer.
func (f writerFunc) Write(b []byte) (int, error) {
	f(b)
	return len(b), nil
}

// panelUndo implements files.Panels with the panel registry, which is opened after the file tools.
type panelUndo struct{ sys *System }

// PanelUndos implements files.Panels.
func (u panelUndo) PanelUndos(ctx context.Context, conversation, owner, turn, call string) ([]wire.PanelUndo, error) {
	return u.sys.Panels.PanelUndos(ctx, conversation, owner, turn, call)
}

// UndoCall implements files.Panels.
func (u panelUndo) UndoCall(ctx context.Context, undo wire.PanelUndo) toolspec.Result {
	return u.sys.Panels.UndoCall(ctx, undo)
}

// CallAsPanel makes a call for the page of a panel. The panel is the caller, never the person. The System must have
// been opened with Serve.
func (s *System) CallAsPanel(ctx context.Context, panel, tool string, args json.RawMessage) toolspec.Result {
	return s.panelCalls.Call(ctx, calls.Request{Panel: panel, Tool: tool, Args: args, Interactive: s.hub.HasWindow()})
}

func (s *System) showPanel(ctx context.Context, panel string) error {
	_, err := s.Workspace.Execute(ctx, toolspec.Call{Tool: s.Nav.OpenTool(panel)}, toolspec.Definition{}, nil)
	return err
}
