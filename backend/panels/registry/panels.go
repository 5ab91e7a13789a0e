// Package registry manages the panels and offers their tools. A panel is a folder with a manifest.json;
// the built-in ones are embedded, users drop their own into a folder while the program runs.
//
// Registry reads the manifests, watches the folders (watch.go), lets a changed manifest that allows
// its panel more wait for the user (acceptance.go), offers the tools of the active and the pinned
// panels, and executes a call by sending it to the panel's endpoint (execute.go): a Go handler, a
// program, a script, an MCP server or an HTTP address. While a manifest is invalid, its problems are
// shown and the last valid version stays in use.
//
// Whether a call may run is decided by the pipeline. The Registry supplies the facts (Describe), and
// asks the one question before a panel's program first starts (Hints.Confirm).
package registry

import (
	"context"
	"encoding/json"
	"io/fs"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"sextant/backend/panels/backends/process"
	"sextant/backend/panels/backends/scripted"
	"sextant/backend/panels/calls"
	"sextant/backend/panels/manifest"
	"sextant/backend/panels/manifest/condition"
	"sextant/backend/panels/settings"
	"sextant/backend/panels/view"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Publisher takes the events of a Registry.
type Publisher interface {
	// Publish records e and sends it to all subscribers. It must not call back.
	Publish(e event.Event)
}

// Config configures a Registry.
type Config struct {
	// Builtin holds one folder per built-in panel.
	Builtin fs.FS
	// Handlers answer the endpoints of built-in panels, by panel id.
	Handlers map[string]http.Handler
	// Inert names the tools of built-in panels that have no effect of their own (toolspec.Hints).
	Inert []string
	// Dirs are additional folders of panels besides <Data>/panels.
	Dirs []string
	// Reserved returns the tool names that no panel may use. It may call the Registry.
	Reserved  func() []string
	Publisher Publisher
	// Data is the data folder; without it there are no panels of the user's own.
	Data string
	// ManifestStore stores which manifests the user accepted, Pins which panels are pinned. Without a store
	// both are forgotten when the Registry is closed.
	Accepted ManifestStore
	Pins     PinStore
	// UndoStore stores how calls are undone; nil makes none undoable.
	Undos UndoStore
	// PageURL is the address of a file of a panel's page, "" while nothing serves it. It must not call
	// the Registry.
	PageURL func(panel, entry string) string
	// Egress sends requests to http backends outside this machine; nil refuses them.
	Egress http.RoundTripper
	// Programs configures the panels' programs; its Log is replaced by the Registry's.
	Programs process.Config
	// Call makes the calls of panels' scripts; nil refuses them.
	Call func(ctx context.Context, a calls.Request) toolspec.Result
	// Settings stores the panels' settings; nil leaves all at their defaults.
	Settings *settings.Settings
	Log      *slog.Logger

	// rescan and now are for tests: the interval between scans, and the clock.
	rescan time.Duration
	now    func() time.Time
}

// Registry holds every panel. It is safe for concurrent use.
type Registry struct {
	cfg    Config
	log    *slog.Logger
	roots  []string
	local  *http.Transport
	state  atomic.Pointer[state]
	cancel context.CancelFunc
	done   sync.WaitGroup
	// reloadMu serialises scans and changes up to and including their publication.
	reloadMu sync.Mutex
	// published and offered are what was last published, as JSON; guarded by turn.
	published, publishedTools string
	// unwatched is true once it was logged that a folder cannot be watched.
	unwatched bool

	mu      sync.Mutex
	entries map[string]*entry
	// retired are programs out of use, removed are removed panels whose calls are still to be
	// cancelled.
	retired []*process.Runner
	removed []*entry
	arrival int
	clashes map[string][]manifest.Problem
	allowed map[string]bool
	context map[string]map[string]json.RawMessage
	shown   shownCommands
	closed  bool
	// accepted are the manifests that may run, by panel; unsaved are those not stored yet.
	accepted map[string]wire.AcceptedPanel
	unsaved  map[string]bool
	pinned   map[string]bool
	// developed are the panels that the user is working on.
	developed map[string]bool
}

// state is what callers see, replaced as a whole after every change.
type state struct {
	panels []event.Panel
	tools  map[string]*callable
	// callTools are permissions.call_tools of the usable panels.
	callTools map[string][]string
	config    map[string]map[string]manifest.ConfigField
	pages     map[string]*view.Tree
	evals     map[string][]manifest.Eval
	// order lists tool names: panels in the order of the activity bar, tools as declared.
	order []string
}

// callable is a tool that can be called, with the backend that answers it.
type callable struct {
	manifest.BoundTool
	title   string
	builtin bool
	handler http.Handler
	runner  *process.Runner
	script  *scripted.Script
	// fetchHosts are the hosts that the script may fetch from.
	fetchHosts manifest.Hosts
	url        string
	// isMCPServer is true when an MCP server answers at url.
	isMCPServer bool
	context     []string
	pinned      bool
	// condition is the panel's when, nil without one; config are its settings.
	condition *condition.Expr
	config    map[string]manifest.ConfigField
	// ctx ends when the panel's folder is removed.
	ctx context.Context
}

// New makes an empty Registry; Start fills it.
func New(cfg Config) *Registry {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Reserved == nil {
		cfg.Reserved = func() []string { return nil }
	}
	if cfg.rescan == 0 {
		cfg.rescan = rescan
	}
	if cfg.now == nil {
		cfg.now = time.Now
	}
	cfg.Programs.Log = cfg.Log
	if cfg.Programs.Data == "" && cfg.Data != "" {
		cfg.Programs.Data = filepath.Join(cfg.Data, "panel-data")
	}
	r := &Registry{
		cfg: cfg, log: cfg.Log, local: localTransport(), entries: map[string]*entry{},
		allowed: map[string]bool{}, context: map[string]map[string]json.RawMessage{},
		accepted: map[string]wire.AcceptedPanel{}, unsaved: map[string]bool{}, pinned: map[string]bool{},
		developed: map[string]bool{},
	}
	if cfg.Data != "" {
		r.roots = append(r.roots, filepath.Join(cfg.Data, "panels"))
	}
	r.roots = append(r.roots, cfg.Dirs...)
	r.state.Store(&state{})
	return r
}

// Folder is where users put their panels, "" without a data folder.
func (r *Registry) Folder() string {
	if r.cfg.Data == "" {
		return ""
	}
	return filepath.Join(r.cfg.Data, "panels")
}

// Panels lists every panel in the order of the activity bar, including those with problems.
func (r *Registry) Panels() []event.Panel { return slices.Clone(r.state.Load().panels) }

// Definitions are the tools of the active panel and of the pinned ones; panel may be "".
func (r *Registry) Definitions(panel string) []toolspec.Definition {
	return r.definitions(func(o *callable) bool {
		return (o.pinned || o.Def.Owner == panel) &&
			r.conditionsHold(o, panel)
	})
}

// AllDefinitions are the tools of all panels, for display.
func (r *Registry) AllDefinitions() []toolspec.Definition {
	return r.definitions(func(*callable) bool { return true })
}

func (r *Registry) definitions(wanted func(*callable) bool) []toolspec.Definition {
	s := r.state.Load()
	var defs []toolspec.Definition
	for _, name := range s.order {
		o := s.tools[name]
		if !wanted(o) || len(o.Visibility) > 0 && !slices.Contains(o.Visibility, "model") {
			continue
		}
		defs = append(defs, r.definition(o))
	}
	return defs
}

// definition is o's definition, with a question before its program first starts.
func (r *Registry) definition(o *callable) toolspec.Definition {
	def := o.Def
	if o.runner != nil {
		r.mu.Lock()
		def.Hints.Confirm = def.Hints.Confirm || r.needsApproval(o.runner)
		r.mu.Unlock()
	}
	// If a script may send to any host, the question cannot name one, so it always asks.
	def.Hints.Confirm = def.Hints.Confirm || o.fetchHosts.Any
	return def
}

// Output is the end of what the panel's program printed, "" for nothing.
func (r *Registry) Output(panel string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.entries[panel]; e != nil && e.runner != nil {
		return e.runner.Output()
	}
	return ""
}

// Close stops watching and stops every panel's program. It returns when they have exited.
func (r *Registry) Close() {
	r.mu.Lock()
	r.closed = true
	cancel := r.cancel
	runners := r.retired
	r.retired = nil
	for _, e := range r.entries {
		if e.runner != nil {
			runners = append(runners, e.runner)
		}
	}
	r.mu.Unlock()
	if cancel != nil {
		cancel()
	}
	var ends sync.WaitGroup
	for _, run := range runners {
		ends.Go(run.Close)
	}
	ends.Wait()
	r.done.Wait()
	r.local.CloseIdleConnections()
}
