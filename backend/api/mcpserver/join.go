package mcpserver

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"
)

// JoinPath is the path at which a running Sextant serves MCP and accepts another `sextant mcp` that joins it.
const JoinPath = "/mcp"

// After the upgrade to protocolName, the connection carries MCP messages, one per line.
const (
	protocolName = "sextant-mcp"
	clientHeader = "X-Client-Name"
)

const joinTimeout = 10 * time.Second

// JoinRequest contains the options that a client sends when it connects.
type JoinRequest struct {
	// Client is the client's name for the whole connection; "" if each request contains the name.
	Client string
	// Tools is the set of tools to offer: core, environment or all.
	Tools string
	// Panel is the id of a panel whose tools to offer too, "" for none.
	Panel string
	// SharesTabs is true if the client uses the window's tabs instead of separate ones.
	SharesTabs bool
	// Unnamed is true for a client with neither a protocol session nor a session name, and with tabs of its own. It
	// shares these tabs with other copies of the same program.
	Unnamed bool
}

// JoinServer serves MCP to the programs that connect to a running Sextant. It is an http.Handler for JoinPath, to be
// used behind authentication. Call Close to end the connections.
type JoinServer struct {
	// Check, if set, returns an error for an invalid request to connect. Set it before serving.
	Check     func(join JoinRequest) error
	newConfig func(ctx context.Context, join JoinRequest) (Config, func())
	timeout   time.Duration
	ctx       context.Context //nolint:containedctx // the server's lifetime, ended by Close
	cancel    context.CancelFunc

	stateful, stateless http.Handler

	mu           sync.Mutex
	closed       bool
	httpSessions []*httpSession
	clients      map[string]*connectedClient
	busy         sync.WaitGroup
}

// NewJoinServer makes a JoinServer. newConfig returns the Config of a client, which is valid until ctx ends,
// and a function to call after the client has disconnected.
func NewJoinServer(newConfig func(ctx context.Context, join JoinRequest) (cfg Config, done func())) *JoinServer {
	ctx, cancel := context.WithCancel(context.Background())
	h := &JoinServer{
		newConfig: newConfig, timeout: joinTimeout, ctx: ctx, cancel: cancel,
		clients: map[string]*connectedClient{},
	}
	h.prepare()
	return h
}

// Close ends every connection and waits for its work to end. It may be called more than once.
func (j *JoinServer) Close() {
	j.mu.Lock()
	j.closed = true
	sessions := j.httpSessions
	j.mu.Unlock()
	j.cancel()
	for _, s := range sessions {
		s.close()
	}
	j.busy.Wait()
}

// ServeHTTP serves one request of streamable HTTP, or a joining client until it disconnects.
func (j *JoinServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	j.mu.Lock()
	if j.closed {
		j.mu.Unlock()
		http.Error(w, "Sextant is shutting down.", http.StatusServiceUnavailable)
		return
	}
	j.busy.Add(1)
	j.mu.Unlock()
	defer j.busy.Done()
	request, err := parseJoinRequest(r)
	if err != nil {
		writeError(w, requestInfo{}, http.StatusBadRequest, err.Error())
		return
	}
	if r.Header.Get("Upgrade") != protocolName {
		j.serveHTTP(w, r, request)
		return
	}
	if err := j.check(request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	request.Client = cmp.Or(truncate(r.Header.Get(clientHeader), 80), "unnamed")
	conn, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		http.Error(w, "This connection cannot be upgraded.", http.StatusInternalServerError)
		return
	}
	defer func() { _ = conn.Close() }()
	if conn.SetDeadline(time.Time{}) != nil {
		return
	}
	if _, err := io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: "+
		protocolName+"\r\n\r\n"); err != nil {
		return
	}
	in, err := awaitFirstMessage(conn, buffered.Reader, j.timeout)
	if err != nil {
		return
	}
	ctx, cancel := context.WithCancel(j.ctx)
	defer cancel()
	cfg, done := j.newConfig(ctx, request)
	defer done()
	d := newToolServer(cfg)
	j.mu.Lock()
	id := j.addClient(overStdio, request, d, cfg.Session, func() { cancel(); _ = conn.Close() })
	j.mu.Unlock()
	defer j.removeClient(id)
	if err := d.serve(ctx, in, conn); err != nil && ctx.Err() == nil && cfg.Log != nil {
		cfg.Log.Debug("a joined program disconnected", "client", request.Client, "err", err)
	}
}

