package mcpclient

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/mcp/access"
	"sextant/backend/mcp/apps"
	"sextant/backend/mcp/auth"
	"sextant/backend/mcp/config"
	"sextant/backend/mcp/inflight"
	"sextant/backend/mcp/launch"
	"sextant/backend/mcp/requests"
	"sextant/backend/mcp/servertext"
	"sextant/backend/mcp/tasks"
	"sextant/backend/sandbox/procgroup"
	"sextant/shared/event"
	"sextant/shared/wire"
)

const (
	stateOff      = "off"
	stateStarting = "starting"
	stateReady    = "ready"
	// stateDegraded means that the server is connected but did not answer its last check. Its tools stay.
	stateDegraded = "degraded"
	stateDown     = "down"
)

const (
	// connectLimit is long because the first start of a server may fetch a package.
	connectLimit = 90 * time.Second
	listLimit    = 20 * time.Second
	stopGrace    = 2 * time.Second
	stableAfter  = time.Minute
	maxPause     = time.Minute
	firstPause   = time.Second
)

// server is one configured server and, while it runs, its session. owner.mu guards the fields from permissions
// to cancel.
type server struct {
	owner *Servers
	name  string
	entry config.Entry
	fault string
	log   *slog.Logger
	tail  *procgroup.Tail

	permissions  access.Permissions
	prefix       string
	state        string
	err          string
	nextTry      time.Time
	tools        []tool
	session      *sdk.ClientSession
	group        *sessionGroup
	notified     notifications
	missedChecks int
	endReason    string

	cancel   context.CancelFunc
	run      sync.WaitGroup
	calls    inflight.Registry
	requests *requests.Handler
	// reviewing is a semaphore: the person is asked about one changed tool at a time.
	reviewing           chan struct{}
	memoryMu            sync.Mutex
	checkNow, relistNow chan struct{}
	// signin outlives a session, so that a new connection does not ask the person again.
	signin *auth.Handler
}

func newServer(owner *Servers, name, prefix string, e config.Entry, fault string) *server {
	v := &server{
		owner: owner, name: name, prefix: prefix, entry: e, fault: fault, state: stateOff, tail: &procgroup.Tail{},
		log: owner.log.With("server", name), relistNow: make(chan struct{}, 1), checkNow: make(chan struct{}, 1),
		reviewing: make(chan struct{}, 1),
	}
	cfg := &owner.cfg
	v.requests = &requests.Handler{
		Server: name, Log: v.log, Calls: &v.calls, Ask: cfg.Elicit, Folder: cfg.Folder, AskRoots: cfg.AskRoots,
		Sample: cfg.Sample, CanSample: cfg.CanSample, Consents: v.consents, SaveConsents: v.saveConsents,
		Mask: cfg.Secrets.Mask,
	}
	if fault != "" {
		v.state, v.err = stateDown, fault
	}
	return v
}

// view requires owner.mu.
func (v *server) view() event.MCPServer {
	out := event.MCPServer{
		Name: v.name, State: v.state, Enabled: !v.entry.Disabled, Transport: v.entry.Transport(),
		Command: v.entry.CommandOrURL(),
		Error:   v.owner.cfg.Secrets.Mask(v.err), Tools: []string{},
	}
	for _, t := range v.tools {
		out.Tools = append(out.Tools, t.public(v.prefix))
	}
	if !v.nextTry.IsZero() {
		next := v.nextTry
		out.NextTry = &next
	}
	return out
}

func (v *server) isRemote() bool { return v.entry.Command == "" }

// start requires owner.mu.
func (v *server) start(life context.Context) {
	ctx, cancel := context.WithCancel(life)
	v.cancel, v.state = cancel, stateStarting
	v.run.Go(func() { v.supervise(ctx) })
}

