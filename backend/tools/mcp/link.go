package mcp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/tools/mcp/tasks"
)

// maxMessage bounds one message of a server in bytes; a longer one ends the connection.
const maxMessage = 16 << 20

// link is the way to one server: a process of ours, or HTTP.
type link struct {
	transport sdk.Transport
	process   program
	out       io.Closer
	idle      func()
}

// done is closed when the server's process ends; it never is for a remote one.
func (l *link) done() <-chan struct{} {
	if l.process == nil {
		return nil
	}
	return l.process.Dead()
}

func (l *link) close() {
	if l.process != nil {
		l.process.Stop(stopGrace)
		_ = l.out.Close()
	}
	if l.idle != nil {
		l.idle()
	}
}

func (v *server) dial(ctx context.Context) (*link, error) {
	if v.entry.Command == "" {
		return v.remote()
	}
	env := make([]string, 0, len(v.entry.Env))
	for _, name := range slices.Sorted(maps.Keys(v.entry.Env)) {
		value, err := v.env(v.entry.Env[name])
		if err != nil {
			return nil, err
		}
		env = append(env, name+"="+value)
	}
	path := v.entry.Env["PATH"]
	if path == "" {
		path = searchPath(os.Getenv("PATH"), home("~/"))
		env = append(env, "PATH="+path)
	}
	process, in, out, err := v.begun(ctx, path, env)
	switch {
	case errors.Is(err, errStays):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w. Check command in mcp-config.json", err)
	}
	return &link{
		process: process, out: out,
		transport: &sdk.IOTransport{Reader: tasks.Hoist(out, maxMessage, false), Writer: in, MaxLineLength: maxMessage},
	}, nil
}

// home writes out a leading "~/", which people use in these files.
func home(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if folder, err := os.UserHomeDir(); err == nil {
			return filepath.Join(folder, rest)
		}
	}
	return path
}

func (v *server) remote() (*link, error) {
	u, err := url.Parse(v.entry.URL)
	if err != nil {
		return nil, fmt.Errorf("reading url: %w", err)
	}
	headers, err := v.headers(u)
	if err != nil {
		return nil, err
	}
	l := &link{}
	way := v.owner.cfg.Egress
	if way == nil {
		own := &http.Transport{Proxy: http.ProxyFromEnvironment, MaxResponseHeaderBytes: 256 << 10, ForceAttemptHTTP2: true}
		way, l.idle = own, own.CloseIdleConnections
	}
	client := &http.Client{
		Transport: &withHeaders{next: way, scheme: u.Scheme, host: u.Host, headers: headers},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > 5 || req.URL.Host != u.Host {
				return fmt.Errorf("it sends us to %s, which the config does not name", req.URL.Host)
			}
			return nil
		},
	}
	if v.entry.transport() == "sse" {
		l.transport = &sdk.SSEClientTransport{Endpoint: v.entry.URL, HTTPClient: client}
		return l, nil
	}
	streamable := &sdk.StreamableClientTransport{Endpoint: v.entry.URL, HTTPClient: client, MaxEventSize: maxMessage}
	if !holds(headers, "Authorization") {
		if streamable.OAuthHandler, err = v.wayIn(u, way); err != nil {
			return nil, err
		}
	}
	l.transport = streamable
	return l, nil
}

// withHeaders adds the config's headers to requests to the config's own host only: they
// hold keys.
type withHeaders struct {
	next    http.RoundTripper
	scheme  string
	host    string
	headers map[string]string
}

// RoundTrip sends req with the headers added, and bounds what is read of the answer.
func (w *withHeaders) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Host != w.host || w.scheme == "https" && req.URL.Scheme != w.scheme {
		return nil, errors.New("the server names an address on another host: " + req.URL.Host)
	}
	if len(w.headers) > 0 || tasks.Routed(req) {
		req = req.Clone(req.Context())
		tasks.Route(req)
		for name, value := range w.headers {
			req.Header.Set(name, value)
		}
	}
	if req.Method == http.MethodDelete {
		// A goodbye: the server need not be there to hear it.
		ctx, cancel := context.WithTimeout(req.Context(), stopGrace)
		defer cancel()
		req = req.WithContext(ctx)
	}
	resp, err := w.next.RoundTrip(req)
	if err == nil && !streams(resp) {
		resp.Body = &capped{ReadCloser: resp.Body, left: maxMessage}
	}
	if err == nil {
		tasks.Body(resp, maxMessage)
	}
	return resp, err
}

// streams reports whether resp goes on for as long as the server likes: its events are bounded one by one.
func streams(resp *http.Response) bool {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return err == nil && kind == "text/event-stream" && resp.StatusCode >= 200 && resp.StatusCode < 300
}

// capped is the body of an answer, which the protocol's library would read whole, however long.
type capped struct {
	io.ReadCloser
	left int
}

// Read fails where the body goes on beyond the bound.
func (b *capped) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left+1)])
	if n > b.left {
		n, b.left = b.left, 0
		return n, fmt.Errorf("the answer is longer than %d MB", maxMessage>>20)
	}
	b.left -= n
	return n, err
}
