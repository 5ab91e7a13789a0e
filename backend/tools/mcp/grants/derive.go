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

// isSystem reports whether a path is one of those; disks that were plugged in are not.
func isSystem(path string) bool {
	in := func(folder string) bool { return within(path, folder) }
	return slices.ContainsFunc(readable, in) && (!slices.ContainsFunc([]string{"/run/media", "/run/mount"}, in) || path == "/run/media" || path == "/run/mount")
}

// devices are those that every program has.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/shm", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd"}

func (g *gathering) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(g.h.Notes, text) {
		g.h.Notes = append(g.h.Notes, text)
	}
}

// derive grants what the entry names.
func (g *gathering) derive(dir string) {
	if g.s.Roots && g.s.Workspace != "" {
		g.folder(g.s.Workspace)
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
			g.below = g.below || isRelative(arg) && exists(path)
			g.use(path, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(g.s.Env)) {
		g.variable(name, g.s.Env[name])
	}
}

// toolVariables name folders of tools, or lists of such; of no use are those whose place the server's own
// home takes.
var (
	toolVariables = []string{
		"NVM_DIR", "NVM_BIN", "VOLTA_HOME", "ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "FNM_DIR", "NODE_HOME", "NPM_CONFIG_PREFIX", "PNPM_HOME", "BUN_INSTALL", "DENO_INSTALL",
		"GOROOT", "CARGO_HOME", "RUSTUP_HOME", "PYENV_ROOT", "PYTHONHOME", "VIRTUAL_ENV", "CONDA_PREFIX", "UV_PROJECT_ENVIRONMENT", "UV_PYTHON", "UV_PYTHON_INSTALL_DIR", "UV_TOOL_DIR",
		"PIPX_HOME", "RBENV_ROOT", "GEM_HOME", "JAVA_HOME", "JDK_HOME", "JRE_HOME", "M2_HOME", "MAVEN_HOME", "GRADLE_HOME", "SDKMAN_DIR", "ANDROID_HOME", "ANDROID_SDK_ROOT", "DOTNET_ROOT",
		"LD_PRELOAD", "HOMEBREW_PREFIX",
	}
	toolLists    = []string{"PATH", "NODE_PATH", "PYTHONPATH", "GOPATH", "GEM_PATH", "CLASSPATH", "LD_LIBRARY_PATH", "MANPATH", "PERL5LIB", "RUBYLIB"}
	notVariables = []string{"HOME", "PWD", "OLDPWD", "SHELL", "TMPDIR", "TMP", "TEMP"}
)

// variable grants what a variable of the entry names.
func (g *gathering) variable(name, value string) {
	upper := strings.ToUpper(name)
	list := strings.HasSuffix(upper, "PATH") && strings.Contains(value, string(filepath.ListSeparator))
	switch {
	case slices.Contains(notVariables, upper) || strings.HasPrefix(upper, "XDG_"):
	case list || slices.Contains(toolLists, upper) || slices.Contains(toolVariables, upper):
		for _, folder := range filepath.SplitList(value) {
			if path, ok := g.absolute(folder, ""); ok && !isSystem(path) && !g.tooWide(path) && exists(path) {
				g.read(path)
			}
		}
	case filepath.IsAbs(value) || strings.HasPrefix(value, "~/"):
		if path, ok := g.absolute(value, ""); ok {
			g.use(path, name)
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
	// A program's own file may be named by a word alone.
	return path, err == nil && (strings.Contains(arg, "/") || info.Mode().IsRegular() && (g.s.Cwd != "" || hasEnding(path, scripts)))
}

// isRelative reports whether a path of the entry is below the folder that it starts in.
func isRelative(text string) bool {
	return !filepath.IsAbs(text) && text != "~" && !strings.HasPrefix(text, "~/") && !strings.HasPrefix(text, "file://")
}

// use grants what the server needs of a path that its entry names; name is the option or variable.
func (g *gathering) use(path, name string) {
	info, err := os.Stat(path)
	if err == nil && info.Mode()&(os.ModeSocket|os.ModeDevice) != 0 && !slices.Contains(devices, path) {
		g.note("%s is a device or the door of another program, which the sandbox shows to no server. A server that needs it runs outside only, with sextant.confine \"off\".", path)
		return
	}
	if path == "/" || isSystem(path) {
		return
	}
	switch {
	case err != nil || isDatabase(path):
		g.beside(path, err == nil)
	case info.IsDir():
		g.folder(path)
	case isScript(path, info):
		g.scripts = append(g.scripts, path)
	case info.Mode().IsRegular():
		if onlyRead(name) {
			g.read(path)
			return
		}
		g.write(path)
	}
}

// beside grants the folder of a file that is made, or has a journal beside it, where the folder holds no
// more than that.
func (g *gathering) beside(path string, there bool) {
	up := filepath.Dir(path)
	switch {
	case isDir(up) && !g.tooWide(up):
		g.folder(up)
	case there:
		g.write(path)
	case isDir(up):
		g.note("%s is not there, and cannot be made from the sandbox in a folder with so much else: make it, or name one in a folder of its own.", path)
	}
}

// folder grants a folder to be read and written.
func (g *gathering) folder(path string) {
	if isSystem(path) || path == "/" {
		return
	}
	if g.isTool(path) {
		g.read(path)
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
	case g.isTool(path):
		g.h.Read = append(g.h.Read, path)
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
	return info.Mode().IsRegular() && (hasEnding(path, scripts) || info.Mode().Perm()&0o111 != 0)
}

func hasEnding(path string, endings []string) bool {
	return slices.Contains(endings, strings.ToLower(filepath.Ext(path)))
}

func isDatabase(path string) bool {
	return hasEnding(path, []string{".db", ".db3", ".sqlite", ".sqlite3", ".duckdb"})
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
