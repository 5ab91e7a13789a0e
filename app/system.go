// Package app is the composition root. OpenSystem opens the parts of the program from the lowest layer up and connects
// each with the parts that it needs; Close closes them in reverse order. The command line (app/cli) and the Wails
// window (app/desktop) use it.
package app

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"sextant/app/config"
	"sextant/app/notify"
	"sextant/backend/agent/instructions"
	"sextant/backend/agent/llm/providers"
	"sextant/backend/agent/loop"
	"sextant/backend/agent/pilot"
	"sextant/backend/api/access"
	httpapi "sextant/backend/api/http"
	"sextant/backend/api/mcpapps"
	"sextant/backend/api/mcpserver"
	"sextant/backend/api/mcpserver/sharing"
	"sextant/backend/api/pages"
	"sextant/backend/api/ws"
	"sextant/backend/attachment"
	"sextant/backend/batch"
	"sextant/backend/browser"
	"sextant/backend/browser/pool"
	"sextant/backend/browser/upload"
	"sextant/backend/mcp/consent"
	"sextant/backend/mcp/mcpclient"
	"sextant/backend/panelpage"
	"sextant/backend/panels/authoring"
	"sextant/backend/panels/calls"
	"sextant/backend/panels/registry"
	"sextant/backend/pipeline"
	"sextant/backend/pipeline/approval"
	"sextant/backend/pipeline/catalog"
	"sextant/backend/policy/protectedpaths"
	"sextant/backend/recipes"
	"sextant/backend/sandbox/confine"
	"sextant/backend/sandbox/egress"
	"sextant/backend/sandbox/secrets"
	"sextant/backend/schedule"
	"sextant/backend/store/audit"
	"sextant/backend/store/backups"
	"sextant/backend/store/blobs"
	"sextant/backend/store/diskspace"
	"sextant/backend/store/eventlog"
	"sextant/backend/store/pending"
	"sextant/backend/store/results"
	"sextant/backend/store/sqlite"
	"sextant/backend/tools/attachments"
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
	"sextant/backend/unattended"
	browserpanel "sextant/panels/browser"
	codeeditor "sextant/panels/code-editor"
	notespanel "sextant/panels/notes"
	"sextant/panels/terminal"
	"sextant/shared/event"
	"sextant/shared/navigation"
	"sextant/shared/toolspec"
)

// System contains the parts of the program. OpenSystem opens them and Close closes them. The exported parts are safe
// for concurrent use while the System is open.
type System struct {
	Config *config.Config
	Nav    *navigation.Map
	Log    *slog.Logger
	// TemporaryData says why a temporary data folder is used instead of the configured one, "" if none is.
	TemporaryData string

	Secrets        *secrets.Vault
	Store          *sqlite.Store
	Backups        backups.Folder
	Events         *eventlog.Recorder
	Pending        *pending.Queue
	Audit          *audit.Log
	Blobs          *blobs.Store
	Attachments    *attachment.Store
	Uploads        *upload.Store
	Results        *results.Store
	DiskSpace      *diskspace.Watcher
	Settings       *config.Settings
	Egress         *egress.Guard
	ProtectedPaths *protectedpaths.Classifier
	Confine        *confine.Sandbox
	Browser        *browser.Browser
	PanelPages     *panelpage.Pages

	PageTools        *page.Tools
	Workspace        *workspace.Tools
	Files            *files.Tools
	Inspect          *inspect.Tools
	Shell            *shell.Tools
	CommandSnapshots *snapshot.Watcher
	Web              *web.Tools
	ReadResult       *readresult.Tools
	AttachmentTools  *attachments.Tools
	FindTools        *findtools.Tools
	Subagent         *subagent.Tools
	Created          *custom.Tools
	Recipes          *recipes.Recipes
	Authoring        *authoring.Tools

	Editor    *codeeditor.Panel
	Notes     *notespanel.Panel
	Terminals *terminal.Terminals
	Panels    *registry.Registry
	MCP       *mcpclient.Servers

	Catalog   *catalog.Registry
	Approvals *approval.Queue
	Pipeline  *pipeline.Pipeline
	Models    *providers.Registry
	Loop      *loop.Loop
	Pilot     *pilot.Pilot
	Schedules *schedule.Schedules
	Batches   *batch.Batches
	// Instructions are the person's own.
	Instructions *instructions.Instructions

	PageServer *pages.Server
	Apps       *mcpapps.Service
	Sharing    *sharing.Provider
	Desktop    *notify.Desktop

	folder       atomic.Pointer[string]
	raise        atomic.Pointer[func()]
	mcpEgress    *egress.Guard
	consent      *consent.Asker
	panelCalls   *calls.Gateway
	unattended   *unattended.Runs
	browsers     *pool.Pool
	browserPanel *browserpanel.Panel

	keys *access.Keys
	// portsKnown is closed when the egress guards know Sextant's own ports.
	portsKnown      chan struct{}
	hub             *ws.Hub
	terminalSockets *ws.TerminalServer
	mcpClients      *mcpserver.JoinServer
	server          *httpapi.Server

	// home is the person's home folder, "" if it is unknown.
	home string
	// databaseProblem is what the check of the database found, nil for nothing.
	databaseProblem atomic.Pointer[string]
	// background contains goroutines that end with the event log.
	background sync.WaitGroup
	closing    sync.Once
	closers    []closer
}

