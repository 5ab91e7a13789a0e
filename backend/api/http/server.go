// Package httpapi serves the HTTP API and the window's files on the loopback interface. The routes call the
// services that do the work; calls of tools go through the pipeline.
//
// Loopback alone is no protection (decision 3): every request must have our exact Host, and no Origin or our own
// (backend/api/access). It also needs a key, except for the window's files, the schema of panels, the proof and the
// exchange of a one-time code. A WebSocket sends the key in its first message.
package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"sextant/backend/agent/instructions"
	"sextant/backend/agent/llm/providers"
	"sextant/backend/agent/loop"
	"sextant/backend/agent/pilot"
	"sextant/backend/api/access"
	"sextant/backend/api/batchroutes"
	"sextant/backend/api/mcpserver"
	"sextant/backend/api/openapi"
	"sextant/backend/api/programroutes"
	"sextant/backend/attachment"
	"sextant/backend/batch"
	"sextant/backend/browser"
	"sextant/backend/browser/upload"
	"sextant/backend/mcp/importers"
	"sextant/backend/mcp/mcpclient"
	"sextant/backend/panels/authoring"
	"sextant/backend/panels/registry"
	"sextant/backend/pipeline"
	"sextant/backend/pipeline/approval"
	"sextant/backend/pipeline/catalog"
	"sextant/backend/recipes"
	"sextant/backend/sandbox/secrets"
	"sextant/backend/schedule"
	"sextant/backend/store/audit"
	"sextant/backend/store/backups"
	"sextant/backend/store/blobs"
	"sextant/backend/store/eventlog"
	"sextant/backend/store/results"
	"sextant/backend/store/sqlite"
	"sextant/backend/tools/custom"
	"sextant/backend/tools/files"
	"sextant/backend/tools/workspace"
	"sextant/shared/event"
	"sextant/shared/navigation"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Settings reads every setting, and changes those that a person may change in the window.
type Settings interface {
	Get(key string) string
	Set(ctx context.Context, key, value string) (event.Setting, error)
	// Reset deletes the window's value.
	Reset(ctx context.Context, key string) (event.Setting, error)
}

// Services contains what the routes call. MCPHandler, WebSocket and TerminalSocket may be nil: their paths are then
// not served.
type Services struct {
	Version string
	Nav     *navigation.Map
	Keys    *access.Keys
	// WindowBuilt is false if the program was built without the window's files.
	WindowFiles fs.FS
	WindowBuilt bool
	Pipeline    *pipeline.Pipeline
	Catalog     *catalog.Registry
	Approvals   *approval.Queue
	Store       *sqlite.Store
	Backups     backups.Folder
	Recipes     *recipes.Recipes
	Schedules   *schedule.Schedules
	Batches     *batch.Batches
	RowPicture  batchroutes.Picture
	Events      *eventlog.Recorder
	Audit       *audit.Log
	Blobs       *blobs.Store
	Attachments *attachment.Store
	Uploads     *upload.Store
	Results     *results.Store
	Loop        *loop.Loop
	Models      *providers.Registry
	Pilot       *pilot.Pilot
	Panels      *registry.Registry
	Authoring   *authoring.Tools
	// PagesOrigin is the origin of panels' pages, "" for none.
	PagesOrigin string
	MCP         *mcpclient.Servers
	Apps        Apps
	// ImportReader returns a reader of other programs' lists of MCP servers.
	ImportReader func() importers.Reader
	Instructions *instructions.Instructions
	// Folder returns the folder that the assistant works in.
	Folder func() string
	// OpenFolder changes it.
	OpenFolder   func(ctx context.Context, path string) error
	Workspace    *workspace.Tools
	CreatedTools *custom.Tools
	FileTools    *files.Tools
	Editor       Editor
	// Notes lists the notes that contain all of words.
	Notes interface {
		Notes(words string) ([]wire.Note, error)
	}
	Browser  *browser.Browser
	Settings Settings
	Secrets  *secrets.Vault
	// ServerCommand returns the command line of an MCP server, "" for none.
	ServerCommand func(server string) string
	CallAsPanel   func(ctx context.Context, panel, tool string, args json.RawMessage) toolspec.Result
	// Snapshot returns the state that a window loads at its start.
	Snapshot func(context.Context) (wire.Snapshot, error)
	// RaiseWindow shows a link, unless it is nil, in all windows. It brings the desktop window to the front and reports
	// whether there is one.
	RaiseWindow func(*event.Link) bool
	// HasWindow reports whether a window is connected in which the person can be asked.
	HasWindow func() bool
	// AwaitInput waits until the page has taken the input that windows have sent.
	AwaitInput func(ctx context.Context)
	// WebSocket serves /ws, and TerminalSocket serves /ws/terminals. Both authenticate by the first message.
	WebSocket, TerminalSocket http.Handler
	// MCPHandler serves mcpserver.JoinPath, after authentication. Programs manages its clients.
	MCPHandler http.Handler
	Programs   programroutes.Programs
	Log        *slog.Logger
}

