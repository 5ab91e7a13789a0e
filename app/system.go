// Package app is the composition root: System opens every subsystem, lowest layer first, hands each what it needs of
// the
// others, and closes them in reverse order. It holds no logic of its own. The command line (app/cli) and the Wails
// window (app/desktop) are built on it.
package app

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"sextant/app/config"
	"sextant/backend/agent/llm/providers"
	"sextant/backend/agent/loop"
	"sextant/backend/agent/pilot"
	"sextant/backend/api/access"
	httpapi "sextant/backend/api/http"
	"sextant/backend/api/mcpserver"
	"sextant/backend/api/pages"
	"sextant/backend/api/ws"
	"sextant/backend/browser"
	"sextant/backend/mcp/client"
	"sextant/backend/panels/authoring"
	"sextant/backend/panels/calls"
	"sextant/backend/panels/registry"
	"sextant/backend/pipeline"
	"sextant/backend/pipeline/approval"
	"sextant/backend/pipeline/catalog"
	"sextant/backend/policy/protectedpaths"
	"sextant/backend/sandbox/confine"
	"sextant/backend/sandbox/egress"
	"sextant/backend/sandbox/secrets"
	"sextant/backend/store/audit"
	"sextant/backend/store/blobs"
	"sextant/backend/store/diskspace"
	"sextant/backend/store/eventlog"
	"sextant/backend/store/pending"
	"sextant/backend/store/results"
	"sextant/backend/store/sqlite"
	"sextant/backend/surface/panelpage"
	"sextant/backend/tools/custom"
	"sextant/backend/tools/files"
	"sextant/backend/tools/findtools"
	"sextant/backend/tools/inspect"
	"sextant/backend/tools/page"
	"sextant/backend/tools/readresult"
	"sextant/backend/tools/shell"
	"sextant/backend/tools/snapshot"
	"sextant/backend/tools/subagent"
	"sextant/backend/tools/web"
	"sextant/backend/tools/workspace"
	browserpanel "sextant/panels/browser"
	codeeditor "sextant/panels/code-editor"
	notespanel "sextant/panels/notes"
	"sextant/panels/terminal"
	"sextant/shared/navigation"
)

// System is every subsystem, opened in floor order by OpenSystem and closed in reverse by
// Close. The exported rooms are safe for concurrent use while it is open.
type System struct {
	Config *config.Config
	Nav    *navigation.Map
	Log    *slog.Logger
	// Borrowed says why this run does not use the data folder it was given, "" when it does.
	Borrowed string

	Store       *sqlite.Store
	Space       *diskspace.Watch
	Events      *eventlog.Recorder
	Pending     *pending.Queue
	Audit       *audit.Log
	Blobs       *blobs.Store
	Secrets     *secrets.Vault
	Results     *results.Store
	Settings    *config.Settings
	Guard       *egress.Guard
	Places      *protectedpaths.Places
	Browser     *browser.Browser
	Window      *panelpage.Pages
	Baseline    *workspace.Tools
	Snapshot    *snapshot.Watcher
	Files       *files.Tools
	Editor      *codeeditor.Panel
	Notes       *notespanel.Panel
	Environment *page.Tools
	Created     *custom.Tools
	Making      *authoring.Panels
	Confine     *confine.Sandbox
	Shell       *shell.Tools
	Web         *web.Tools
	Look        *inspect.Tools
	Kept        *readresult.Tools
	Catalogue   *findtools.Tools
	Subagent    *subagent.Tools
	Panels      *registry.Registry
	Pages       *pages.Server
	MCP         *mcp.Servers
	Terminals   *terminal.Terminals
	Discovery   *catalog.Registry
	Desk        *approval.Queue
	Pipeline    *pipeline.Pipeline
	Models      *providers.Registry
	Loop        *loop.Loop
	Pilot       *pilot.Pilot

	// mcpGuard is the way out of remote MCP servers only.
	mcpGuard *egress.Guard

	// asPanels are the panels as callers.
	asPanels *calls.Caller

	// apps is what pages of MCP servers get; openPages makes it.
	apps appRoom
	keys *access.Keys
	// deskOpen is closed when there is a Desk.
	deskOpen chan struct{}
	// portsKnown is closed when Guard knows which ports are Sextant's own.
	portsKnown chan struct{}
	hub        *ws.Hub
	shells     *ws.TerminalServer
	// visited is the Go side of the browser panel.
	visited *browserpanel.Panel
	guests  *mcpserver.Host
	server  *httpapi.Server

	// background counts goroutines that end when the event log does.
	background sync.WaitGroup
	closing    sync.Once
	closers    []closer
}

