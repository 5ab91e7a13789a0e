// Package access determines what the program of an MCP server may access on this machine: the folders and hosts
// that its entry in mcp-config.json grants, or those derived from the rest of the entry. The result configures the
// sandbox and is described in words for a person. The package only reads the file system.
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

// anyHost among the granted hosts grants the whole network, including this machine and the local network.
const anyHost = "*"

// Override is the "sextant" member of an entry, written by a person. A missing list is derived from the entry;
// an empty list grants nothing.
type Override struct {
	// Confine is "off" to run the program without the sandbox.
	Confine string      `json:"confine,omitempty"`
	Grants  *GrantLists `json:"grants,omitempty"`
}

// GrantLists lists the hosts and paths that a program may use. A path is absolute, begins with "~/", or is relative
// to the entry's cwd, or else to the workspace.
type GrantLists struct {
	// Network holds hosts ("api.example.com"), or "*" for all of the network.
	Network []string `json:"network,omitzero" required:"false"`
	Read    []string `json:"read,omitzero" required:"false"`
	Write   []string `json:"write,omitzero" required:"false"`
}

// Problem says what is wrong with the override, or returns "" if it is valid.
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

// Server describes a server for Resolve.
type Server struct {
	Command string
	Args    []string
	Env     map[string]string
	// Cwd is the folder that the entry names, "" for none. Relative paths are relative to it, or else to
	// Workspace.
	Cwd, Workspace string
	Override       *Override
	// RootsAllowed is true if the person lets the server know the workspace, which it may then use.
	RootsAllowed bool
}

// Machine describes the machine that servers run on.
type Machine struct {
	// Home is the person's home, "" if unknown; Path is the search path for commands.
	Home, Path string
	// Places classifies paths; nil classifies none. OwnFolders are Sextant's own folders.
	Places     *protectedpaths.Classifier
	OwnFolders []string
	// GrantableFolders are folders in OwnFolders that servers may be granted. Bundles is the folder with the
	// programs of bundles.
	GrantableFolders []string
	Bundles          string
	// IsProtected reports whether a folder must stay read-only.
	IsProtected func(folder string) bool
}

// Permissions describes what one server may access. Paths may contain links.
type Permissions struct {
	// Unsandboxed is true if the person switched the sandbox off. Container is the command that runs the server
	// in a container, such as docker, "" for none.
	Unsandboxed bool
	Container   string
	// Network has the form of GrantLists.Network. Read and Write are granted paths, Program the files of the
	// program itself, which are readable. Package is the folder of its installed package, which is writable.
	Network, Read, Write, Program []string
	Package                       string
	// ContainerProblem says why a container may not be isolated, so that the sandbox is used instead; "" otherwise.
	ContainerProblem string
	// Dir is the folder that the program starts in, "" for the default.
	Dir string
	// Notes are sentences for the person, such as about what the entry names but is not granted.
	Notes       []string
	secretPaths map[string]string
	sources     []string
}

// Resolve determines what a server may access on a machine.
func Resolve(s Server, m Machine) Permissions {
	g := &resolver{Machine: m, server: s, perms: Permissions{
		Network:     []string{anyHost},
		secretPaths: map[string]string{},
	}}
	g.closed = append(confine.PrivateFolders(m.Home), tempFolders()...)
	dir := g.dir()
	w := s.Override
	if w != nil && w.Confine == "off" {
		g.perms.Unsandboxed = true
	}
	g.perms.Container = g.container()
	before := len(g.perms.Notes)
	g.derive(dir)
	if w != nil && w.Grants != nil {
		if w.Grants.Read != nil && w.Grants.Write != nil {
			g.perms.Notes = g.perms.Notes[:before] // drop notes about derived grants, which are overridden
		}
		g.applyOverride(*w.Grants, dir)
	}
	g.tidyGrants()
	g.findProgramFiles(dir)
	g.tidyProgram()
	g.setDir(dir)
	return g.perms
}

type resolver struct {
	Machine
	server Server
	perms  Permissions
	// closed are folders in which a server sees only what it was granted.
	closed []string
	// writable has the paths that the server may write, with and without links followed.
	scripts, writable []string
	usesDir           bool
}

func tempFolders() []string {
	all := []string{"/tmp", "/var/tmp"}
	if dir := filepath.Clean(os.TempDir()); !slices.Contains(all, dir) {
		all = append(all, dir)
	}
	return all
}

func (g *resolver) dir() string {
	if g.server.Cwd != "" {
		if path, ok := g.absolute(g.server.Cwd, g.server.Workspace); ok {
			return path
		}
	}
	return g.server.Workspace
}

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

func (g *resolver) setDir(dir string) {
	granted := slices.Concat(g.perms.Read, g.perms.Write)
	below := func(p string) bool { return subpath.IsWithin(dir, p) || subpath.IsWithin(p, dir) }
	switch {
	case g.server.Cwd != "", slices.ContainsFunc(granted, func(p string) bool { return subpath.IsWithin(dir, p) }):
		g.perms.Dir = dir
	case g.usesDir && dir != "" && (!g.isClosed(dir) ||
		slices.ContainsFunc(slices.Concat(granted, g.perms.Program), below)):
		g.perms.Dir = dir
	}
}

func (g *resolver) isClosed(path string) bool {
	return slices.ContainsFunc(g.closed, func(c string) bool { return subpath.IsWithin(path, c) })
}

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
				if description, kind := g.classify(path); kind == protectedpaths.KindSecret || write &&
					kind == protectedpaths.KindSensitive {
					g.perms.secretPaths[path] = description
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

func (g *resolver) isOwnData(path string) bool {
	if g.inBundle(path) || slices.ContainsFunc(g.GrantableFolders,
		func(open string) bool { return subpath.IsWithin(path, open) }) {
		return false
	}
	return slices.ContainsFunc(g.OwnFolders, func(own string) bool { return own != "" && subpath.IsWithin(path, own) })
}

func (g *resolver) inBundle(path string) bool {
	return g.Bundles != "" && path != g.Bundles && subpath.IsWithin(path, g.Bundles)
}

func (g *resolver) protectedFolder(path string) bool {
	return g.IsProtected != nil && g.IsProtected(path)
}

func (g *resolver) classify(path string) (description string, kind protectedpaths.Kind) {
	if g.Places == nil || g.inBundle(path) {
		return "", protectedpaths.KindOrdinary
	}
	p := g.Places.Classify(path)
	return p.Description, p.Kind
}
