// Package mcp is the third origin of tools: MCP servers, which a person names in
// mcp-config.json in the form that other programs use too. Each server is its own
// process or a remote one; its tools are learned by asking it and are called
// "server__tool".
//
// What a server says is outside text: its descriptions and schemas are bounded, its hints
// make nothing free, its answers carry the source "mcp:<server>". A server that dies is
// told as failed and started again with a growing pause; the others do not notice.
//
// The protocol is the official SDK's; the package here is everything around it.
package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"sextant/backend/guard/secrets"
	"sextant/backend/tools/mcp/signin"
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
	// Version is told to the servers as ours.
	Version string
	// Dir is the working folder of stdio servers that name none; "" is our own.
	Dir string
	// Secrets are put into env and headers of servers that name them; nil knows none.
	Secrets *secrets.Vault
	// Egress sends the requests to remote servers; nil goes straight out.
	Egress http.RoundTripper
	// Keep holds what signing in to servers gives; nil keeps it while the program runs.
	Keep signin.Keep
	// OpenPage shows the person a page in a browser of their own, after asking: the page on which
	// they sign in to a server. Its error says why it did not; nil can show nothing.
	OpenPage func(ctx context.Context, server, page string) error
	// NewIssuer asks the person whether what they registered for a server may go to another issuer
	// than before; nil lets it go to none.
	NewIssuer func(ctx context.Context, server, before, now string) (bool, error)
	// ClientMetadata is the address of a document that describes us to issuers, "" for none.
	ClientMetadata string
	// Ask puts a server's question to the person; nil has nobody to ask.
	Ask func(ctx context.Context, q Question) (Answer, error)
	// Review asks the person whether a tool that its server changed may be called; nil has nobody to
	// ask, so that none may.
	Review func(ctx context.Context, c Change) (bool, error)
	// Folder is the one the person works in, "" for none; nil has none. AskRoots asks whether a server
	// may know it; nil has nobody to ask.
	Folder   func() string
	AskRoots func(ctx context.Context, r RootsAsked) (bool, error)
	// Sample has the person's model answer a server, once the person agreed; nil offers it to none.
	// CanSample is false while there is no model.
	Sample    func(ctx context.Context, s Sampling) (Sampled, error)
	CanSample func() bool
	// Memory is what is remembered of servers; nil remembers while the program runs.
	Memory Memory

	// Sandbox is what programs run behind; nil runs them as ourselves.
	Sandbox *Sandbox

	// firstPause is for tests: how long a server that failed rests before it is started
	// again.
	firstPause time.Duration
	// mostPause bounds that pause, looks is how often a server is looked at, lookLimit how long it may
	// take to answer then.
	mostPause, looks, lookLimit time.Duration
	// relistLimit is how long a running server may take to list its tools again.
	relistLimit time.Duration
	// died is told of every failure.
	died func()
}

// Servers is every configured MCP server. Its methods may be called concurrently.
type Servers struct {
	cfg    Config
	log    *slog.Logger
	cancel context.CancelFunc
	done   sync.WaitGroup

	// change serialises reading and writing the config with starting and stopping.
	change sync.Mutex
	text   []byte
	read   bool

	mu      sync.Mutex
	life    context.Context
	servers map[string]*server
	problem string
	// consents are what servers may ask for, as the config says.
	consents map[string]Consents
	// writing counts what writes a person's answer into the config; it needs change.
	writing sync.WaitGroup
	// telled is true while what was heard of servers is about to be told.
	telled bool
	// free are the servers that the person let run without a sandbox, by name and command line.
	free map[string]bool

	// telling makes reading the list and publishing it one step, so that of two changes at
	// once the older list never comes last. It is taken before mu.
	telling sync.Mutex
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
	if cfg.mostPause == 0 {
		cfg.mostPause = max(maxBackOff, cfg.firstPause)
	}
	if cfg.lookLimit == 0 {
		cfg.lookLimit = lookLimit
	}
	if cfg.relistLimit == 0 {
		cfg.relistLimit = listLimit
	}
	if cfg.Memory == nil {
		cfg.Memory = &forgetful{known: map[string]wire.KnownServer{}}
	}
	return &Servers{cfg: cfg, log: cfg.Log, servers: map[string]*server{}, free: map[string]bool{}}
}

