package mcpclient

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
	"slices"
	"time"

	sdkauth "github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/mcp/access"
	"sextant/backend/mcp/auth"
	"sextant/backend/mcp/launch"
	"sextant/backend/mcp/tasks"
	"sextant/backend/sandbox/secrets"
)

const (
	maxMessage   = 16 << 20
	maxRedirects = 5
	issuerLimit  = 30 * time.Second
)

type connection struct {
	transport sdk.Transport
	// process and stdout are nil for a remote server.
	process   launch.Program
	stdout    io.Closer
	closeIdle func()
}

// ended returns nil for a remote server.
func (c *connection) ended() <-chan struct{} {
	if c.process == nil {
		return nil
	}
	return c.process.Exited()
}

func (c *connection) close() {
	if c.process != nil {
		c.process.Stop(stopGrace)
		_ = c.stdout.Close()
	}
	if c.closeIdle != nil {
		c.closeIdle()
	}
}

func (v *server) dial(ctx context.Context) (*connection, error) {
	if v.isRemote() {
		return v.dialHTTP()
	}
	return v.startProgram(ctx)
}

func (v *server) startProgram(ctx context.Context) (*connection, error) {
	env := make([]string, 0, len(v.entry.Env))
	for _, name := range slices.Sorted(maps.Keys(v.entry.Env)) {
		value, err := v.fillSecrets(v.entry.Env[name], secrets.Sink{
			Place: secrets.PlaceEnv, Origin: secrets.ServerHost(v.name), Command: v.entry.CommandOrURL(),
		})
		if err != nil {
			return nil, err
		}
		env = append(env, name+"="+value)
	}
	path := v.entry.Env["PATH"]
	if path == "" {
		path = launch.SearchPath(os.Getenv("PATH"), launch.ExpandHome("~/"))
		env = append(env, "PATH="+path)
	}
	process, stdin, stdout, err := v.owner.cfg.Sandbox.Start(ctx, launch.Request{
		Server: v.name, Entry: v.entry, Path: path, Env: env, Workspace: v.owner.cfg.folder(), Log: v.tail,
		OnPermissions:      func(p access.Permissions) { v.set(func() { v.permissions = p }) },
		ConfirmUnsandboxed: v.askWithoutSandbox,
	})
	switch {
	case errors.Is(err, launch.ErrDeclined):
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("%w. Check command in mcp-config.json", err)
	}
	return &connection{
		process: process, stdout: stdout,
		transport: &sdk.IOTransport{
			Reader: tasks.Hoist(stdout, maxMessage, false), Writer: stdin,
			MaxLineLength: maxMessage,
		},
	}, nil
}

// askWithoutSandbox returns nil or wraps launch.ErrDeclined. An agreement lasts until Sextant ends.
func (v *server) askWithoutSandbox(ctx context.Context, why string) error {
	line := v.entry.CommandOrURL()
	key := v.name + "\x00" + line
	v.owner.mu.Lock()
	allowed := v.owner.unsandboxed[key]
	v.owner.mu.Unlock()
	if allowed {
		return nil
	}
	reason := "nobody is here to be asked"
	if ask := v.owner.cfg.Sandbox.ConfirmUnsandboxed; ask != nil {
		v.set(func() { v.err = "Waiting for your answer: there is no sandbox here" })
		v.owner.publish()
		var err error
		allowed, err = ask(ctx, v.name, line, why)
		if reason = "the answer was no"; err != nil {
			reason = err.Error()
		}
		v.set(func() { v.err = "" })
	}
	if !allowed {
		return fmt.Errorf("%w: there is no sandbox on this machine (%s), and %s. Restart it to be asked again, "+
			"or switch its sandbox off in mcp-config.json", launch.ErrDeclined, why, reason)
	}
	v.set(func() { v.owner.unsandboxed[key] = true })
	return nil
}