// closer is one thing to close and its name for the log.
type closer struct {
	name  string
	close func() error
}

// OnClose remembers what to close; the last remembered is closed first.
func (s *System) OnClose(name string, close func() error) {
	s.closers = append(s.closers, closer{name, close})
}

// OpenSystem opens everything purpose needs. On an error nothing stays open.
func OpenSystem(ctx context.Context, config *config.Config, purpose Purpose, log *slog.Logger) (sys *System,
	err error,
) {
	s := &System{
		Config: config, Log: log, keys: access.NewKeys(), deskOpen: make(chan struct{}),
		portsKnown: make(chan struct{}),
	}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	if s.Nav, err = navigation.Load(); err != nil {
		return nil, err
	}
	for _, dir := range []string{config.DataDir, config.ConfigDir} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("making %s: %w", dir, err)
		}
	}
	steps := []func(context.Context, Purpose) error{
		s.openRecord, s.openGuard, s.openBrowser, s.openTools, s.openCalls,
		s.openAgent, s.openSpace, s.openDoors,
	}
	for _, step := range steps {
		if err := step(ctx, purpose); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Close closes everything in reverse order. It may be called more than once.
func (s *System) Close() {
	s.closing.Do(func() {
		for _, c := range slices.Backward(s.closers) {
			if err := c.close(); err != nil {
				s.Log.Warn("closing", "what", c.name, "error", err)
			}
		}
	})
}

// Host is "127.0.0.1:PORT" of the server, "" without one.
func (s *System) Host() string {
	if s.server == nil {
		return ""
	}
	return s.server.Host()
}

// URL is the window's address with a fresh one-time code.
func (s *System) URL() string { return s.server.URL() }

// Token opens the HTTP door for programs.
func (s *System) Token() string { return s.keys.Token() }

// role tells the event stream what a key allows.
func (s *System) role(key string) (valid, window bool) {
	r := s.keys.Role(key)
	return r != access.RoleNone, r == access.RoleWindow
}

// PanelsFolder is where a person's own panels go.
func (s *System) PanelsFolder() string { return filepath.Join(s.Config.DataDir, "panels") }

// Workspace is the folder the assistant works in, absolute.
func (s *System) Workspace() string {
	dir := s.Settings.Get("workspace")
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

// openDoors opens the HTTP and WebSocket doors when they are wanted.
func (s *System) openDoors(_ context.Context, purpose Purpose) error {
	if !purpose.Serve {
		close(s.portsKnown)
		return nil
	}
	door := ws.Config{
		Version: Version, Role: s.role, Allowed: func(r *http.Request) bool { return s.server.Allowed(r) },
		Events: s.Events, Browser: s.Browser, Log: s.Log,
	}
	s.hub = ws.New(door)
	s.Window.Connect(s.hub)
	s.OnClose("windows", func() error { s.Window.Connect(nil); s.hub.Close(); return nil })
	s.shells = ws.NewTerminalServer(door, s.Terminals)
	s.OnClose("terminals' windows", func() error { s.shells.Close(); return nil })
	s.guests = mcpserver.NewHost(s.welcome)
	s.guests.Check = func(g mcpserver.JoinRequest) error { return s.PanelKnown(g.Panel) }
	s.server = httpapi.New(s.rooms())
	if err := s.server.Listen(s.Settings.Get("addr")); err != nil {
		return err
	}
	s.OnClose("server", s.server.Close)
	// Before the server, which would wait for their streams.
	s.OnClose("programs over MCP", func() error { s.guests.Close(); return nil })
	s.Pages.SetWindowOrigin("http://" + s.Host())
	for _, host := range []string{s.server.Host(), s.Pages.Host()} {
		s.Guard.Block(host)
		s.mcpGuard.Block(host)
		s.Models.Block(host)
	}
	close(s.portsKnown)
	return s.announce()
}
