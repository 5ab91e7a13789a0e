package egress

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"sync"
	"time"
)

// maxHeaderBytes bounds the headers of requests and answers: browsers send long cookies.
const maxHeaderBytes = 256 << 10

// StartProxy opens the filtering proxy for the controlled browser on a free loopback port
// and returns its address, "127.0.0.1:PORT". It takes CONNECT and http requests in absolute
// form, WebSockets among them, and refuses anything else. A second call returns the first
// address. Close stops it.
func (g *Guard) StartProxy() (addr string, err error) {
	g.mu.Lock()
	if g.proxy != nil {
		defer g.mu.Unlock()
		return g.proxy.addr, nil
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		g.mu.Unlock()
		return "", fmt.Errorf("opening the browser's proxy: %w", err)
	}
	p := g.newProxy(context.Background(), ln, nil)
	g.proxy = p
	g.mu.Unlock()
	g.Never(p.addr)
	return p.addr, nil
}

// proxy is the running listener with everything it opened.
type proxy struct {
	guard  *Guard
	addr   string
	server *http.Server
	plain  *httputil.ReverseProxy
	way    *http.Transport
	// run is set when a command's requests come this way, and not the browser's.
	run *run

	cancel context.CancelFunc // ends the context of every request, tunnels included
	serve  sync.WaitGroup     // the accept loop

	mu     sync.Mutex
	closed bool
	busy   sync.WaitGroup // handlers; only added to under mu while not closed
}

// newProxy serves ln until close; what is dialled is dialled for ctx.
func (g *Guard) newProxy(ctx context.Context, ln net.Listener, r *run) *proxy {
	p := &proxy{guard: g, addr: ln.Addr().String(), run: r}
	ctx, cancel := context.WithCancel(ctx)
	p.cancel = cancel
	p.way = g.transport.Clone()
	p.way.DisableCompression = true // bodies pass as they are
	p.way.ForceAttemptHTTP2 = false // only plain http comes this way
	p.plain = &httputil.ReverseProxy{
		Rewrite:       rewrite,
		Transport:     p.way,
		FlushInterval: -1,
		ErrorHandler:  p.failed,
		ErrorLog:      slog.NewLogLogger(g.log.Handler(), slog.LevelDebug),
	}
	p.server = &http.Server{
		Handler:           p,
		ReadHeaderTimeout: 30 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(g.log.Handler(), slog.LevelDebug),
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	p.serve.Go(func() {
		if err := p.server.Serve(ln); err != nil && !errors.Is(err, http.ErrServerClosed) {
			g.log.Error("a proxy ended", "error", err)
		}
	})
	return p
}

func (p *proxy) close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.cancel() // hijacked connections end with their request's context
	err := p.server.Close()
	p.serve.Wait()
	p.busy.Wait()
	p.way.CloseIdleConnections()
	if err != nil {
		return fmt.Errorf("closing a proxy: %w", err)
	}
	return nil
}

// ServeHTTP takes one request of the browser.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		panic(http.ErrAbortHandler) // ends the connection without an answer
	}
	p.busy.Add(1)
	p.mu.Unlock()
	defer p.busy.Done()
	if p.run != nil && !p.mayPass(w, r) {
		return
	}
	switch {
	case r.Method == http.MethodConnect:
		p.tunnel(w, r)
	case r.URL.IsAbs() && r.URL.Scheme == "http" && r.URL.Host != "":
		p.plain.ServeHTTP(w, r)
	default:
		http.Error(w, "This is Sextant's way out for http and https. It serves no pages.", http.StatusBadRequest)
	}
}

// rewrite keeps the request as the browser wrote it; the query is not to be tidied.
func rewrite(r *httputil.ProxyRequest) {
	r.Out.URL.RawQuery = r.In.URL.RawQuery
	r.Out.Host = r.In.URL.Host
}

// tunnel joins the browser with the host of a CONNECT. Refusals come before anything is
// dialled, so they tell nothing of what listens there.
func (p *proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	far, err := p.guard.DialContext(r.Context(), "tcp", r.Host)
	if err != nil {
		p.failed(w, r, err)
		return
	}
	defer func() { _ = far.Close() }()
	near, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, "no tunnel on this connection", http.StatusInternalServerError)
		return
	}
	defer func() { _ = near.Close() }()
	stop := context.AfterFunc(r.Context(), func() {
		_ = near.Close()
		_ = far.Close()
	})
	defer stop()
	if err := near.SetDeadline(time.Time{}); err != nil {
		return
	}
	if _, err := io.WriteString(near, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	if p.run != nil {
		join(near, p.named(r.Host, buffered.Reader), far)
		return
	}
	join(near, buffered.Reader, far)
}

// join copies both ways until both ends are done. Each end is told when the other has
// finished sending.
func join(near net.Conn, fromNear io.Reader, far net.Conn) {
	var up sync.WaitGroup
	up.Go(func() {
		if _, err := io.Copy(far, fromNear); err != nil && errors.Is(err, errOtherName) {
			_ = far.Close()
			_ = near.Close()
			return
		}
		closeWrite(far)
	})
	_, _ = io.Copy(near, far)
	closeWrite(near)
	up.Wait()
}

// closeWrite ends c's sending half; a connection without halves is closed.
func closeWrite(c net.Conn) {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
		return
	}
	_ = c.Close()
}
