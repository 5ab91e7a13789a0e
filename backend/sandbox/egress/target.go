package egress

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"golang.org/x/net/idna"

	"sextant/backend/policy/address"
)

const maxURLBytes = 64 << 10

// target is a normalized host and a port. Port 0 means all ports.
type target struct {
	host string // lower case, ASCII, no trailing dot; IP addresses in netip's format
	port uint16
}

func (t target) String() string {
	if t.port == 0 {
		return t.host
	}
	return net.JoinHostPort(t.host, strconv.Itoa(int(t.port)))
}

func (t target) ip() (netip.Addr, bool) {
	a, err := netip.ParseAddr(t.host)
	return a, err == nil
}

func parseTarget(s string) (target, error) {
	s = strings.TrimSpace(s)
	if strings.Contains(s, "://") {
		u, err := url.Parse(s)
		if err != nil {
			return target{}, fmt.Errorf("%q is not a host; use one such as localhost or 127.0.0.1:8080", s)
		}
		t, blocked := urlTarget(u)
		if blocked != nil {
			return target{}, blocked
		}
		return t, nil
	}
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		host, port = strings.TrimSuffix(strings.TrimPrefix(s, "["), "]"), ""
	}
	return newTarget(host, port)
}

func urlTarget(u *url.URL) (target, *BlockedError) {
	port := map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	if port == "" || u.Opaque != "" {
		shown := u.Scheme + ":"
		if u.Scheme == "" {
			shown = u.String()
		}
		return target{}, &BlockedError{
			Host: shown, Reason: "only http and https addresses are allowed",
			Suggestion: "Write the address with https:// in front.",
		}
	}
	if p := u.Port(); p != "" {
		port = p
	}
	t, err := newTarget(u.Hostname(), port)
	if err != nil {
		return target{}, &BlockedError{
			Host: cmp.Or(u.Host, u.String()), Reason: err.Error(),
			Suggestion: "Write it as in https://example.com/page.",
		}
	}
	return t, nil
}

// newTarget normalizes host as browsers do: names by IDNA, and numbers such as 2130706433, 0x7f.1 or 017700000001 as
// IPv4 addresses (the IPv4 parser of the WHATWG URL standard).
func newTarget(host, port string) (target, error) {
	var t target
	if port != "" {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return t, fmt.Errorf("%q is not a port", port)
		}
		t.port = uint16(n)
	}
	if addr, err := netip.ParseAddr(host); err == nil {
		t.host = addr.Unmap().String()
		return t, nil
	}
	name, err := idna.Lookup.ToASCII(strings.TrimSuffix(host, "."))
	if err != nil {
		// Names with underscores are accepted too. isHostName rejects all other characters.
		name = strings.ToLower(strings.TrimSuffix(host, "."))
	}
	name = strings.TrimSuffix(name, ".")
	if !isHostName(name) {
		return t, fmt.Errorf("%q is not a host", host)
	}
	if !address.EndsInNumber(name) {
		t.host = name
		return t, nil
	}
	addr, ok := address.ParseIPv4(name)
	if !ok {
		return t, fmt.Errorf("%q is not a host", host)
	}
	t.host = addr.String()
	return t, nil
}

func isHostName(name string) bool {
	if name == "" || len(name) > 253 {
		return false
	}
	for _, label := range strings.Split(name, ".") {
		if label == "" || len(label) > 63 {
			return false
		}
		for _, b := range []byte(label) {
			if b != '-' && b != '_' && (b < '0' || b > '9') && (b < 'a' || b > 'z') {
				return false
			}
		}
	}
	return true
}
