package grants

import (
	"path/filepath"
	"slices"
	"strings"

	"sextant/backend/guard/places"
)

// Options of docker and its kin that leave a container a border: those that stand alone, those with a
// value, and those with a value that is looked at. Whatever else there is, is taken for one that opens it.
var (
	plainSwitches = []string{
		"--rm", "--init", "-i", "--interactive", "-t", "--tty", "-d", "--detach", "--read-only", "-q", "--quiet", "--sig-proxy", "--no-healthcheck", "-P", "--publish-all", "--help",
	}
	plainOptions = []string{
		"--name", "-e", "--env", "-l", "--label", "--entrypoint", "-w", "--workdir", "-u", "--user", "--platform", "--pull", "-m", "--memory", "--memory-swap", "--memory-reservation",
		"--cpus", "-c", "--cpu-shares", "--cpuset-cpus", "--cap-drop", "--tmpfs", "--shm-size", "-h", "--hostname", "--add-host", "--dns", "--dns-search", "--stop-timeout", "--stop-signal",
		"--ulimit", "--pids-limit", "--log-driver", "--log-opt", "--restart", "-p", "--publish", "--expose", "-a", "--attach", "--ip", "--ip6", "--network-alias", "--oom-score-adj",
	}
	lookedAt = []string{"-v", "--volume", "--mount", "--env-file", "--network", "--net", "--security-opt"}
)

// harmless are files of the system that containers are given to know the time and whom to trust.
var harmless = []string{"/etc/localtime", "/etc/timezone", "/usr/share/zoneinfo"}

// gateway are options of docker's own gateway, which starts servers in containers.
var gateway = []string{
	"--servers", "--transport", "--verify-signatures", "--log-calls", "--log", "--block-secrets", "--block-network", "--profile", "--tools", "--enable-all-servers", "--memory", "--cpus",
	"--verbose", "--long-lived", "--dry-run", "--watch", "--port", "--keep",
}

// container is the name of the program that starts the server in a container, "" when none does, or when
// its options open the container.
func (g *gathering) container() string {
	name := filepath.Base(g.s.Command)
	if !slices.Contains([]string{"docker", "podman", "nerdctl"}, name) {
		return ""
	}
	// One that lies where the person or a server can write may be anything.
	command, ok := g.found()
	why := ""
	switch {
	case !ok:
		return ""
	case g.isClosed(real(command)):
		why = command + " lies where programs are changed without a password"
	default:
		why = g.opens(g.s.Args)
	}
	if why == "" {
		return name
	}
	g.h.Opened = why + ", so that " + name + " may be no border: the server runs in Sextant's sandbox, where " + name + " does not reach its service. To run it all the same, switch its sandbox off (sextant.confine \"off\")."
	g.h.Notes = append(g.h.Notes, g.h.Opened)
	return ""
}

// opens says what of a command line opens the container, "" when nothing does.
func (g *gathering) opens(args []string) string {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		option, _, joined := strings.Cut(args[0], "=")
		if !slices.Contains([]string{"--context", "-c", "--log-level", "-l", "--debug", "-D"}, option) {
			return option + " is not known to leave the container closed"
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
		return g.options(args[0], args[1:])
	case len(args) > 2 && args[0] == "mcp" && args[1] == "gateway" && args[2] == "run":
		for _, arg := range args[3:] {
			if option, _, _ := strings.Cut(arg, "="); strings.HasPrefix(arg, "-") && !slices.Contains(gateway, option) {
				return option + " is not known to leave the containers closed"
			}
		}
		return ""
	case len(args) == 0:
		return "It starts no container"
	}
	return "What it does is not known to run in a container: " + args[0]
}

// options judges those before the image, or before the container that exec names.
func (g *gathering) options(verb string, args []string) string {
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg == "--" || arg == "-" || !strings.HasPrefix(arg, "-") {
			return ""
		}
		option, value, joined := strings.Cut(arg, "=")
		if !strings.HasPrefix(arg, "--") {
			// Switches of one letter go before another option in one word: -itv /a:/b.
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
		case slices.Contains(lookedAt, option) && (verb == "run" || option == "--env-file"):
			if why := g.looked(option, value); why != "" {
				return why
			}
		case !slices.Contains(plainOptions, option):
			return option + " is not known to leave the container closed"
		}
	}
	return ""
}

// looked judges an option by its value.
func (g *gathering) looked(option, value string) string {
	switch option {
	case "--network", "--net":
		if value == "host" || strings.Contains(value, ":") || strings.Contains(value, "=") {
			return option + "=" + value + " gives it the network of something else"
		}
		return ""
	case "--security-opt":
		if value != "no-new-privileges" && value != "no-new-privileges:true" && value != "no-new-privileges=true" {
			return option + "=" + value + " is not known to leave the container closed"
		}
		return ""
	case "--mount":
		return g.mounted(value)
	case "--env-file":
		return g.given(value)
	}
	source, _, pair := strings.Cut(value, ":")
	if !pair {
		return "" // a volume of its own
	}
	return g.given(source)
}

// mounted judges the value of --mount.
func (g *gathering) mounted(value string) string {
	kind, source := "volume", ""
	for _, part := range strings.Split(value, ",") {
		key, v, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch key {
		case "type":
			kind = v
		case "src", "source":
			source = v
		case "dst", "destination", "target", "ro", "readonly", "volume-nocopy", "tmpfs-size", "tmpfs-mode", "consistency":
		default:
			return "--mount with " + key + " is not known to leave the container closed"
		}
	}
	if !slices.Contains([]string{"bind", "volume", "tmpfs"}, kind) {
		return "--mount of type " + kind + " is not known to leave the container closed"
	}
	if source == "" {
		return ""
	}
	return g.given(source)
}

// given judges a path of this machine that a container gets; a name alone is a volume's.
func (g *gathering) given(source string) string {
	if strings.ContainsAny(source, "$`") {
		return "Of " + source + " it is not known which folder that is"
	}
	path, ok := g.absolute(source, g.dir())
	if !ok || isRelative(source) && !strings.ContainsAny(source, "/.") {
		return ""
	}
	if slices.ContainsFunc(harmless, func(h string) bool { return within(path, h) }) {
		return ""
	}
	// What lies outside of the closed folders is the system's: as root of the container it would be changed.
	if _, kind := g.judge(path); kind != places.Ordinary || g.ours(path) || g.tooWide(path) || g.isTool(path) || !g.isClosed(real(path)) || strings.HasSuffix(path, ".sock") {
		return "The container is given " + path
	}
	return ""
}
