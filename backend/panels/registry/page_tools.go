package registry

import (
	"slices"

	"sextant/backend/panels/manifest"
	"sextant/shared/toolspec"
)

// PageDefinitions returns the tools that the page of panel can call: those of the panel, except for tools hidden from
// pages, and the available tools of pinned panels.
func (r *Registry) PageDefinitions(panel string) []toolspec.Definition {
	s := r.state.Load()
	var defs []toolspec.Definition
	for _, name := range s.order {
		o := s.tools[name]
		if o.Def.Owner == panel && (len(o.Visibility) == 0 || slices.Contains(o.Visibility, "app")) {
			defs = append(defs, r.definition(o))
		}
	}
	for _, def := range r.Definitions(panel) {
		if def.Owner != panel {
			defs = append(defs, def)
		}
	}
	return defs
}

// CallTools returns the tools that the manifest of panel names in permissions.call_tools. ok is false if there is no
// usable panel with this id.
func (r *Registry) CallTools(panel string) (names []string, ok bool) {
	names, ok = r.state.Load().callTools[panel]
	return slices.Clone(names), ok
}

// Evals returns the evals in the manifest of panel. ok is false if there is no usable panel with this id.
func (r *Registry) Evals(panel string) (list []manifest.Eval, ok bool) {
	list, ok = r.state.Load().evals[panel]
	return slices.Clone(list), ok
}
