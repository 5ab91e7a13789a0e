package confine

import (
	"os"
	"slices"
	"strings"
)

// inheritedVars are the environment variables that a run inherits, besides LC_*. Most others may contain a key, load
// code into programs (LD_PRELOAD, BASH_ENV, NODE_OPTIONS) or name a socket (SSH_AUTH_SOCK, DISPLAY,
// DBUS_SESSION_BUS_ADDRESS).
var inheritedVars = []string{
	"PATH", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "SHELL",
	"GOPATH", "GOROOT", "GOFLAGS", "GOTOOLCHAIN", "GOMODCACHE", "CARGO_HOME", "RUSTUP_HOME", "JAVA_HOME", "NVM_DIR",
	"NVM_BIN",
	"PYENV_ROOT", "VIRTUAL_ENV", "CONDA_PREFIX", "GEM_HOME", "PNPM_HOME", "BUN_INSTALL", "DENO_INSTALL", "SDKMAN_DIR",
	"SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "GIT_SSL_CAINFO",
}

// networkVars are inherited with any network. proxyVars may contain a password and are inherited only with the
// machine's network.
var (
	networkVars = []string{"GOPROXY", "GONOSUMDB", "GOSUMDB"}
	proxyVars   = []string{"http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"}
)

func cleanEnv(from []string, home, tmp string, network, proxied bool, more []string) []string {
	env := map[string]string{"PATH": "/usr/local/bin:/usr/bin:/bin"}
	for _, pair := range from {
		name, value, _ := strings.Cut(pair, "=")
		if slices.Contains(inheritedVars, name) || strings.HasPrefix(name, "LC_") || (network || proxied) &&
			slices.Contains(networkVars, name) ||
			network && slices.Contains(proxyVars, name) {
			env[name] = value
		}
	}
	env["HOME"], env["TMPDIR"], env["TERM"] = home, tmp, "dumb"
	env["GIT_TERMINAL_PROMPT"], env["GIT_PAGER"], env["PAGER"] = "0", "cat", "cat"
	for _, pair := range more {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	list := make([]string, 0, len(env))
	for name, value := range env {
		list = append(list, name+"="+value)
	}
	slices.Sort(list)
	return list
}

func mergeEnv(env, more []string) []string {
	merged := slices.DeleteFunc(slices.Clone(env), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.ContainsFunc(more, func(m string) bool { return strings.HasPrefix(m, name+"=") })
	})
	return append(merged, more...)
}

func withProxyVars(env []string, address string) []string {
	env = slices.Clone(env)
	set := func(name, value string) {
		if !slices.ContainsFunc(env, func(pair string) bool { return strings.HasPrefix(pair, name+"=") }) {
			env = append(env, name+"="+value)
		}
	}
	for _, name := range []string{
		"http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
		"CARGO_HTTP_PROXY", "YARN_HTTP_PROXY", "YARN_HTTPS_PROXY",
	} {
		set(name, "http://"+address)
	}
	// Servers that the command itself starts are in the run's own network.
	for _, name := range []string{"no_proxy", "NO_PROXY"} {
		set(name, "localhost,127.0.0.1,::1")
	}
	set("NODE_USE_ENV_PROXY", "1")
	return env
}

func envValue(env []string, name string) string {
	for _, pair := range env {
		if n, v, ok := strings.Cut(pair, "="); ok && n == name {
			return v
		}
	}
	return ""
}

// lookPath finds a program in the PATH of env. A name with a slash is returned unchanged.
func lookPath(name string, env []string) (string, bool) {
	if strings.Contains(name, "/") {
		return name, true
	}
	for _, dir := range strings.Split(envValue(env, "PATH"), ":") {
		if !strings.HasPrefix(dir, "/") {
			continue // a relative folder would depend on the working folder
		}
		path := dir + "/" + name
		if info, err := os.Stat(path); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return path, true
		}
	}
	return "", false
}