type closer struct {
	name  string
	close func() error
}

// OnClose registers a function that Close calls. Functions are called in reverse order of registration.
func (s *System) OnClose(name string, do func() error) {
	s.closers = append(s.closers, closer{name, do})
}

// OpenSystem opens the parts. It listens for connections only if options.Serve is set.
func OpenSystem(
	ctx context.Context, config *config.Config, options OpenOptions, log *slog.Logger,
) (sys *System, err error) {
	s := &System{
		Config: config, Log: log, keys: access.NewKeys(), portsKnown: make(chan struct{}),
		unattended: unattended.New(),
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
	if s.home, err = os.UserHomeDir(); err != nil {
		s.Log.Warn("the home folder is not known, so private places in it are protected by name only", "err", err)
	}
	steps := []func(context.Context, OpenOptions) error{
		s.openStore, s.chooseFolder, s.openEgress, s.openBrowser, s.openPageServer,
		s.openFiles, s.openPanels, s.openTools, s.openMCP,
		s.openPipeline, s.openAgent, s.openSchedules, s.openBatches, s.openDiskSpace, s.openServer,
	}
	for _, step := range steps {
		if err := step(ctx, options); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Close closes all parts in reverse order. Further calls do nothing.
func (s *System) Close() {
	s.closing.Do(func() {
		for _, c := range slices.Backward(s.closers) {
			if err := c.close(); err != nil {
				s.Log.Warn("closing", "what", c.name, "err", err)
			}
		}
	})
}

func (s *System) dataPath(name string) string { return filepath.Join(s.Config.DataDir, name) }

// PanelsFolder returns the folder of the person's own panels.
func (s *System) PanelsFolder() string { return s.dataPath("panels") }

// realWorkspace returns the workspace folder with links resolved, like the paths of calls, or as configured if they
// cannot be resolved, for example because the folder does not exist. If such a path contains a link, calls in it count
// as outside of the workspace.
func (s *System) realWorkspace() string {
	folder := s.WorkspaceFolder()
	if path, err := filepath.EvalSymlinks(folder); err == nil {
		return path
	}
	return folder
}

func (s *System) publish(e event.Event) {
	if _, err := s.Events.Publish(context.Background(), e); err != nil {
		s.Log.Error("an event was not stored", "kind", e.Kind, "err", err)
	}
}

type publisher struct{ sys *System }

// Publish publishes e.
func (p publisher) Publish(e event.Event) { p.sys.publish(e) }

// on calls do with each new event of a kind, in its own goroutine, until the event log is closed.
func (s *System) on(kind event.Kind, do func(event.Event)) {
	sub := s.Events.Subscribe(eventlog.Filter{Kinds: []event.Kind{kind}}, eventlog.FromNow)
	s.background.Go(func() {
		defer sub.Close()
		for e := range sub.C() {
			do(e)
		}
	})
}

// do can be passed to parts that are opened before the pipeline.
func (s *System) do(ctx context.Context, call toolspec.Call) toolspec.Result {
	return s.Pipeline.Do(ctx, call)
}
