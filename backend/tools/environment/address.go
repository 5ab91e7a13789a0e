package environment

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"sextant/shared/clip"
)

const maxAddress = 8192

// address turns what people type into an absolute http(s) address: "shop.example" gets https://,
// this machine and bare IP addresses get http://, an alias its address. Everything that is not
// http or https is refused here.
func (t *Tools) address(typed string) (string, error) {
	s := strings.TrimSpace(typed)
	if s == "" {
		return "", &argumentError{"the address is empty", `send {"url":"https://example.com"}`}
	}
	if len(s) > maxAddress {
		return "", &argumentError{fmt.Sprintf("the address is %d characters long, more than %d", len(s), maxAddress), "send a shorter address"}
	}
	if to, ok := t.opts.Aliases(strings.ToLower(s)); ok {
		return to, nil
	}
	if strings.EqualFold(s, "about:blank") {
		return "about:blank", nil
	}
	if strings.ContainsFunc(s, func(r rune) bool { return r < 0x20 || r == 0x7f || r == ' ' }) {
		return "", notAddress(s)
	}
	scheme, whole := schemeIn(s)
	if whole {
		if scheme != "http" && scheme != "https" {
			return "", &argumentError{fmt.Sprintf("%s: addresses are not opened here", scheme), "send an address that begins with https:// or http://"}
		}
	} else {
		s = defaultScheme(s) + "://" + strings.TrimPrefix(s, "//")
	}
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" || strings.ContainsAny(u.Host, `<>"{}|\^`) || !whole && !plausible(u.Hostname()) {
		return "", notAddress(typed)
	}
	if u.User != nil {
		return "", &argumentError{"the address holds a user name or password", "send the address without it"}
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String(), nil
}

func notAddress(s string) error {
	return &argumentError{fmt.Sprintf("%q is not a web address", clip.Runes(s, 80)), `send a whole address such as {"url":"https://example.com"}`}
}

// schemeIn finds a scheme before a colon; "localhost:8080" and "shop.example:443/x" have none.
func schemeIn(s string) (string, bool) {
	before, after, ok := strings.Cut(s, ":")
	if !ok || before == "" {
		return "", false
	}
	for i, r := range before {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || !strings.ContainsRune("0123456789+-.", r)) {
			return "", false
		}
	}
	if strings.HasPrefix(after, "//") {
		return strings.ToLower(before), true
	}
	port := after
	if i := strings.IndexAny(port, "/?#"); i >= 0 {
		port = port[:i]
	}
	if port != "" && strings.Trim(port, "0123456789") == "" && !known(before) {
		return "", false
	}
	return strings.ToLower(before), true
}

func known(scheme string) bool {
	switch strings.ToLower(scheme) {
	case "javascript", "data", "file", "chrome", "about", "blob", "mailto", "tel", "http", "https", "ws", "wss", "ftp", "view-source":
		return true
	}
	return false
}

func defaultScheme(s string) string {
	host := s
	if i := strings.IndexAny(host, "/?#"); i >= 0 {
		host = host[:i]
	}
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.ToLower(strings.Trim(host, "[]"))
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return "http"
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return "http"
	}
	return "https"
}

// plausible: a name with a dot, this machine, or an IP address; a lone word is more likely a
// search than an address.
func plausible(host string) bool {
	host = strings.ToLower(host)
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	before, after, ok := strings.Cut(host, ".")
	return ok && before != "" && strings.Trim(after, ".") != ""
}
