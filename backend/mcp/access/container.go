package access

import (
	"path/filepath"
	"slices"
	"strings"

	"sextant/backend/policy/protectedpaths"
	"sextant/shared/subpath"
)

// These options of docker, podman and nerdctl keep a container isolated; checkedOptions do with some values. Any
// other option is assumed to weaken the isolation.
var (
	plainSwitches = []string{
		"--rm", "--init", "-i", "--interactive", "-t", "--tty", "-d", "--detach", "--read-only", "-q", "--quiet",
		"--sig-proxy", "--no-healthcheck", "-P", "--publish-all", "--help",
	}
	plainOptions = []string{
		"--name", "-e", "--env", "-l", "--label", "--entrypoint", "-w", "--workdir", "-u", "--user", "--platform",
		"--pull", "-m", "--memory", "--memory-swap", "--memory-reservation",
		"--cpus", "-c", "--cpu-shares", "--cpuset-cpus", "--cap-drop", "--tmpfs", "--shm-size", "-h", "--hostname",
		"--add-host", "--dns", "--dns-search", "--stop-timeout", "--stop-signal",
		"--ulimit", "--pids-limit", "--log-driver", "--log-opt", "--restart", "-p", "--publish", "--expose", "-a",
		"--attach", "--ip", "--ip6", "--network-alias", "--oom-score-adj",
	}
	checkedOptions = []string{"-v", "--volume", "--mount", "--env-file", "--network", "--net", "--security-opt"}
)

var harmlessPaths = []string{"/etc/localtime", "/etc/timezone", "/usr/share/zoneinfo"}

// gatewayOptions are the accepted options of docker's MCP gateway, which starts servers in containers.
var gatewayOptions = []string{
	"--servers", "--transport", "--verify-signatures", "--log-calls", "--log", "--block-secrets", "--block-network",
	"--profile", "--tools", "--enable-all-servers", "--memory", "--cpus",
	"--verbose", "--long-lived", "--dry-run", "--watch", "--port", "--keep",
}

// container returns "" and sets ContainerProblem if the container may not be isolated.
func (g *resolver) container() string {
	name := filepath.Base(g.server.Command)
	if !slices.Contains([]string{"docker", "podman", "nerdctl"}, name) {
		return ""
	}
	// A program that the person or a server can replace may be anything.
	command, ok := g.commandFile()
	why := ""
	switch {
	case !ok:
		return ""
	case g.isClosed(resolveLinks(command)):
		why = command + " can be replaced without a password"
	default:
		why = g.whyNotIsolated(g.server.Args)
	}
	if why == "" {
		return name
	}
	g.perms.ContainerProblem = why +
		", so the container may not be isolated. The server runs in Sextant's sandbox instead, where " +
		name + " cannot reach its service. To run it in the container, switch its sandbox off (sextant.confine " +
		"\"off\")."
	g.perms.Notes = append(g.perms.Notes, g.perms.ContainerProblem)
	return ""
}

func (g *resolver) whyNotIsolated(args []string) string {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		option, _, joined := strings.Cut(args[0], "=")
		if !slices.Contains([]string{"--context", "-c", "--log-level", "-l", "--debug", "-D"}, option) {
			return option + " is not known to keep the container isolated"
		}
		args = args[1:]
		if !joined && option != "--debug" && option != "-D" && len(args) > 0 {
			args = args[1:]
		}
	}
	if len(args) > 1 && args[0] == "container" {
		args = args[1:]
	}
	switch {
	case len(args) > 0 && (args[0] == "run" || args[0] == "exec"):
		return g.checkOptions(args[0], args[1:])
	case len(args) > 2 && args[0] == "mcp" && args[1] == "gateway" && args[2] == "run":
		for _, arg := range args[3:] {
			if option, _, _ := strings.Cut(arg, "="); strings.HasPrefix(arg, "-") &&
				!slices.Contains(gatewayOptions, option) {
				return option + " is not known to keep the containers isolated"
			}
		}
		return ""
	case len(args) == 0:
		return "It starts no container"
	}
	return "This is not known to run in a container: " + args[0]
}

func (g *resolver) checkOptions(verb string, args []string) string {
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg == "--" || arg == "-" || !strings.HasPrefix(arg, "-") {
			return ""
		}
		option, value, joined := strings.Cut(arg, "=")
		if !strings.HasPrefix(arg, "--") {
			// One-letter switches may be joined with another option: -itv /a:/b.
			letters := arg[1:]
			for len(letters) > 1 && slices.Contains(plainSwitches, "-"+letters[:1]) && letters[1] != '=' {
				letters = letters[1:]
			}
			option, value, joined = "-"+letters[:1], strings.TrimPrefix(letters[1:], "="), len(letters) > 1
		}
		if slices.Contains(plainSwitches, option) {
			continue
		}
		if !joined && len(args) > 0 {
			value, args = args[0], args[1:]
		}
		switch {
		case slices.Contains(checkedOptions, option) && (verb == "run" || option == "--env-file"):
			if why := g.checkOption(option, value); why != "" {
				return why
			}
		case !slices.Contains(plainOptions, option):
			return option + " is not known to keep the container isolated"
		}
	}
	return ""
}

func (g *resolver) checkOption(option, value string) string {
	switch option {
	case "--network", "--net":
		if value == "host" || strings.Contains(value, ":") || strings.Contains(value, "=") {
			return option + "=" + value + " shares another network"
		}
		return ""
	case "--security-opt":
		if value != "no-new-privileges" && value != "no-new-privileges:true" && value != "no-new-privileges=true" {
			return option + "=" + value + " is not known to keep the container isolated"
		}
		return ""
	case "--mount":
		return g.checkMount(value)
	case "--env-file":
		return g.checkPath(value)
	}
	source, _, pair := strings.Cut(value, ":")
	if !pair {
		return "" // a volume of its own
	}
	return g.checkPath(source)
}

func (g *resolver) checkMount(value string) string {
	kind, source := "volume", ""
	for _, part := range strings.Split(value, ",") {
		key, v, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch key {
		case "type":
			kind = v
		case "src", "source":
			source = v
		case "dst", "destination", "target", "ro", "readonly", "volume-nocopy", "tmpfs-size", "tmpfs-mode",
			"consistency":
		default:
			return "--mount with " + key + " is not known to keep the container isolated"
		}
	}
	if !slices.Contains([]string{"bind", "volume", "tmpfs"}, kind) {
		return "--mount of type " + kind + " is not known to keep the container isolated"
	}
	if source == "" {
		return ""
	}
	return g.checkPath(source)
}

// checkPath accepts a bare name, which is a volume.
func (g *resolver) checkPath(source string) string {
	if strings.ContainsAny(source, "$`") {
		return "It is unknown which folder " + source + " is"
	}
	path, ok := g.absolute(source, g.dir())
	if !ok || isRelative(source) && !strings.ContainsAny(source, "/.") {
		return ""
	}
	if slices.ContainsFunc(harmlessPaths, func(h string) bool { return subpath.IsWithin(path, h) }) {
		return ""
	}
	// Everything outside the closed folders belongs to the system, and root in the container could change it.
	_, kind := g.classify(path)
	if kind != protectedpaths.KindOrdinary || g.isOwnData(path) || g.tooBroad(path) || g.isTool(path) ||
		!g.isClosed(resolveLinks(path)) ||
		strings.HasSuffix(path, ".sock") {
		return "The container can access " + path
	}
	return ""
}
