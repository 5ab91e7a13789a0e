package web

import (
	"fmt"
	"net/url"
	"strings"

	"sextant/backend/guard/policy"
	"sextant/shared/toolspec"
)

const maxAddress = 8192

// parse reads an http or https address and writes its host the one way that the policy does.
// A nil Result means that it is one.
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
		return bad("that is no address")
	case u.Scheme != "http" && u.Scheme != "https":
		return bad("the address must begin with http:// or https://")
	case u.Opaque != "" || u.Hostname() == "":
		return bad("the address names no host")
	}
	name := policy.Normal(u.Hostname())
	if name == "?" {
		return bad(fmt.Sprintf("%q is no host", u.Hostname()))
	}
	u.Host = joined(name, u.Port())
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// joined is host:port, with the brackets that an IPv6 address needs.
func joined(host, port string) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port != "" {
		host += ":" + port
	}
	return host
}

// hosts are those an address leads to, for the policy.
func hosts(u *url.URL) []string { return []string{policy.Normal(u.Host)} }

// place is an address as a sentence names it: host and path, without what may be secret.
func place(u *url.URL) string {
	path := u.EscapedPath()
	if path == "/" {
		path = ""
	}
	if r := []rune(path); len(r) > 60 {
		path = string(r[:59]) + "…"
	}
	return u.Host + path
}

// origin is where the text of an answer comes from.
func origin(u *url.URL) string { return u.Scheme + "://" + u.Host }

// sameHost reports whether b is the same server as a: the usual ports of http and https are one.
func sameHost(a, b *url.URL) bool { return policy.Typed(a.Host, []string{b.Host}) }