// stop waits until the session and the process have ended. The caller must not hold owner.mu.
func (v *server) stop() {
	v.owner.mu.Lock()
	cancel := v.cancel
	v.owner.mu.Unlock()
	if cancel != nil {
		cancel()
	}
	v.run.Wait()
	if v.signin != nil {
		v.signin.Close()
		v.signin = nil
	}
	v.set(func() { v.state, v.nextTry, v.tools, v.session = stateOff, time.Time{}, nil, nil })
}

func (v *server) set(change func()) {
	v.owner.mu.Lock()
	defer v.owner.mu.Unlock()
	change()
}

func (v *server) supervise(ctx context.Context) {
	failures := 0
	for ctx.Err() == nil {
		began := time.Now()
		err := v.connectAndServe(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > stableAfter {
			failures = 0
		}
		pause := v.owner.cfg.pause(failures)
		if errors.Is(err, launch.ErrDeclined) {
			v.set(func() { v.state, v.err, v.tools, v.session = stateDown, servertext.Sentence(err.Error()), nil, nil })
			v.owner.publish()
			<-ctx.Done()
			return
		}
		if v.owner.cfg.died != nil {
			v.owner.cfg.died()
		}
		failures++
		v.log.Warn("MCP server failed", "err", err, "pause", pause)
		v.set(func() {
			v.state, v.err, v.nextTry = stateDown, servertext.Sentence(err.Error()), time.Now().Add(pause).UTC()
			v.tools, v.session = nil, nil
		})
		v.owner.publish()
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return
		}
		v.set(func() { v.state, v.nextTry = stateStarting, time.Time{} })
		v.owner.publish()
	}
}

func (v *server) connectAndServe(ctx context.Context) error {
	conn, err := v.dial(ctx)
	if err != nil {
		return err
	}
	var session *sdk.ClientSession
	var waiting sync.WaitGroup
	group := newSessionGroup(ctx)
	defer func() {
		// End the calls first: closing a session waits for them.
		group.cancel()
		v.disconnect(conn, session)
		waiting.Wait()
		group.wait()
	}()
	client := sdk.NewClient(&sdk.Implementation{Name: "sextant", Version: v.owner.cfg.Version}, v.options())
	if err := tasks.Register(client); err != nil {
		return fmt.Errorf("preparing the connection: %w", err)
	}
	v.requests.ServeRoots(client)
	if session, err = v.connect(ctx, conn, client); err != nil {
		return err
	}
	closed := make(chan error, 1)
	waiting.Go(func() { closed <- session.Wait() })
	v.requestLogs(session, group)
	if err := v.list(ctx, session); err != nil {
		return v.explain(conn, fmt.Errorf("asking for its tools: %w", err))
	}
	tools := 0
	v.set(func() {
		v.state, v.err, v.session, v.group, v.endReason = stateReady, "", session, group, ""
		v.notified.watched, v.notified.updates = nil, nil
		tools = len(v.tools)
	})
	v.log.Info("MCP server is running", "tools", tools)
	if err := v.owner.cfg.Sandbox.MarkStarted(v.name, v.entry); err != nil {
		v.log.Warn("the first run of an MCP server could not be noted", "err", err)
	}
	v.owner.publish()
	return v.watchSession(ctx, conn, session, group, closed)
}

func (v *server) connect(ctx context.Context, conn *connection, client *sdk.Client) (*sdk.ClientSession, error) {
	limit, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	revision := v.rememberedRevision(ctx)
	session, err := client.Connect(limit, conn.transport, &sdk.ClientSessionOptions{ProtocolVersion: revision})
	if err != nil {
		if revision != "" && ctx.Err() == nil {
			// The server may have been updated to another revision; the next try negotiates it.
			v.rememberRevision(ctx, "")
		}
		if limit.Err() != nil && ctx.Err() == nil {
			err = fmt.Errorf("it did not answer within %d s", int(connectLimit.Seconds()))
		} else {
			err = fmt.Errorf("connecting: %w", err)
		}
		return nil, v.explain(conn, err)
	}
	if initialized := session.InitializeResult(); initialized != nil && initialized.ProtocolVersion != revision {
		v.rememberRevision(ctx, initialized.ProtocolVersion)
	}
	return session, nil
}

