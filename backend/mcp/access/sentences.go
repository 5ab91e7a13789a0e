package access

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"sextant/shared/subpath"
)

// Sentences describes the permissions in sentences, for a person who decides about the server.
func (p Permissions) Sentences() []string {
	if p.Unsandboxed {
		return append([]string{"You switched its sandbox off. It runs as you: it can read and change all your files " +
			"and see your other programs."}, p.Notes...)
	}
	if p.Container != "" {
		words := []string{
			"It runs in a container of " + p.Container + ", not in Sextant's sandbox. The container's options decide " +
				"what it can access.",
		}
		return append(words, p.Notes...)
	}
	words := []string{p.networkWords()}
	if len(p.Write) > 0 {
		words = append(words, "It can read and change "+p.describe(p.Write)+".")
	}
	if len(p.Read) > 0 {
		words = append(words, "It can read "+p.describe(p.Read)+".")
	}
	if len(p.sources) > 0 {
		words = append(words, "It can read its own program files: "+p.describe(p.sources)+".")
	}
	if p.Package != "" {
		words = append(words, "It can change its own package in "+p.Package+".")
	}
	rest := "It has its own folder and can run installed programs. " +
		"It cannot read the rest of your home folder or see your other programs."
	return append(append(words, rest), p.Notes...)
}

func (p Permissions) networkWords() string {
	switch {
	case p.AllowsAnyHost():
		return "It can reach the whole network, including this machine and your local network."
	case len(p.Network) == 0:
		return "It cannot reach the network."
	}
	return "It can reach " + strings.Join(p.Network, ", ") + " and no other host."
}

// AllowsAnyHost reports whether the server may reach the whole network.
func (p Permissions) AllowsAnyHost() bool {
	return slices.Contains(p.Network, anyHost)
}

func (p Permissions) describe(paths []string) string {
	const most = 8
	all := make([]string, 0, len(paths))
	for i, path := range paths {
		if i == most {
			all = append(all, fmt.Sprintf("and %d more", len(paths)-most))
			break
		}
		if description := p.secretPaths[path]; description != "" {
			path += " (" + description + ")"
		}
		all = append(all, path)
	}
	return strings.Join(all, ", ")
}

// ReadsAll reports whether the server may read the whole folder home.
func (p Permissions) ReadsAll(home string) bool {
	return slices.ContainsFunc(slices.Concat(p.Read, p.Write), func(path string) bool {
		return subpath.IsWithin(home, path)
	})
}

var (
	refusalPattern = regexp.MustCompile(`EACCES|EPERM|EROFS|(?i:permission denied|read-only file system|operation not permitted)`)
	absencePattern = regexp.MustCompile(`ENOENT|(?i:no such file or directory|does not exist|not found|cannot access|could not be found)`)
	pathPattern    = regexp.MustCompile(`['"\x60]?(/[^\s'"\x60:;,)<>]+(?: [^\s'"\x60:;,)<>]*/[^\s'"\x60:;,)<>]+)*)`)
	networkErrors  = regexp.MustCompile(`ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|(?i:getaddrinfo|could not resolve|name resolution|network is unreachable|proxy)`)
	socketPattern  = regexp.MustCompile(`(?i)\b(listen|socket|connect|bind)\b.*(EPERM|EACCES|operation not permitted)|AF_UNIX|unix domain socket`)
	browserPattern = regexp.MustCompile(`(?i)No usable sandbox|zygote_host_impl|move to new namespace|Failed to launch the browser|browserType\.launch|SUID sandbox|Target page, context or browser has been closed`)
	dockerPattern  = regexp.MustCompile(`(?i)docker\.sock|docker daemon|podman\.sock`)
)

// MissingGrant guesses from a server's output what its sandbox keeps from it, and returns sentences about that, or
// "" if nothing suggests it. The output is the server's: a path in it is shown to the person, never granted.
func (p Permissions) MissingGrant(output string) string {
	if p.Unsandboxed || p.Container != "" {
		return ""
	}
	if len(output) > 8000 {
		output = output[len(output)-8000:]
	}
	const where = " of this server's entry in mcp-config.json"
	if browserPattern.MatchString(output) {
		return "It starts a browser, whose own sandbox often fails inside Sextant's. Start the browser without it " +
			"(usually " +
			"--no-sandbox), or, if you trust the server, switch its sandbox off: sextant.confine \"off\"" + where + "."
	}
	for line := range strings.Lines(output) {
		refused, absent := refusalPattern.MatchString(line), absencePattern.MatchString(line)
		switch {
		case dockerPattern.MatchString(line) && p.ContainerProblem != "":
			return p.ContainerProblem
		case dockerPattern.MatchString(line):
			return "The sandbox hides docker's socket, because it gives control of the whole machine. If you trust " +
				"the server, switch its sandbox off."
		case refused && socketPattern.MatchString(line):
			return "It needs local sockets, which the sandbox of this machine does not allow. If you trust the " +
				"server, switch its sandbox off: sextant.confine \"off\"" + where + "."
		case !refused && !absent:
			continue
		}
		for _, found := range pathPattern.FindAllStringSubmatch(line, 4) {
			path := found[1]
			_, err := os.Lstat(path)
			switch {
			case len(path) < 2 || p.covers(p.Write, path) || strings.Contains(path, "/.npm/") ||
				strings.Contains(path, "/.cache/"): // its own
			case refused:
				return "The sandbox does not let it write " + path + ". To allow it, add that path or its folder to " +
					"sextant.grants.write" + where + "."
			case err == nil && !p.covers(slices.Concat(p.Read, p.Program), path) && !isSystem(path):
				return "The sandbox does not let it read " + path + ". To allow it, add that path to " +
					"sextant.grants.read" + where + "."
			}
		}
	}
	if !p.AllowsAnyHost() && networkErrors.MatchString(output) {
		granted := "some hosts only"
		if len(p.Network) == 0 {
			granted = "no network"
		}
		return "It was granted " + granted + ". Add the hosts it needs to sextant.grants.network" + where +
			`, or ["*"] for all.`
	}
	return ""
}

func (p Permissions) covers(list []string, path string) bool {
	return slices.ContainsFunc(list, func(g string) bool { return subpath.IsWithin(path, g) })
}
