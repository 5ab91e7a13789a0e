// Package protectedpaths knows which paths of a machine need care: those with secrets, which no tool may touch, and
// those of files that run or steer programs, for which a person is asked even inside of the workspace.
//
// The contract: Classify reads names and follows links, never the content of a file, and decides nothing. A file tool
// refuses what is Secret, the policy asks about what is Sensitive, and a sandbox masks what Secrets lists. Names are
// compared as the most tolerant file system would, without regard to case, invisible characters, trailing dots and
// streams, so that no spelling of a protected path counts as ordinary.
//
// It does not see hard links: whoever can make one could already read the file.
package protectedpaths

import (
	"path/filepath"
	"slices"
	"strings"
)

// Kind is how much care a place needs.
type Kind int

// The kinds, in rising order: ordinary; asked about even inside of the workspace; never touched.
const (
	Ordinary Kind = iota
	Sensitive
	Secret
)

// Place is what is at a path.
type Place struct {
	Kind Kind
	// Description names it within a sentence ("a shell start-up file"); it is "" for an ordinary one.
	Description string
}

// OwnFolders are the folders of the person and of Sextant, absolute, "" when one is not known.
type OwnFolders struct {
	// Home is the home folder of the person.
	Home string
	// Data and Config are the folders of Sextant.
	Data, Config string
}

// Places classifies paths. Make one with New. It never changes and may be used concurrently.
type Places struct {
	homes [][]string
	fixed tree
	home  tree
}

// New returns the Places of this machine, with the links of the known ones followed.
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

// addLinkTarget adds the target of a secret place of home that is a link.
func (p *Places) addLinkTarget(home, rel string, place Place) {
	path := filepath.Join(home, filepath.FromSlash(rel))
	if real, ok := linkTarget(home, path); ok {
		p.fixed.add(foldPath(real), place)
	}
}

// linkTarget returns where path in home leads, ok when that is somewhere else. A link to a folder above the home does
// not count: it would make everything secret.
func linkTarget(home, path string) (real string, ok bool) {
	real, err := Resolve(path)
	return real, err == nil && real != path && !isUnder(foldPath(home), foldPath(real))
}

// addOwnFolders adds the folders of Sextant. Downloads and notes in them are ordinary files.
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

// Classify returns what is at an absolute path, which need not exist: by the path as it is written, and by every path
// that its links lead over; the gravest counts. A path that is not absolute, or whose links form a circle, is secret.
func (p *Places) Classify(path string) Place {
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return Place{Secret, "a path that is not absolute"}
	}
	if isHarmlessDevice(path) {
		return Place{}
	}
	worst := p.classifyNames(foldPath(path))
	_, err := follow(path, func(step string) {
		if found := p.classifyNames(foldPath(step)); found.Kind > worst.Kind {
			worst = found
		}
	})
	if err != nil && worst.Kind < Secret {
		return Place{Secret, "a path whose links form a circle"}
	}
	return worst
}

// ClassifyByName is Classify for a path without links, such as one that was found by walking. It does not use the file
// system.
func (p *Places) ClassifyByName(path string) Place {
	if isHarmlessDevice(path) {
		return Place{}
	}
	return p.classifyNames(foldPath(path))
}

// classifyNames classifies a folded path by its names alone.
func (p *Places) classifyNames(at []string) Place {
	worst := p.fixed.find(at)
	if worst.exempt {
		// Only the names below the exempt folder count.
		return classifyByFileName(at[worst.depth:])
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
	graver(classifyProcessPath(at))
	graver(classifyByFileName(at))
	return worst.Place
}

// withResolved returns a folder as written and with its links followed, none for "".
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

// isUnder reports whether path is dir or below it, both folded.
func isUnder(path, dir []string) bool {
	return len(path) >= len(dir) && slices.Equal(path[:len(dir)], dir)
}

// otherHomeLength returns how many elements at the start of a path are the home of some user, 0 for none.
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
