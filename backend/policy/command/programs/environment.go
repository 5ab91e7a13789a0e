package programs

import (
	"slices"
	"strings"
)

// displayVariables are environment variables that are harmless to set: they change output or the target of a build, but
// not where programs look for code.
var displayVariables = []string{
	"LANG", "LANGUAGE", "TZ", "TERM", "COLUMNS", "LINES", "NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "FORCE_COLOR",
	"CI", "DEBUG", "VERBOSE", "GOOS", "GOARCH", "CGO_ENABLED", "GOMAXPROCS", "NODE_ENV", "RUST_BACKTRACE",
	"PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE", "GIT_PAGER_IN_USE", "SOURCE_DATE_EPOCH", "POSIXLY_CORRECT",
	"BLOCK_SIZE", "TIME_STYLE", "QUOTING_STYLE",
}

// IsDisplayVariable reports whether an environment variable is harmless to set, such as one that changes only how
// programs display their output.
func IsDisplayVariable(name string) bool {
	return slices.Contains(displayVariables, name) || strings.HasPrefix(name, "LC_")
}

// VariableAffectsPrograms reports whether an environment variable decides which code other programs run or where they
// look for it.
func VariableAffectsPrograms(name string) bool {
	if slices.Contains([]string{
		"ENV", "IFS", "HOME", "SHELL", "VISUAL", "BROWSER", "PS0", "PS1", "PS2", "PS4", "GLOBIGNORE", "EXECIGNORE",
		"FIGNORE", "PWD", "OLDPWD", "SHELLOPTS", "TMPDIR", "TERMINFO", "DISPLAY", "CC", "CXX", "LD", "AR",
	}, name) {
		return true
	}
	for _, begins := range []string{
		"LD_", "DYLD_", "BASH", "GIT_", "PYTHON", "PERL", "RUBY", "NODE_", "NPM_", "npm_", "JAVA", "_JAVA", "JDK_",
		"LESS", "GCONV", "SSH_", "XDG_", "DBUS_", "MAKE", "CARGO", "RUST", "GO", "SUDO_", "MAN", "ZDOT", "INPUTRC",
		"LOCALE", "MALLOC", "GLIBC", "PIP_", "DOCKER", "KUBE",
	} {
		if strings.HasPrefix(name, begins) {
			return true
		}
	}
	for _, ends := range []string{
		"PATH", "_OPTIONS", "OPTS", "OPT", "PAGER", "EDITOR", "_COMMAND", "_CMD", "_WRAPPER", "PROXY", "proxy",
		"FLAGS", "_RC", "_DIR", "_CONFIG", "ASKPASS", "_SHELL",
	} {
		if strings.HasSuffix(name, ends) {
			return true
		}
	}
	return false
}
