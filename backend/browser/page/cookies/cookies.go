// Package cookies chooses the cookies of a browser that certain hosts get.
package cookies

import (
	"net"
	"strings"

	"github.com/go-rod/rod/lib/proto"
)

// For returns copies of the cookies that a browser would send to hosts (host or host:port), each for its host only.
func For(hosts []string, all []*proto.NetworkCookie) []*proto.NetworkCookieParam {
	var copies []*proto.NetworkCookieParam
	for _, host := range hosts {
		for _, cookie := range all {
			if cookieFits(cookie.Domain, host) {
				copies = append(copies, cookieOf(cookie, host))
			}
		}
	}
	return copies
}

// cookieOf returns a cookie that is sent to host only, not to its subdomains or to other hosts of the cookie's domain.
func cookieOf(cookie *proto.NetworkCookie, host string) *proto.NetworkCookieParam {
	param := proto.CookiesToParams([]*proto.NetworkCookie{cookie})[0]
	param.Domain, param.URL = "", "http://"+host
	if cookie.Secure {
		param.URL = "https://" + host
	}
	return param
}

// cookieFits reports whether a browser would send a cookie with this domain to host. A domain that begins with a dot
// includes its subdomains.
func cookieFits(domain, host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if parent, ok := strings.CutPrefix(domain, "."); ok {
		return host == parent || strings.HasSuffix(host, domain)
	}
	return host == domain
}
