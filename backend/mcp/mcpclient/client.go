// Package mcpclient runs the MCP servers that a person lists in mcp-config.json, and offers their tools to the
// pipeline under names such as "server__tool". A server is a program that runs as a child process, or a remote
// one.
//
// What a server sends is text from outside: its hints exempt no tool from confirmation, and its answers carry the
// source "mcp:<server>". A server that fails is reported as down and restarted after a pause, unless the person
// declined to start it; the others keep running.
//
// The official SDK implements the protocol. The other packages of backend/mcp start programs, sign in, answer the
// requests of servers and read resources.
package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"sextant/backend/mcp/auth"
	"sextant/backend/mcp/config"
	"sextant/backend/mcp/definitions"
	"sextant/backend/mcp/launch"
	"sextant/backend/mcp/requests"
	"sextant/backend/mcp/resources"
	"sextant/backend/sandbox/secrets"
	"sextant/shared/event"
	"sextant/shared/wire"
)

// Journal publishes the events of Servers.
type Journal interface {
	// Publish must not call Servers, which may hold a lock meanwhile.
	Publish(e event.Event)
}

// Config configures Servers.
type Config struct {
	// Path is the path of mcp-config.json, which need not exist.
	Path    string
	Journal Journal
	Log     *slog.Logger
	// Version is Sextant's version.
	Version string
	// Secrets replaces the names of secrets in env, headers and oauth with their values; nil replaces none.
	Secrets *secrets.Vault
	// Egress sends the requests to remote servers and their authorization servers; nil uses no egress guard.
	Egress http.RoundTripper
	// Store stores the tokens of sign-ins; nil stores them in memory.
	Store auth.Store
	// OpenPage asks the person, and opens the page on which they sign in to a server in their browser. It
	// returns an error if it did not. If it is nil, no person can sign in.
	OpenPage func(ctx context.Context, server, page string) error
	// ConfirmIssuer asks the person whether their client secret for a server may be sent to another authorization
	// server than before. If it is nil, it may not.
	ConfirmIssuer func(ctx context.Context, server, before, now string) (bool, error)
	// MetadataURL is the address of our client ID metadata document, "" for none.
	MetadataURL string
	// Review asks the person whether a tool with a changed definition may be called. If it is nil, it may not.
	Review func(ctx context.Context, c ToolChange) (bool, error)
	// Folder returns the folder that the person works in; nil is the working folder of Sextant.
	Folder func() string
	// Elicit, Folder, AskRoots, Sample and CanSample answer the requests of servers, see requests.Handler.
	Elicit    func(ctx context.Context, q requests.Elicitation) (requests.Answer, error)
	AskRoots  func(ctx context.Context, q requests.RootsQuestion) (bool, error)
	Sample    func(ctx context.Context, q requests.SamplingQuestion) (requests.SamplingAnswer, error)
	CanSample func() bool
	// KnownServers stores what is remembered about servers between connections; nil stores it in memory.
	KnownServers KnownServerStore
	// Sandbox confines programs; nil runs them unconfined.
	Sandbox *launch.Sandbox

	timing
}

func (c Config) folder() string {
	if c.Folder == nil {
		return ""
	}
	return c.Folder()
}

// timing is set by tests; 0 is the default of a duration.
type timing struct {
	firstPause, maxPause      time.Duration
	checkInterval, checkLimit time.Duration
	relistLimit               time.Duration
	died                      func()
}

// Servers manages all configured MCP servers. Its methods may be called concurrently.
type Servers struct {
	resources.Reader

	cfg    Config
	log    *slog.Logger
	cancel context.CancelFunc
	done   sync.WaitGroup

	// configMu makes reading or writing the config one step with starting and stopping servers. It is locked
	// before publishMu and mu.
	configMu sync.Mutex
	text     []byte
	loaded   bool

	mu       sync.Mutex
	life     context.Context //nolint:containedctx // set by Start, ended by Close
	servers  map[string]*server
	problem  string
	consents map[string]config.Consents
	// saving counts goroutines that lock configMu.
	saving        sync.WaitGroup
	notifyPending bool
	// unsandboxed has the programs that the person let run without a sandbox, keyed by name, NUL and command line.
	unsandboxed map[string]bool

	// publishMu makes reading and publishing the list one step, so that an older list is never published after
	// a newer one. It is locked before mu.
	publishMu          sync.Mutex
	published, offered string
}

// New makes Servers. Call Start to run them.
func New(cfg Config) *Servers {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.firstPause == 0 {
		cfg.firstPause = firstPause
	}
	if cfg.maxPause == 0 {
		cfg.maxPause = max(maxPause, cfg.firstPause)
	}
	if cfg.checkLimit == 0 {
		cfg.checkLimit = checkLimit
	}
	if cfg.relistLimit == 0 {
		cfg.relistLimit = listLimit
	}
	if cfg.KnownServers == nil {
		cfg.KnownServers = &volatileMemory{known: map[string]wire.KnownServer{}}
	}
	s := &Servers{cfg: cfg, log: cfg.Log, servers: map[string]*server{}, unsandboxed: map[string]bool{}}
	s.Reader = resources.New(s)
	return s
}

