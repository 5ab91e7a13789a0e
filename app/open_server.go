package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"

	"sextant/app/instance"
	"sextant/backend/agent/titles"
	"sextant/backend/api/access"
	httpapi "sextant/backend/api/http"
	"sextant/backend/api/mcpserver"
	"sextant/backend/api/mcpserver/sharing"
	"sextant/backend/api/pages"
	"sextant/backend/api/ws"
	"sextant/frontend"
	"sextant/shared/event"
)

func (s *System) openServer(_ context.Context, options OpenOptions) error {
	s.Sharing = sharing.New(sharing.Config{
		Nav: s.Nav, Events: s.Events, Store: s.Store, Caller: s.Pipeline, Tools: s.offeredTools,
		Panels: s.Panels.Panels, Answer: s.Approvals.Answer, Mask: s.Secrets.Mask, Go: s.background.Go,
		FollowPage: func(ctx context.Context, session string, changed func()) {
			s.Browser.Session(session).Follow(ctx, changed)
		},
		Version: Version, Log: s.Log,
	})
	if !options.Serve {
		close(s.portsKnown)
		return nil
	}
	config := ws.Config{
		Version: Version, CheckKey: s.role, Allowed: func(r *http.Request) bool { return s.server.Allowed(r) },
		Events: s.Events, Browser: s.Browser, TakenOver: s.takenOver, GiveBack: s.unattended.GiveBack, Log: s.Log,
	}
	s.hub = ws.New(config)
	namer := titles.New(titles.Config{
		History: s.Store, Ask: s.Loop.AskSideQuestion, Journal: s.Events, Log: s.Log,
		// Titles are for a person who looks at the list of conversations.
		Enabled: func() bool { return s.hub.HasWindow() && s.Settings.Get("model_titles") == "on" },
	})
	s.OnClose("titles", func() error { namer.Close(); return nil })
	s.on(event.TurnEnded, namer.TurnEnded)
	for _, kind := range []event.Kind{event.TurnEnded, event.ApprovalAsked, event.ApprovalAnswered} {
		s.on(kind, s.Desktop.Handle)
	}
	s.PanelPages.SetWindowClient(s.hub)
	s.OnClose("windows", func() error { s.PanelPages.SetWindowClient(nil); s.hub.Close(); return nil })
	s.terminalSockets = ws.NewTerminalServer(config, s.Terminals)
	s.OnClose("windows of terminals", func() error { s.terminalSockets.Close(); return nil })
	s.mcpClients = mcpserver.NewJoinServer(s.joinMCP)
	s.mcpClients.Check = func(join mcpserver.JoinRequest) error { return s.Sharing.CheckPanel(join.Panel) }
	s.server = httpapi.New(s.httpServices())
	if err := s.server.Listen(s.Settings.Get("addr")); err != nil {
		return err
	}
	s.OnClose("server", s.server.Close)
	// MCP clients are closed before the server, which would wait for their streams.
	s.OnClose("MCP clients", func() error { s.mcpClients.Close(); return nil })
	s.PageServer.SetWindowOrigin("http://" + s.Host())
	for _, host := range []string{s.server.Host(), s.PageServer.Host()} {
		s.Egress.Block(host)
		s.mcpEgress.Block(host)
		s.Models.Block(host)
	}
	close(s.portsKnown)
	remove, err := instance.Write(s.Config.DataDir, instance.Instance{
		URL: "http://" + s.Host(), Token: s.Token(), LinkKey: s.keys.LinkKey(), PID: os.Getpid(), Version: Version,
	})
	if err != nil {
		return err
	}
	s.OnClose("instance file", remove)
	return nil
}

func (s *System) httpServices() httpapi.Services {
	return httpapi.Services{
		Version: Version, Nav: s.Nav, Keys: s.keys, WindowFiles: frontend.Files(), WindowBuilt: frontend.Built(),
		Pipeline: s.Pipeline, Catalog: s.Catalog, Approvals: s.Approvals, Store: s.Store,
		Backups: s.Backups, Recipes: s.Recipes, Schedules: s.Schedules, Events: s.Events, Audit: s.Audit,
		Batches: s.Batches, RowPicture: s.browsers.Picture,
		Blobs: s.Blobs, Attachments: s.Attachments, Uploads: s.Uploads,
		Results: s.Results, Loop: s.Loop, Models: s.Models,
		Pilot: s.Pilot, Panels: s.Panels,
		Authoring: s.Authoring, PagesOrigin: s.PageServer.Origin(), MCP: s.MCP,
		Apps: s.Apps, ImportReader: s.importReader,
		Instructions: s.Instructions, Folder: s.WorkspaceFolder, OpenFolder: s.OpenFolder,
		Workspace: s.Workspace, CreatedTools: s.Created, FileTools: s.Files, Editor: s.Editor, Notes: s.Notes,
		Browser: s.Browser, Settings: s.Settings, Secrets: s.Secrets,
		ServerCommand: s.mcpCommand, CallAsPanel: s.CallAsPanel,
		Snapshot: s.snapshot, HasWindow: s.hub.HasWindow, RaiseWindow: s.raiseWindow,
		WebSocket: s.hub, AwaitInput: s.hub.AwaitInput, TerminalSocket: s.terminalSockets, MCPHandler: s.mcpClients,
		Programs: programs{s}, Log: s.Log,
	}
}

