// Package httpapi is the HTTP door: routes, token, Host and Origin, OpenAPI, the built
// window's files. It has no logic of its own: every route hands over to the room that
// does the work, and everything that acts goes through the Pipeline.
//
// It listens on 127.0.0.1 only. Loopback is not a safe place (ARCHITECTURE 3), so every
// request must name our exact Host, come from our own page or from no page at all, and
// carry the token.
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

	"sextant/backend/agent/llm/providers"
	"sextant/backend/agent/loop"
	"sextant/backend/agent/pilot"
	"sextant/backend/api/access"
	"sextant/backend/api/mcpserver"
	"sextant/backend/browser"
	"sextant/backend/mcp/client"
	"sextant/backend/mcp/importers"
	"sextant/backend/panels/authoring"
	"sextant/backend/panels/registry"
	"sextant/backend/pipeline"
	"sextant/backend/pipeline/approval"
	"sextant/backend/pipeline/catalog"
	"sextant/backend/sandbox/secrets"
	"sextant/backend/store/audit"
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

// Settings reads any setting and changes those a person may change in the window.
type Settings interface {
	Get(key string) string
	Set(ctx context.Context, key, value string) (event.Setting, error)
	// Reset forgets what the window set.
	Reset(ctx context.Context, key string) (event.Setting, error)
}

// Rooms are the rooms behind the door. All are needed but Desk of a person's presence.
type Rooms struct {
	Version string
	Nav     *navigation.Map
	Keys    *access.Keys
	Files   fs.FS
	Built   bool
	Calls   *pipeline.Pipeline
	Tools   *catalog.Registry
	Desk    *approval.Queue
	Store   *sqlite.Store
	Events  *eventlog.Recorder
	Audit   *audit.Log
	Blobs   *blobs.Store
	Results *results.Store
	Loop    *loop.Loop
	Models  *providers.Registry
	Pilot   *pilot.Pilot
	Panels  *registry.Registry
	// Making installs panels from archives.
	Making *authoring.Panels
	// Pages is the origin that panels' pages come from, "" when there is none.
	Pages string
	MCP   *mcp.Servers
	// Apps are the pages of MCP servers.
	Apps Apps
	// Foreign reads other programs' lists of MCP servers.
	Foreign func() importers.Reader
	Base    *workspace.Tools
	Created *custom.Tools
	// FileTools know what was changed in files.
	FileTools *files.Tools
	Editor    Editor
	// Notes lists the notes that hold all words, the newest first.
	Notes interface {
		Notes(words string) ([]wire.Note, error)
	}
	Browser  *browser.Browser
	Settings Settings
	// Secrets are the person's; Command is the command line of an MCP server, "" for none.
	Secrets *secrets.Vault
	Command func(server string) string
	// AsPanel makes a call that a panel's page asks for.
	AsPanel func(ctx context.Context, panel, tool string, args json.RawMessage) toolspec.Result
	// Snapshot is the whole state the window starts from.
	Snapshot func(context.Context) (wire.Snapshot, error)
	// Watched reports whether a window is connected that can be asked.
	Watched func() bool
	// WebSocket serves /ws; it does its own authentication by the first message.
	WebSocket http.Handler
	// Shells serves /ws/terminals in the same way.
	Shells http.Handler
	// Programs are those that Join took.
	Programs Programs
	// Join takes programs at mcpserver.JoinPath, with the token: by streamable HTTP or joined.
	Join http.Handler
	Log  *slog.Logger
}

// Server is the listening door. Close stops it.
type Server struct {
	rooms   Rooms
	origins access.Origin
	api     huma.API
	http    *http.Server
	ln      net.Listener
	done    chan struct{}
	// permitting is held while the permissions of a tool change.
	permitting sync.Mutex
}

// New prepares a server; Listen opens it.
func New(rooms Rooms) *Server {
	s := &Server{rooms: rooms, done: make(chan struct{})}
	mux := http.NewServeMux()
	s.api = humago.New(mux, config(rooms.Version))
	s.routes()
	mux.Handle("/", shell(rooms.Files, rooms.Built, rooms.Pages))
	mux.HandleFunc("GET "+ProofPath, s.prove)
	mux.HandleFunc("GET "+schemaPath, panelSchema)
	if rooms.Join != nil {
		mux.Handle(mcpserver.JoinPath, rooms.Join)
	}
	if rooms.WebSocket != nil {
		mux.Handle("/ws", rooms.WebSocket)
		mux.Handle("/ws/terminals", rooms.Shells)
	}
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		access.WriteProblem(w, http.StatusNotFound, "There is no "+r.Method+" "+r.URL.Path+
			". GET /api/openapi.json lists the routes.")
	})
	s.http = &http.Server{
		Handler:           s.guard(mux),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(rooms.Log.Handler(), slog.LevelDebug),
	}
	return s
}

// config is huma's without docs page, schema links or its other extra routes.
func config(version string) huma.Config {
	huma.DefaultArrayNullable = false
	c := huma.DefaultConfig("Sextant", version)
	c.CreateHooks = nil
	c.DocsPath, c.SchemasPath, c.OpenAPIPath = "", "", "/api/openapi"
	c.Components.Schemas = huma.NewMapRegistry(schemaPrefix, schemaName)
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"token": {Type: "http", Scheme: "bearer"}}
	c.Security = []map[string][]string{{"token": {}}}
	return c
}

// Listen opens addr, which must be a loopback address with a port (0 for any), and serves
// in the background until Close.
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
		return fmt.Errorf("%s is taken by another program; use another port, or 127.0.0.1:0 for a free one: %w", addr,
			err)
	}
	if err != nil {
		return fmt.Errorf("listening on %s: %w", addr, err)
	}
	s.origins.Host = s.ln.Addr().String()
	go func() {
		defer close(s.done)
		if err := s.http.Serve(s.ln); err != nil && !errors.Is(err, http.ErrServerClosed) {
			s.rooms.Log.Error("http server ended", "error", err)
		}
	}()
	return nil
}

// Host is "127.0.0.1:PORT" once Listen succeeded.
func (s *Server) Host() string { return s.origins.Host }

// URL is the shell's address with a fresh one-time code in the fragment, which no server
// or log ever sees.
func (s *Server) URL() string { return "http://" + s.Host() + "/#code=" + s.rooms.Keys.Code() }

// Close stops serving; open requests get two seconds.
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
