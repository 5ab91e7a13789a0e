package access

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sextant/backend/policy/protectedpaths"
	"sextant/backend/sandbox/confine"
	"sextant/shared/subpath"
)

// toolFolders are folders of a home where version managers and installers put programs.
var toolFolders = []string{
	".nvm", ".volta", ".asdf", ".local/share/mise", ".local/share/fnm", ".pyenv", ".rbenv", ".bun/bin", ".deno/bin",
	".cargo/bin", ".rustup", "go/bin",
	".local/bin", ".local/lib", ".npm-global", ".local/share/pnpm", ".local/share/pipx", ".local/share/uv/python",
	".local/share/uv/tools", ".local/pipx", ".sdkman", ".jdks", ".dotnet", ".tool-versions", ".nvmrc",
	"miniconda3", "anaconda3", "miniforge3", "mambaforge", ".linuxbrew", "n",
}

// isTool reports whether a path is in a tool folder, or contains one.
func (g *resolver) isTool(path string) bool {
	return g.Home != "" && slices.ContainsFunc(toolFolders, func(name string) bool {
		tool := filepath.Join(g.Home, name)
		return subpath.IsWithin(path, tool) || subpath.IsWithin(path, resolveLinks(tool)) ||
			subpath.IsWithin(tool, path) && path != g.Home && subpath.IsWithin(path, g.Home)
	})
}

// findProgramFiles must run after the writable paths are known.
func (g *resolver) findProgramFiles(dir string) {
	for _, path := range g.scripts {
		g.showScript(path)
	}
	if g.server.Cwd != "" {
		g.showStartFolder(dir)
	}
	for _, name := range toolFolders {
		if path := filepath.Join(g.Home, name); g.Home != "" && exists(path) {
			g.perms.Program = append(g.perms.Program, path)
		}
	}
	if command, ok := g.commandFile(); ok && !g.leadsIntoWritable(command) {
		g.showCommand(command)
	}
}

func (g *resolver) showCommand(command string) {
	g.showToolchain(command)
	r := resolveLinks(command)
	// A wrapper made by Python's installers runs the Python beside it, which may be a link.
	for _, name := range []string{"python", "python3", "node"} {
		if beside := filepath.Join(filepath.Dir(r), name); exists(beside) && !g.leadsIntoWritable(beside) {
			g.showToolchain(beside)
		}
	}
	for _, path := range []string{command, r} {
		venv := strings.Contains(path, "/.venv/") || strings.Contains(path, "/venv/")
		if !venv && !strings.Contains(path, "/node_modules/") {
			continue
		}
		g.showFile(path)
		// A project may be installed into its own virtual environment; then its sources are needed too.
		if root := g.sourceRoot(path); venv && slices.Contains([]string{".venv", "venv"}, filepath.Base(root)) {
			if up := filepath.Dir(root); !g.tooBroad(up) && hasMarker(up) {
				g.perms.Program = append(g.perms.Program, up)
			}
		}
	}
}

func (g *resolver) showStartFolder(dir string) {
	description, kind := g.classify(dir)
	switch {
	case isSystem(dir) || !g.isClosed(dir) || g.leadsIntoWritable(dir):
	case g.isOwnData(dir) || kind == protectedpaths.KindSecret:
		g.refuse(dir, description)
	case g.tooBroad(dir):
		g.note("It starts in %s, which contains more than one program, so its content is hidden. Name what the server "+
			"should use in its arguments or in sextant.grants.", dir)
	default:
		g.perms.Program = append(g.perms.Program, g.sourceRoot(filepath.Join(dir, "a file")))
	}
}