// Start reads the config, starts its servers without waiting for them, and watches the file until Close or the end
// of ctx. The error is always nil: Problem reports a config that cannot be read. Call Start once.
func (s *Servers) Start(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	s.life, s.cancel = ctx, cancel
	s.mu.Unlock()
	s.reload()
	// A config that is missing or invalid does not show which homes are unused.
	if entries := s.entries(); s.Problem() == "" && len(entries) > 0 {
		if err := s.cfg.Sandbox.RemoveUnusedHomes(entries, ""); err != nil {
			s.log.Warn("homes of removed MCP servers could not be deleted", "err", err)
		}
	}
	s.done.Go(func() { s.watch(ctx) })
	return nil
}

// Close stops all servers. It returns after their programs have ended.
func (s *Servers) Close() {
	s.mu.Lock()
	cancel := s.cancel
	s.mu.Unlock()
	if cancel != nil {
		cancel()
	}
	// First wait for the watching goroutine: it may be about to read the config, which needs configMu.
	s.done.Wait()
	defer s.saving.Wait()
	s.configMu.Lock()
	defer s.configMu.Unlock()
	s.mu.Lock()
	all := slices.Collect(maps.Values(s.servers))
	s.mu.Unlock()
	stopAll(all)
}

func stopAll(all []*server) {
	var ends sync.WaitGroup
	for _, v := range all {
		ends.Go(v.stop)
	}
	ends.Wait()
}

// Problem says what was wrong with the config file, or returns "".
func (s *Servers) Problem() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.problem
}

// List returns all configured servers, sorted by name.
func (s *Servers) List() []event.MCPServer {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]event.MCPServer, 0, len(s.servers))
	for _, name := range slices.Sorted(maps.Keys(s.servers)) {
		list = append(list, s.servers[name].view())
	}
	return list
}

func (s *Servers) reload() {
	s.configMu.Lock()
	defer s.configMu.Unlock()
	text, err := config.Read(s.cfg.Path)
	if err != nil {
		s.setProblem(err.Error() + ". The last good config stays in effect.")
		return
	}
	s.apply(text)
}

// apply requires configMu.
func (s *Servers) apply(text []byte) {
	if s.loaded && slices.Equal(text, s.text) {
		return
	}
	s.loaded, s.text = true, text
	entries, faults, err := config.Parse(text)
	if err != nil {
		s.setProblem(fmt.Sprintf("%s: %s. The last good config stays in effect.", config.FileName, err))
		return
	}
	s.mu.Lock()
	life := s.lifeOr(context.Background())
	var stopping []*server
	for name, old := range s.servers {
		e, ok := entries[name]
		if !ok || e.StartKey() != old.entry.StartKey() || e.Disabled != old.entry.Disabled ||
			faults[name] != old.fault {
			stopping = append(stopping, old)
			delete(s.servers, name)
		}
	}
	s.consents = consentsOf(entries)
	prefixes := definitions.Prefixes(slices.Collect(maps.Keys(entries)))
	for name, e := range entries {
		if v, ok := s.servers[name]; ok {
			if v.prefix != prefixes[name] {
				// The prefix is part of its tools' names.
				v.prefix = prefixes[name]
				v.relistSoon()
			}
			continue
		}
		s.servers[name] = newServer(s, name, prefixes[name], e, faults[name])
		if !e.Disabled && faults[name] == "" && life.Err() == nil {
			s.servers[name].start(life)
		}
	}
	s.problem = ""
	s.mu.Unlock()
	stopAll(stopping)
	s.publish()
}

// lifeOr returns the context that Start made, or other before Start. The caller holds mu.
func (s *Servers) lifeOr(other context.Context) context.Context {
	if s.life == nil {
		return other
	}
	return s.life
}

func (s *Servers) setProblem(text string) {
	s.mu.Lock()
	changed := s.problem != text
	s.problem = text
	s.mu.Unlock()
	if changed {
		s.log.Warn("MCP config cannot be used", "problem", text)
		s.publish()
	}
}

func (s *Servers) publish() {
	if s.cfg.Journal == nil {
		return
	}
	s.publishMu.Lock()
	defer s.publishMu.Unlock()
	list := event.MCPList{Servers: s.List(), Problem: s.Problem()}
	published, offered := asJSON(list), asJSON(s.Definitions(""))
	newList, newTools := published != s.published, offered != s.offered
	s.published, s.offered = published, offered
	if newList {
		s.cfg.Journal.Publish(event.New(event.MCPChanged, list))
	}
	if newTools {
		s.cfg.Journal.Publish(event.New(event.CatalogChanged, event.NoData{}))
	}
}

func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
