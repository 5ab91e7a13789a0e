package registry

import (
	"slices"

	"sextant/backend/panels/manifest"
	"sextant/shared/toolspec"
)

// PageDefinitions are the tools that the page of panel can name: its own that pages may call,
// including those hidden from the assistant, and those of other panels that are offered now.
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

// CallTools are the other tools that the manifest of panel names; ok is false when no such panel can
// be used.
func (r *Registry) CallTools(panel string) (names []string, ok bool) {
	names, ok = r.state.Load().callTools[panel]
	return slices.Clone(names), ok
}

// Evals are the evals of a panel's manifest; ok is false when no such panel can be used.
func (r *Registry) Evals(panel string) (list []manifest.Eval, ok bool) {
	list, ok = r.state.Load().evals[panel]
	return slices.Clone(list), ok
}
