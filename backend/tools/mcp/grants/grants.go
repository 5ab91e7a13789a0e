// Package access resolves what the program of an MCP server may touch on this machine: the folders and
// hosts that its entry in mcp-config.json grants, or what can be derived from the entry. The result is used
// to set up the sandbox and is described in words for a person. The package only reads the file system.
//
// The rule: a server may use what its entry names, and the network. A folder among its arguments is
// readable and writable, a script is readable with the package it belongs to; the rest of the person's home
// and other disks are invisible. The program has a home of its own, because a package that one server
// changed in a shared cache would be run by the next.
package grants

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sextant/backend/guard/confine"
	"sextant/backend/guard/places"
)

// AnyHost as the only host grants all of the network, including this machine and the local network.
const Everywhere = "*"

// Written is what a person wrote under "sextant" of an entry. A missing list is derived from the entry; an
// empty one grants nothing.
type Written struct {
	// Confine is "off" to run the program without the sandbox.
	Confine string `json:"confine,omitempty"`
	// Grants are what it may touch; nil derives all of it.
	Grants *Lists `json:"grants,omitempty"`
}

// Lists are grants. A path is absolute, begins with "~/", or is relative to the folder the program starts in.
type Lists struct {
	// Network holds hosts ("api.example.com"), or "*" alone for all of the network.
	Network []string `json:"network,omitzero" required:"false"`
	Read    []string `json:"read,omitzero" required:"false"`
	Write   []string `json:"write,omitzero" required:"false"`
}

// Problem says what is wrong with it, "" if nothing.
func (w *Written) Problem() string {
	if w == nil {
		return ""
	}
	if w.Confine != "" && w.Confine != "off" && w.Confine != "on" {
		return fmt.Sprintf("sextant.confine %q is unknown; use \"off\", or leave it out to run in the sandbox",
			w.Confine)
	}
	if w.Grants == nil {
		return ""
	}
	for _, host := range w.Grants.Network {
		if host == "" || strings.ContainsAny(host, "/ \t\n") || host != Everywhere && strings.Contains(host, "*") {
			return fmt.Sprintf("sextant.grants.network contains %q; use hosts such as api.example.com, or \"*\" for "+
				"all", host)
		}
	}
	return ""
}

// Server is what permissions are derived from.
type Server struct {
	Command string
	Args    []string
	// Env are the variables of the entry, without the values of secrets.
	Env map[string]string
	// Cwd is the folder that the entry names, "" for none; relative paths are then relative to Workspace.
	Cwd, Workspace string
	Written        *Written
	// Roots is true if the person lets the server know the workspace: then it may use it.
	Roots bool
}

// Machine is where servers run.
type Machine struct {
	// Home is the person's home, "" if unknown; Path is where commands are looked for.
	Home, Path string
	// Places classifies paths; nil knows none. Own are Sextant's own folders.
	Places *places.Places
	Own    []string
	// Open are folders in Own that servers may use, Bundles the one with programs of bundles, which they
	// may read.
	Open    []string
	Bundles string
	// Keeps reports whether no program may write a folder because programs start from it.
	Keeps func(folder string) bool
}

// Held is what one server may touch. Paths are absolute and clean; links are not followed.
type Held struct {
	// Off says that the person runs it without the sandbox. Container is the program that runs it in a
	// container, such as docker, "" for none.
	Off       bool
	Container string
	// Network is as in Lists, Read and Write are granted paths. Program are its program files, which are
	// readable; Package is the folder of its installed package, which is writable too.
	Network, Read, Write, Program []string
	Package                       string
	// Opened says why a container is not isolated, so that the sandbox is used; "" for none.
	Opened string
	// Dir is the folder the program starts in, "" for its own home.
	Dir string
	// Notes are sentences about what the entry names and does not get.
	Notes []string
	// grave are granted paths that hold secrets, with what they are; sources are the paths in Program that
	// belong to the person.
	grave   map[string]string
	sources []string
}

// Of resolves what a server may touch on a machine.
func Of(s Server, m Machine) Held {
	g := &gathering{Machine: m, s: s, h: Held{Network: []string{Everywhere}, grave: map[string]string{}}}
	g.closed = append(confine.Private(m.Home), tempFolders()...)
	dir := g.dir()
	w := s.Written
	if w != nil && w.Confine == "off" {
		g.h.Off = true
	}
	g.h.Container = g.container()
	before := len(g.h.Notes)
	g.derive(dir)
	if w != nil && w.Grants != nil {
		if w.Grants.Read != nil && w.Grants.Write != nil {
			g.h.Notes = g.h.Notes[:before] // of what was derived and is overridden
		}
		g.written(*w.Grants, dir)
	}
	g.tidyGrants()
	g.program(dir)
	g.tidyProgram()
	g.start(dir)
	return g.h
}