func parseJoinRequest(r *http.Request) (JoinRequest, error) {
	query := r.URL.Query()
	join := JoinRequest{
		Tools: cmp.Or(query.Get("tools"), "core"), Panel: query.Get("panel"),
		SharesTabs: query.Get("share") == "true",
	}
	switch {
	case !slices.Contains([]string{"core", "environment", "all"}, join.Tools):
		return join, errors.New("tools is one of core, environment, all")
	case len(join.Panel) > 100:
		return join, errors.New("panel is longer than the id of a panel")
	}
	return join, nil
}

// bufferedConn reads first what was buffered during the upgrade.
type bufferedConn struct {
	net.Conn
	buffered *bufio.Reader
}

// Read implements io.Reader.
func (bc bufferedConn) Read(b []byte) (int, error) { return bc.buffered.Read(b) }

// Instance is the address and token of a running Sextant.
type Instance struct {
	// Host has the form "127.0.0.1:PORT"; Token is the token for programs.
	Host, Token string
}

// Check asks the Sextant at i whether it would accept join, and returns its refusal as an error.
func (i Instance) Check(ctx context.Context, join JoinRequest) error {
	ctx, cancel := context.WithTimeout(ctx, joinTimeout)
	defer cancel()
	req, err := i.request(ctx, join)
	if err != nil {
		return err
	}
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return fmt.Errorf("asking the running Sextant: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusBadRequest {
		return nil // joining reports any other problem
	}
	var answer struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.NewDecoder(io.LimitReader(res.Body, maxUpgrade)).Decode(&answer); err != nil {
		return fmt.Errorf("asking the running Sextant: %w", err)
	}
	return errors.New(answer.Error.Message)
}

func (i Instance) request(ctx context.Context, join JoinRequest) (*http.Request, error) {
	query := url.Values{"tools": {join.Tools}, "share": {strconv.FormatBool(join.SharesTabs)}, "panel": {join.Panel}}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+i.Host+JoinPath+"?"+query.Encode(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+i.Token)
	return req, nil
}

func (i Instance) connect(ctx context.Context, join JoinRequest) (io.ReadWriteCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, joinTimeout)
	defer cancel()
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", i.Host)
	if err != nil {
		return nil, fmt.Errorf("joining the running Sextant: %w", err)
	}
	joined, err := i.upgrade(ctx, conn, join)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("joining the running Sextant: %w", err), conn.Close())
	}
	return joined, nil
}

func (i Instance) upgrade(ctx context.Context, conn net.Conn, join JoinRequest) (io.ReadWriteCloser, error) {
	req, err := i.request(ctx, join)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Connection", "Upgrade")
	req.Header.Set("Upgrade", protocolName)
	req.Header.Set(clientHeader, printable(join.Client))
	deadline, _ := ctx.Deadline()
	if err := conn.SetDeadline(deadline); err != nil {
		return nil, err
	}
	if err := req.Write(conn); err != nil {
		return nil, err
	}
	head := &boundedConn{conn, maxUpgrade}
	buffered := bufio.NewReader(head)
	res, err := http.ReadResponse(buffered, req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusSwitchingProtocols {
		text, _ := io.ReadAll(io.LimitReader(res.Body, 500))
		_ = res.Body.Close()
		return nil, fmt.Errorf("it answered %s: %s", res.Status, text)
	}
	head.left = math.MaxInt
	return bufferedConn{conn, buffered}, conn.SetDeadline(time.Time{})
}

func printable(s string) string {
	out := []rune{}
	for _, r := range s {
		if r >= ' ' && r < 0x7f {
			out = append(out, r)
		}
	}
	return truncate(string(out), 80)
}
