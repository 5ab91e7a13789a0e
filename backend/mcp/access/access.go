// Package access resolves what the program of an MCP server may touch on this machine: the folders and
// hosts that its entry in mcp-config.json grants, or what can be derived from the entry. The result is used
// to set up the sandbox and is described in words for a person. The package only reads the file system.
//
// The rule: a server may use what its entry names, and the network. A folder among its arguments is
// readable and writable, a script is readable with the package it belongs to; the rest of the person's home
// and other disks are invisible. The program has a home of its own, because a package that one server
// changed in a shared cache would be run by the next.
package access

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sextant/backend/policy/protectedpaths"
	"sextant/backend/sandbox/confine"
	"sextant/shared/subpath"
)

// anyHost as the only host grants all of the network, including this machine and the local network.
const anyHost = "*"

// Override is what a person wrote under "sextant" of an entry. A missing list is derived from the entry; an
// empty one grants nothing.
type Override struct {
	// Confine is "off" to run the program without the sandbox.
	Confine string `json:"confine,omitempty"`
	// Grants are what it may touch; nil derives all of it.
	Grants *GrantLists `json:"grants,omitempty"`
}

// GrantLists are grants. A path is absolute, begins with "~/", or is relative to the folder the program starts in.
type GrantLists struct {
	// Network holds hosts ("api.example.com"), or "*" alone for all of the network.
	Network []string `json:"network,omitzero" required:"false"`
	Read    []string `json:"read,omitzero" required:"false"`
	Write   []string `json:"write,omitzero" required:"false"`
}

