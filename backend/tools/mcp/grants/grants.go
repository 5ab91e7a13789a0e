// Package grants says what an MCP server of mcp-config.json may touch when it runs on this machine: the
// folders and hosts that its entry grants, or what follows from the entry where it grants nothing, as
// walls for guard/confine and in words for a person.
//
// The rule: a server may use what its entry names, and the network. A folder among its arguments is
// read and written, a script is read with the package it lies in, and of the rest of a person's home and
// of other disks nothing is there. It starts in a home of its own, so that what programs keep there
// (caches of packages, settings) is neither the person's nor another server's: a package that one server
// changed in a cache would be run by the next.
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

// Everywhere as the only host grants all of the network, this machine and its neighbours too.
const Everywhere = "*"

// Written is what a person wrote under "sextant" of an entry. A list that is left out follows from the
// entry; an empty one grants nothing.
type Written struct {
	// Confine is "off" to run the server outside of the sandbox.
	Confine string `json:"confine,omitempty"`
	// Grants are what it may touch, nil to have all of it follow.
	Grants *Lists `json:"grants,omitempty"`
}

// Lists are grants. Paths are absolute, begin with "~/", or are below the folder that the server starts in.
type Lists struct {
	// Network holds hosts ("api.example.com"), or "*" alone for all of the network.
	Network []string `json:"network,omitzero" required:"false"`
	Read    []string `json:"read,omitzero" required:"false"`
	Write   []string `json:"write,omitzero" required:"false"`
}

// Problem says what is wrong with it, "" when it can be used.
func (w *Written) Problem() string {
	if w == nil {
		return ""
	}
	if w.Confine != "" && w.Confine != "off" && w.Confine != "on" {
		return fmt.Sprintf("sextant.confine %q is not known; it is off, or left out to run in the sandbox", w.Confine)
	}
	if w.Grants == nil {
		return ""
	}
	for _, host := range w.Grants.Network {
		if host == "" || strings.ContainsAny(host, "/ \t\n") || host != Everywhere && strings.Contains(host, "*") {
			return fmt.Sprintf("sextant.grants.network holds %q; it names hosts like api.example.com, or \"*\" for all", host)
		}
	}
	return ""
}

// Server is what grants follow from.
type Server struct {
	Command string
	Args    []string
	// Env are the variables of the entry, without the values of secrets.
	Env map[string]string
	// Cwd is the folder that the entry names, "" for none; Workspace the one that relative paths are below then.
	Cwd, Workspace string
	Written        *Written
	// Roots is true where the person let the server learn the workspace: then it may use it.
	Roots bool
}

// Machine is where servers run.
type Machine struct {
	// Home is the person's, "" for not known; Path where commands are looked for.
	Home, Path string
	// Places are those of the machine; nil knows none. Own are Sextant's own folders.
	Places *places.Places
	Own    []string
	// Open are folders in Own that are there to be used, Bundles the one that holds programs of servers,
	// which are read.
	Open    []string
	Bundles string
	// Keeps reports whether a folder is not written by any program because of what starts from it.
	Keeps func(folder string) bool
}

// Held is what one server may touch. Paths are absolute and clean, links not followed.
type Held struct {
	// Off says that the person runs it outside of the sandbox, Container that docker or the like starts it
	// in a container: its name.
	Off       bool
	Container string
	// Network as in Lists; Read and Write what it was granted; Program what it is made of, which is read;
	// Package its own folder among installed ones, which is written, too.
	Network, Read, Write, Program []string
	Package                       string
	// Opened says why a container of docker or the like is no border, so that the sandbox is; "" for none.
	Opened string
	// Dir is the folder that it starts in, "" for its own home.
	Dir string
	// Notes say in sentences what its entry names and is not granted.
	Notes []string
	// grave are granted places that hold secrets, with what they are; sources what of Program is the
	// person's own.
	grave   map[string]string
	sources []string
}

// Of says what a server may touch on a machine.
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
			g.h.Notes = g.h.Notes[:before] // of what does not follow after all
		}
		g.written(*w.Grants, dir)
	}
	g.tidyGrants()
	g.program(dir)
	g.tidyProgram()
	g.start(dir)
	return g.h
}

// gathering is Of at work.
type gathering struct {
	Machine
	s      Server
	h      Held
	closed []string
	// scripts are files to run among the arguments; may is what the server may write, links followed.
	scripts, may []string
	// below is true where the entry names something below the folder that it starts in.
	below bool
}

func tempFolders() []string {
	all := []string{"/tmp", "/var/tmp"}
	if dir := filepath.Clean(os.TempDir()); !slices.Contains(all, dir) {
		all = append(all, dir)
	}
	return all
}

// dir is the folder that relative paths of the entry are below.
func (g *gathering) dir() string {
	if g.s.Cwd != "" {
		if path, ok := g.absolute(g.s.Cwd, g.s.Workspace); ok {
			return path
		}
	}
	return g.s.Workspace
}

// absolute is a path as the entry writes it; ok is false for what is none.
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

// start is where the server begins: the folder its entry names, or the workspace where it names something
// below that or may use it.
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

// isClosed reports whether a path lies where only what is granted is there.
func (g *gathering) isClosed(path string) bool {
	return slices.ContainsFunc(g.closed, func(c string) bool { return within(path, c) })
}

// written takes over what the person wrote, in place of what follows.
func (g *gathering) written(l Lists, dir string) {
	if l.Network != nil {
		g.h.Network = l.Network
	}
	take := func(list []string, write bool) []string {
		all := []string{}
		for _, text := range list {
			path, ok := g.absolute(text, dir)
			if !ok {
				g.note("%q is not a path, so that nothing is granted by it.", text)
				continue
			}
			switch {
			case path == "/":
				g.note("All of the machine cannot be granted; name folders.")
			case g.ours(path):
				g.note("%s holds Sextant's own data, which no server gets.", path)
			case write && g.keeps(path):
				g.note("%s holds what programs start with, so that it is read only; name folders in it to have them written.", path)
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

// ours reports whether a path is Sextant's own and no server's.
func (g *gathering) ours(path string) bool {
	if g.bundled(path) || slices.ContainsFunc(g.Open, func(open string) bool { return within(path, open) }) {
		return false
	}
	return slices.ContainsFunc(g.Own, func(own string) bool { return own != "" && within(path, own) })
}

// bundled reports whether a path lies in the folder of one bundle.
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
