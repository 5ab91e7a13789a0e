package app

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	mcpconfig "sextant/backend/mcp/config"
	"sextant/backend/store/eventlog"
	"sextant/backend/tools/shell"
	browserpanel "sextant/panels/browser"
	codeeditor "sextant/panels/code-editor"
	filespanel "sextant/panels/files"
	"sextant/panels/home"
	mcpservers "sextant/panels/mcp-servers"
	notespanel "sextant/panels/notes"
	"sextant/panels/settings"
	"sextant/panels/terminal"
	"sextant/panels/tools"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// openPanels opens the Go side of built-in panels: floor 4. What they need of other wings of that
// floor is handed over as functions.
func (s *System) openPanels() error {
	s.Editor = codeeditor.New(s.Files, codeeditor.Open(filepath.Join(s.Config.DataDir, "editor"), s.editorChanged))
	var err error
	if s.Notes, err = notespanel.New(s.Files, filepath.Join(s.Config.DataDir, "notes")); err != nil {
		return err
	}
	s.Terminals = terminal.New(terminal.Config{
		Confine: s.Confine, Shell: ownShell(), Folder: s.Workspace, Bash: s.onScreen, Log: s.Log,
	})
	s.visited = browserpanel.New(browserpanel.Services{
		Bookmarks: s.Store.Bookmarks, Keep: s.Store.SaveBookmark, Drop: s.Store.DeleteBookmark, Front: s.frontPage,
		Content: s.pageContent,
	})
	s.followPages()
	return nil
}

// panelHandlers answer the endpoints of built-in panels, by panel id.
func (s *System) panelHandlers() map[string]http.Handler {
	return map[string]http.Handler{
		"terminal":  s.Terminals.Handler(),
		editorPanel: s.Editor,
		"files":     filespanel.New(s.Files),
		"notes":     s.Notes,
		"browser":   s.visited.Handler(),
		"tools": tools.Handler(tools.Services{
			Calls: s.Audit.List, Call: s.Audit.Get, Exists: s.toolExists,
			Off: func() []string { return s.Settings.List("tools_off") },
			SetOff: func(ctx context.Context,
				off []string,
			) error {
				return s.set(ctx, "tools_off", strings.Join(off, ","))
			},
		}),
		"settings": settings.Handler(settings.Services{All: s.Settings.All, Set: s.Settings.Set}),
		"home": home.Handler(home.Services{
			State: s.snapshot, Conversations: s.Store.Conversations,
			Messages: s.Store.Messages,
		}),
		"mcp-servers": mcpservers.Handler(mcpservers.Services{
			List:   func() []event.MCPServer { return s.MCP.List() },
			Log:    func(name string) (string, error) { return s.MCP.Log(name) },
			Toggle: func(name string, on bool) error { return s.MCP.SetEnabled(context.Background(), name, on) },
			Add: func(p mcpservers.Proposal) error {
				return s.MCP.Put(p.Name, mcpconfig.Entry{Command: p.Command, Args: p.Args, URL: p.URL, Disabled: true},
					false)
			},
		}),
	}
}

// set changes a setting as the window does.
func (s *System) set(ctx context.Context, key, value string) error {
	_, err := s.Settings.Set(ctx, key, value)
	return err
}

// toolExists reports whether a tool of that name is known, whether it is offered now or not.
func (s *System) toolExists(tool string) bool {
	is := func(d toolspec.Definition) bool { return d.Name == tool }
	return slices.ContainsFunc(s.Discovery.ForPanel("").All(), is) ||
		slices.ContainsFunc(s.Panels.AllDefinitions(), is) ||
		slices.Contains(s.Settings.List("tools_off"), tool)
}

// pageContent reads the page in front as Markdown, on behalf of who made call.
func (s *System) pageContent(ctx context.Context, call toolspec.Call) toolspec.Result {
	return s.Pipeline.Do(ctx, toolspec.Call{
		Tool: s.Nav.Tool("content"), Args: json.RawMessage(`{"format":"markdown"}`), Panel: call.Panel, From: call.From,
	})
}

// frontPage is the window's page in front, the zero value for none.
func (s *System) frontPage() event.Tab {
	state := s.Browser.State()
	for _, tab := range state.Tabs {
		if tab.ID == state.Active {
			return tab
		}
	}
	return event.Tab{}
}

// followPages lets the browser panel note which pages the window's tabs show.
func (s *System) followPages() {
	sub := s.Events.Subscribe(eventlog.Filter{Kinds: []event.Kind{event.BrowserChanged}}, eventlog.FromNow)
	s.background.Go(func() {
		defer sub.Close()
		for e := range sub.C() {
			s.visited.RecordVisits(s.Browser.State(), e.Time)
		}
	})
}

// inertTools are tools of built-in panels that change nothing by themselves: they make calls of other
// tools, end what their caller began, or narrow what it may do.
func inertTools() []string {
	return []string{"terminal_run", "terminal_stop", "tool_switch", "mcp_server_toggle"}
}

// ownShell is the person's shell.
func ownShell() string {
	for _, path := range []string{os.Getenv("SHELL"), "/bin/bash", "/bin/sh"} {
		if info, err := os.Stat(path); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return "/bin/sh"
}

// commandTool is the one tool that runs commands; a terminal of the assistant's is a place for its
// calls and no tool beside it.
const commandTool = "bash"

// onScreen makes a call of the shell tool that runs in a terminal: judged, asked for, confined and
// recorded as every one is.
func (s *System) onScreen(ctx context.Context, r terminal.Run) toolspec.Result {
	ctx = shell.WithTerminal(ctx, &shell.Terminal{
		Columns: r.Columns, Rows: r.Rows, Started: r.Begun,
		Output: printing(r.Output),
	})
	return s.Pipeline.Do(ctx, toolspec.Call{
		Tool: commandTool, Args: r.Args, Panel: r.From.Panel, Within: r.From.ID,
		From: r.From.From,
	})
}

// printing is a function as a writer.
type printing func([]byte)

// Write implements io.Writer.
func (p printing) Write(b []byte) (int, error) {
	p(b)
	return len(b), nil
}
