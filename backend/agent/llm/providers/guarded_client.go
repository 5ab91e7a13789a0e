package providers

import (
	"net"
	"net/http"
	"net/url"
	"time"

	"sextant/backend/guard/egress"
)

// way is how one address is reached: through a guard of its own, at which that address is open and
// nothing else inside of this machine or its networks is. So what a person configured for a model is
// no tool's, and no answer leads a request elsewhere.
type guardedClient struct {
	guard  *egress.Guard
	client *http.Client
}

// newWay opens the hosts of configured at guard. proxy may be nil; the one that the environment names
// for the address to was named by a person too.
func newGuardedClient(guard *egress.Guard, proxy func(*http.Request) (*url.URL, error), to string, configured ...string) *guardedClient {
	for _, base := range configured {
		if u, err := url.Parse(base); err == nil && u.Host != "" { // else asking for a model says what is wrong
			guard.Open(withPort(u))
		}
	}
	if u, err := url.Parse(to); err == nil && proxy != nil {
		if through, err := proxy(&http.Request{URL: u}); err == nil && through != nil {
			guard.Open(withPort(through))
		}
	}
	transport := guard.Transport().Clone()
	transport.Proxy = proxy
	transport.TLSHandshakeTimeout = 10 * time.Second
	transport.IdleConnTimeout = 30 * time.Second
	transport.MaxIdleConnsPerHost = 2
	return &guardedClient{guard: guard, client: &http.Client{
		Transport: transport,
		// No redirect is followed: a key goes to the configured address and nowhere else.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// withPort is the host of u with its port, also where that is the usual one: one port is opened.
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

func (w *guardedClient) close() {
	w.client.CloseIdleConnections()
	_ = w.guard.Close() // it serves no proxy, so there is nothing that can fail
}
