// Package mcp runs the MCP servers that a person lists in mcp-config.json and offers their tools to the
// pipeline as "server__tool". A server is a program of its own process or a remote one; its tools are
// learned by asking it.
//
// What a server says is text from outside: it is bounded, its hints make nothing free, and its answers
// carry the source "mcp:<server>". A server that dies is reported as down and started again with a growing
// pause, while the others go on.
//
// The protocol is the official SDK's. Around it, this package keeps the connections (server, health), sends
// calls (call), has changed tools reviewed (review) and edits the config (manage). What needs no connection
// is in packages of its own: config, access, launch, definitions, results, importers.
package mcp

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

// Journal takes the events of Servers; app passes the recorder.
type Journal interface {
	// Publish records e and shows it to everybody who watches. It must not call back.
	Publish(e event.Event)
}

// Config is what Servers needs.
type Config struct {
	// Path is mcp-config.json; the file may be missing and come later.
	Path    string
	Journal Journal
	Log     *slog.Logger
	// Version is ours, sent to servers.
	Version string
	// Dir is the working folder of programs whose entries name none; "" is our own.
	Dir string
	// Secrets are filled into env and headers of servers that name them; nil knows none.
	Secrets *secrets.Vault
	// Egress sends the requests to remote servers; nil sends them directly.
	Egress http.RoundTripper
	// Store stores what sign-ins give; nil keeps it while the program runs.
	Store auth.Store
	// OpenPage shows the person the page on which they sign in to a server, in a browser of their own and
	// after asking. Its error says why it did not; nil can show nothing.
	OpenPage func(ctx context.Context, server, page string) error
	// NewIssuer asks the person whether what they registered for a server may go to another authorization
	// server than before; nil lets it go to none.
	NewIssuer func(ctx context.Context, server, before, now string) (bool, error)
	// ClientMetadata is the address of our client ID metadata document, "" for none.
	ClientMetadata string
	// Review asks the person whether a tool that its server changed may be called; nil has nobody to ask,
	// so that none may.
	Review func(ctx context.Context, c Change) (bool, error)
	// Ask, Folder, AskRoots, Sample and CanSample answer what servers ask, see requests.Handler.
	Ask       func(ctx context.Context, q requests.Elicitation) (requests.Answer, error)
	Folder    func() string
	AskRoots  func(ctx context.Context, q requests.RootsQuestion) (bool, error)
	Sample    func(ctx context.Context, q requests.SamplingQuestion) (requests.SamplingAnswer, error)
	CanSample func() bool
	// Memory is what is remembered of servers; nil remembers while the program runs.
	Memory KnownServerStore
	// Sandbox is where programs run; nil runs them as ourselves.
	Sandbox *launch.Sandbox

	timing
}

// timing are the intervals that tests shorten; 0 is the usual one.
type timing struct {
	// firstPause and maxPause bound how long a server that failed rests before it is started again.
	firstPause, maxPause time.Duration
	// checkInterval is how often a server's health is checked, checkLimit how long it may take to answer.
	checkInterval, checkLimit time.Duration
	// relistLimit is how long a running server may take to list its tools again.
	relistLimit time.Duration
	// died, if set, is called on every failure.
	died func()
}

// Servers is every configured MCP server. Its methods may be called concurrently.
type Servers struct {
	// Reader reads the servers' resources and prompts.
	resources.Reader

	cfg    Config
	log    *slog.Logger
	cancel context.CancelFunc
	done   sync.WaitGroup

	// configMu serializes reading and writing the config with starting and stopping.
	configMu sync.Mutex
	text     []byte
	loaded   bool

	mu      sync.Mutex
	life    context.Context //nolint:containedctx // set by Start, ended by Close
	servers map[string]*server
	problem string
	// consents are what servers may ask for, as the config says.
	consents map[string]config.Consents
	// saving counts goroutines that write a person's answer into the config; they take configMu.
	saving sync.WaitGroup
	// notifyPending is true while an event about notifications is about to be published.
	notifyPending bool
	// unsandboxed are the programs that the person let run without a sandbox, by name and command line.
	unsandboxed map[string]bool

	// publishMu makes reading the list and publishing it one step, so that of two changes at once the
	// older list never comes last. It is taken before mu.
	publishMu sync.Mutex
	// published is the last list as JSON, offered the last definitions.
	published, offered string
}

// New makes Servers that run nothing until Start.
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
	if cfg.Memory == nil {
		cfg.Memory = &volatileMemory{known: map[string]wire.KnownServer{}}
	}
	s := &Servers{cfg: cfg, log: cfg.Log, servers: map[string]*server{}, unsandboxed: map[string]bool{}}
	s.Reader = resources.New(s)
	return s
}

// Start reads the config, starts the servers in it and watches the file until Close or the end of ctx. It
// does not wait for the servers. A config that cannot be read is reported by Problem, not by the error,
// which is always nil today. Call it once.
func (s *Servers) Start(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	s.life, s.cancel = ctx, cancel
	s.mu.Unlock()
	s.reload()
	// A config that is missing or cannot be read does not say which homes are unused.
	if entries := s.entries(); s.Problem() == "" && len(entries) > 0 {
		if err := s.cfg.Sandbox.Sweep(entries, ""); err != nil {
			s.log.Warn("homes of removed MCP servers could not be deleted", "err", err)
		}
	}
	s.done.Go(func() { s.watch(ctx) })
	return nil
}

// Close stops watching and ends every server; it returns when their processes are gone.
func (s *Servers) Close() {
	s.mu.Lock()
	cancel := s.cancel
	s.mu.Unlock()
	if cancel != nil {
		cancel()
	}
	// The watch first: it may be about to read the config, for which it needs configMu.
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

// Problem says why the config on disk is not in effect, "" if it is.
func (s *Servers) Problem() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.problem
}

// List is every configured server, sorted by name.
func (s *Servers) List() []event.MCPServer {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]event.MCPServer, 0, len(s.servers))
	for _, name := range slices.Sorted(maps.Keys(s.servers)) {
		list = append(list, s.servers[name].view())
	}
	return list
}

// reload applies the config file if it changed. A bad one leaves everything as it is.
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

// apply makes text the config in effect; the caller holds configMu.
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
		if !ok || e.Key() != old.entry.Key() || e.Disabled != old.entry.Disabled || faults[name] != old.fault {
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

// lifeOr is the context that Start was given, other before that; the caller holds mu.
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

// publish announces what changed since the last time.
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

// asJSON is plain data as JSON, for comparing.
func asJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}