func (g *resolver) commandFile() (string, bool) {
	name := g.server.Command
	if strings.ContainsRune(name, '/') || name == "~" {
		path, ok := g.absolute(name, g.dir())
		g.usesDir = g.usesDir || ok && isRelative(name)
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

func (g *resolver) showToolchain(command string) {
	for _, dir := range confine.ToolchainFolders(command, g.closed) {
		if g.tooBroad(dir) {
			g.perms.Program = append(g.perms.Program, command)
			if r := resolveLinks(command); r != command {
				g.perms.Program = append(g.perms.Program, r)
			}
			continue
		}
		// uv links its versions of Python to each other.
		if at := strings.Index(dir, "/uv/python/"); at > 0 {
			dir = dir[:at+len("/uv/python")]
		}
		g.perms.Program = append(g.perms.Program, dir)
	}
}

var markers = []string{
	"package.json", "pyproject.toml", "setup.py", "requirements.txt", "go.mod", "Cargo.toml",
	"deno.json", "Gemfile", "pyvenv.cfg", ".git",
}

// showScript does not follow links that the server could have made: the server would choose what it may read at its
// next start.
func (g *resolver) showScript(path string) {
	g.showFile(path)
	at, own := g.followLinks(path)
	if own || !exists(at) {
		return
	}
	if at != path {
		g.showFile(at)
	}
	g.grantOwnPackage(at)
}

// showFile includes the package of a file, which contains what the file loads.
func (g *resolver) showFile(path string) {
	if description, kind := g.classify(path); g.isOwnData(path) || kind == protectedpaths.KindSecret {
		g.refuse(path, description)
		return
	}
	if at := strings.Index(path, "/node_modules/"); at > 0 {
		g.perms.Program = append(g.perms.Program, path[:at+len("/node_modules")])
		return
	}
	root := g.sourceRoot(path)
	g.perms.Program = append(g.perms.Program, root)
	if root == path {
		g.perms.Program = append(g.perms.Program, g.siblings(path)...)
	}
}

// grantOwnPackage makes the installed package of a script writable, because small servers store data beside their
// code. A package that is installed globally stays read-only.
func (g *resolver) grantOwnPackage(at string) {
	folder, modules := packageOf(at)
	if folder == "" || filepath.Base(filepath.Dir(modules)) == "lib" || isSystem(folder) || g.isTool(folder) ||
		g.protectedFolder(folder) || g.isOwnData(folder) || g.inBundle(folder) || !isDir(folder) {
		return
	}
	if _, kind := g.classify(folder); kind != protectedpaths.KindOrdinary {
		return
	}
	g.perms.Package = folder
	g.addWritable(folder)
}

const maxSiblings = 100

// siblings returns what a script may load from a folder that also has unrelated files, such as ~/Downloads.
func (g *resolver) siblings(path string) []string {
	dir, ending := filepath.Dir(path), filepath.Ext(path)
	if g.Home == "" || filepath.Dir(dir) != g.Home || ending == "" {
		return nil
	}
	entries, _ := os.ReadDir(dir) // a file that cannot be listed cannot be loaded
	var all []string
	for _, e := range entries {
		at := filepath.Join(dir, e.Name())
		_, kind := g.classify(at)
		loaded := e.Type().IsRegular() && filepath.Ext(e.Name()) == ending || e.IsDir() &&
			(e.Name() == "node_modules" || exists(filepath.Join(at, "__init__.py")))
		if loaded && kind == protectedpaths.KindOrdinary && len(all) < maxSiblings {
			all = append(all, at)
		}
	}
	return all
}

// sourceRoot returns path itself if its folder may hold more than one program.
func (g *resolver) sourceRoot(path string) string {
	dir := filepath.Dir(path)
	if g.tooBroad(dir) {
		return path
	}
	for at := dir; !g.tooBroad(at); at = filepath.Dir(at) {
		if hasMarker(at) {
			return at
		}
	}
	if exists(path) && g.Home != "" && filepath.Dir(dir) == g.Home {
		return path // such as in ~/Downloads
	}
	return dir
}

func hasMarker(dir string) bool {
	return slices.ContainsFunc(markers, func(name string) bool { return exists(filepath.Join(dir, name)) })
}

func (g *resolver) tooBroad(dir string) bool {
	return dir == "/" || slices.Contains(g.closed, dir) || g.Home != "" && subpath.IsWithin(g.Home, dir) ||
		g.protectedFolder(dir) ||
		slices.ContainsFunc(g.closed, func(c string) bool { return subpath.IsWithin(c, dir) })
}
