// Package registry manages the panels and offers their tools. A panel is a folder with a manifest.json. The built-in
// panels are embedded, and users can add panels to a folder while the program runs.
//
// Registry reads the manifests, watches the folders (watch.go), makes a changed manifest that would allow its panel
// more wait for the user (acceptance.go), offers the tools, and executes a call by sending it to the panel's endpoint
// (execute.go): a Go handler, a program, a script, an MCP server or an HTTP address. While a manifest is invalid, its
// problems are shown and the last valid version remains in use.
//
// The pipeline decides whether a call may run. The Registry supplies the facts (Describe).
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

// Publisher receives the events of a Registry.
type Publisher interface {
	// Publish records e and sends it to all subscribers. It must not call the Registry.
	Publish(e event.Event)
}

// Config configures a Registry.
type Config struct {
	// Builtin contains one folder for each built-in panel.
	Builtin fs.FS
	// Handlers maps the ids of built-in panels to the handlers of their endpoints.
	Handlers map[string]http.Handler
	// InertTools names the tools of built-in panels that have no effects of their own (toolspec.Hints).
	InertTools []string
	// Dirs contains folders of panels besides <Data>/panels.
	Dirs []string
	// Reserved returns the tool names that no panel may use; nil means none. It may call the Registry.
	Reserved  func() []string
	Publisher Publisher
	// Data is the data folder. If it is "", users cannot add panels.
	Data string
	// AcceptedManifests stores the accepted manifests, and Pins the pinned panels. Without a store, they are forgotten
	// when the Registry is closed.
	AcceptedManifests ManifestStore
	Pins              PinStore
	// Undos stores how calls are undone. If it is nil, no call can be undone.
	Undos UndoStore
	// PageURL returns the address of a file of a panel's page, "" while nothing serves it. It must not call the
	// Registry.
	PageURL func(panel, entry string) string
	// Egress sends the requests of scripts, and those to backends on other machines. If it is nil, they are refused.
	Egress http.RoundTripper
	// Programs configures the panels' programs. Its Log is replaced by the Registry's.
	Programs process.Config
	// Call makes the calls of panels' scripts. If it is nil, they are refused.
	Call func(ctx context.Context, a calls.Request) toolspec.Result
	// Settings stores the panels' settings. If it is nil, panels get no settings, not even the defaults.
	Settings *settings.Settings
	Log      *slog.Logger

	// rescan (the interval between scans) and now (the clock) are set by tests.
	rescan time.Duration
	now    func() time.Time
}

// Registry manages all panels. It is safe for concurrent use.
type Registry struct {
	cfg    Config
	log    *slog.Logger
	roots  []string
	local  *http.Transport
	state  atomic.Pointer[state]
	cancel context.CancelFunc
	done   sync.WaitGroup
	// reloadMu serializes scans and changes until they are published.
	reloadMu                  sync.Mutex
	published, publishedTools string
	// unwatched is true after logging that a folder cannot be watched.
	unwatched bool

	mu        sync.Mutex
	entries   map[string]*entry
	retired   []*process.Runner
	removed   []*entry
	arrival   int
	clashes   map[string][]manifest.Problem
	allowed   map[string]bool
	context   map[string]map[string]json.RawMessage
	shown     shownCommands
	closed    bool
	accepted  map[string]wire.AcceptedPanel
	unsaved   map[string]bool
	pinned    map[string]bool
	developed map[string]bool
}

// Each change replaces the state completely.
type state struct {
	panels    []event.Panel
	tools     map[string]*callable
	callTools map[string][]string
	config    map[string]map[string]manifest.ConfigField
	pages     map[string]*view.Tree
	evals     map[string][]manifest.Eval
	// order contains the names of the tools. Panels are in the order of the activity bar, and their tools in the order
	// of the manifest.
	order []string
}

// callable is a tool that can be called, with what answers its calls: a handler, runner or script, or the server at
// url.
type callable struct {
	manifest.BoundTool
	title       string
	builtin     bool
	handler     http.Handler
	runner      *process.Runner
	script      *scripted.Script
	fetchHosts  manifest.Hosts
	url         string
	isMCPServer bool
	context     []string
	pinned      bool
	condition   *condition.Expr
	config      map[string]manifest.ConfigField
	ctx         context.Context
}

// New returns an empty Registry. Start fills it.
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

// Folder returns the folder to which users can add panels, "" without a data folder.
func (r *Registry) Folder() string {
	if r.cfg.Data == "" {
		return ""
	}
	return filepath.Join(r.cfg.Data, "panels")
}

// Panels returns the panels in the order of the activity bar, including those with problems. A new folder with an
// invalid manifest is added after a delay, because it may still be copied.
func (r *Registry) Panels() []event.Panel { return slices.Clone(r.state.Load().panels) }

// Folders returns the folders of the panels that the person has added and that are usable, by the id of the panel.
func (r *Registry) Folders() map[string]string {
	folders := map[string]string{}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.Panels() {
		if e := r.entries[p.ID]; e != nil && !e.builtin && p.Usable {
			folders[p.ID] = e.dir()
		}
	}
	return folders
}

// Definitions returns the tools that the assistant can call: those of the active panel and of the pinned panels whose
// conditions are true. panel is the id of the active one and may be "".
func (r *Registry) Definitions(panel string) []toolspec.Definition {
	return r.definitions(func(o *callable) bool {
		return (o.pinned || o.Def.Owner == panel) &&
			r.conditionsHold(o, panel)
	})
}

// AllDefinitions returns the tools of all panels for display, whatever their conditions, except those that only pages
// can call.
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

// definition returns o's definition. Its Hints.Confirm is also true if the program needs an approval.
func (r *Registry) definition(o *callable) toolspec.Definition {
	def := o.Def
	if o.runner != nil {
		r.mu.Lock()
		def.Hints.Confirm = def.Hints.Confirm || r.needsApproval(o.runner)
		r.mu.Unlock()
	}
	// If a script may send to any host, the question cannot name one, so every call asks.
	def.Hints.Confirm = def.Hints.Confirm || o.fetchHosts.Any
	return def
}

// Output returns the end of the output of the panel's program, "" for none.
func (r *Registry) Output(panel string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.entries[panel]; e != nil && e.runner != nil {
		return e.runner.Output()
	}
	return ""
}

// Close stops watching the folders, stops the programs of all panels and waits until they have ended.
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
