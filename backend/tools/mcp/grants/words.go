package grants

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// Words say what a server may touch, a sentence each, for a person who decides about it.
func (h Held) Words() []string {
	if h.Off {
		return append([]string{"It runs outside of the sandbox, as you: it reads and changes all your files and sees your other programs. You switched its sandbox off."}, h.Notes...)
	}
	if h.Container != "" {
		words := []string{h.Container + " starts it in a container, outside of Sextant's sandbox. What the container gets stands in its options."}
		return append(words, h.Notes...)
	}
	words := []string{h.network()}
	if len(h.Write) > 0 {
		words = append(words, "It may read and write "+h.list(h.Write)+".")
	}
	if len(h.Read) > 0 {
		words = append(words, "It may read "+h.list(h.Read)+".")
	}
	if len(h.sources) > 0 {
		words = append(words, "It may read what it is made of: "+h.list(h.sources)+".")
	}
	if h.Package != "" {
		words = append(words, "It may write its own package's folder, "+h.Package+".")
	}
	rest := "Beside that it has a folder of its own, and sees installed programs; of your home and your other programs it sees nothing."
	return append(append(words, rest), h.Notes...)
}

func (h Held) network() string {
	switch {
	case h.Everywhere():
		return "It may reach the network: every host, this machine's and your home network's too."
	case len(h.Network) == 0:
		return "It may not reach the network."
	}
	return "It may reach " + strings.Join(h.Network, ", ") + " and no other host."
}

// Everywhere reports whether it may reach all of the network.
func (h Held) Everywhere() bool { return slices.Contains(h.Network, Everywhere) }

func (h Held) list(paths []string) string {
	const most = 8
	all := make([]string, 0, len(paths))
	for i, p := range paths {
		if i == most {
			all = append(all, fmt.Sprintf("and %d more", len(paths)-most))
			break
		}
		if what := h.grave[p]; what != "" {
			p += " (" + what + ")"
		}
		all = append(all, p)
	}
	return strings.Join(all, ", ")
}

// ShowsHome reports whether all of that home is shown to it.
func (h Held) ShowsHome(home string) bool {
	return slices.ContainsFunc(slices.Concat(h.Read, h.Write), func(p string) bool { return within(home, p) })
}

var (
	refusals = regexp.MustCompile(`EACCES|EPERM|EROFS|(?i:permission denied|read-only file system|operation not permitted)`)
	absences = regexp.MustCompile(`ENOENT|(?i:no such file or directory|does not exist|not found|cannot access|could not be found)`)
	aPath    = regexp.MustCompile(`['"\x60]?(/[^\s'"\x60:;,)<>]+(?: [^\s'"\x60:;,)<>]*/[^\s'"\x60:;,)<>]+)*)`)
	unheard  = regexp.MustCompile(`ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|(?i:getaddrinfo|could not resolve|name resolution|network is unreachable|proxy)`)
	sockets  = regexp.MustCompile(`(?i)\b(listen|socket|connect|bind)\b.*(EPERM|EACCES|operation not permitted)|AF_UNIX|unix domain socket`)
	browsers = regexp.MustCompile(`(?i)No usable sandbox|zygote_host_impl|move to new namespace|Failed to launch the browser|browserType\.launch|SUID sandbox|Target page, context or browser has been closed`)
	docker   = regexp.MustCompile(`(?i)docker\.sock|docker daemon|podman\.sock`)
)

// Lacking says which grant a server seems to lack by what it wrote, "" where nothing looks so. The words
// are the server's own: what they name is shown, never granted.
func (h Held) Lacking(said string) string {
	if h.Off || h.Container != "" {
		return ""
	}
	if len(said) > 8000 {
		said = said[len(said)-8000:]
	}
	const where = " of this server's entry in mcp-config.json"
	if browsers.MatchString(said) {
		return "It starts a browser, which puts up walls of its own and often cannot inside of the sandbox. Give it its option to start the browser without those (--no-sandbox), or, where you trust it, run it outside of the sandbox: sextant.confine \"off\"" + where + "."
	}
	for line := range strings.Lines(said) {
		refused, absent := refusals.MatchString(line), absences.MatchString(line)
		switch {
		case docker.MatchString(line) && h.Opened != "":
			return h.Opened
		case docker.MatchString(line):
			return "The sandbox hides docker's socket, which is the key to the whole machine. Where you trust it, switch its sandbox off."
		case refused && sockets.MatchString(line):
			return "The sandbox of this machine gives it no local sockets, which it needs. Where you trust it, run it outside of the sandbox: sextant.confine \"off\"" + where + "."
		case !refused && !absent:
			continue
		}
		for _, found := range aPath.FindAllStringSubmatch(line, 4) {
			path := found[1]
			_, err := os.Lstat(path)
			switch {
			case len(path) < 2 || h.holds(h.Write, path) || strings.Contains(path, "/.npm/") || strings.Contains(path, "/.cache/"): // its own
			case refused:
				return "The sandbox keeps it from writing " + path + ". If it should, name that or its folder under sextant.grants.write" + where + "."
			case err == nil && !h.holds(slices.Concat(h.Read, h.Program), path) && !isSystem(path):
				return "The sandbox does not show it " + path + ". If it should read that, name it under sextant.grants.read" + where + "."
			}
		}
	}
	if !h.Everywhere() && unheard.MatchString(said) {
		return "It was granted " + map[bool]string{true: "no network", false: "some hosts only"}[len(h.Network) == 0] + ". What else it should reach stands under sextant.grants.network" + where + `; ["*"] is all of it.`
	}
	return ""
}

func (h Held) holds(list []string, path string) bool {
	return slices.ContainsFunc(list, func(g string) bool { return within(path, g) })
}
