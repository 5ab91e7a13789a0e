package grants

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sextant/backend/guard/confine"
	"sextant/backend/guard/places"
)

// tools are folders of a home where version managers and installers put programs. Every server may read
// them and none may write them.
var tools = []string{
	".nvm", ".volta", ".asdf", ".local/share/mise", ".local/share/fnm", ".pyenv", ".rbenv", ".bun/bin", ".deno/bin",
	".cargo/bin", ".rustup", "go/bin",
	".local/bin", ".local/lib", ".npm-global", ".local/share/pnpm", ".local/share/pipx", ".local/share/uv/python",
	".local/share/uv/tools", ".local/pipx", ".sdkman", ".jdks", ".dotnet", ".tool-versions", ".nvmrc",
	"miniconda3", "anaconda3", "miniforge3", "mambaforge", ".linuxbrew", "n",
}

// isTool reports whether a path is in, or contains, such a folder.
func (g *gathering) isTool(path string) bool {
	return g.Home != "" && slices.ContainsFunc(tools, func(name string) bool {
		tool := filepath.Join(g.Home, name)
		return within(path, tool) || within(path, real(tool)) || within(tool, path) && path != g.Home &&
			within(path, g.Home)
	})
}

// program finds the server's program files, once it is known what it may write.
func (g *gathering) program(dir string) {
	for _, path := range g.scripts {
		g.script(path)
	}
	if g.s.Cwd != "" {
		g.startsIn(dir)
	}
	for _, name := range tools {
		if path := filepath.Join(g.Home, name); g.Home != "" && exists(path) {
			g.h.Program = append(g.h.Program, path)
		}
	}
	if command, ok := g.found(); ok && !g.leadsIntoOwn(command) {
		g.command(command)
	}
}

// command shows the files of the command. None of them is writable.
func (g *gathering) command(command string) {
	g.toolchain(command)
	r := real(command)
	// A wrapper made by Python's installers runs the Python beside it, which may be a link.
	for _, name := range []string{"python", "python3", "node"} {
		if beside := filepath.Join(filepath.Dir(r), name); exists(beside) && !g.leadsIntoOwn(beside) {
			g.toolchain(beside)
		}
	}
	for _, path := range []string{command, r} {
		venv := strings.Contains(path, "/.venv/") || strings.Contains(path, "/venv/")
		if !venv && !strings.Contains(path, "/node_modules/") {
			continue
		}
		g.show(path)
		// The package installed into a project's environment may be the project itself.
		if root := g.root(path); venv && slices.Contains([]string{".venv", "venv"}, filepath.Base(root)) {
			if up := filepath.Dir(root); !g.tooWide(up) && marked(up) {
				g.h.Program = append(g.h.Program, up)
			}
		}
	}
}

// startsIn shows the folder the program starts in: it is readable like sources, and writable only if an
// argument names it.
func (g *gathering) startsIn(dir string) {
	what, kind := g.judge(dir)
	switch {
	case isSystem(dir) || !g.isClosed(dir) || g.leadsIntoOwn(dir):
	case g.ours(dir) || kind == places.Secret:
		g.refuse(dir, what)
	case g.tooWide(dir):
		g.note("It starts in %s, which contains more than one program, so its content is hidden. Name what the server "+
			"should use in its arguments or in sextant.grants.", dir)
	default:
		g.h.Program = append(g.h.Program, g.root(filepath.Join(dir, "a file")))
	}
}

// found is the file that the command is.
func (g *gathering) found() (string, bool) {
	name := g.s.Command
	if strings.ContainsRune(name, '/') || name == "~" {
		path, ok := g.absolute(name, g.dir())
		g.below = g.below || ok && isRelative(name)
		return path, ok
	}
	for _, folder := range filepath.SplitList(g.Path) {
		file := filepath.Join(folder, name)
		if info, err := os.Stat(file); filepath.IsAbs(folder) && err == nil && info.Mode().IsRegular() &&
			info.Mode().Perm()&0o111 != 0 {
			return file, true
		}
	}
	return "", false
}

