package access

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sextant/backend/policy/protectedpaths"
	"sextant/shared/subpath"
)

var systemFolders = []string{
	"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/proc", "/sys", "/dev",
	"/run", "/boot", "/nix", "/snap",
}

// isSystem reports whether a path is in a system folder. Removable disks under /run are not.
func isSystem(path string) bool {
	in := func(folder string) bool { return subpath.IsWithin(path, folder) }
	return slices.ContainsFunc(systemFolders, in) && (!slices.ContainsFunc([]string{"/run/media", "/run/mount"}, in) ||
		path == "/run/media" || path == "/run/mount")
}

var devices = []string{
	"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/shm",
	"/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/fd",
}

func (g *resolver) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !slices.Contains(g.perms.Notes, text) {
		g.perms.Notes = append(g.perms.Notes, text)
	}
}

func (g *resolver) derive(dir string) {
	if g.server.RootsAllowed && g.server.Workspace != "" {
		g.grantFolder(g.server.Workspace)
	}
	for i, arg := range g.server.Args {
		name := ""
		if i > 0 && strings.HasPrefix(g.server.Args[i-1], "-") {
			name = g.server.Args[i-1]
		}
		if strings.HasPrefix(arg, "-") {
			option, value, ok := strings.Cut(arg, "=")
			if !ok {
				continue
			}
			name, arg = option, value
		}
		if path, ok := g.argumentPath(arg, dir); ok {
			g.usesDir = g.usesDir || isRelative(arg) && exists(path)
			g.grantPath(path, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(g.server.Env)) {
		g.grantVariable(name, g.server.Env[name])
	}
}

var (
	toolVariables = []string{
		"NVM_DIR", "NVM_BIN", "VOLTA_HOME", "ASDF_DIR", "ASDF_DATA_DIR", "MISE_DATA_DIR", "FNM_DIR", "NODE_HOME",
		"NPM_CONFIG_PREFIX", "PNPM_HOME", "BUN_INSTALL", "DENO_INSTALL",
		"GOROOT", "CARGO_HOME", "RUSTUP_HOME", "PYENV_ROOT", "PYTHONHOME", "VIRTUAL_ENV", "CONDA_PREFIX",
		"UV_PROJECT_ENVIRONMENT", "UV_PYTHON", "UV_PYTHON_INSTALL_DIR", "UV_TOOL_DIR",
		"PIPX_HOME", "RBENV_ROOT", "GEM_HOME", "JAVA_HOME", "JDK_HOME", "JRE_HOME", "M2_HOME", "MAVEN_HOME",
		"GRADLE_HOME", "SDKMAN_DIR", "ANDROID_HOME", "ANDROID_SDK_ROOT", "DOTNET_ROOT",
		"LD_PRELOAD", "HOMEBREW_PREFIX",
	}
	toolLists = []string{
		"PATH", "NODE_PATH", "PYTHONPATH", "GOPATH", "GEM_PATH", "CLASSPATH", "LD_LIBRARY_PATH",
		"MANPATH", "PERL5LIB", "RUBYLIB",
	}
	ignoredVariables = []string{"HOME", "PWD", "OLDPWD", "SHELL", "TMPDIR", "TMP", "TEMP"}
)

func (g *resolver) grantVariable(name, value string) {
	upper := strings.ToUpper(name)
	list := strings.HasSuffix(upper, "PATH") && strings.Contains(value, string(filepath.ListSeparator))
	switch {
	case slices.Contains(ignoredVariables, upper) || strings.HasPrefix(upper, "XDG_"):
	case list || slices.Contains(toolLists, upper) || slices.Contains(toolVariables, upper):
		for _, folder := range filepath.SplitList(value) {
			if path, ok := g.absolute(folder, ""); ok && !isSystem(path) && !g.tooBroad(path) && exists(path) {
				g.grantRead(path)
			}
		}
	case filepath.IsAbs(value) || strings.HasPrefix(value, "~/"):
		if path, ok := g.absolute(value, ""); ok {
			g.grantPath(path, name)
		}
	}
}

func (g *resolver) argumentPath(arg, dir string) (string, bool) {
	if rest, isURL := strings.CutPrefix(arg, "file://"); isURL {
		arg = rest
	}
	switch {
	case arg == "" || strings.Contains(arg, "://") || strings.ContainsAny(arg, "\n{}"):
		return "", false
	case filepath.IsAbs(arg), arg == "~", strings.HasPrefix(arg, "~/"), arg == ".", arg == "..", strings.HasPrefix(arg,
		"./"), strings.HasPrefix(arg, "../"):
		return g.absolute(arg, dir)
	}
	path, ok := g.absolute(arg, dir)
	if !ok || strings.HasPrefix(arg, "@") {
		return "", false
	}
	info, err := os.Stat(path)
	// A single word can name a file of the program, but never a folder.
	return path, err == nil && (strings.Contains(arg, "/") || info.Mode().IsRegular() &&
		(g.server.Cwd != "" || hasEnding(path, scriptEndings)))
}

func isRelative(text string) bool {
	return !filepath.IsAbs(text) && text != "~" && !strings.HasPrefix(text, "~/") && !strings.HasPrefix(text, "file://")
}

// grantPath gets the option or variable that contained path as name, "" for none.
func (g *resolver) grantPath(path, name string) {
	info, err := os.Stat(path)
	if err == nil && info.Mode()&(os.ModeSocket|os.ModeDevice) != 0 && !slices.Contains(devices, path) {
		g.note("%s is a device or a socket of another program, which the sandbox hides. A server that needs it runs "+
			"only without the sandbox (sextant.confine \"off\").", path)
		return
	}
	if path == "/" || isSystem(path) {
		return
	}
	switch {
	case err != nil || isDatabase(path):
		g.grantParent(path, err == nil)
	case info.IsDir():
		g.grantFolder(path)
	case isScript(path, info):
		g.scripts = append(g.scripts, path)
	case info.Mode().IsRegular():
		if isReadOnlyName(name) {
			g.grantRead(path)
			return
		}
		g.grantWrite(path)
	}
}

// grantParent grants the folder of a file, because the program creates it or a journal beside it.
func (g *resolver) grantParent(path string, fileExists bool) {
	up := filepath.Dir(path)
	switch {
	case isDir(up) && !g.tooBroad(up):
		g.grantFolder(up)
	case fileExists:
		g.grantWrite(path)
	case isDir(up):
		g.note("%s does not exist, and the sandbox does not let the server create it in a folder with other files. "+
			"Create it, or use a folder of its own.", path)
	}
}

func (g *resolver) grantFolder(path string) {
	if isSystem(path) || path == "/" {
		return
	}
	if g.isTool(path) {
		g.grantRead(path)
		return
	}
	if g.protectedFolder(path) {
		g.note("%s contains secrets and files that programs start with: the rest of it is read-only. Grant the "+
			"folders in it that should be writable.", path)
		g.grantRead(path)
		return
	}
	g.grantWrite(path)
}

func (g *resolver) grantWrite(path string) {
	switch description, kind := g.classify(path); {
	case g.inBundle(path):
		g.perms.Read = append(g.perms.Read, path)
	case g.isOwnData(path) || kind == protectedpaths.KindSecret:
		g.refuse(path, description)
	case g.isTool(path):
		g.perms.Read = append(g.perms.Read, path)
	case kind == protectedpaths.KindSensitive:
		g.note("%s is %s, so it is read-only. To make it writable, add it to sextant.grants.write.", path, description)
		g.perms.Read = append(g.perms.Read, path)
	default:
		g.perms.Write = append(g.perms.Write, path)
	}
}

func (g *resolver) grantRead(path string) {
	if description, kind := g.classify(path); g.isOwnData(path) || kind == protectedpaths.KindSecret {
		g.refuse(path, description)
		return
	}
	g.perms.Read = append(g.perms.Read, path)
}

func (g *resolver) refuse(path, description string) {
	if g.isOwnData(path) {
		description = "Sextant's own data"
	}
	g.note("%s is %s. Naming it in an argument does not grant it; add it to sextant.grants if the server should have "+
		"it.", path, description)
}

var scriptEndings = []string{
	".js", ".mjs", ".cjs", ".ts", ".mts", ".tsx", ".py", ".pyz", ".rb", ".jar", ".sh", ".php",
	".lua", ".wasm", ".dll", ".pl", ".exs",
}

func isScript(path string, info fs.FileInfo) bool {
	return info.Mode().IsRegular() && (hasEnding(path, scriptEndings) || info.Mode().Perm()&0o111 != 0)
}

func hasEnding(path string, endings []string) bool {
	return slices.Contains(endings, strings.ToLower(filepath.Ext(path)))
}

func isDatabase(path string) bool {
	return hasEnding(path, []string{".db", ".db3", ".sqlite", ".sqlite3", ".duckdb"})
}

// isReadOnlyName guesses from the name of an option or variable whether its file is only read, such as keys.
func isReadOnlyName(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{
		"config", "cred", "key", "cert", "token", "secret", "pem", "env-file",
		"env_file", "cafile", "ca_bundle",
	},
		func(word string) bool { return strings.Contains(name, word) })
}

func isDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
