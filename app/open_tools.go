package app

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sextant/app/config"
	"sextant/backend/agent/loop"
	"sextant/backend/policy"
	"sextant/backend/policy/protectedpaths"
	"sextant/backend/recipes"
	"sextant/backend/toolkit"
	"sextant/backend/tools/attachments"
	"sextant/backend/tools/baseline"
	"sextant/backend/tools/custom"
	"sextant/backend/tools/files"
	"sextant/backend/tools/findtools"
	"sextant/backend/tools/inspect"
	"sextant/backend/tools/page"
	"sextant/backend/tools/page/observation"
	"sextant/backend/tools/readresult"
	"sextant/backend/tools/shell"
	"sextant/backend/tools/snapshot"
	"sextant/backend/tools/subagent"
	"sextant/backend/tools/web"
	"sextant/backend/tools/workspace"
	"sextant/panels/browser/demo"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

func (s *System) openFiles(ctx context.Context, _ OpenOptions) error {
	s.ProtectedPaths = protectedpaths.New(
		protectedpaths.OwnFolders{Home: s.home, Data: s.Config.DataDir, Config: s.Config.ConfigDir})
	paths := toolkit.Paths{
		Folder: s.WorkspaceFolder, Home: s.home, Places: s.ProtectedPaths, Downloads: s.dataPath("downloads"),
	}
	forbidden := func(ctx context.Context, tool string) ([]string, error) { return s.forbiddenIn(tool)(ctx) }
	s.CommandSnapshots = snapshot.New(snapshot.Config{
		Dir: s.dataPath("before"), Places: s.ProtectedPaths, Blobs: s.Blobs, ChangeLog: s.Store, Logger: s.Log,
		ForbiddenPaths: func(ctx context.Context, folder string) ([]string, error) {
			return s.forbidden(ctx, "bash", folder)
		},
	})
	s.OnClose("snapshots", s.CommandSnapshots.Close)
	if err := s.CommandSnapshots.Recover(ctx); err != nil {
		s.Log.Warn("what commands changed before Sextant ended is not known", "err", err)
	}
	s.sweepFiles(ctx)
	s.Files = files.New(files.Config{
		Paths: paths, ForbiddenPaths: forbidden,
		Blobs: s.Blobs, Changes: s.Store, Watcher: s.CommandSnapshots, Panels: panelUndo{s}, Trash: s.dataPath("trash"),
		Known: s.dataPath("known-files.json"), MaxRead: func() int { return s.Settings.Count("read_kilobytes") << 10 },
	})
	s.OnClose("files", s.Files.Close)
	s.Inspect = inspect.New(inspect.Config{Paths: paths, ForbiddenPaths: forbidden, Sandbox: s.Confine})
	return nil
}

// forbidden returns the paths in folder, with links resolved, that the person's rules forbid to a tool.
func (s *System) forbidden(ctx context.Context, tool, folder string) ([]string, error) {
	grants, err := s.Store.Grants(ctx)
	return policy.ForbiddenPaths(grants, tool, folder), err
}

// forbiddenIn returns a function that returns the paths in the workspace that are forbidden to a tool. For a program,
// tool is a name that no tool has, so that only rules for all tools apply.
func (s *System) forbiddenIn(tool string) func(context.Context) ([]string, error) {
	return func(ctx context.Context) ([]string, error) { return s.forbidden(ctx, tool, s.realWorkspace()) }
}

const maxSwept = 50

func (s *System) sweepFiles(ctx context.Context) {
	paths, err := s.Store.RecentlyChangedPaths(ctx, maxSwept)
	if err == nil {
		err = files.Sweep(paths)
	}
	if err != nil {
		s.Log.Warn("an unfinished file may be left", "err", err)
	}
}

// openTools opens the remaining baseline tools and the created tools, and then starts the panels. The order matters
// because a panel's tool may not have the name of one of these tools.
func (s *System) openTools(ctx context.Context, _ OpenOptions) (err error) {
	s.Workspace = workspace.New(workspace.Config{
		CountOperable: func(ctx context.Context, panel string) (int, bool) {
			return s.PageTools.CountOperable(ctx, panel)
		},
		Nav: s.Nav, Panels: s.Panels.Panels, Journal: s.Events, Settings: s.Store,
		NotesDir: s.dataPath("developer-notes"), Log: s.Log,
	})
	s.Shell = shell.New(shell.Config{
		Egress: s.Egress, CheckHost: s.allowHost, ForbiddenPaths: s.forbiddenIn("bash"),
		Folder: s.WorkspaceFolder, Home: s.home, Places: s.ProtectedPaths, Sandbox: s.Confine,
		Cache: s.dataPath("commands"), NewDraft: s.Results.NewDraft, Log: s.Log, Snapshots: s.CommandSnapshots,
	})
	s.ReadResult = readresult.New(s.Results, s.Store)
	s.AttachmentTools = attachments.New(s.Attachments, s.Store)
	s.FindTools = findtools.New(s.offeredTools)
	s.Subagent = subagent.New(s.runSubagent)
	s.Web = web.New(web.Config{
		Transport: s.Egress.Transport(), IsAllowed: s.mayFollow, Setting: s.Settings.Get,
		Secrets: s.Secrets, Log: s.Log,
	})
	if s.PageTools, err = page.New(s.browsers, s.Nav, page.Config{
		Alias: demo.Alias, Do: s.do, Secrets: s.Secrets, Folder: s.WorkspaceFolder, PanelPages: s.PanelPages,
		ActivePanel: s.Workspace.ActivePanel,
	}); err != nil {
		return err
	}
	if s.Created, err = custom.New(ctx, custom.Config{
		Store: s.Store, Log: s.Log, Do: s.do, OtherTools: s.offeredTools,
		OnChange: func() { s.publish(event.New(event.CatalogChanged, event.NoData{})) },
	}); err != nil {
		return err
	}
	if s.Recipes, err = recipes.New(recipes.Config{
		Folder: recipesFolder(s.Config), PanelFolders: s.panelFolders,
		Do: s.do, Observe: observation.FullObservation, Log: s.Log,
		Events: s.Events.EventsOfConversation, EventsAfter: s.Events.EventsAfter,
		ReportSteps: s.Browser.ReportSteps,
		PageURL:     func() string { return s.Browser.Session("").Address() },
		OnChange:    func() { s.publish(event.New(event.CatalogChanged, event.NoData{})) },
	}); err != nil {
		return err
	}
	s.on(event.PanelsChanged, func(event.Event) {
		if _, _, err := s.Recipes.Reload(); err != nil {
			s.Log.Warn("the recipes of the panels were not read", "err", err)
		}
	})
	if err := s.Panels.Start(ctx); err != nil {
		return fmt.Errorf("reading panels: %w", err)
	}
	s.editorChanged(s.Editor.State())
	s.OnClose("panels", func() error { s.Panels.Close(); return nil })
	return nil
}