// Host returns the address of the server as "127.0.0.1:PORT", "" if there is no server.
func (s *System) Host() string {
	if s.server == nil {
		return ""
	}
	return s.server.Host()
}

// URL returns the address of the window with a new one-time code. The System must have been opened with Serve.
func (s *System) URL() string { return s.server.URL() }

// Token returns the key with which programs use the HTTP server.
func (s *System) Token() string { return s.keys.Token() }

func (s *System) role(key string) (valid, window bool) {
	r := s.keys.Role(key)
	return r != access.RoleNone, r == access.RoleWindow
}

func (s *System) hasWindow() bool { return s.hub.HasWindow() }

// joinMCP returns the configuration of the MCP server for a client that joins. The client has its own browser tabs
// unless it shares the window's. The returned function closes them.
func (s *System) joinMCP(ctx context.Context, join mcpserver.JoinRequest) (mcpserver.Config, func()) {
	session, done := "", func() {}
	if !join.SharesTabs {
		session = "joined-" + strings.ToLower(rand.Text())
		done = func() { _ = s.Browser.CloseSession(session) } // it logs its error
	}
	config := s.Sharing.ClientConfig(ctx, join, session)
	config.CanAsk = s.hub.HasWindow
	return config, done
}

// WindowEgress contains the addresses to which the window may connect.
type WindowEgress struct {
	// Proxy is the proxy for all other addresses, as "127.0.0.1:PORT".
	Proxy string
	// Direct contains Sextant's two origins, as "127.0.0.1:PORT".
	Direct []string
}

var errNotGranted = errors.New("no page of a panel or an MCP server may reach this host")

// OpenWindowEgress opens the window's proxy, which connects only to hosts that were granted to a page of a panel or an
// MCP server. The content security policy of a page limits what that page may reach; the proxy covers what no such
// policy controls, such as preconnect. It stays open until Close.
func (s *System) OpenWindowEgress(ctx context.Context) (WindowEgress, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return WindowEgress{}, fmt.Errorf("opening the window's proxy: %w", err)
	}
	addr := ln.Addr().String()
	s.Egress.Block(addr)
	stop := s.Egress.StartProxyOn(context.WithoutCancel(ctx), ln, s.checkPageHost, nil)
	s.OnClose("the window's proxy", func() error { stop(); return nil })
	return WindowEgress{Proxy: addr, Direct: []string{s.Host(), s.PageServer.Host()}}, nil
}

func (s *System) checkPageHost(_ context.Context, host string) error {
	granted := slices.ContainsFunc(s.Panels.Webviews(), func(panel string) bool {
		page, ok := s.Panels.Webview(panel)
		return ok && pages.PanelOrigins(page.CSP).Allows(host)
	})
	if !granted && !s.Apps.MayReach(host) {
		return errNotGranted
	}
	return nil
}

// LeavePage opens the first panel if the active panel has a webview page.
func (s *System) LeavePage(ctx context.Context) {
	panel := s.Workspace.ActivePanel()
	if _, ok := s.Panels.Webview(panel); !ok {
		return
	}
	if err := s.showPanel(ctx, s.Nav.Panels[0]); err != nil {
		s.Log.Warn("the panel stays active after its page ended", "panel", panel, "err", err)
	}
}

// SetRaiseWindow sets the function that brings the desktop window to the front, nil if there is none.
func (s *System) SetRaiseWindow(raise func()) { s.raise.Store(&raise) }

// raiseWindow shows a link, unless it is nil, in all windows and brings the desktop window to the front, if there is
// one.
func (s *System) raiseWindow(link *event.Link) bool {
	if link != nil {
		s.Events.Broadcast(event.New(event.LinkOpened, link))
	}
	raise := s.raise.Load()
	if raise == nil || *raise == nil {
		return false
	}
	(*raise)()
	return true
}
