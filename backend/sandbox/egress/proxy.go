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

// maxHeaderBytes limits the headers of a request or response. Browsers send long cookies.
const maxHeaderBytes = 256 << 10

// StartProxy starts the filtering proxy of the controlled browser on a free loopback port and returns its address,
// "127.0.0.1:PORT". A second call returns the same address. Close stops it.
func (g *Guard) StartProxy() (addr string, err error) {
	g.mu.Lock()
	if g.proxy != nil {
		defer g.mu.Unlock()
		return g.proxy.addr, nil
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		g.mu.Unlock()
		return "", fmt.Errorf("starting the browser's proxy: %w", err)
	}
	p := g.newProxy(context.Background(), ln, nil)
	g.proxy = p
	g.mu.Unlock()
	g.Block(p.addr)
	return p.addr, nil
}

type proxy struct {
	guard     *Guard
	addr      string
	server    *http.Server
	forward   *httputil.ReverseProxy
	transport *http.Transport
	// command is set for the proxy of a command, nil for the browser's.
	command *commandHooks

	cancel     context.CancelFunc // ends the context of every request, tunnels included
	acceptLoop sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	handlers sync.WaitGroup // Add is called only under mu while not closed
}

func (g *Guard) newProxy(ctx context.Context, ln net.Listener, r *commandHooks) *proxy {
	p := &proxy{guard: g, addr: ln.Addr().String(), command: r}
	ctx, cancel := context.WithCancel(ctx)
	p.cancel = cancel
	p.transport = g.transport.Clone()
	p.transport.DisableCompression = true // bodies are forwarded unchanged
	p.transport.ForceAttemptHTTP2 = false // only plain http is forwarded
	p.forward = &httputil.ReverseProxy{
		Rewrite:       keepRequestURL,
		Transport:     p.transport,
		FlushInterval: -1,
		ErrorHandler:  p.writeFailure,
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
	p.acceptLoop.Go(func() {
		if err := p.server.Serve(ln); err != nil && !errors.Is(err, http.ErrServerClosed) {
			g.log.Error("a proxy ended", "err", err)
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
	p.acceptLoop.Wait()
	p.handlers.Wait()
	p.transport.CloseIdleConnections()
	if err != nil {
		return fmt.Errorf("closing a proxy: %w", err)
	}
	return nil
}

// ServeHTTP handles one request of the browser or of a command.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		panic(http.ErrAbortHandler) // ends the connection without a response
	}
	p.handlers.Add(1)
	p.mu.Unlock()
	defer p.handlers.Done()
	if p.command != nil && !p.approveRequest(w, r) {
		return
	}
	switch {
	case r.Method == http.MethodConnect:
		p.tunnel(w, r)
	case r.URL.IsAbs() && r.URL.Scheme == "http" && r.URL.Host != "":
		p.forward.ServeHTTP(w, r)
	default:
		http.Error(w, "This is Sextant's proxy for http and https. It serves no pages.", http.StatusBadRequest)
	}
}

// keepRequestURL forwards the URL as the client wrote it. ReverseProxy would clean the query.
func keepRequestURL(r *httputil.ProxyRequest) {
	r.Out.URL.RawQuery = r.In.URL.RawQuery
	r.Out.Host = r.In.URL.Host
}

// tunnel connects the client to the host of a CONNECT request. It refuses a blocked host before dialing, so the
// response does not reveal which ports are open.
func (p *proxy) tunnel(w http.ResponseWriter, r *http.Request) {
	upstream, err := p.guard.DialContext(r.Context(), "tcp", r.Host)
	if err != nil {
		p.writeFailure(w, r, err)
		return
	}
	defer func() { _ = upstream.Close() }()
	client, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, "no tunnel on this connection", http.StatusInternalServerError)
		return
	}
	defer func() { _ = client.Close() }()
	stop := context.AfterFunc(r.Context(), func() {
		_ = client.Close()
		_ = upstream.Close()
	})
	defer stop()
	if err := client.SetDeadline(time.Time{}); err != nil {
		return
	}
	if _, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	if p.command != nil {
		relay(client, p.checkServerName(r.Host, buffered.Reader), upstream)
		return
	}
	relay(client, buffered.Reader, upstream)
}

func relay(client net.Conn, fromClient io.Reader, upstream net.Conn) {
	var sending sync.WaitGroup
	sending.Go(func() {
		if _, err := io.Copy(upstream, fromClient); err != nil && errors.Is(err, errServerName) {
			_ = upstream.Close()
			_ = client.Close()
			return
		}
		closeWrite(upstream)
	})
	_, _ = io.Copy(client, upstream)
	closeWrite(client)
	sending.Wait()
}

func closeWrite(c net.Conn) {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
		return
	}
	_ = c.Close()
}
