package web

import (
	"fmt"
	"net/url"
	"strings"

	"sextant/backend/policy"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

const maxAddress = 8192

// parse normalizes the host as the policy does and removes the fragment.
func parse(raw string) (*url.URL, *toolspec.Result) {
	bad := func(why string) (*url.URL, *toolspec.Result) {
		r := toolspec.Fail(toolspec.ValidationError, why, "Send a whole address such as https://example.com/page.")
		return nil, &r
	}
	raw = strings.TrimSpace(raw)
	if len(raw) > maxAddress {
		return bad(fmt.Sprintf("the address is longer than %d characters", maxAddress))
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return bad("that is not an address")
	case u.Scheme != "http" && u.Scheme != "https":
		return bad("the address must begin with http:// or https://")
	case u.Opaque != "" || u.Hostname() == "":
		return bad("the address has no host")
	}
	name := policy.NormalizeHost(u.Hostname())
	if name == "?" {
		return bad(fmt.Sprintf("%q is not a host", u.Hostname()))
	}
	u.Host = joinHost(name, u.Port())
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

func joinHost(host, port string) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" {
		host += ":" + port
	}
	return host
}

func hosts(u *url.URL) []string { return []string{policy.NormalizeHost(u.Host)} }

// shortAddress leaves out the query, which may be secret.
func shortAddress(u *url.URL) string {
	path := u.EscapedPath()
	if path == "/" {
		path = ""
	}
	return u.Host + excerpt.Line(path, 60)
}

func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

func sameHost(a, b *url.URL) bool { return policy.HostMatchesExactly(a.Host, []string{b.Host}) }
