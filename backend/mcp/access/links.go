package access

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sextant/shared/subpath"
)

const maxLinks = 40

// followLinks returns the target of a path. own is true if the server or an installed package could have made a link on
// the way: the target must not be granted.
func (g *resolver) followLinks(path string) (at string, own bool) {
	at = "/"
	rest := strings.Split(path, "/")
	for links := 0; len(rest) > 0; {
		name := rest[0]
		rest = rest[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, name)
		if g.inWritable(next) {
			return next, true
		}
		info, err := os.Lstat(next)
		if err != nil || info.Mode()&os.ModeSymlink == 0 {
			at = next
			continue
		}
		to, err := os.Readlink(next)
		if links++; err != nil || links > maxLinks || inPackage(next) {
			return next, true
		}
		if filepath.IsAbs(to) {
			at = "/"
		}
		rest = append(strings.Split(to, "/"), rest...)
	}
	return at, false
}

func (g *resolver) inWritable(path string) bool {
	return slices.ContainsFunc(g.writable, func(w string) bool { return subpath.IsWithin(path, w) })
}

func (g *resolver) addWritable(path string) {
	g.writable = append(g.writable, path, resolveLinks(path))
}

// inPackage reports whether a path is inside an installed package. The package folder itself may be a link.
func inPackage(path string) bool {
	folder, _ := packageOf(path)
	return folder != "" && path != folder
}

func packageOf(path string) (folder, modules string) {
	const mark = "/node_modules/"
	at := strings.LastIndex(path, mark)
	if at < 0 {
		return "", ""
	}
	parts := strings.Split(path[at+len(mark):], "/")
	n := 1
	if strings.HasPrefix(parts[0], "@") {
		n = 2
	}
	if len(parts) < n || parts[0] == "" || strings.HasPrefix(parts[0], ".") { // .bin, .pnpm
		return "", ""
	}
	return path[:at+len(mark)] + strings.Join(parts[:n], "/"), path[:at+len(mark)-1]
}

// tidyGrants drops paths inside other granted paths. A path inside a writable folder gets no separate grant,
// because the server could have replaced it with a link.
func (g *resolver) tidyGrants() {
	all := subpath.Outermost(g.perms.Write)
	g.perms.Write = []string{}
	for i, path := range all {
		g.writable = nil
		for _, other := range slices.Concat(all[:i], all[i+1:]) {
			if place := resolveLinks(other); place != path && place != resolveLinks(path) {
				g.addWritable(other)
			}
		}
		if _, own := g.followLinks(path); !own {
			g.perms.Write = append(g.perms.Write, path)
		}
	}
	g.writable = nil
	for _, path := range g.perms.Write {
		g.addWritable(path)
	}
	g.perms.Read = slices.DeleteFunc(subpath.Outermost(g.perms.Read), g.leadsIntoWritable)
}

func (g *resolver) tidyProgram() {
	g.perms.Program = slices.DeleteFunc(subpath.Outermost(g.perms.Program), func(p string) bool {
		return g.leadsIntoWritable(p) ||
			slices.ContainsFunc(g.perms.Read, func(r string) bool { return subpath.IsWithin(p, r) })
	})
	g.perms.sources = slices.DeleteFunc(slices.Clone(g.perms.Program), func(p string) bool {
		return g.isTool(p) ||
			!g.isClosed(p)
	})
}

func (g *resolver) leadsIntoWritable(path string) bool {
	_, own := g.followLinks(path)
	return own
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func resolveLinks(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return path
}
