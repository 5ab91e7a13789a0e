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

// ApproveFunc decides whether a command may reach host, which is in lower case and has its port unless that is 80 or
// 443. It returns an error with a sentence that the command prints if not. It may wait for the person and must return
// when ctx ends.
type ApproveFunc func(ctx context.Context, host string) error

// FailureFunc is called if an approved host could not be reached. Programs print only the status of a failed CONNECT,
// so the caller learns the reason, why, this way.
type FailureFunc func(host, why string)

type commandHooks struct {
	approve   ApproveFunc
	onFailure FailureFunc
}

// StartProxyOn serves a proxy, like that of StartProxy, on ln for one sandboxed command or for the window. approve
// decides about each host; onFailure may be nil. stop stops the proxy, ends its connections and closes ln. The end of
// ctx also ends the connections. Requests come from inside a sandbox, so nothing in them is trusted.
func (g *Guard) StartProxyOn(
	ctx context.Context, ln net.Listener, approve ApproveFunc, onFailure FailureFunc,
) (stop func()) {
	p := g.newProxy(ctx, ln, &commandHooks{approve: approve, onFailure: onFailure})
	return func() {
		if err := p.close(); err != nil {
			g.log.Debug("closing the proxy of a command", "err", err)
		}
	}
}

func (p *proxy) approveRequest(w http.ResponseWriter, r *http.Request) bool {
	host, err := requestHost(r)
	if err != nil {
		writeRefusal(w, http.StatusBadRequest, err.Error())
		return false
	}
	if err := p.command.approve(r.Context(), host); err != nil {
		if r.Context().Err() != nil {
			panic(http.ErrAbortHandler) // the command has ended
		}
		p.guard.log.Info("host not approved", "host", host, "err", err)
		writeRefusal(w, http.StatusForbidden, host+" was not reached: "+err.Error())
		return false
	}
	return true
}

// requestHost returns the host that a request will be sent to, regardless of its headers.
func requestHost(r *http.Request) (string, error) {
	switch {
	case r.URL.User != nil:
		return "", errors.New("addresses with a user name or password are not forwarded")
	case r.Method == http.MethodConnect:
		host, port, err := net.SplitHostPort(r.Host)
		if err != nil || port == "" {
			return "", errors.New("CONNECT needs a host and a port, such as example.com:443")
		}
		t, err := newTarget(host, port)
		if err != nil || t.port == 0 {
			return "", errors.New("the request has no valid host and port")
		}
		return t.withoutDefaultPort(), nil
	case !r.URL.IsAbs() || r.URL.Host == "" || !strings.EqualFold(r.URL.Scheme, "http"):
		return "", errors.New("this is Sextant's proxy for http and https; it serves no pages and no other protocol")
	}
	if protocol := r.Header.Get("Upgrade"); protocol != "" && !strings.EqualFold(protocol, "websocket") {
		return "", errors.New("a connection can be upgraded to a WebSocket only")
	}
	t, blocked := urlTarget(r.URL)
	if blocked != nil {
		return "", errors.New(blocked.Reason)
	}
	return t.withoutDefaultPort(), nil
}

// withoutDefaultPort returns the host and port of t, without the port if it is 80 or 443.
func (t target) withoutDefaultPort() string {
	if t.port == 80 || t.port == 443 {
		return t.host
	}
	return t.String()
}

func writeRefusal(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Connection", "close")
	http.Error(w, "Sextant: "+strings.ToValidUTF8(text, "\uFFFD"), status)
}

var errServerName = errors.New("the connection names another host")

const (
	maxHelloBytes       = 20 << 10
	recordTypeHandshake = 0x16
)

// checkServerName returns a reader for the data that a command sends to hostport. Reading fails with errServerName if
// the data begins with a TLS ClientHello that is unreadable or names another host.
func (p *proxy) checkServerName(hostport string, from io.Reader) io.Reader {
	host, port, _ := net.SplitHostPort(hostport)
	t, err := newTarget(host, port)
	if err != nil {
		return errorReader{errServerName} // impossible, because hostport was parsed before
	}
	return &helloChecker{from: from, want: t.host}
}

type errorReader struct{ err error }

func (e errorReader) Read([]byte) (int, error) { return 0, e.err }

type helloChecker struct {
	from    io.Reader
	want    string
	checked io.Reader
}

// Read implements io.Reader. It passes on nothing before the ClientHello is complete.
func (h *helloChecker) Read(b []byte) (int, error) {
	if h.checked == nil {
		first, err := h.readHello()
		if err != nil {
			return 0, err
		}
		h.checked = io.MultiReader(bytes.NewReader(first), h.from)
	}
	return h.checked.Read(b)
}

func (h *helloChecker) readHello() ([]byte, error) {
	first := make([]byte, 1, maxHelloBytes)
	if _, err := io.ReadFull(h.from, first); err != nil {
		return nil, err
	}
	if first[0] != recordTypeHandshake {
		return first, nil
	}
	var read bytes.Buffer
	name, err := serverName(io.TeeReader(io.LimitReader(io.MultiReader(bytes.NewReader(first), h.from), maxHelloBytes),
		&read))
	if err != nil {
		return nil, errServerName // an unreadable ClientHello could be for any host
	}
	if name == "" {
		return read.Bytes(), nil
	}
	if t, err := newTarget(name, ""); err != nil || t.host != h.want {
		return nil, errServerName
	}
	return read.Bytes(), nil
}

var errHelloRead = errors.New("server name read")

// serverName returns the server name in a TLS ClientHello, "" for none.
func serverName(from io.Reader) (name string, err error) {
	isRead := false
	err = tls.Server(readOnlyConn{from}, &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
			name, isRead = h.ServerName, true
			return nil, errHelloRead
		},
	}).HandshakeContext(context.Background()) // the only blocking operation is reading from
	if isRead {
		return name, nil
	}
	return "", err
}

type readOnlyConn struct{ io.Reader }

func (readOnlyConn) Write(b []byte) (int, error)      { return len(b), nil }
func (readOnlyConn) Close() error                     { return nil }
func (readOnlyConn) LocalAddr() net.Addr              { return &net.TCPAddr{} }
func (readOnlyConn) RemoteAddr() net.Addr             { return &net.TCPAddr{} }
func (readOnlyConn) SetDeadline(time.Time) error      { return nil }
func (readOnlyConn) SetReadDeadline(time.Time) error  { return nil }
func (readOnlyConn) SetWriteDeadline(time.Time) error { return nil }