// gathering collects what one server may touch.
type gathering struct {
	Machine
	s Server
	h Held
	// closed are folders of which a server sees only what it was granted.
	closed []string
	// scripts are script files among the arguments; may is what the server may write, links followed.
	scripts, may []string
	// below is true if the entry uses a path relative to the folder the program starts in.
	below bool
}

func tempFolders() []string {
	all := []string{"/tmp", "/var/tmp"}
	if dir := filepath.Clean(os.TempDir()); !slices.Contains(all, dir) {
		all = append(all, dir)
	}
	return all
}

// dir is the folder that paths of the entry are relative to.
func (g *gathering) dir() string {
	if g.s.Cwd != "" {
		if path, ok := g.absolute(g.s.Cwd, g.s.Workspace); ok {
			return path
		}
	}
	return g.s.Workspace
}

// absolute resolves a path of the entry; ok is false if it is not a path.
func (g *gathering) absolute(text, dir string) (string, bool) {
	switch {
	case text == "" || strings.ContainsRune(text, 0):
		return "", false
	case text == "~" || strings.HasPrefix(text, "~/"):
		if g.Home == "" {
			return "", false
		}
		return filepath.Join(g.Home, text[1:]), true
	case filepath.IsAbs(text):
		return filepath.Clean(text), true
	case dir == "" || !filepath.IsAbs(dir):
		return "", false
	}
	return filepath.Join(dir, text), true
}

// start sets the folder the program starts in: the one its entry names, or the workspace if the program uses
// it.
func (g *gathering) start(dir string) {
	granted := slices.Concat(g.h.Read, g.h.Write)
	below := func(p string) bool { return within(dir, p) || within(p, dir) }
	switch {
	case g.s.Cwd != "", slices.ContainsFunc(granted, func(p string) bool { return within(dir, p) }):
		g.h.Dir = dir
	case g.below && dir != "" && (!g.isClosed(dir) || slices.ContainsFunc(slices.Concat(granted, g.h.Program), below)):
		g.h.Dir = dir
	}
}

// isClosed reports whether a path is visible to the program only if it is granted.
func (g *gathering) isClosed(path string) bool {
	return slices.ContainsFunc(g.closed, func(c string) bool { return within(path, c) })
}

// written replaces what was derived by what the person wrote.
func (g *gathering) written(l Lists, dir string) {
	if l.Network != nil {
		g.h.Network = l.Network
	}
	take := func(list []string, write bool) []string {
		all := []string{}
		for _, text := range list {
			path, ok := g.absolute(text, dir)
			if !ok {
				g.note("%q is not a path and grants nothing.", text)
				continue
			}
			switch {
			case path == "/":
				g.note("The whole machine cannot be granted; name folders.")
			case g.ours(path):
				g.note("%s contains Sextant's own data, which no server may access.", path)
			case write && g.keeps(path):
				g.note("%s contains files that programs start with, so it is read-only. Grant folders in it to make "+
					"them writable.", path)
				g.h.Read = append(g.h.Read, path)
			default:
				if what, kind := g.judge(path); kind == places.Secret || write && kind == places.Sensitive {
					g.h.grave[path] = what
				}
				all = append(all, path)
			}
		}
		return all
	}
	if l.Read != nil {
		g.h.Read = take(l.Read, false)
	}
	if l.Write != nil {
		g.h.Write = take(l.Write, true)
	}
}

// ours reports whether a path is Sextant's own data, which no server may access.
func (g *gathering) ours(path string) bool {
	if g.bundled(path) || slices.ContainsFunc(g.Open, func(open string) bool { return within(path, open) }) {
		return false
	}
	return slices.ContainsFunc(g.Own, func(own string) bool { return own != "" && within(path, own) })
}

// bundled reports whether a path is in the folder of one bundle.
func (g *gathering) bundled(path string) bool {
	return g.Bundles != "" && path != g.Bundles && within(path, g.Bundles)
}

func (g *gathering) keeps(path string) bool { return g.Keeps != nil && g.Keeps(path) }

func (g *gathering) judge(path string) (what string, kind places.Kind) {
	if g.Places == nil || g.bundled(path) {
		return "", places.Ordinary
	}
	p := g.Places.Judge(path)
	return p.What, p.Kind
}
