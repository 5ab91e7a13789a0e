package egress

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

// May is asked before a command's request goes to host (lower case, with its port unless that is
// 80 or 443), and before the host's name is looked up. nil lets it; the error is a sentence that the
// command reads. It may wait for a person, and ends with ctx.
type May func(ctx context.Context, host string) error

// Failed is told of a host that a command was let to and did not reach, and why in sentences: of the
// answer to a CONNECT programs print the number alone. It may be nil.
type Failed func(host, why string)

// run is what the proxy of one command has besides that of the browser.
type run struct {
	may    May
	failed Failed
}

// ServeRun is the way out of one command, or of the window: a proxy on ln as StartProxy's, that asks
// may about each host first. stop ends it with all its connections and closes ln; the end of ctx ends the
// connections. They come from inside of a sandbox, so nothing that they hold is believed.
func (g *Guard) ServeRun(ctx context.Context, ln net.Listener, may May, failed Failed) (stop func()) {
	p := g.newProxy(ctx, ln, &run{may: may, failed: failed})
	return func() {
		if err := p.close(); err != nil {
			g.log.Debug("closing the way out of a command", "error", err)
		}
	}
}

// mayPass judges a request of a command, and answers it when it may not go on.
func (p *proxy) mayPass(w http.ResponseWriter, r *http.Request) bool {
	host, err := runHost(r)
	if err != nil {
		refuseRun(w, http.StatusBadRequest, err.Error())
		return false
	}
	if err := p.run.may(r.Context(), host); err != nil {
		if r.Context().Err() != nil {
			panic(http.ErrAbortHandler) // the command went away
		}
		p.guard.log.Info("kept from a host", "host", host, "why", err)
		refuseRun(w, http.StatusForbidden, host+" was not reached: "+err.Error())
		return false
	}
	return true
}

// runHost is the one host that a request leads to, whatever else stands in it.
func runHost(r *http.Request) (string, error) {
	switch {
	case r.URL.User != nil:
		return "", errors.New("an address with a name or password in it is not passed on")
	case r.Method == http.MethodConnect:
		host, port, err := net.SplitHostPort(r.Host)
		if err != nil || port == "" {
			return "", errors.New("CONNECT wants a host and a port, such as example.com:443")
		}
		t, err := newTarget(host, port)
		if err != nil || t.port == 0 {
			return "", errors.New("that is no host and port")
		}
		return t.plain(), nil
	case !r.URL.IsAbs() || r.URL.Host == "" || !strings.EqualFold(r.URL.Scheme, "http"):
		return "", errors.New("this is Sextant's way out for http and https: it serves no pages and knows nothing else")
	}
	if kind := r.Header.Get("Upgrade"); kind != "" && !strings.EqualFold(kind, "websocket") {
		return "", errors.New("a connection can be turned into a WebSocket only")
	}
	t, refused := urlTarget(r.URL)
	if refused != nil {
		return "", errors.New(refused.Reason)
	}
	return t.plain(), nil
}

// plain is the target without its port when that is one of the usual ones.
func (t target) plain() string {
	if t.port == 80 || t.port == 443 {
		return t.host
	}
	return t.String()
}

// refuseRun answers in plain text, which is what a command prints.
func refuseRun(w http.ResponseWriter, status int, why string) {
	w.Header().Set("Connection", "close")
	http.Error(w, "Sextant: "+strings.ToValidUTF8(why, "\uFFFD"), status)
}

// errOtherName ends a tunnel whose first words ask for another host than it was opened to.
var errOtherName = errors.New("the connection names another host")

// maxHello bounds what is read of a connection's first message; handshake is how one of TLS begins.
const (
	maxHello  = 20 << 10
	handshake = 0x16
)

// named reads what a command sends through the tunnel to hostport, and ends with errOtherName when
// that begins with a TLS greeting for another name: many hosts live at one address, and only one
// of them was granted. What is not TLS, or names nobody, goes to the address that was judged.
func (p *proxy) named(hostport string, from io.Reader) io.Reader {
	host, port, _ := net.SplitHostPort(hostport)
	t, err := newTarget(host, port)
	if err != nil {
		return errorReader{errOtherName} // it was judged before, so this cannot be
	}
	return &greeting{from: from, want: t.host}
}

type errorReader struct{ err error }

func (e errorReader) Read([]byte) (int, error) { return 0, e.err }

// greeting hands on a stream once its first message was looked at.
type greeting struct {
	from  io.Reader
	want  string
	ready io.Reader
}

// Read implements io.Reader. Nothing of a greeting goes out before it was read whole.
func (g *greeting) Read(b []byte) (int, error) {
	if g.ready == nil {
		first, err := g.look()
		if err != nil {
			return 0, err
		}
		g.ready = io.MultiReader(bytes.NewReader(first), g.from)
	}
	return g.ready.Read(b)
}

func (g *greeting) look() ([]byte, error) {
	first := make([]byte, 1, maxHello)
	if _, err := io.ReadFull(g.from, first); err != nil {
		return nil, err
	}
	if first[0] != handshake {
		return first, nil
	}
	var read bytes.Buffer
	name, err := serverName(io.TeeReader(io.LimitReader(io.MultiReader(bytes.NewReader(first), g.from), maxHello),
		&read))
	if err != nil {
		return nil, errOtherName // what cannot be read may name anybody
	}
	if name == "" {
		return read.Bytes(), nil
	}
	if t, err := newTarget(name, ""); err != nil || t.host != g.want {
		return nil, errOtherName
	}
	return read.Bytes(), nil
}

// errLooked ends a greeting once its name is known.
var errLooked = errors.New("looked at")

// serverName is the name that a TLS greeting asks for, "" for none.
func serverName(from io.Reader) (name string, err error) {
	seen := false
	err = tls.Server(onlyRead{from}, &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
			name, seen = h.ServerName, true
			return nil, errLooked
		},
	}).HandshakeContext(context.Background()) // it waits for nothing but from
	if seen {
		return name, nil
	}
	return "", err
}

// onlyRead is a connection that says nothing.
type onlyRead struct{ io.Reader }

func (onlyRead) Write(b []byte) (int, error)      { return len(b), nil }
func (onlyRead) Close() error                     { return nil }
func (onlyRead) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (onlyRead) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (onlyRead) SetDeadline(time.Time) error      { return nil }
func (onlyRead) SetReadDeadline(time.Time) error  { return nil }
func (onlyRead) SetWriteDeadline(time.Time) error { return nil }
