// Package discovery merges the tools of every origin into one Catalogue: what can be
// called right now. It is the first step of a call's way, discovery → selection → routing
// → execution (B1); the Pipeline does the other three.
//
// The contract: a Catalogue is a picture of one moment and never changes; names in it are
// unique, the first source that offers a name has it, and every definition that was left
// out is told as a problem. The package runs nothing.
package discovery

import (
	"encoding/json"
	"fmt"

	"sextant/backend/calls/nearest"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

// Source is one origin of tools. Definitions returns what it offers while panel is active
// ("" for none); it is called on every discovery, from any goroutine, and must be quick.
type Source interface {
	Definitions(panel string) []toolspec.Definition
}

// PageSource is a Source of tools that stand beside a panel's own page, and so may offer the page
// others than the assistant.
type PageSource interface {
	PageDefinitions(panel string) []toolspec.Definition
}

// AppSource is a Source of MCP servers' tools, which a server may offer its own page and not the
// assistant.
type AppSource interface {
	AppDefinitions(server string) []toolspec.Definition
}

// Discovery asks its sources in order. It may be used concurrently.
type Discovery struct {
	sources []Source
	off     func() []string
}

// Without leaves out the tools that off names whenever it is asked. It is called before the first
// Discover.
func (d *Discovery) Without(off func() []string) { d.off = off }

// New returns a Discovery over sources; earlier ones win a name that stands twice.
func New(sources ...Source) *Discovery { return &Discovery{sources: sources} }

func (d *Discovery) switchedOff() map[string]bool {
	names := map[string]bool{}
	if d.off != nil {
		for _, name := range d.off() {
			names[name] = true
		}
	}
	return names
}

// Discover takes the picture of what can be called while panel is active.
func (d *Discovery) Discover(panel string) *Catalogue {
	c := &Catalogue{Panel: panel, byName: map[string]int{}, problems: []string{}}
	off := d.switchedOff()
	for _, s := range d.sources {
		for _, def := range s.Definitions(panel) {
			if !off[def.Name] {
				c.add(def)
			}
		}
	}
	return c
}

// Page takes the picture of what the page or the script of panel can name. Whether it may call
// it is the policy's matter.
func (d *Discovery) Page(panel string) *Catalogue {
	c := &Catalogue{Panel: panel, byName: map[string]int{}, problems: []string{}}
	off := d.switchedOff()
	for _, s := range d.sources {
		offer := s.Definitions
		if own, ok := s.(PageSource); ok {
			offer = own.PageDefinitions
		}
		for _, def := range offer(panel) {
			if !off[def.Name] {
				c.add(def)
			}
		}
	}
	return c
}

// App takes the picture of what the page of an MCP server can name: tools of that server alone.
func (d *Discovery) App(server string) *Catalogue {
	c := &Catalogue{byName: map[string]int{}, problems: []string{}}
	off := d.switchedOff()
	for _, s := range d.sources {
		own, ok := s.(AppSource)
		if !ok {
			continue
		}
		for _, def := range own.AppDefinitions(server) {
			if !off[def.Name] {
				c.add(def)
			}
		}
	}
	return c
}

// Catalogue is what can be called at one moment. It is read-only and may be shared.
type Catalogue struct {
	// Panel is the panel it was taken for, "" for none.
	Panel    string
	all      []toolspec.Definition
	byName   map[string]int
	problems []string
}

func (c *Catalogue) add(def toolspec.Definition) {
	if def.Name == "" {
		c.problems = append(c.problems, fmt.Sprintf("a tool of %s has no name; it is off", owner(def)))
		return
	}
	if i, taken := c.byName[def.Name]; taken {
		c.problems = append(c.problems, fmt.Sprintf("%s of %s is off: %s has a tool of that name",
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

// Get returns the definition of name.
func (c *Catalogue) Get(name string) (toolspec.Definition, bool) {
	i, ok := c.byName[name]
	if !ok {
		return toolspec.Definition{}, false
	}
	return c.all[i], true
}

// Nearest returns at most three names that somebody who wrote name could have meant.
func (c *Catalogue) Nearest(name string) []string { return nearest.Names(name, c.Names(), 3) }

// Names are the names of all tools in the order of their sources.
func (c *Catalogue) Names() []string {
	names := make([]string, len(c.all))
	for i, def := range c.all {
		names[i] = def.Name
	}
	return names
}

// All returns a copy of the definitions in the order of their sources.
func (c *Catalogue) All() []toolspec.Definition { return append([]toolspec.Definition{}, c.all...) }

// Problems says which definitions were left out and why.
func (c *Catalogue) Problems() []string { return append([]string{}, c.problems...) }

// Wire is the public form of the Catalogue (B5). Created tools are always there, as
// baseline ones are, and stand with them; Origins tells them apart.
func (c *Catalogue) Wire() wire.Discovery {
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
