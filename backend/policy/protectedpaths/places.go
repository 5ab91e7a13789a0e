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
	// Description names it within a sentence ("a shell start-up file"), "" for an ordinary one.
	Description string
}

// OwnFolders are the folders that belong to the person and to us, absolute; an empty one is not known.
type OwnFolders struct {
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
func New(own OwnFolders) *Places {
	p := &Places{fixed: tree{}, home: tree{}}
	for path, place := range systemPlaces() {
		p.fixed.add(foldPath(path), place)
	}
	for path, place := range homePlaces() {
		p.home.add(foldPath(path), place)
	}
	for _, home := range withResolved(own.Home) {
		p.homes = append(p.homes, foldPath(home))
		for rel, place := range homePlaces() {
			if place.Kind == Secret {
				p.addLinkTarget(home, rel, place)
			}
		}
	}
	p.addOwnFolders(own)
	return p
}

// addLinkTarget puts on the map where a secret place of home leads when it is a link.
func (p *Places) addLinkTarget(home, rel string, place Place) {
	path := filepath.Join(home, filepath.FromSlash(rel))
	if real, ok := linkTarget(home, path); ok {
		p.fixed.add(foldPath(real), place)
	}
}

// linkTarget is where path of home leads, ok when that is somewhere else. A link that leads above
// the home would make everything secret and counts for nothing.
func linkTarget(home, path string) (real string, ok bool) {
	real, err := Resolve(path)
	return real, err == nil && real != path && !isUnder(foldPath(home), foldPath(real))
}

// addOwnFolders puts our own folders on the map. What was downloaded is there to be read,
// and notes are the person's, outside of the workspace as any other file.
func (p *Places) addOwnFolders(own OwnFolders) {
	for _, dir := range withResolved(own.Config) {
		p.fixed.add(foldPath(dir), Place{Sensitive, "Sextant's own configuration"})
	}
	for _, dir := range withResolved(own.Data) {
		at := foldPath(dir)
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
	if isHarmlessDevice(path) {
		return Place{}
	}
	worst := p.judgeNames(foldPath(path))
	_, err := follow(path, func(step string) {
		if found := p.judgeNames(foldPath(step)); found.Kind > worst.Kind {
			worst = found
		}
	})
	if err != nil && worst.Kind < Secret {
		return Place{Secret, "a path whose links lead in circles"}
	}
	return worst
}

// JudgeByName is Judge for a path that is known to hold no links, as one that was found by walking: it
// asks the file system nothing.
func (p *Places) JudgeByName(path string) Place {
	if isHarmlessDevice(path) {
		return Place{}
	}
	return p.judgeNames(foldPath(path))
}

// judgeNames judges a folded path by its names alone.
func (p *Places) judgeNames(at []string) Place {
	worst := p.fixed.find(at)
	if worst.exempt {
		// Only what is named further down can be more than the exempted folder is.
		return judgeByFileName(at[worst.depth:])
	}
	graver := func(found Place) {
		if found.Kind > worst.Kind {
			worst.Place = found
		}
	}
	for _, home := range p.homes {
		if isUnder(at, home) {
			graver(p.home.find(at[len(home):]).Place)
		}
	}
	if n := otherHomeLength(at); n > 0 {
		graver(p.home.find(at[n:]).Place)
	}
	graver(judgeProcessPath(at))
	graver(judgeByFileName(at))
	return worst.Place
}

// withResolved are a folder as written and with its links followed, none for "".
func withResolved(dir string) []string {
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

// isUnder reports whether path lies at or below dir, both folded.
func isUnder(path, dir []string) bool {
	return len(path) >= len(dir) && slices.Equal(path[:len(dir)], dir)
}

// otherHomeLength is how many elements at the start of a path name some person's home, 0 for none.
func otherHomeLength(at []string) int {
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