// Server is the loopback HTTP server. Its methods may be called concurrently after Listen returned.
type Server struct {
	services       Services
	origins        access.Origin
	api            huma.API
	http           *http.Server
	ln             net.Listener
	done           chan struct{}
	permissionLock sync.Mutex
}

// New makes a Server. Call Listen to start it.
func New(services Services) *Server {
	s := &Server{services: services, done: make(chan struct{})}
	mux := http.NewServeMux()
	s.api = humago.New(mux, openapi.NewConfig(services.Version))
	s.routes()
	mux.Handle("/", windowHandler(services.WindowFiles, services.WindowBuilt, services.PagesOrigin))
	mux.HandleFunc("GET "+access.ProofPath, s.services.Keys.ServeProof)
	mux.HandleFunc("POST "+access.LinkPath, s.services.Keys.ServeLink(s.URL, s.services.RaiseWindow,
		s.services.OpenFolder))
	mux.HandleFunc("GET "+schemaPath, panelSchema)
	if services.MCPHandler != nil {
		mux.Handle(mcpserver.JoinPath, services.MCPHandler)
	}
	if services.WebSocket != nil {
		mux.Handle("/ws", services.WebSocket)
	}
	if services.TerminalSocket != nil {
		mux.Handle("/ws/terminals", services.TerminalSocket)
	}
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		access.WriteProblem(w, http.StatusNotFound, "There is no "+r.Method+" "+r.URL.Path+
			". GET "+openapi.Path+".json lists the routes.")
	})
	s.http = &http.Server{
		Handler:           s.guard(mux),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(services.Log.Handler(), slog.LevelDebug),
	}
	return s
}

// OpenAPI returns the document of /api/openapi.json, indented. It needs no running server.
func OpenAPI(version string) ([]byte, error) {
	nav, err := navigation.Load()
	if err != nil {
		return nil, fmt.Errorf("describing the api: %w", err)
	}
	s := New(Services{
		Version: version, Nav: nav, Keys: access.NewKeys(),
		Log: slog.New(slog.DiscardHandler),
	})
	b, err := json.MarshalIndent(s.api.OpenAPI(), "", "  ")
	if err != nil {
		return nil, fmt.Errorf("describing the api: %w", err)
	}
	return append(b, '\n'), nil
}

// Listen opens addr, which is a loopback address with a port (0 for any free one), and serves in the background
// until Close.
func (s *Server) Listen(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fmt.Errorf("listening on %q: want host:port, e.g. 127.0.0.1:0: %w", addr, err)
	}
	if ip := net.ParseIP(host); ip == nil || !ip.IsLoopback() {
		return fmt.Errorf("listening on %q: only a loopback address is allowed, e.g. 127.0.0.1:0", addr)
	}
	s.ln, err = net.Listen("tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%s is in use by another program; use another port, or 127.0.0.1:0 for a free one: %w", addr,
			err)
	}
	if err != nil {
		return fmt.Errorf("listening on %s: %w", addr, err)
	}
	s.origins.Host = s.ln.Addr().String()
	go func() {
		defer close(s.done)
		if err := s.http.Serve(s.ln); err != nil && !errors.Is(err, http.ErrServerClosed) {
			s.services.Log.Error("http server ended", "err", err)
		}
	}()
	return nil
}

// Host returns the address as host:port, such as "127.0.0.1:8080", after Listen succeeded; before that "".
func (s *Server) Host() string { return s.origins.Host }

// URL returns the window's address with a new one-time code. The code is in the fragment, which is not sent to
// servers or logged.
func (s *Server) URL() string { return "http://" + s.Host() + "/#code=" + s.services.Keys.NewCode() }

// Close stops the server and waits up to two seconds for running requests.
func (s *Server) Close() error {
	if s.ln == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	err := s.http.Shutdown(ctx)
	if err != nil {
		err = s.http.Close()
	}
	<-s.done
	return err
}