func recipesFolder(config *config.Config) string { return filepath.Join(config.DataDir, "recipes") }

func (s *System) panelFolders() (all []recipes.PanelFolder) {
	folders := s.Panels.Folders()
	for _, id := range slices.Sorted(maps.Keys(folders)) {
		all = append(all, recipes.PanelFolder{Panel: id, Path: folders[id]})
	}
	return all
}

// OpenRecipes returns the recipes in a data folder, to read and change but not to run.
func OpenRecipes(config *config.Config) (*recipes.Recipes, error) {
	panels := filepath.Join(config.DataDir, "panels")
	return recipes.New(recipes.Config{
		Folder: recipesFolder(config), Log: slog.New(slog.DiscardHandler),
		PanelFolders: func() (all []recipes.PanelFolder) {
			entries, _ := os.ReadDir(panels) // without panels there are none
			for _, entry := range entries {
				if strings.HasPrefix(entry.Name(), ".") {
					continue
				}
				all = append(all, recipes.PanelFolder{
					Panel: entry.Name(), Path: filepath.Join(panels, entry.Name()),
				})
			}
			return all
		},
	})
}

// toolkits returns the packages of baseline tools, except those for pages and the workspace, in the order of the tool
// list.
func (s *System) toolkits() []baseline.Toolkit {
	return []baseline.Toolkit{
		s.Files, s.Shell, s.Web, s.Inspect, s.ReadResult, s.AttachmentTools, s.FindTools, s.Subagent,
		s.Created.AuthoringTools(), s.Authoring,
	}
}

func (s *System) reservedNames() []string {
	names := append(s.Nav.ToolNames(), toolspec.CallTool, toolspec.FinalResponse)
	return append(names, baseline.ToolNames(append(s.toolkits(), s.Workspace)...)...)
}

func (s *System) offeredTools(panel string) []toolspec.Definition {
	return s.Catalog.ForPanel(panel).All()
}

// allowHost checks a host to which a command connects. If a person allowed the host, it also allows it in the dialer.
func (s *System) allowHost(ctx context.Context, call toolspec.Call, host string) error {
	if err := s.Pipeline.CheckHost(ctx, call, host); err != nil {
		return err
	}
	if s.Pipeline.IsHostAllowed(call.From.Session, host) {
		s.Egress.AllowTyped(host)
	}
	return nil
}

// mayFollow reports whether a redirect to the address of call may be followed. A host that a person opened may be
// private, so no redirect to it is followed.
func (s *System) mayFollow(ctx context.Context, call toolspec.Call) bool {
	for _, host := range s.Web.Describe(call).Hosts {
		if s.Pipeline.IsHostAllowed(call.From.Session, host) {
			return false
		}
	}
	return s.Pipeline.IsAllowed(ctx, call)
}

// runSubagent runs a task in a separate turn. It connects the tool with the loop, which the tools do not import.
func (s *System) runSubagent(
	ctx context.Context, task subagent.Task, call toolspec.Call,
) (subagent.Report, *toolspec.Result) {
	done, bad := s.Loop.RunSubagent(ctx, loop.SubagentTask{
		Task: task.Task, ExpectedAnswer: task.ExpectedAnswer, Tools: task.Tools, ReadOnly: task.ReadOnly,
		MaxCalls:  task.MaxCalls,
		MaxRounds: task.MaxRounds, Model: task.Model, DefaultModel: s.Settings.Get("model"), Call: call,
	})
	return subagent.Report{
		Title: done.Title, Conversation: done.Conversation, Answer: done.Text, Status: done.Status, Error: done.Error,
		Suggestion: done.Suggestion, Calls: done.Calls, Rounds: done.Rounds, Usage: done.Usage, Outside: done.Outside,
		Private: done.Private, Changed: done.Changed,
	}, bad
}