func (g *gathering) toolchain(command string) {
	for _, dir := range confine.Toolchain(command, g.closed) {
		if g.tooWide(dir) {
			g.h.Program = append(g.h.Program, command)
			if r := real(command); r != command {
				g.h.Program = append(g.h.Program, r)
			}
			continue
		}
		// uv links its Pythons by version beside each other.
		if at := strings.Index(dir, "/uv/python/"); at > 0 {
			dir = dir[:at+len("/uv/python")]
		}
		g.h.Program = append(g.h.Program, dir)
	}
}

// markers are files in the root folder of a program's sources.
var markers = []string{
	"package.json", "pyproject.toml", "setup.py", "requirements.txt", "go.mod", "Cargo.toml",
	"deno.json", "Gemfile", "pyvenv.cfg", ".git",
}

// script shows a script. Links that the server could have made are not followed: it would choose what it
// may read at its next start.
func (g *gathering) script(path string) {
	g.show(path)
	at, own := g.followed(path)
	if own || !exists(at) {
		return
	}
	if at != path {
		g.show(at)
	}
	g.own(at)
}

// show shows a file with the package it belongs to, which has what it loads.
func (g *gathering) show(path string) {
	if what, kind := g.judge(path); g.ours(path) || kind == places.Secret {
		g.refuse(path, what)
		return
	}
	if at := strings.Index(path, "/node_modules/"); at > 0 {
		g.h.Program = append(g.h.Program, path[:at+len("/node_modules")])
		return
	}
	root := g.root(path)
	g.h.Program = append(g.h.Program, root)
	if root == path {
		g.h.Program = append(g.h.Program, g.siblings(path)...)
	}
}

// own makes the installed package of a script writable: small servers store data beside their code. That
// holds for a package installed in the server's folder, not for one installed for everything.
func (g *gathering) own(at string) {
	folder, modules := packageOf(at)
	if folder == "" || filepath.Base(filepath.Dir(modules)) == "lib" || isSystem(folder) || g.isTool(folder) ||
		g.keeps(folder) || g.ours(folder) || g.bundled(folder) || !isDir(folder) {
		return
	}
	if _, kind := g.judge(folder); kind != places.Ordinary {
		return
	}
	g.h.Package = folder
	g.grantedToWrite(folder)
}

// maxSiblings bounds how many files beside a script are shown.
const maxSiblings = 100

// siblings are what a script may load from a folder that also has other files, such as ~/Downloads: files of
// its type, and packages.
func (g *gathering) siblings(path string) []string {
	dir, ending := filepath.Dir(path), filepath.Ext(path)
	if g.Home == "" || filepath.Dir(dir) != g.Home || ending == "" {
		return nil
	}
	entries, _ := os.ReadDir(dir) // what cannot be listed is not loaded
	var all []string
	for _, e := range entries {
		at := filepath.Join(dir, e.Name())
		_, kind := g.judge(at)
		loaded := e.Type().IsRegular() && filepath.Ext(e.Name()) == ending || e.IsDir() &&
			(e.Name() == "node_modules" || exists(filepath.Join(at, "__init__.py")))
		if loaded && kind == places.Ordinary && len(all) < maxSiblings {
			all = append(all, at)
		}
	}
	return all
}

// root is the folder of the sources that a file belongs to, or the file alone if its folder holds more than
// one program.
func (g *gathering) root(path string) string {
	dir := filepath.Dir(path)
	if g.tooWide(dir) {
		return path
	}
	for at := dir; !g.tooWide(at); at = filepath.Dir(at) {
		if marked(at) {
			return at
		}
	}
	if exists(path) && g.Home != "" && filepath.Dir(dir) == g.Home {
		return path // such as in ~/Downloads
	}
	return dir
}

// marked reports whether a folder is the root of a program's sources.
func marked(dir string) bool {
	return slices.ContainsFunc(markers, func(name string) bool { return exists(filepath.Join(dir, name)) })
}

// tooWide reports whether a folder holds more than one program or project.
func (g *gathering) tooWide(dir string) bool {
	return dir == "/" || slices.Contains(g.closed, dir) || g.Home != "" && within(g.Home, dir) || g.keeps(dir) ||
		slices.ContainsFunc(g.closed, func(c string) bool { return within(c, dir) })
}