// Start reads the config, starts the servers in it and watches the file until Close or
// the end of ctx. It does not wait for the servers. A config that cannot be read is told
// by Problem, not by the error, which is always nil today. Call it once.
func (s *Servers) Start(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	s.mu.Lock()
	s.life, s.cancel = ctx, cancel
	s.mu.Unlock()
	s.reload()
	// A config that is not there or cannot be read says of no home that it is left over.
	if entries := s.entries(); s.Problem() == "" && len(entries) > 0 {
		if err := s.cfg.Sandbox.sweep(entries, ""); err != nil {
			s.log.Warn("homes of MCP servers that are gone are left", "error", err)
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
	// The watch first: it may be about to read the config, for which it needs change.
	s.done.Wait()
	defer s.writing.Wait()
	s.change.Lock()
	defer s.change.Unlock()
	s.mu.Lock()
	all := slices.Collect(maps.Values(s.servers))
	s.mu.Unlock()
	var ends sync.WaitGroup
	for _, one := range all {
		ends.Go(one.stop)
	}
	ends.Wait()
}

// Problem says why the config on disk is not in force, "" when it is.
func (s *Servers) Problem() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.problem
}

// List is every configured server in order of the names.
func (s *Servers) List() []event.MCPServer {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]event.MCPServer, 0, len(s.servers))
	for _, name := range slices.Sorted(maps.Keys(s.servers)) {
		list = append(list, s.servers[name].view())
	}
	return list
}

// Toggle switches a server on or off and writes that into the config file, whose other
// content stays. The error says when there is no such server or the file cannot be
// written; then nothing changed.
func (s *Servers) Toggle(_ context.Context, name string, enabled bool) error {
	s.change.Lock()
	defer s.change.Unlock()
	text, err := readConfig(s.cfg.Path)
	if err != nil {
		return err
	}
	next, err := setDisabled(text, name, !enabled)
	if err != nil {
		return err
	}
	if err := writeConfig(s.cfg.Path, next); err != nil {
		return err
	}
	s.apply(next)
	return nil
}

// reload takes over the config file when it changed. A bad one leaves everything as it is.
func (s *Servers) reload() {
	s.change.Lock()
	defer s.change.Unlock()
	text, err := readConfig(s.cfg.Path)
	if err != nil {
		s.setProblem(err.Error() + ". The last good config stays in force.")
		return
	}
	s.apply(text)
}

// apply makes text the config in force; the caller holds change.
func (s *Servers) apply(text []byte) {
	if s.read && slices.Equal(text, s.text) {
		return
	}
	s.read, s.text = true, text
	entries, faults, err := parseConfig(text)
	if err != nil {
		s.setProblem(fmt.Sprintf("mcp-config.json: %s. The last good config stays in force.", err))
		return
	}
	s.mu.Lock()
	life := s.life
	if life == nil {
		life = context.Background()
	}
	var stopping []*server
	for name, old := range s.servers {
		e, ok := entries[name]
		if !ok || e.key() != old.entry.key() || e.Disabled != old.entry.Disabled || faults[name] != old.fault {
			stopping = append(stopping, old)
			delete(s.servers, name)
		}
	}
	s.consents = allowed(entries)
	prefixes := prefixes(entries)
	for name, e := range entries {
		if one, ok := s.servers[name]; ok {
			if one.prefix != prefixes[name] {
				// Its tools are told apart by their whole names.
				one.prefix = prefixes[name]
				one.again()
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
	var ends sync.WaitGroup
	for _, old := range stopping {
		ends.Go(old.stop)
	}
	ends.Wait()
	s.publish()
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

// publish tells what changed since the last time.
func (s *Servers) publish() {
	if s.cfg.Journal == nil {
		return
	}
	s.telling.Lock()
	defer s.telling.Unlock()
	list := event.MCPList{Servers: s.List(), Problem: s.Problem()}
	defs := asText(s.Definitions(""))
	newList, newDefs := asText(list) != s.published, defs != s.offered
	s.published, s.offered = asText(list), defs
	if newList {
		s.cfg.Journal.Publish(event.New(event.MCPChanged, list))
	}
	if newDefs {
		s.cfg.Journal.Publish(event.New(event.CatalogueChanged, event.Empty{}))
	}
}

// rescan catches changes that the watch of the config folder cannot tell.
const rescan = 2 * time.Second
