package providers

import (
	"net"
	"net/http"
	"net/url"
	"time"

	"sextant/backend/sandbox/egress"
)

// guardedClient is an HTTP client for one address, with an egress guard of its own that opens only this
// address inside the private networks. An address configured for a model is thus not open to tools, and no
// response can redirect a request elsewhere.
type guardedClient struct {
	guard  *egress.Guard
	client *http.Client
}

// newGuardedClient opens the hosts of configured at guard. proxy may be nil. The proxy that the environment
// names for to is opened as well, because a person configured it.
func newGuardedClient(
	guard *egress.Guard,
	proxy func(*http.Request) (*url.URL, error),
	to string,
	configured ...string,
) *guardedClient {
	for _, base := range configured {
		if u, err := url.Parse(base); err == nil && u.Host != "" { // otherwise opening a model reports what is wrong
			guard.Allow(withPort(u))
		}
	}
	if u, err := url.Parse(to); err == nil && proxy != nil {
		if through, err := proxy(&http.Request{URL: u}); err == nil && through != nil {
			guard.Allow(withPort(through))
		}
	}
	transport := guard.Transport().Clone()
	transport.Proxy = proxy
	transport.TLSHandshakeTimeout = 10 * time.Second
	transport.IdleConnTimeout = 30 * time.Second
	transport.MaxIdleConnsPerHost = 2
	return &guardedClient{guard: guard, client: &http.Client{
		Transport: transport,
		// Redirects are not followed: a key goes to the configured address and nowhere else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// withPort is the host of u with its port, also if it is the default one, so that only one port is opened.
func withPort(u *url.URL) string {
	port := u.Port()
	switch {
	case port != "":
	case u.Scheme == "https":
		port = "443"
	default:
		port = "80"
	}
	return net.JoinHostPort(u.Hostname(), port)
}

func (g *guardedClient) close() {
	g.client.CloseIdleConnections()
	_ = g.guard.Close() // it runs no proxy, so nothing can fail
}