// Problem says what is wrong with it, "" if nothing.
func (o *Override) Problem() string {
	if o == nil {
		return ""
	}
	if o.Confine != "" && o.Confine != "off" && o.Confine != "on" {
		return fmt.Sprintf("sextant.confine %q is unknown; use \"off\", or leave it out to run in the sandbox",
			o.Confine)
	}
	if o.Grants == nil {
		return ""
	}
	for _, host := range o.Grants.Network {
		if host == "" || strings.ContainsAny(host, "/ \t\n") || host != anyHost && strings.Contains(host, "*") {
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
	Written        *Override
	// Roots is true if the person lets the server know the workspace: then it may use it.
	Roots bool
}

// Machine is where servers run.
type Machine struct {
	// Home is the person's home, "" if unknown; Path is where commands are looked for.
	Home, Path string
	// Places classifies paths; nil knows none. Own are Sextant's own folders.
	Places     *protectedpaths.Places
	OwnFolders []string
	// GrantableFolders are folders in Own that servers may use, Bundles the one with programs of bundles, which they
	// writable read.
	GrantableFolders []string
	Bundles          string
	// IsProtected reports whether no program may write a folder because programs start from it.
	IsProtected func(folder string) bool
}

// Permissions is what one server may touch. Paths are absolute and clean; links are not followed.
type Permissions struct {
	// Unsandboxed says that the person runs it without the sandbox. Container is the program that runs it in a
	// container, such as docker, "" for none.
	Unsandboxed bool
	Container   string
	// Network is as in GrantLists, Read and Write are granted paths. Program are the server's program files, which are
	// read-only; Package is the folder of its installed package, which is writable too.
	Network, Read, Write, Program []string
	Package                       string
	// OpenContainer says why a container is not isolated, so that the sandbox is used; "" for none.
	OpenContainer string
	// Dir is the folder the program starts in, "" for its own home.
	Dir string
	// Notes are sentences about what the entry names and does not get.
	Notes []string
	// secretPaths are granted paths that hold secrets, with what they are; sources are the paths in Program that
	// belong to the person.
	secretPaths map[string]string
	sources     []string
}

// Resolve resolves what a server may touch on a machine.
func Resolve(s Server, m Machine) Permissions {
	g := &resolver{Machine: m, server: s, perms: Permissions{
		Network:     []string{anyHost},
		secretPaths: map[string]string{},
	}}
	g.closed = append(confine.PrivateFolders(m.Home), tempFolders()...)
	dir := g.dir()
	w := s.Written
	if w != nil && w.Confine == "off" {
		g.perms.Unsandboxed = true
	}
	g.perms.Container = g.container()
	before := len(g.perms.Notes)
	g.derive(dir)
	if w != nil && w.Grants != nil {
		if w.Grants.Read != nil && w.Grants.Write != nil {
			g.perms.Notes = g.perms.Notes[:before] // of what was derived and is overridden
		}
		g.applyOverride(*w.Grants, dir)
	}
	g.tidyGrants()
	g.findProgramFiles(dir)
	g.tidyProgram()
	g.setDir(dir)
	return g.perms
}

// resolver collects what one server may touch.
type resolver struct {
	Machine
	server Server
	perms  Permissions
	// closed are folders of which a server sees only what it was granted.
	closed []string
	// scripts are script files among the arguments, writable what the server may write, links followed.
	scripts, writable []string
	// usesDir is true if the entry uses a path relative to the folder the program starts in.
	usesDir bool
}

func tempFolders() []string {
	all := []string{"/tmp", "/var/tmp"}
	if dir := filepath.Clean(os.TempDir()); !slices.Contains(all, dir) {
		all = append(all, dir)
	}
	return all
}

// dir is the folder that paths of the entry are relative to.
func (g *resolver) dir() string {
	if g.server.Cwd != "" {
		if path, ok := g.absolute(g.server.Cwd, g.server.Workspace); ok {
			return path
		}
	}
	return g.server.Workspace
}

// absolute resolves a path of the entry; ok is false if it is not a path.
func (g *resolver) absolute(text, dir string) (string, bool) {
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

// setDir sets the folder the program starts in: the one its entry names, or the workspace if the program uses
// it.
func (g *resolver) setDir(dir string) {
	granted := slices.Concat(g.perms.Read, g.perms.Write)
	below := func(p string) bool { return subpath.Within(dir, p) || subpath.Within(p, dir) }
	switch {
	case g.server.Cwd != "", slices.ContainsFunc(granted, func(p string) bool { return subpath.Within(dir, p) }):
		g.perms.Dir = dir
	case g.usesDir && dir != "" && (!g.isClosed(dir) ||
		slices.ContainsFunc(slices.Concat(granted, g.perms.Program), below)):
		g.perms.Dir = dir
	}
}

// isClosed reports whether a path is visible to the program only if it is granted.
func (g *resolver) isClosed(path string) bool {
	return slices.ContainsFunc(g.closed, func(c string) bool { return subpath.Within(path, c) })
}

// applyOverride replaces what was derived by what the person wrote.
func (g *resolver) applyOverride(l GrantLists, dir string) {
	if l.Network != nil {
		g.perms.Network = l.Network
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
			case g.isOwnData(path):
				g.note("%s contains Sextant's own data, which no server may access.", path)
			case write && g.protectedFolder(path):
				g.note("%s contains files that programs start with, so it is read-only. Grant folders in it to make "+
					"them writable.", path)
				g.perms.Read = append(g.perms.Read, path)
			default:
				if what, kind := g.classify(path); kind == protectedpaths.Secret || write &&
					kind == protectedpaths.Sensitive {
					g.perms.secretPaths[path] = what
				}
				all = append(all, path)
			}
		}
		return all
	}
	if l.Read != nil {
		g.perms.Read = take(l.Read, false)
	}
	if l.Write != nil {
		g.perms.Write = take(l.Write, true)
	}
}

// isOwnData reports whether a path is Sextant's own data, which no server may access.
func (g *resolver) isOwnData(path string) bool {
	if g.inBundle(path) || slices.ContainsFunc(g.GrantableFolders,
		func(open string) bool { return subpath.Within(path, open) }) {
		return false
	}
	return slices.ContainsFunc(g.OwnFolders, func(own string) bool { return own != "" && subpath.Within(path, own) })
}

// inBundle reports whether a path is in the folder of one bundle.
func (g *resolver) inBundle(path string) bool {
	return g.Bundles != "" && path != g.Bundles && subpath.Within(path, g.Bundles)
}

func (g *resolver) protectedFolder(path string) bool {
	return g.IsProtected != nil && g.IsProtected(path)
}

func (g *resolver) classify(path string) (what string, kind protectedpaths.Kind) {
	if g.Places == nil || g.inBundle(path) {
		return "", protectedpaths.Ordinary
	}
	p := g.Places.Classify(path)
	return p.Description, p.Kind
}
