package app

import (
	"context"
	"time"

	"sextant/shared/toolspec"
)

// baselineRoom is a room of baseline tools.
type baselineRoom interface {
	Definitions(panel string) []toolspec.Definition
	Describe(call toolspec.Call) toolspec.Description
	Execute(ctx context.Context, call toolspec.Call, def toolspec.Definition, out func(stream, text string)) (toolspec.Result, error)
}

// router sends a baseline call to the room of its tool: environment tools to the active
// surface, others to the room that defines them, the rest to the window's own. It knows who
// holds the window's page.
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

// Execute implements pipeline.Executor. The policy has let the call through, so hosts it
// opened by then (a person typed them) are opened for the dialer too.
func (r router) Execute(ctx context.Context, call toolspec.Call, def toolspec.Definition, out func(stream, text string)) (toolspec.Result, error) {
	for _, host := range r.Describe(call).Hosts {
		if r.sys.Pipeline.HostOpen(call.From.Session, host) {
			r.sys.Guard.OpenTyped(host)
		}
	}
	if !r.isSurface[call.Tool] {
		result, err := r.room(call.Tool).Execute(ctx, call, def, out)
		if panel := r.sys.Nav.WithPanels(r.sys.panelIDs()).PanelOf(call.Tool); panel != "" && err == nil && result.Success {
			r.sys.Environment.Opened(call.From.Turn, panel)
		}
		return result, err
	}
	if call.From.Session != "" || r.sys.Environment.OnPanel(call) {
		return r.sys.Environment.Execute(ctx, call, def, out)
	}
	if refusal := r.drive(ctx, call, def, out); refusal != nil {
		return *refusal, nil
	}
	if call.From.Turn == "" {
		defer r.sys.Browser.SetDriver("")
	}
	result, err := r.sys.Environment.Execute(ctx, call, def, out)
	if err == nil && result.Success && r.opensPage(call.Tool) {
		// Who opens a page in the window wants to see it.
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

// handPatience is how long a call of the assistant waits for the page to be given back. It
// ends before the call's own deadline does.
const handPatience = 20 * time.Second

// drive marks who acts on the window's page, or refuses while a person has taken it over.
// Looking is always allowed. A call of a turn waits for the page to be given back, so that
// the turn can go on; it is refused even then, because the page is not the one it was meant for.
func (r router) drive(ctx context.Context, call toolspec.Call, def toolspec.Definition, out func(stream, text string)) *toolspec.Result {
	if call.From.Caller == toolspec.CallerPerson {
		return nil
	}
	if !def.Hints.ReadOnly && r.sys.Browser.State().PersonHas {
		text := "the person has taken over the page; nothing was done"
		next := "Wait until it is given back (Give back in the browser panel), then call annotate_page: the page may have changed."
		if call.From.Turn != "" {
			out("progress", "Waiting: a person has taken over the page.")
			wait, cancel := context.WithTimeout(ctx, min(handPatience, time.Duration(def.Deadline())*time.Millisecond*2/3))
			defer cancel()
			if r.sys.Browser.AwaitGiveBack(wait) == nil {
				text = "the person had taken over the page and has given it back; nothing was done by this call"
				next = "Go on: call annotate_page to see what the person left, then decide again."
			}
		}
		refusal := toolspec.Fail(toolspec.PermissionError, text, next)
		return &refusal
	}
	r.sys.drivingTurn.Store(&call.From.Turn)
	r.sys.Browser.SetDriver(string(call.From.Caller))
	return nil
}

// opensPage reports whether tool is the first command of the map: the one that navigates.
func (r router) opensPage(tool string) bool { return tool == r.sys.Nav.Environment[0].Tool }
