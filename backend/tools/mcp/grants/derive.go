package grants

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sextant/backend/guard/places"
)

// readable are folders of the machine that every server reads and none is granted to write.
var readable = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/proc", "/sys", "/dev", "/run", "/boot", "/nix", "/snap"}

func (g *gathering) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(g.h.Notes, text) {
		g.h.Notes = append(g.h.Notes, text)
	}
}

// derive grants what the entry names.
func (g *gathering) derive(dir string) {
	if g.s.Cwd != "" {
		g.folder(dir)
	}
	for i, arg := range g.s.Args {
		name := ""
		if i > 0 && strings.HasPrefix(g.s.Args[i-1], "-") {
			name = g.s.Args[i-1]
		}
		if strings.HasPrefix(arg, "-") {
			option, value, ok := strings.Cut(arg, "=")
			if !ok {
				continue
			}
			name, arg = option, value
		}
		if path, ok := g.named(arg, dir); ok {
			g.use(path, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(g.s.Env)) {
		value := g.s.Env[name]
		if strings.HasSuffix(name, "PATH") && strings.Contains(value, string(filepath.ListSeparator)) || name == "PYTHONPATH" || name == "NODE_PATH" {
			for _, folder := range filepath.SplitList(value) {
				if filepath.IsAbs(folder) && name != "PATH" {
					g.read(filepath.Clean(folder))
				}
			}
			continue
		}
		if filepath.IsAbs(value) || strings.HasPrefix(value, "~/") {
			if path, ok := g.absolute(value, ""); ok {
				g.use(path, name)
			}
		}
	}
}

// named is the path that an argument is, ok when it is one: a word alone is none, also where there is a
// folder of that name.
func (g *gathering) named(arg, dir string) (string, bool) {
	if rest, is := strings.CutPrefix(arg, "file://"); is {
		arg = rest
	}
	switch {
	case arg == "" || strings.Contains(arg, "://") || strings.ContainsAny(arg, "\n{}"):
		return "", false
	case filepath.IsAbs(arg), arg == "~", strings.HasPrefix(arg, "~/"), arg == ".", arg == "..", strings.HasPrefix(arg, "./"), strings.HasPrefix(arg, "../"):
		return g.absolute(arg, dir)
	}
	path, ok := g.absolute(arg, dir)
	if !ok || strings.HasPrefix(arg, "@") {
		return "", false
	}
	info, err := os.Stat(path)
	// A program's own file may be named by a word alone, where the entry names the folder.
	return path, err == nil && (strings.Contains(arg, "/") || g.s.Cwd != "" && info.Mode().IsRegular())
}

// use grants what the server needs of a path that its entry names; name is the option or variable.
func (g *gathering) use(path, name string) {
	if path == "/" || slices.ContainsFunc(readable, func(r string) bool { return within(path, r) }) {
		return
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		// It may be made: a file of its own in a folder that is there.
		if up := filepath.Dir(path); isDir(up) && !slices.Contains(g.closed, up) && up != "/" {
			g.folder(up)
		}
	case info.IsDir():
		g.folder(path)
	case isScript(path, info):
		g.script(path)
	case isDatabase(path) && !slices.Contains(g.closed, filepath.Dir(path)):
		g.folder(filepath.Dir(path)) // its journal stands beside it
	case info.Mode().IsRegular():
		if onlyRead(name) {
			g.read(path)
			return
		}
		g.write(path)
	}
}

// folder grants a folder to be read and written.
func (g *gathering) folder(path string) {
	if slices.ContainsFunc(readable, func(r string) bool { return within(path, r) }) || path == "/" {
		return
	}
	if g.keeps(path) {
		g.note("%s holds what programs start with and places of secrets: it is read without those, and not written. Name the folders in it that are to be written.", path)
		g.read(path)
		return
	}
	g.write(path)
}

func (g *gathering) write(path string) {
	switch what, kind := g.judge(path); {
	case g.bundled(path):
		g.h.Read = append(g.h.Read, path)
	case g.ours(path) || kind == places.Secret:
		g.refuse(path, what)
	case kind == places.Sensitive:
		g.note("%s is %s: it is read and not written. To have it written, name it under sextant.grants.write.", path, what)
		g.h.Read = append(g.h.Read, path)
	default:
		g.h.Write = append(g.h.Write, path)
	}
}

func (g *gathering) read(path string) {
	if what, kind := g.judge(path); g.ours(path) || kind == places.Secret {
		g.refuse(path, what)
		return
	}
	g.h.Read = append(g.h.Read, path)
}

func (g *gathering) refuse(path, what string) {
	if g.ours(path) {
		what = "Sextant's own data"
	}
	g.note("%s is %s: it is not granted because an argument names it, only by sextant.grants.", path, what)
}

// scripts are endings of files that interpreters run.
var scripts = []string{".js", ".mjs", ".cjs", ".ts", ".mts", ".tsx", ".py", ".pyz", ".rb", ".jar", ".sh", ".php", ".lua", ".wasm", ".dll", ".pl", ".exs"}

func isScript(path string, info fs.FileInfo) bool {
	return info.Mode().IsRegular() && (slices.Contains(scripts, strings.ToLower(filepath.Ext(path))) || info.Mode().Perm()&0o111 != 0)
}

func isDatabase(path string) bool {
	return slices.Contains([]string{".db", ".db3", ".sqlite", ".sqlite3", ".duckdb"}, strings.ToLower(filepath.Ext(path)))
}

// onlyRead reports whether an option or variable of that name is for what a program reads: settings, keys.
func onlyRead(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"config", "cred", "key", "cert", "token", "secret", "pem", "env-file", "env_file", "cafile", "ca_bundle"},
		func(word string) bool { return strings.Contains(name, word) })
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