func (v *server) dialHTTP() (*connection, error) {
	u, err := url.Parse(v.entry.URL)
	if err != nil {
		return nil, fmt.Errorf("reading url: %w", err)
	}
	headers := http.Header{}
	for name, value := range v.entry.Headers {
		value, err := v.fillSecrets(value, secrets.Sink{Place: secrets.PlaceHeader, Origin: u.Scheme + "://" + u.Host})
		if err != nil {
			return nil, err
		}
		headers.Set(name, value)
	}
	conn := &connection{}
	next := v.owner.cfg.Egress
	if next == nil {
		own := &http.Transport{
			Proxy: http.ProxyFromEnvironment, MaxResponseHeaderBytes: 256 << 10,
			ForceAttemptHTTP2: true,
		}
		next, conn.closeIdle = own, own.CloseIdleConnections
	}
	client := &http.Client{
		Transport: &serverTransport{next: next, scheme: u.Scheme, host: u.Host, headers: headers},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects || req.URL.Host != u.Host {
				return fmt.Errorf("it redirects to %s, which the config does not name", req.URL.Host)
			}
			return nil
		},
	}
	if v.entry.Transport() == "sse" {
		conn.transport = &sdk.SSEClientTransport{Endpoint: v.entry.URL, HTTPClient: client}
		return conn, nil
	}
	streamable := &sdk.StreamableClientTransport{Endpoint: v.entry.URL, HTTPClient: client, MaxEventSize: maxMessage}
	if _, configured := headers["Authorization"]; !configured {
		if streamable.OAuthHandler, err = v.oauthHandler(u, next); err != nil {
			return nil, err
		}
	}
	conn.transport = streamable
	return conn, nil
}

func (v *server) fillSecrets(text string, sink secrets.Sink) (string, error) {
	if v.owner.cfg.Secrets == nil {
		return text, nil
	}
	return v.owner.cfg.Secrets.Fill(text, sink, nil)
}

func (v *server) oauthHandler(u *url.URL, transport http.RoundTripper) (sdkauth.OAuthHandler, error) {
	if v.signin != nil {
		return v.signin, nil
	}
	cfg := auth.Config{
		Server: v.name, URL: v.entry.URL, Store: v.owner.cfg.Store, MetadataURL: v.owner.cfg.MetadataURL,
		Version: v.owner.cfg.Version, HTTP: &http.Client{Transport: transport, Timeout: issuerLimit},
		OpenPage: v.openPage, ConfirmIssuer: v.owner.cfg.ConfirmIssuer,
	}
	if o := v.entry.OAuth; o != nil {
		// The secret is sent to the authorization server that the server names. The person bound it to the server.
		sink := secrets.Sink{Place: secrets.PlaceHeader, Origin: u.Scheme + "://" + u.Host}
		var err error
		if cfg.ClientSecret, err = v.fillSecrets(o.ClientSecret, sink); err != nil {
			return nil, err
		}
		if cfg.PrivateKey, err = v.fillSecrets(o.PrivateKey, sink); err != nil {
			return nil, err
		}
		cfg.ClientID, cfg.Scopes, cfg.Algorithm = o.ClientID, o.Scopes, o.Algorithm
		cfg.ClientCredentials = o.GrantType != ""
	}
	v.signin = auth.New(cfg)
	return v.signin, nil
}

func (v *server) openPage(ctx context.Context, server, page string) error {
	if v.owner.cfg.OpenPage == nil {
		return errors.New("nobody is here to sign in")
	}
	return v.owner.cfg.OpenPage(ctx, server, page)
}

// serverTransport refuses other hosts, because the configured headers may contain keys.
type serverTransport struct {
	next    http.RoundTripper
	scheme  string
	host    string
	headers http.Header
}

// RoundTrip implements http.RoundTripper.
func (t *serverTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Host != t.host || t.scheme == "https" && req.URL.Scheme != t.scheme {
		return nil, errors.New("the server names an address on another host: " + req.URL.Host)
	}
	if len(t.headers) > 0 || tasks.IsTaskRequest(req) {
		req = req.Clone(req.Context())
		tasks.SetTaskHeader(req)
		maps.Copy(req.Header, t.headers)
	}
	if req.Method == http.MethodDelete {
		// This request ends a session; the server need not answer.
		ctx, cancel := context.WithTimeout(req.Context(), stopGrace)
		defer cancel()
		req = req.WithContext(ctx)
	}
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return resp, err
	}
	if !isEventStream(resp) {
		resp.Body = &boundedBody{ReadCloser: resp.Body, left: maxMessage}
	}
	tasks.HoistBody(resp, maxMessage)
	return resp, nil
}

// isEventStream reports whether resp is a successful event stream, which may have any length.
func isEventStream(resp *http.Response) bool {
	kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	return err == nil && kind == "text/event-stream" && resp.StatusCode >= 200 && resp.StatusCode < 300
}

// boundedBody fails after left bytes, because the SDK reads a body of any length.
type boundedBody struct {
	io.ReadCloser
	left int
}

// Read implements io.Reader.
func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p[:min(len(p), b.left+1)])
	if n > b.left {
		n, b.left = b.left, 0
		return n, fmt.Errorf("the answer is longer than %d MB", maxMessage>>20)
	}
	b.left -= n
	return n, err
}