func (v *server) rememberRevision(ctx context.Context, revision string) {
	if err := v.remember(ctx, func(k *wire.KnownServer) { k.Revision, k.Probed = revision, time.Now() }); err != nil {
		v.log.Warn("the protocol revision of an MCP server could not be saved", "err", err)
	}
}

func (v *server) sessionEnded(conn *connection, err error) error {
	if err == nil {
		err = errors.New("it closed the connection")
	}
	// Withdraw the tools before the reason is known, which may take a moment.
	v.set(func() {
		v.state, v.err = stateDown, servertext.Sentence(err.Error())
		v.tools, v.session = nil, nil
	})
	v.owner.publish()
	err = v.explain(conn, err)
	v.set(func() {
		v.err = servertext.Sentence(err.Error())
		v.endReason = v.err
	})
	return err
}

func (v *server) explain(conn *connection, err error) error {
	if conn.process == nil {
		return err
	}
	timer := time.NewTimer(inflight.Grace)
	defer timer.Stop()
	last := v.tail.LastLine()
	select {
	case <-conn.process.Done():
		if last = v.tail.LastLine(); last != "" {
			return fmt.Errorf("stopped, %s: %s%s", conn.process.ExitStatus(), last, v.missingGrant(v.tail.String()))
		}
		return fmt.Errorf("stopped, %s", conn.process.ExitStatus())
	case <-timer.C:
	}
	if last != "" {
		return fmt.Errorf("%w; the last line it logged: %s%s", err, last, v.missingGrant(v.tail.String()))
	}
	return err
}

const maxExamined = 4000

func (v *server) missingGrant(output string) string {
	if v.owner.cfg.Sandbox == nil || v.owner.cfg.Sandbox.Confine == nil || v.isRemote() {
		return ""
	}
	v.owner.mu.Lock()
	held := v.permissions
	v.owner.mu.Unlock()
	if why := held.MissingGrant(output[max(0, len(output)-maxExamined):]); why != "" {
		return ". " + why
	}
	return ""
}

func (v *server) options() *sdk.ClientOptions {
	o := &sdk.ClientOptions{
		Capabilities:           &sdk.ClientCapabilities{},
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) { v.relistSoon() },
		ProgressNotificationHandler: func(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
			v.calls.ReportProgress(req.Params)
		},
		LoggingMessageHandler: v.logMessage,
	}
	v.handleNotifications(o)
	o.Capabilities.AddExtension(tasks.Extension, nil)
	v.requests.Advertise(o)
	o.Capabilities.AddExtension(apps.Extension, apps.ExtensionSettings())
	return o
}

func (v *server) relistSoon() {
	select {
	case v.relistNow <- struct{}{}:
	default:
	}
}

func (v *server) consents() config.Consents {
	v.owner.mu.Lock()
	defer v.owner.mu.Unlock()
	return v.owner.consents[v.name]
}

// saveConsents writes to the config later. Writing it now could deadlock: whoever changes the config may wait for
// the server to end, and the server for the request that leads here.
func (v *server) saveConsents(c config.Consents) {
	s := v.owner
	s.mu.Lock()
	had := s.consents[v.name]
	if c.Roots != nil {
		had.Roots = c.Roots
	}
	if s.consents == nil {
		s.consents = map[string]config.Consents{}
	}
	s.consents[v.name] = had
	s.mu.Unlock()
	s.saving.Go(func() {
		if err := s.SetConsents(v.name, c); err != nil {
			v.log.Warn("what an MCP server may know could not be saved; it will be asked again", "err", err)
		}
	})
}

func consentsOf(entries map[string]config.Entry) map[string]config.Consents {
	out := map[string]config.Consents{}
	for name, e := range entries {
		if e.Consents != (config.Consents{}) {
			out[name] = e.Consents
		}
	}
	return out
}
