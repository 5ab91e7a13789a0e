// Package catalog merges the tools of all origins into a Catalog of the tools that can be called now.
//
// A Catalog is a snapshot and does not change. Its names are unique: if several sources offer a name, the first one
// wins, and the others are reported as problems. The package runs nothing.
package catalog

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"sextant/backend/pipeline/nearest"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Source is one origin of tools. Definitions returns the tools that it offers while panel is active; "" is no panel. It
// may be called from any goroutine, and must be fast.
type Source interface {
	Definitions(panel string) []toolspec.Definition
}

// PageSource is a Source that offers the page or script of a panel different tools from those that it offers the
// assistant.
type PageSource interface {
	PageDefinitions(panel string) []toolspec.Definition
}

// AppSource is a Source of the tools that an MCP server offers to its own page.
type AppSource interface {
	AppDefinitions(server string) []toolspec.Definition
}

// CompleteSource is a Source that offers some tools only at times. AllDefinitions returns these too.
type CompleteSource interface {
	AllDefinitions() []toolspec.Definition
}

// Explainer is a Source that can say why a tool that it does not offer now cannot be called. Explain returns nil if
// it does not know the tool.
type Explainer interface {
	Explain(name string) *toolspec.Result
}

// Registry merges the tools of its sources in order. It is safe for concurrent use.
type Registry struct {
	sources  []Source
	excluded func() []string
}

// Exclude leaves out the tools whose names off returns. Call Exclude before any other method.
func (r *Registry) Exclude(off func() []string) { r.excluded = off }

// NewRegistry returns a Registry of sources. If several offer a name, the first one wins.
func NewRegistry(sources ...Source) *Registry { return &Registry{sources: sources} }

func (r *Registry) switchedOff() map[string]bool {
	names := map[string]bool{}
	if r.excluded != nil {
		for _, name := range r.excluded() {
			names[name] = true
		}
	}
	return names
}

// ForPanel returns the tools that can be called while panel is active.
func (r *Registry) ForPanel(panel string) *Catalog {
	return r.collect(panel, func(s Source) []toolspec.Definition { return s.Definitions(panel) })
}

// Unavailable returns the definition of a tool that no catalog has now: it is switched off (off is true), its panel is
// not active, or its condition does not hold. ok is false if there is no such tool.
func (r *Registry) Unavailable(name string) (def toolspec.Definition, off, ok bool) {
	for _, s := range r.sources {
		all := s.Definitions("")
		if complete, ok := s.(CompleteSource); ok {
			all = complete.AllDefinitions()
		}
		for _, def := range all {
			if def.Name == name {
				return def, r.switchedOff()[name], true
			}
		}
	}
	return toolspec.Definition{}, false, false
}

// Explain returns why a tool that no source has defined cannot be called, nil if no source knows its name.
func (r *Registry) Explain(name string) *toolspec.Result {
	for _, s := range r.sources {
		if e, ok := s.(Explainer); ok {
			if why := e.Explain(name); why != nil {
				return why
			}
		}
	}
	return nil
}

// CheckNames returns an error that names the first of names that no tool has, available or not.
func (r *Registry) CheckNames(names []string) error {
	for _, name := range names {
		if _, _, ok := r.Unavailable(name); ok {
			continue
		}
		text := fmt.Sprintf("there is no tool %q", name)
		if near := r.ForPanel("").Nearest(name); len(near) > 0 {
			text += ", nearest: " + strings.Join(near, ", ")
		}
		return errors.New(text)
	}
	return nil
}

// ForPage returns the tools that the page or the script of panel can name. The policy decides which it may call.
func (r *Registry) ForPage(panel string) *Catalog {
	return r.collect(panel, func(s Source) []toolspec.Definition {
		if own, ok := s.(PageSource); ok {
			return own.PageDefinitions(panel)
		}
		return s.Definitions(panel)
	})
}

// ForApp returns the tools that the page of an MCP server can name, which are only that server's tools.
func (r *Registry) ForApp(server string) *Catalog {
	return r.collect("", func(s Source) []toolspec.Definition {
		if own, ok := s.(AppSource); ok {
			return own.AppDefinitions(server)
		}
		return nil
	})
}

func (r *Registry) collect(panel string, offer func(Source) []toolspec.Definition) *Catalog {
	c := &Catalog{Panel: panel, byName: map[string]int{}, problems: []string{}}
	off := r.switchedOff()
	for _, s := range r.sources {
		for _, def := range offer(s) {
			if !off[def.Name] {
				c.add(def)
			}
		}
	}
	return c
}

// Catalog contains the tools that can be called at one moment. It is read-only and safe for concurrent use.
type Catalog struct {
	// Panel is the panel that the catalog is for, or "".
	Panel    string
	all      []toolspec.Definition
	byName   map[string]int
	problems []string
}

func (c *Catalog) add(def toolspec.Definition) {
	if def.Name == "" {
		c.problems = append(c.problems, fmt.Sprintf("a tool of %s has no name, so it is not available", owner(def)))
		return
	}
	if i, taken := c.byName[def.Name]; taken {
		c.problems = append(c.problems, fmt.Sprintf("%s of %s is off: %s has a tool with that name",
			def.Name, owner(def), owner(c.all[i])))
		return
	}
	if len(def.Parameters) == 0 {
		def.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	c.byName[def.Name] = len(c.all)
	c.all = append(c.all, def)
}

func owner(def toolspec.Definition) string {
	if def.Owner == "" {
		return string(def.Origin)
	}
	return fmt.Sprintf("%s %q", def.Origin, def.Owner)
}

// Get returns the definition of the tool name.
func (c *Catalog) Get(name string) (toolspec.Definition, bool) {
	i, ok := c.byName[name]
	if !ok {
		return toolspec.Definition{}, false
	}
	return c.all[i], true
}

// Nearest returns at most three tool names of which name may be a misspelling.
func (c *Catalog) Nearest(name string) []string { return nearest.Names(name, c.Names(), 3) }

// Names returns the names of all tools in the order of their sources.
func (c *Catalog) Names() []string {
	names := make([]string, len(c.all))
	for i, def := range c.all {
		names[i] = def.Name
	}
	return names
}

// All returns a copy of the definitions in the order of their sources.
func (c *Catalog) All() []toolspec.Definition { return append([]toolspec.Definition{}, c.all...) }

// Problems returns one sentence for each definition that was left out because its name was taken or missing.
func (c *Catalog) Problems() []string { return append([]string{}, c.problems...) }

// Wire returns the public form of the Catalog. Created tools are listed with the baseline tools.
func (c *Catalog) Wire() wire.Discovery {
	w := wire.Discovery{
		Baseline: []toolspec.Function{}, Panel: []toolspec.Function{}, MCP: []toolspec.Function{},
		Origins: make(map[string]toolspec.Origin, len(c.all)),
	}
	for _, def := range c.all {
		w.Origins[def.Name] = def.Origin
		switch def.Origin {
		case toolspec.OriginPanel:
			w.Panel = append(w.Panel, def.Function())
		case toolspec.OriginMCP:
			w.MCP = append(w.MCP, def.Function())
		default:
			w.Baseline = append(w.Baseline, def.Function())
		}
	}
	return w
}
