// Package addressbar turns what people type into an address bar into an absolute http or https URL or about:blank.
package addressbar

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"

	"sextant/backend/toolkit"
	"sextant/shared/excerpt"
)

const maxLength = 8192

// Resolve returns the URL for the text typed. A word known to alias becomes its address, "shop.example" gets https://,
// and localhost and bare IP addresses get http://. For text that is not a web address, such as a single word, Resolve
// returns a *toolkit.CallError.
func Resolve(typed string, alias func(word string) (url string, ok bool)) (string, error) {
	s := strings.TrimSpace(typed)
	if s == "" {
		return "", toolkit.ValidationError("the address is empty", `send {"url":"https://example.com"}`)
	}
	if len(s) > maxLength {
		return "", toolkit.ValidationError(
			fmt.Sprintf("the address is %d characters long, more than %d", len(s), maxLength),
			"send a shorter address")
	}
	if to, ok := alias(strings.ToLower(s)); ok {
		return to, nil
	}
	if strings.EqualFold(s, "about:blank") {
		return "about:blank", nil
	}
	if strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return "", notAnAddress(s)
	}
	scheme, absolute := schemeOf(s)
	if !absolute {
		s = defaultScheme(s) + "://" + strings.TrimPrefix(s, "//")
	} else if scheme != "http" && scheme != "https" {
		return "", toolkit.ValidationError(fmt.Sprintf("%s: addresses cannot be opened", scheme),
			"send an address that begins with https:// or http://")
	}
	u, err := url.Parse(s)
	if err != nil || u.Hostname() == "" || strings.ContainsAny(u.Host, `<>"{}|\^`) || !absolute &&
		!plausibleHost(u.Hostname()) {
		return "", notAnAddress(typed)
	}
	if u.User != nil {
		return "", toolkit.ValidationError("the address contains a user name or password",
			"send the address without it")
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	if u.Path == "" {
		u.Path = "/"
	}
	return u.String(), nil
}

func notAnAddress(s string) error {
	return toolkit.ValidationError(fmt.Sprintf("%q is not a web address", excerpt.TruncateRunes(s, 80)),
		`send a whole address such as {"url":"https://example.com"}`)
}

// "localhost:8080" and "shop.example:443/x" have no scheme.
func schemeOf(s string) (scheme string, ok bool) {
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
	scheme = strings.ToLower(before)
	if strings.HasPrefix(after, "//") {
		return scheme, true
	}
	port := after
	if i := strings.IndexAny(port, "/?#"); i >= 0 {
		port = port[:i]
	}
	if port != "" && strings.Trim(port, "0123456789") == "" && !isScheme(scheme) {
		return "", false
	}
	return scheme, true
}

func isScheme(word string) bool {
	switch word {
	case "javascript", "data", "file", "chrome", "about", "blob", "mailto", "tel", "http", "https", "ws", "wss", "ftp",
		"view-source":
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
	if isLocalhostOrIP(strings.Trim(host, "[]")) {
		return "http"
	}
	return "https"
}

// A single word is more likely a search than a host.
func plausibleHost(host string) bool {
	if isLocalhostOrIP(host) {
		return true
	}
	before, after, ok := strings.Cut(host, ".")
	return ok && before != "" && strings.Trim(after, ".") != ""
}

func isLocalhostOrIP(host string) bool {
	host = strings.ToLower(host)
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	_, err := netip.ParseAddr(host)
	return err == nil
}
