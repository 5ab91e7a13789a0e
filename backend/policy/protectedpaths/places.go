// Package places knows which places of a machine are what: where secrets lie that no tool
// may touch, and where a file does more than lie there (it runs, or steers a program), so
// that a person is asked even inside of the workspace.
//
// The contract: Judge reads names and follows links, never a file's content, and decides
// nothing; a file tool refuses what is Secret, the policy asks about what is Sensitive, and a
// sandbox masks what Secrets lists. A name is compared as the most forgiving file system
// would: without regard to case, invisible characters, trailing dots and streams, so that no
// spelling of a place is taken for an ordinary one. Hard links are not seen: who can make one
// could read the file before.
package protectedpaths

import (
	"path/filepath"
	"slices"
	"strings"
)

// Kind is how much care a place needs.
type Kind int

// The kinds, in rising order: ordinary, asked about even inside of the workspace, never touched.
const (
	Ordinary Kind = iota
	Sensitive
	Secret
)

// Place is what lies at a path.
type Place struct {
	Kind Kind
	// What names it within a sentence ("a shell start-up file"), "" for an ordinary one.
	What string
}

// Own are the folders that belong to the person and to us, absolute; an empty one is not known.
type Own struct {
	// Home is the person's home.
	Home string
	// Data and Config are Sextant's own.
	Data, Config string
}

// Places judges paths. Make it with New; it never changes and may be used concurrently.
type Places struct {
	homes [][]string
	fixed tree
	home  tree
}

// New reads where the known places of own lie on this machine, links followed.
func New(own Own) *Places {
	p := &Places{fixed: tree{}, home: tree{}}
	for path, place := range systemPlaces() {
		p.fixed.add(folded(path), place)
	}
	for path, place := range homePlaces() {
		p.home.add(folded(path), place)
	}
	for _, home := range bothForms(own.Home) {
		p.homes = append(p.homes, folded(home))
		for rel, place := range homePlaces() {
			if place.Kind == Secret {
				p.addTarget(home, rel, place)
			}
		}
	}
	p.addOwn(own)
	return p
}

// addTarget puts on the map where a secret place of home leads when it is a link.
func (p *Places) addTarget(home, rel string, place Place) {
	path := filepath.Join(home, filepath.FromSlash(rel))
	if real, ok := target(home, path); ok {
		p.fixed.add(folded(real), place)
	}
}

// target is where path of home leads, ok when that is somewhere else. A link that leads above
// the home would make everything secret and counts for nothing.
func target(home, path string) (real string, ok bool) {
	real, err := Resolve(path)
	return real, err == nil && real != path && !under(folded(home), folded(real))
}

// addOwn puts our own folders on the map. What was downloaded is there to be read,
// and notes are the person's, outside of the workspace as any other file.
func (p *Places) addOwn(own Own) {
	for _, dir := range bothForms(own.Config) {
		p.fixed.add(folded(dir), Place{Sensitive, "Sextant's own configuration"})
	}
	for _, dir := range bothForms(own.Data) {
		at := folded(dir)
		p.fixed.add(at, Place{Secret, "Sextant's own data"})
		p.fixed.add(append(slices.Clone(at), "downloads"), Place{Ordinary, ""})
		p.fixed.add(append(slices.Clone(at), "notes"), Place{Ordinary, ""})
		p.fixed.add(append(slices.Clone(at), "panels"), Place{Sensitive, "a panel of Sextant"})
	}
}

// Judge says what lies at an absolute path, which need not exist: by the path as it is written,
// and by every path that its links lead over; the gravest counts. A path that is not absolute
// or leads in circles is secret.
func (p *Places) Judge(path string) Place {
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return Place{Secret, "a path that is not absolute"}
	}
	if harmlessDevice(path) {
		return Place{}
	}
	worst := p.named(folded(path))
	_, err := follow(path, func(step string) {
		if found := p.named(folded(step)); found.Kind > worst.Kind {
			worst = found
		}
	})
	if err != nil && worst.Kind < Secret {
		return Place{Secret, "a path whose links lead in circles"}
	}
	return worst
}

// Named is Judge for a path that is known to hold no links, as one that was found by walking: it
// asks the file system nothing.
func (p *Places) Named(path string) Place {
	if harmlessDevice(path) {
		return Place{}
	}
	return p.named(folded(path))
}

// named judges a folded path by its names alone.
func (p *Places) named(at []string) Place {
	worst := p.fixed.find(at)
	if worst.exempt {
		// Only what is named further down can be more than the exempted folder is.
		return anywhere(at[worst.depth:])
	}
	graver := func(found Place) {
		if found.Kind > worst.Kind {
			worst.Place = found
		}
	}
	for _, home := range p.homes {
		if under(at, home) {
			graver(p.home.find(at[len(home):]).Place)
		}
	}
	if n := foreignHome(at); n > 0 {
		graver(p.home.find(at[n:]).Place)
	}
	graver(processPlace(at))
	graver(anywhere(at))
	return worst.Place
}

// bothForms are a folder as written and with its links followed, none for "".
func bothForms(dir string) []string {
	if dir == "" || !filepath.IsAbs(dir) {
		return nil
	}
	dir = filepath.Clean(dir)
	real, err := Resolve(dir)
	if err != nil || real == dir {
		return []string{dir}
	}
	return []string{dir, real}
}

// under reports whether path lies at or below dir, both folded.
func under(path, dir []string) bool {
	return len(path) >= len(dir) && slices.Equal(path[:len(dir)], dir)
}

// foreignHome is how many elements at the start of a path name some person's home, 0 for none.
func foreignHome(at []string) int {
	switch {
	case len(at) >= 1 && at[0] == "root":
		return 1
	case len(at) >= 2 && (at[0] == "home" || at[0] == "users"):
		return 2
	case len(at) >= 3 && at[0] == "var" && at[1] == "home":
		return 3
	}
	return 0
}
