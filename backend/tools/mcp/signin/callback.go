package signin

import (
	"context"
	"crypto/subtle"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// callback is the address on this machine to which the person's browser is sent back.
type callback struct {
	address string
	server  *http.Server
	served  sync.WaitGroup
	got     chan answer

	mu    sync.Mutex
	state string
}

// answer is what an issuer sends along.
type answer struct{ code, issuer, problem string }

const page = `<!doctype html><meta charset="utf-8"><title>Sextant</title>
<body style="font:16px system-ui;margin:4rem"><h1>%s</h1><p>%s</p>`

// listen waits for the browser, on the port that the issuer knows already where that is free.
func (h *Handler) listen(who authority) (*callback, error) {
	us, _ := h.known(who.Issuer)
	at, err := net.Listen("tcp", "127.0.0.1:"+port(us.Redirect))
	if err != nil {
		at, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return nil, fmt.Errorf("waiting for the browser: %w", err)
	}
	c := &callback{address: "http://" + at.Addr().String() + "/callback", got: make(chan answer, 1)}
	c.server = &http.Server{Handler: c, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 5 * time.Second, MaxHeaderBytes: 64 << 10}
	c.served.Go(func() { _ = c.server.Serve(at) })
	return c, nil
}

// expect sets the state that the answer has to carry.
func (c *callback) expect(state string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state = state
}

// ServeHTTP takes the browser that comes back. Any page may send a browser here: without the state
// nothing is taken, and the wait goes on.
func (c *callback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Cache-Control", "no-store")
	query := r.URL.Query()
	c.mu.Lock()
	state := c.state
	c.mu.Unlock()
	if r.URL.Path != "/callback" || state == "" || subtle.ConstantTimeCompare([]byte(state), []byte(query.Get("state"))) != 1 {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, page, "This is not the sign-in that Sextant waits for", "Nothing was taken over.")
		return
	}
	select {
	case c.got <- answer{query.Get("code"), query.Get("iss"), query.Get("error")}:
	default: // the first answer counts
	}
	fmt.Fprintf(w, page, "Sextant has the answer", "You can close this page.")
}

// wait is the answer, or why there is none.
func (c *callback) wait(ctx context.Context) (answer, error) {
	select {
	case a := <-c.got:
		return a, nil
	case <-ctx.Done():
		return answer{}, fmt.Errorf("waiting for the browser: %w", ctx.Err())
	}
}

// close lets the browser read its last page and ends the listening.
func (c *callback) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if c.server.Shutdown(ctx) != nil {
		_ = c.server.Close()
	}
	c.served.Wait()
}
