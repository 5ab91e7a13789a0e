// Package protectedpaths classifies paths that need care: those with secrets, which file tools refuse and sandboxes
// hide, and files that run or configure programs, which need a question even in the workspace.
//
// Classify reads names and follows links, and does not read the content of a file. Names are compared without regard to
// case, invisible characters, trailing dots and streams, so that other spellings of a protected path are protected too.
//
// It does not detect hard links: a program that can create one can already read the file.
package protectedpaths

import (
	"path/filepath"
	"slices"
	"strings"
)

// Kind is how much care a place needs.
type Kind int

// The kinds, from the least to the most protected. A sensitive place needs a question even in the workspace. No tool
// may use a secret one.
const (
	KindOrdinary Kind = iota
	KindSensitive
	KindSecret
)

// Classification is the classification of a path.
type Classification struct {
	Kind Kind
	// Description is a noun phrase such as "a shell start-up file", "" for an ordinary place.
	Description string
}

// HoldsSecrets reports whether a place can contain secrets, so that reading it is enough to do harm.
func (c Classification) HoldsSecrets() bool {
	return c.Kind == KindSecret || slices.Contains([]string{
		keys, logins, passwords, history, environment, packages, privateKey, editor,
	}, c.Description)
}

// OwnFolders are the absolute paths of the person's and Sextant's folders. An unknown one is "".
type OwnFolders struct {
	// Home is the person's home folder.
	Home string
	// Data and Config are Sextant's folders.
	Data, Config string
}

// Classifier classifies paths. Use New to create one. It is immutable and safe for concurrent use.
type Classifier struct {
	homes [][]string
	fixed tree
	home  tree
}

// New returns the Classifier for this machine. It resolves links of the known places.
func New(own OwnFolders) *Classifier {
	p := &Classifier{fixed: tree{}, home: tree{}}
	for path, place := range systemPlaces() {
		p.fixed.add(foldPath(path), place)
	}
	for path, place := range homePlaces() {
		p.home.add(foldPath(path), place)
	}
	for _, home := range withResolved(own.Home) {
		p.homes = append(p.homes, foldPath(home))
		for rel, place := range homePlaces() {
			if place.Kind == KindSecret {
				p.addLinkTarget(home, rel, place)
			}
		}
	}
	p.addOwnFolders(own)
	return p
}

func (p *Classifier) addLinkTarget(home, rel string, place Classification) {
	path := filepath.Join(home, filepath.FromSlash(rel))
	if real, ok := linkTarget(home, path); ok {
		p.fixed.add(foldPath(real), place)
	}
}

// linkTarget ignores a target that contains the home folder, which would make everything secret.
func linkTarget(home, path string) (real string, ok bool) {
	real, err := Resolve(path)
	return real, err == nil && real != path && !isUnder(foldPath(home), foldPath(real))
}

// addOwnFolders adds Sextant's folders. The downloads and notes in them are ordinary files.
func (p *Classifier) addOwnFolders(own OwnFolders) {
	for _, dir := range withResolved(own.Config) {
		p.fixed.add(foldPath(dir), Classification{KindSensitive, "Sextant's own configuration"})
	}
	for _, dir := range withResolved(own.Data) {
		at := foldPath(dir)
		p.fixed.add(at, Classification{KindSecret, "Sextant's own data"})
		p.fixed.add(append(slices.Clone(at), "downloads"), Classification{KindOrdinary, ""})
		p.fixed.add(append(slices.Clone(at), "notes"), Classification{KindOrdinary, ""})
		p.fixed.add(append(slices.Clone(at), "panels"), Classification{KindSensitive, "a panel of Sextant"})
	}
}

// Classify classifies an absolute path, which need not exist. It checks the path as written and the paths that its
// links lead through, and returns the most protected place. A path that is relative, contains a zero byte or has too
// many links is secret.
func (p *Classifier) Classify(path string) Classification {
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return Classification{KindSecret, "a path that is not absolute"}
	}
	if isHarmlessDevice(path) {
		return Classification{}
	}
	worst := p.classifyNames(foldPath(path))
	_, err := follow(path, func(step string) {
		if found := p.classifyNames(foldPath(step)); found.Kind > worst.Kind {
			worst = found
		}
	})
	if err != nil && worst.Kind < KindSecret {
		return Classification{KindSecret, "a path whose links form a circle"}
	}
	return worst
}

// ClassifyByName is like Classify, but does not use the file system. It is for paths without links, such as those found
// by walking a folder.
func (p *Classifier) ClassifyByName(path string) Classification {
	if isHarmlessDevice(path) {
		return Classification{}
	}
	return p.classifyNames(foldPath(path))
}

func (p *Classifier) classifyNames(at []string) Classification {
	worst := p.fixed.find(at)
	if worst.exempt {
		// Only the names below the ordinary folder count.
		return classifyByFileName(at[worst.depth:])
	}
	raise := func(found Classification) {
		if found.Kind > worst.Kind {
			worst.Classification = found
		}
	}
	for _, home := range p.homes {
		if isUnder(at, home) {
			raise(p.home.find(at[len(home):]).Classification)
		}
	}
	if n := otherHomeLength(at); n > 0 {
		raise(p.home.find(at[n:]).Classification)
	}
	raise(classifyProcessPath(at))
	raise(classifyByFileName(at))
	return worst.Classification
}

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

// isUnder reports whether path is dir or below it. Both must be folded.
func isUnder(path, dir []string) bool {
	return len(path) >= len(dir) && slices.Equal(path[:len(dir)], dir)
}

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
