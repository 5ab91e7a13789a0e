package registry

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"sextant/backend/panels/manifest"
	"sextant/backend/panels/view"
	"sextant/shared/event"
)

const userOrder = 1000

// The caller holds r.reloadMu.
func (r *Registry) publish() {
	reserved := map[string]bool{}
	for _, name := range r.cfg.Reserved() {
		reserved[name] = true
	}
	next := r.compose(reserved)
	r.state.Store(next)
	r.stopRetired()
	if r.cfg.Publisher == nil {
		return
	}
	list := event.PanelList{Panels: next.panels}
	panels := text(list)
	ids := make([]string, 0, len(next.panels))
	for _, p := range next.panels {
		if p.Usable {
			ids = append(ids, p.ID)
		}
	}
	slices.Sort(ids)
	for _, p := range next.panels {
		if p.Pinned {
			ids = append(ids, "pinned "+p.ID)
		}
	}
	offered := text(ids) + text(r.AllDefinitions())
	if panels != r.published {
		r.published = panels
		r.cfg.Publisher.Publish(event.New(event.PanelsChanged, list))
	}
	if offered != r.publishedTools {
		r.publishedTools = offered
		r.cfg.Publisher.Publish(event.New(event.CatalogChanged, event.NoData{}))
	}
}

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func (r *Registry) compose(reserved map[string]bool) *state {
	r.mu.Lock()
	defer r.mu.Unlock()
	next := &state{
		tools: map[string]*callable{}, callTools: map[string][]string{},
		config: map[string]map[string]manifest.ConfigField{}, pages: map[string]*view.Tree{},
		evals: map[string][]manifest.Eval{},
	}
	var list []*entry
	for _, e := range r.entries {
		if e.arrival > 0 {
			list = append(list, e)
		}
	}
	// The panel that arrived first keeps a tool name that several panels use.
	slices.SortFunc(list, func(a, b *entry) int { return cmp.Compare(a.arrival, b.arrival) })
	offers := map[string][]*callable{}
	extra := map[string][]manifest.Problem{}
	for _, e := range list {
		offers[e.id], extra[e.id] = r.offers(e, next.tools, reserved)
	}
	for _, e := range list {
		if e.plan != nil {
			next.callTools[e.id], next.config[e.id] = e.plan.Manifest.Permissions.CallTools, e.plan.Manifest.Config
			next.evals[e.id] = e.plan.Manifest.Evals
		}
		p := shown(e, offers[e.id], slices.Concat(extra[e.id], r.clashes[e.id], pageProblems(e)))
		p.Page.URL = r.pageURL(e)
		p.Pinned, p.IsDeveloped = r.pinned[e.id], r.developed[e.id]
		next.panels = append(next.panels, p)
		if e.page.tree != nil {
			next.pages[e.id] = e.page.tree
		}
	}
	slices.SortStableFunc(next.panels, func(a, b event.Panel) int {
		return cmp.Or(-cmp.Compare(a.Section, b.Section), cmp.Compare(a.Order, b.Order), cmp.Compare(a.ID, b.ID))
	})
	for _, p := range next.panels {
		for _, o := range offers[p.ID] {
			next.order = append(next.order, o.Name)
		}
	}
	return next
}

func (r *Registry) offers(e *entry, taken map[string]*callable, reserved map[string]bool) (list []*callable,
	problems []manifest.Problem,
) {
	if e.plan == nil {
		return nil, nil
	}
	off := func(t manifest.BoundTool, why string) { problems = append(problems, t.DisabledProblem(why)) }
	m := e.plan.Manifest
	for _, t := range e.plan.Tools {
		o := &callable{
			BoundTool: t, title: m.Title, builtin: e.builtin, runner: e.runner, script: e.script, context: m.Context,
			pinned: r.pinned[e.id], ctx: e.ctx, condition: e.plan.Condition, config: m.Config,
		}
		if b := m.Backend; b != nil && (b.Kind == "http" || b.Kind == "mcp" && b.Command == "") {
			o.url, o.isMCPServer = b.URL, b.Kind == "mcp"
		}
		if e.script != nil {
			o.fetchHosts = m.Permissions.Net
		}
		if e.builtin {
			o.handler = r.cfg.Handlers[e.id]
			o.Def.Hints.Inert = slices.Contains(r.cfg.InertTools, t.Name)
		}
		switch other := taken[t.Name]; {
		case reserved[t.Name]:
			off(t, "the name belongs to a tool of Sextant. Use another name.")
		case other != nil:
			off(t, fmt.Sprintf("the %s panel already has a tool of that name. Use another name.", other.Def.Owner))
		case e.builtin && o.handler == nil:
			off(t, "this build has no handler for it.")
		default:
			taken[t.Name] = o
			list = append(list, o)
		}
	}
	return list, problems
}

func shown(e *entry, offers []*callable, extra []manifest.Problem) event.Panel {
	p := event.Panel{
		ID: e.id, Title: e.id, Section: "top", Order: userOrder, Builtin: e.builtin, Tools: []string{},
		Usable: e.plan != nil,
		Page:   pageView(e), Pending: e.pending.view(),
	}
	if e.plan != nil {
		m := e.plan.Manifest
		p.Title, p.Description, p.Type, p.Icon = m.Title, m.Description, m.PanelType, m.Icon
		p.Section = cmp.Or(m.ActivityBar.Section, "top")
		p.Order = cmp.Or(m.ActivityBar.Order, userOrder)
		p.EvalCount = len(m.Evals)
	}
	for _, o := range offers {
		p.Tools = append(p.Tools, o.Name)
	}
	p.Problems = append(slices.Clone(e.problems), extra...)
	return p
}
