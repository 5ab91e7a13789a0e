// Package panels is the second origin of tools: those that panels declare. A panel is a
// folder with a manifest.json; the built-in ones are embedded, a person's own are dropped
// into a folder while the program runs.
//
// Registry takes the manifests that package manifest judged good, watches the folders (watch.go),
// lets a changed manifest that widens what its panel may do wait for the person (accepting.go),
// offers the tools of the active panel and of pinned ones as definitions, and executes a call by sending it
// to the panel's endpoint (execute.go): a Go handler for a built-in panel, a program of
// the panel's own (runner.go) or an HTTP address. A manifest that turns bad is shown with
// its problem while the last good version keeps running.
//
// It decides nothing: whether a call may run is the Pipeline's matter. It tells the
// Pipeline the facts (Describe), and asks through Hints.Confirm for the one question that
// comes before a panel's program is started for the first time.
package panels

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

	"sextant/backend/tools/panels/callers"
	"sextant/backend/tools/panels/configured"
	"sextant/backend/tools/panels/manifest"
	"sextant/backend/tools/panels/manifest/when"
	"sextant/backend/tools/panels/process"
	"sextant/backend/tools/panels/scripted"
	"sextant/backend/tools/panels/view"
	"sextant/shared/event"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Journal takes the events of a Registry; app passes the recorder.
type Journal interface {
	// Publish records e and shows it to everybody who watches. It must not call back.
	Publish(e event.Event)
}

// Config is what a Registry needs.
type Config struct {
	// Builtin holds one folder a built-in panel.
	Builtin fs.FS
	// Handlers answer the endpoints of built-in panels, by panel id.
	Handlers map[string]http.Handler
	// Inert names the tools of built-in panels that change nothing by themselves (toolspec.Hints).
	Inert []string
	// Dirs are further folders of panels, beside <Data>/panels.
	Dirs []string
	// Reserved names the tools that no panel may call its own. It may call the Registry.
	Reserved func() []string
	Journal  Journal
	// Data is the data folder; "" means no folder of one's own panels.
	Data string
	// Accepted keeps which manifests a person took over, Pins which panels are pinned; without
	// them both last as long as the Registry.
	Accepted Accepted
	Pins     Pins
	// Undos keeps how calls are taken back; without it none can be.
	Undos Undos
	// PageURL is the address of a file of a panel's page, "" while nothing serves it; it must
	// not call the Registry. nil means never.
	PageURL func(panel, entry string) string
	// Egress sends requests to http backends outside this machine; nil refuses them.
	Egress http.RoundTripper
	// Programs is what the programs of panels run in; its Log is that of the Registry.
	Programs process.Config
	// Call makes the calls of panels' scripts; nil lets them make none.
	Call func(ctx context.Context, a callers.Ask) toolspec.Result
	// Settings keeps what a person sets for panels; nil leaves all at their defaults.
	Settings *configured.Settings
	Log      *slog.Logger

	// rescan and now are for tests: the pause between two looks that nothing asked for, and
	// the clock by which a bad manifest stands.
	rescan time.Duration
	now    func() time.Time
}

// Registry knows every panel. Its methods may be called concurrently.
type Registry struct {
	cfg    Config
	log    *slog.Logger
	roots  []string
	local  *http.Transport
	state  atomic.Pointer[state]
	cancel context.CancelFunc
	done   sync.WaitGroup
	// turn is held by who reads the folders or changes what is in force, until it is published.
	turn sync.Mutex
	// published is the last list that was published, as JSON; who holds turn touches it.
	published, offered string
	// unwatched is true while a folder cannot be watched, so that it was told.
	unwatched bool

	mu      sync.Mutex
	entries map[string]*entry
	// retired are programs out of use that have not been ended yet, removed the panels whose
	// calls have not been ended yet.
	retired []*process.Runner
	removed []*entry
	arrival int
	clashes map[string][]manifest.Problem
	allowed map[string]bool
	context map[string]map[string]json.RawMessage
	shown   shownCommands
	closed  bool
	// accepted are the manifests that may run, by panel; unsaved those not on disk yet.
	accepted map[string]wire.AcceptedPanel
	unsaved  map[string]bool
	pinned   map[string]bool
	// developed are the panels a person works on, until the Registry ends.
	developed map[string]bool
}

// state is what callers see, replaced as a whole after every change.
type state struct {
	panels []event.Panel
	tools  map[string]*offer
	// callTools are permissions.call_tools of the panels that can be used.
	callTools map[string][]string
	// config are the settings that their manifests name.
	config map[string]map[string]manifest.ConfigField
	pages  map[string]*view.Tree
	// evals are the calls that their manifests know the answers of.
	evals map[string][]manifest.Eval
	// order lists tool names: panels in order of the activity bar, tools as declared.
	order []string
}

// offer is a tool that can be called, with what answers it.
type offer struct {
	manifest.BoundTool
	title   string
	builtin bool
	handler http.Handler
	runner  *process.Runner
	script  *scripted.Script
	// reaches are the hosts that the script may fetch from.
	reaches manifest.Hosts
	url     string
	// served is true when an MCP server answers at url.
	served  bool
	context []string
	pinned  bool
	// condition is the panel's when, nil without one; config are its settings.
	condition *when.Expr
	config    map[string]manifest.ConfigField
	// life ends when the panel's folder is removed.
	life context.Context
}

// New makes a Registry that knows nothing until Start.
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
		accepted: map[string]wire.AcceptedPanel{}, unsaved: map[string]bool{}, pinned: map[string]bool{}, developed: map[string]bool{},
	}
	if cfg.Data != "" {
		r.roots = append(r.roots, filepath.Join(cfg.Data, "panels"))
	}
	r.roots = append(r.roots, cfg.Dirs...)
	r.state.Store(&state{})
	return r
}

// Folder is where a person drops panels, "" without a data folder.
func (r *Registry) Folder() string {
	if r.cfg.Data == "" {
		return ""
	}
	return filepath.Join(r.cfg.Data, "panels")
}

// Panels lists every panel in order of the activity bar, those with problems too.
func (r *Registry) Panels() []event.Panel { return slices.Clone(r.state.Load().panels) }

// Definitions are the tools of the panel that is active and of those that are pinned. None is
// active for "" or an unknown one.
func (r *Registry) Definitions(panel string) []toolspec.Definition {
	return r.definitions(func(o *offer) bool { return (o.pinned || o.Def.Owner == panel) && r.holds(o, panel) })
}

// AllDefinitions are the tools of all panels, for showing them.
func (r *Registry) AllDefinitions() []toolspec.Definition {
	return r.definitions(func(*offer) bool { return true })
}

func (r *Registry) definitions(wanted func(*offer) bool) []toolspec.Definition {
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

// definition is o's definition with the question before its program's first start.
func (r *Registry) definition(o *offer) toolspec.Definition {
	def := o.Def
	if o.runner != nil {
		r.mu.Lock()
		def.Hints.Confirm = def.Hints.Confirm || r.asks(o.runner)
		r.mu.Unlock()
	}
	// Where a script may send to any host, the question cannot name one.
	def.Hints.Confirm = def.Hints.Confirm || o.reaches.Any
	return def
}

// Output is the end of what the panel's program has written, for a person; "" when it has
// no program or it wrote nothing.
func (r *Registry) Output(panel string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e := r.entries[panel]; e != nil && e.runner != nil {
		return e.runner.Output()
	}
	return ""
}

// Close stops watching and ends every panel's program; it returns when they are gone.
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
