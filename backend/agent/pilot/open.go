package pilot

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
)

func open(g grammar, _ string, ts []token) (step, *trouble) {
	var rest []token
	for _, verb := range []string{"open", "go to", "goto", "visit", "navigate to", "navigate", "browse to", "browse", "load", "take me to"} {
		if r, ok := starts(ts, verb); ok {
			rest = r
			break
		}
	}
	if rest == nil {
		return step{}, nil
	}
	if len(rest) == 0 {
		return need("open takes an address, for example open example.com or open demo.")
	}
	fresh := false
	for _, end := range []string{"in a new tab", "in new tab", "in the new tab"} {
		n := len(strings.Fields(end))
		if len(rest) > n {
			if _, ok := starts(rest[len(rest)-n:], end); ok {
				rest, fresh = rest[:len(rest)-n], true
			}
		}
	}
	url, problem := g.address(rest)
	if problem != nil {
		return step{}, problem
	}
	if fresh {
		return call("browser_tabs", map[string]any{"action": "open", "url": url}), nil
	}
	return call("navigate_page", map[string]any{"url": url}), nil
}

// plainAddress takes an address that stands alone as one to open.
func plainAddress(_ grammar, _ string, ts []token) (step, *trouble) {
	if len(ts) != 1 {
		return step{}, nil
	}
	url, ok := address(ts[0].text)
	if !ok || !strings.Contains(url, ts[0].text) && strings.ContainsAny(ts[0].text, "!?") {
		return step{}, nil
	}
	return call("navigate_page", map[string]any{"url": url}), nil
}

// address reads the address of a command.
func (g grammar) address(ts []token) (string, *trouble) {
	ts = skip(ts, "the a page site website address url at to web")
	switch words(skipEnd(ts, "shop site page website store")) {
	case "demo", "built-in demo", "demo shop":
		return g.demo(), nil
	}
	if len(ts) == 1 {
		if url, ok := address(ts[0].text); ok {
			return url, nil
		}
		return "", &trouble{hint: fmt.Sprintf("%q is not an address. Addresses look like example.com or http://127.0.0.1:8000. Say \"open demo\" for the built-in shop.", short(ts[0].text))}
	}
	return "", &trouble{hint: "open takes one address, for example open example.com or open demo."}
}

// address completes what a person types: "example.com" is https, this machine and private
// addresses are http. False when it is not an address.
func address(typed string) (string, bool) {
	s := strings.TrimRight(strings.Trim(typed, "<>()\"'"), ",;!")
	s = strings.TrimSuffix(s, ".")
	if s == "" || len(s) > 2_000 || strings.ContainsAny(s, " \t\r\n\"<>\\") {
		return "", false
	}
	lower := strings.ToLower(s)
	for _, scheme := range []string{"http://", "https://"} {
		if strings.HasPrefix(lower, scheme) {
			return s, len(s) > len(scheme)
		}
	}
	if lower == "about:blank" {
		return lower, true
	}
	if strings.Contains(s, "://") {
		return s, true // navigate_page knows which schemes it opens and says so
	}
	host, _, _ := strings.Cut(s, "/")
	host, _, _ = strings.Cut(host, "?")
	host, _, _ = strings.Cut(host, "#")
	name, port := host, ""
	if h, p, err := net.SplitHostPort(host); err == nil {
		name, port = h, p
	}
	if port != "" && !digits(port) || strings.Contains(name, "@") {
		return "", false
	}
	ip, err := netip.ParseAddr(strings.Trim(name, "[]"))
	switch {
	case err == nil && (ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast()), strings.EqualFold(name, "localhost"):
		return "http://" + s, true
	case err == nil:
		return "https://" + s, true
	case port != "" && validHost(name) && !strings.Contains(name, "."):
		return "http://" + s, true
	case strings.Contains(name, ".") && validHost(name):
		return "https://" + s, true
	}
	return "", false
}

func digits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// validHost reports whether s could be a host's name: labels of letters, digits and
// hyphens, the last one not a number.
func validHost(s string) bool {
	labels := strings.Split(s, ".")
	for _, l := range labels {
		if l == "" || len(l) > 63 || strings.HasPrefix(l, "-") || strings.HasSuffix(l, "-") {
			return false
		}
		for _, r := range l {
			if r < 0x80 && !(r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
				return false
			}
		}
	}
	return !digits(labels[len(labels)-1])
}
