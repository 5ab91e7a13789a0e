package auth

import (
	"context"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

type callback struct {
	address   string
	server    *http.Server
	served    sync.WaitGroup
	responses chan response

	mu    sync.Mutex
	state string
}

type response struct{ code, issuer, problem string }

const page = `<!doctype html><meta charset="utf-8"><title>Sextant</title>
<body style="font:16px system-ui;margin:4rem"><h1>%s</h1><p>%s</p>`

// listen serves the redirect address, if possible on the port that is registered at the issuer.
func (h *Handler) listen(as authorizationServer) (*callback, error) {
	registered, _ := h.registration(as.Issuer)
	listener, err := net.Listen("tcp", "127.0.0.1:"+redirectPort(registered.Redirect))
	if err != nil {
		listener, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, fmt.Errorf("waiting for the browser: %w", err)
	}
	c := &callback{address: "http://" + listener.Addr().String() + "/callback", responses: make(chan response, 1)}
	c.server = &http.Server{
		Handler: c, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second,
		MaxHeaderBytes: 64 << 10,
	}
	c.served.Go(func() { _ = c.server.Serve(listener) })
	return c, nil
}

func (c *callback) setState(state string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state = state
}

// ServeHTTP accepts the response that the returning browser carries. Any page can send a browser here, so a
// request without the state is refused and the wait continues.
func (c *callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Cache-Control", "no-store")
	query := r.URL.Query()
	c.mu.Lock()
	state := c.state
	c.mu.Unlock()
	matches := subtle.ConstantTimeCompare([]byte(state), []byte(query.Get("state"))) == 1
	if r.URL.Path != "/callback" || state == "" || !matches {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, page, "This is not the sign-in that Sextant is waiting for", "Nothing was changed.")
		return
	}
	select {
	case c.responses <- response{query.Get("code"), query.Get("iss"), query.Get("error")}:
	default: // only the first answer counts
	}
	fmt.Fprintf(w, page, "Back to Sextant", "You can close this page.")
}

func (c *callback) wait(ctx context.Context) (response, error) {
	select {
	case a := <-c.responses:
		return a, nil
	case <-ctx.Done():
		return response{}, fmt.Errorf("waiting for the browser: %w", ctx.Err())
	}
}

// close waits up to two seconds for the browser to read its page.
func (c *callback) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if c.server.Shutdown(ctx) != nil {
		_ = c.server.Close()
	}
	c.served.Wait()
}
