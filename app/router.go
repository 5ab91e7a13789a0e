package app

import (
	"context"

	"sextant/backend/browser"
	"sextant/backend/pipeline"
	"sextant/shared/toolspec"
)

// baselineRoom is a room of baseline tools.
type baselineRoom interface {
	Definitions(panel string) []toolspec.Definition
	Describe(call toolspec.Call) toolspec.Description
	Execute(ctx context.Context, call toolspec.Call, def toolspec.Definition,
		out func(stream, text string)) (toolspec.Result, error)
}

var (
	_ pipeline.Executor        = router{}
	_ pipeline.Describer       = router{}
	_ pipeline.Refuser         = router{}
	_ pipeline.SurfaceResolver = router{}
	_ pipeline.PageControl     = pageControl{}
)

// router sends a baseline call to the package of its tool: tools that act on a page to the environment,
// others to the package that defines them, the rest to the baseline package.
type router struct {
	sys       *System
	isSurface map[string]bool
	rooms     map[string]baselineRoom
}

// byTool finds a room by the names of its tools, which are the same whatever panel is active.
func byTool(rooms ...baselineRoom) map[string]baselineRoom {
	found := map[string]baselineRoom{}
	for _, r := range rooms {
		for _, d := range r.Definitions("") {
			found[d.Name] = r
		}
	}
	return found
}

// room is the one that has the tool, the window's own when no other does.
func (r router) room(tool string) baselineRoom {
	if found, ok := r.rooms[tool]; ok {
		return found
	}
	return r.sys.Baseline
}

// refuser is a room that knows calls it never runs.
type refuser interface {
	Refuse(call toolspec.Call) *toolspec.Result
}

// Refuse implements pipeline.Refuser.
func (r router) Refuse(call toolspec.Call) *toolspec.Result {
	if found, ok := r.rooms[call.Tool].(refuser); ok {
		return found.Refuse(call)
	}
	return nil
}

// Describe implements pipeline.Describer.
func (r router) Describe(call toolspec.Call) toolspec.Description {
	if r.isSurface[call.Tool] {
		return r.sys.Environment.Describe(call)
	}
	return r.room(call.Tool).Describe(call)
}

// Surface implements pipeline.SurfaceResolver.
func (r router) Surface(call toolspec.Call) *toolspec.Surface {
	if r.isSurface[call.Tool] {
		return r.sys.Environment.Surface(call)
	}
	return nil
}

// Execute implements pipeline.Executor.
func (r router) Execute(
	ctx context.Context, call toolspec.Call, def toolspec.Definition, out func(stream, text string),
) (toolspec.Result, error) {
	if !r.isSurface[call.Tool] {
		result, err := r.room(call.Tool).Execute(ctx, call, def, out)
		if panel := r.sys.Nav.WithPanels(r.sys.panelIDs()).PanelOf(call.Tool); panel != "" && err == nil &&
			result.Success {
			r.sys.Environment.Opened(call.From.Turn, panel)
		}
		return result, err
	}
	result, err := r.sys.Environment.Execute(ctx, call, def, out)
	if err == nil && result.Success && call.Surface.WindowTab() && r.opensPage(call.Tool) {
		// A page that opens in the window is shown there.
		err = r.sys.Baseline.Show(ctx, r.sys.Nav.SurfacePanel)
	}
	return result, err
}

// panelIDs are the ids of all panels.
func (s *System) panelIDs() []string {
	var ids []string
	for _, p := range s.Panels.Panels() {
		ids = append(ids, p.ID)
	}
	return ids
}

// panelTitle is the title of a panel, "" for one that is not there.
func (s *System) panelTitle(id string) string {
	for _, p := range s.Panels.Panels() {
		if p.ID == id {
			return p.Title
		}
	}
	return ""
}

// opensPage reports whether tool is the first command of the map: the one that navigates.
func (r router) opensPage(tool string) bool { return tool == r.sys.Nav.Environment[0].Tool }

// pageControl is the window's page as the pipeline asks for it.
type pageControl struct{ browser *browser.Browser }

// TakenOver implements pipeline.PageControl.
func (c pageControl) TakenOver() bool { return c.browser.State().TakenOver }

// WaitReturned implements pipeline.PageControl.
func (c pageControl) WaitReturned(ctx context.Context) error { return c.browser.AwaitGiveBack(ctx) }

// SetActor implements pipeline.PageControl.
func (c pageControl) SetActor(caller toolspec.Caller) { c.browser.SetDriver(string(caller)) }
