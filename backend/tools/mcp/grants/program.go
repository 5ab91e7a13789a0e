package grants

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sextant/backend/guard/confine"
	"sextant/backend/guard/places"
)

// tools are folders of a home in which version managers keep programs, and others what they install for
// one person. They are shown to every server, and written by none.
var tools = []string{
	".nvm", ".volta", ".asdf", ".local/share/mise", ".local/share/fnm", ".pyenv", ".rbenv", ".bun/bin", ".deno/bin", ".cargo/bin", ".rustup", "go/bin",
	".local/bin", ".local/lib", ".npm-global", ".local/share/pnpm", ".local/share/pipx", ".local/pipx", ".sdkman", ".jdks", ".dotnet", ".tool-versions", ".nvmrc",
	"miniconda3", "anaconda3", "miniforge3", "mambaforge", ".linuxbrew", "n",
}

// program finds what the command is made of.
func (g *gathering) program() {
	for _, name := range tools {
		if path := filepath.Join(g.Home, name); g.Home != "" && exists(path) {
			g.h.Program = append(g.h.Program, path)
		}
	}
	command, ok := g.found()
	if !ok {
		return
	}
	g.toolchain(command)
	// A wrapper that Python's installers make is run by the Python beside it, which may be a link.
	for _, name := range []string{"python", "python3", "node"} {
		if beside := filepath.Join(filepath.Dir(real(command)), name); exists(beside) {
			g.toolchain(beside)
		}
	}
	if r := real(command); strings.Contains(r, "/node_modules/") || strings.Contains(r, "/.venv/") || strings.Contains(r, "/venv/") {
		g.script(r)
	}
}

// found is the file that the command is.
func (g *gathering) found() (string, bool) {
	name := g.s.Command
	if strings.ContainsRune(name, '/') || name == "~" {
		return g.absolute(name, g.dir())
	}
	for _, folder := range filepath.SplitList(g.Path) {
		file := filepath.Join(folder, name)
		if info, err := os.Stat(file); filepath.IsAbs(folder) && err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
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

// markers are files by which the root of a program's sources is known.
var markers = []string{"package.json", "pyproject.toml", "setup.py", "requirements.txt", "go.mod", "Cargo.toml", "deno.json", "Gemfile", "pyvenv.cfg", ".git"}

// script shows a file that an interpreter runs with the package it belongs to: what it loads lies there.
func (g *gathering) script(path string) {
	for _, path := range []string{path, real(path)} {
		if what, kind := g.judge(path); g.ours(path) || kind == places.Secret {
			g.refuse(path, what)
			continue
		}
		if at := strings.Index(path, "/node_modules/"); at > 0 {
			g.h.Program = append(g.h.Program, path[:at+len("/node_modules")])
			g.own(path)
			continue
		}
		g.h.Program = append(g.h.Program, g.root(path))
	}
}

// own finds the installed package that a file belongs to: small servers keep what they remember beside
// their code. It is written where it is not the system's.
func (g *gathering) own(path string) {
	at := strings.LastIndex(path, "/node_modules/") + len("/node_modules/")
	parts := strings.Split(path[at:], "/")
	n := 1
	if strings.HasPrefix(parts[0], "@") {
		n = 2
	}
	if len(parts) <= n || slices.ContainsFunc(readable, func(r string) bool { return within(path, r) }) {
		return
	}
	g.h.Package = path[:at] + strings.Join(parts[:n], "/")
}

// root is the folder of the sources that a file belongs to, or the file alone where its folder holds
// more than a program.
func (g *gathering) root(path string) string {
	dir := filepath.Dir(path)
	if g.tooWide(dir) {
		return path
	}
	for at := dir; !g.tooWide(at); at = filepath.Dir(at) {
		if slices.ContainsFunc(markers, func(name string) bool { return exists(filepath.Join(at, name)) }) {
			return at
		}
	}
	return dir
}

// tooWide reports whether a folder holds more than one program or project.
func (g *gathering) tooWide(dir string) bool {
	return dir == "/" || slices.Contains(g.closed, dir) || g.Home != "" && within(g.Home, dir) || g.keeps(dir) ||
		slices.ContainsFunc(g.closed, func(c string) bool { return within(c, dir) })
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// real is a path with its links followed, itself where that fails.
func real(path string) string {
	if r, err := filepath.EvalSymlinks(path); err == nil {
		return r
	}
	return path
}

// widening are options of docker and its kin with which a container is no border.
var widening = []string{
	"--privileged", "--pid", "--ipc", "--uts", "--userns", "--cap-add", "--device", "--security-opt", "--volumes-from", "--cgroupns", "--cgroup-parent", "--runtime", "--gpus",
}

// container is the name of the program that starts the server in a container, "" when none does, or when
// its options open the container.
func (g *gathering) container() string {
	name := filepath.Base(g.s.Command)
	if !slices.Contains([]string{"docker", "podman", "nerdctl"}, name) || len(g.s.Args) == 0 || g.s.Args[0] != "run" {
		return ""
	}
	// One that lies where the person or a server can write may be anything.
	if command, ok := g.found(); !ok || slices.ContainsFunc(g.closed, func(c string) bool { return within(real(command), c) }) {
		return ""
	}
	for i, arg := range g.s.Args {
		option, value, _ := strings.Cut(arg, "=")
		if slices.Contains(widening, option) {
			g.note("%s opens the container, so that it is no border: the server runs in Sextant's sandbox, where %s does not reach its service. To run it all the same, switch its sandbox off.", option, name)
			return ""
		}
		if value == "" && i+1 < len(g.s.Args) {
			value = g.s.Args[i+1]
		}
		if !slices.Contains([]string{"-v", "--volume", "--mount"}, option) {
			continue
		}
		source := mountedFrom(option, value)
		path, ok := g.absolute(source, "")
		if !ok {
			continue // a volume of its own
		}
		if _, kind := g.judge(path); kind == places.Secret || g.ours(path) || g.tooWide(path) || strings.HasSuffix(path, ".sock") {
			g.note("The container is given %s, so that it is no border: the server runs in Sextant's sandbox, where %s does not reach its service. To run it all the same, switch its sandbox off.", path, name)
			return ""
		}
	}
	return name
}

// mountedFrom is the path of this machine that a container is given.
func mountedFrom(option, value string) string {
	if option != "--mount" {
		source, _, _ := strings.Cut(value, ":")
		return source
	}
	for _, part := range strings.Split(value, ",") {
		if key, v, _ := strings.Cut(part, "="); key == "src" || key == "source" {
			return v
		}
	}
	return ""
}
