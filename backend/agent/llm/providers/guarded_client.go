package providers

import (
	"net"
	"net/http"
	"net/url"
	"time"

	"sextant/backend/sandbox/egress"
)

// guardedClient is an HTTP client for configured addresses. Inside private networks, its own egress guard opens only
// these and their proxy, so tools cannot reach them through a model's setting. It follows no redirect.
type guardedClient struct {
	guard  *egress.Guard
	client *http.Client
}

// newGuardedClient opens the hosts of the configured addresses at guard. proxy may be nil. A proxy that the
// environment names for the address to is opened too, because a person configured it.
func newGuardedClient(
	guard *egress.Guard,
	proxy func(*http.Request) (*url.URL, error),
	to string,
	configured ...string,
) *guardedClient {
	for _, base := range configured {
		// Opening a model reports an invalid address.
		if u, err := url.Parse(base); err == nil && u.Host != "" {
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
		// Redirects are not followed, so that a key goes only to the configured address.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// withPort returns the host of u with its port, even the default one, so that only that port is opened.
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
	_ = g.guard.Close() // cannot fail: the guard runs no proxy
}
