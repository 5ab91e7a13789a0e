// Package baseline routes each call of a baseline tool to the package that provides it. Page tools go to package page.
// Tools that no toolkit provides go to package workspace.
package baseline

import (
	"context"
	"slices"

	"sextant/backend/pipeline"
	"sextant/backend/pipeline/catalog"
	"sextant/backend/tools/files"
	"sextant/backend/tools/inspect"
	"sextant/backend/tools/page"
	"sextant/backend/tools/shell"
	"sextant/backend/tools/workspace"
	"sextant/shared/navigation"
	"sextant/shared/toolspec"
)

// Toolkit is a package of baseline tools.
type Toolkit interface {
	Definitions(panel string) []toolspec.Definition
	Describe(call toolspec.Call) toolspec.Description
	Execute(ctx context.Context, call toolspec.Call, def toolspec.Definition,
		out func(stream, text string)) (toolspec.Result, error)
}

// Config configures a Router.
type Config struct {
	Nav       *navigation.Map
	Page      *page.Tools
	Workspace *workspace.Tools
	// Toolkits provide other tools. The names of their tools must not depend on the active panel.
	Toolkits []Toolkit
	// PanelIDs returns the ids of all panels.
	PanelIDs func() []string
}

// Router executes baseline tools for the pipeline. It is safe for concurrent use.
type Router struct {
	cfg      Config
	onPage   map[string]bool
	toolkits map[string]Toolkit
}

var (
	_ pipeline.Executor        = (*Router)(nil)
	_ pipeline.Describer       = (*Router)(nil)
	_ pipeline.Refuser         = (*Router)(nil)
	_ pipeline.SurfaceResolver = (*Router)(nil)
	_ pipeline.Trier           = (*Router)(nil)

	// Router.Refuse finds these by a type assertion to pipeline.Refuser.
	_ pipeline.Refuser = (*files.Tools)(nil)
	_ pipeline.Refuser = (*inspect.Tools)(nil)
	// Router.Try finds this in the same way.
	_ pipeline.Trier = (*shell.Tools)(nil)
)

// New returns a Router.
func New(cfg Config) *Router {
	r := &Router{cfg: cfg, onPage: map[string]bool{}, toolkits: map[string]Toolkit{}}
	for _, c := range cfg.Nav.Environment {
		r.onPage[c.Tool] = true
	}
	for _, t := range cfg.Toolkits {
		for _, d := range t.Definitions("") {
			r.toolkits[d.Name] = t
		}
	}
	return r
}

func (r *Router) toolkit(tool string) Toolkit {
	if found, ok := r.toolkits[tool]; ok {
		return found
	}
	return r.cfg.Workspace
}

// Refuse implements pipeline.Refuser.
func (r *Router) Refuse(call toolspec.Call) *toolspec.Result {
	if found, ok := r.toolkits[call.Tool].(pipeline.Refuser); ok {
		return found.Refuse(call)
	}
	return nil
}

// Try implements pipeline.Trier.
func (r *Router) Try(ctx context.Context, call toolspec.Call) (*toolspec.Trial, error) {
	if found, ok := r.toolkits[call.Tool].(pipeline.Trier); ok {
		return found.Try(ctx, call)
	}
	return nil, nil //nolint:nilnil // no trial
}

// Describe implements pipeline.Describer.
func (r *Router) Describe(call toolspec.Call) toolspec.Description {
	if r.onPage[call.Tool] {
		return r.cfg.Page.Describe(call)
	}
	return r.toolkit(call.Tool).Describe(call)
}

// Surface implements pipeline.SurfaceResolver.
func (r *Router) Surface(call toolspec.Call) *toolspec.Surface {
	if r.onPage[call.Tool] {
		return r.cfg.Page.Surface(call)
	}
	return nil
}

// Execute implements pipeline.Executor.
func (r *Router) Execute(
	ctx context.Context, call toolspec.Call, def toolspec.Definition, out func(stream, text string),
) (toolspec.Result, error) {
	if !r.onPage[call.Tool] {
		result, err := r.toolkit(call.Tool).Execute(ctx, call, def, out)
		panel := r.cfg.Nav.WithPanels(r.cfg.PanelIDs()).PanelOf(call.Tool)
		if panel != "" && err == nil && result.Success {
			r.cfg.Page.RecordPanelOpened(call.From.Turn, panel)
		}
		return result, err
	}
	result, err := r.cfg.Page.Execute(ctx, call, def, out)
	if err == nil && result.Success && call.Surface.IsWindowTab() && r.navigates(call.Tool) {
		err = r.cfg.Workspace.ShowPanel(ctx, r.cfg.Nav.SurfacePanel)
	}
	return result, err
}

// The first tool of the map opens an address.
func (r *Router) navigates(tool string) bool { return tool == r.cfg.Nav.Environment[0].Tool }

// ToolNames returns the names of all tools of toolkits.
func ToolNames(toolkits ...Toolkit) []string {
	var names []string
	for _, t := range toolkits {
		for _, d := range t.Definitions("") {
			names = append(names, d.Name)
		}
	}
	return names
}

// WithoutGroups returns a catalog source with the tools of t, except for the groups that off returns. off is called for
// each call of Definitions.
func WithoutGroups(t Toolkit, off func() []string) catalog.Source { return filtered{t, off} }

type filtered struct {
	Toolkit
	off func() []string
}

// AllDefinitions implements catalog.CompleteSource.
func (f filtered) AllDefinitions() []toolspec.Definition { return f.Toolkit.Definitions("") }

func (f filtered) Definitions(panel string) []toolspec.Definition {
	off := f.off()
	return slices.DeleteFunc(f.Toolkit.Definitions(panel), func(d toolspec.Definition) bool {
		return slices.Contains(off, d.Group)
	})
}
