package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"
	"unicode"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/tools/mcp/apps"
	"sextant/backend/tools/mcp/grants"
	"sextant/backend/tools/mcp/signin"
	"sextant/backend/tools/mcp/tasks"
	"sextant/backend/tools/panels/accepted"
	"sextant/backend/tools/panels/child"
	"sextant/shared/event"
	"sextant/shared/wire"
)

// The states of a server, as event.MCPServer names them.
const (
	stateOff      = "off"
	stateStarting = "starting"
	stateReady    = "ready"
	// stateDegraded is a server that is connected and did not answer lately; its tools stay.
	stateDegraded = "degraded"
	stateDown     = "down"
)

const (
	// connectLimit is long because the first start of a server may fetch a package.
	connectLimit = 90 * time.Second
	listLimit    = 20 * time.Second
	stopGrace    = 2 * time.Second
	// callLimit bounds what no caller bounds.
	callLimit = 2 * time.Minute
	// steady is how long a server must have run for its next failure to count as the first.
	steady     = time.Minute
	maxBackOff = time.Minute
	firstPause = time.Second
	// farewell is how long the death behind a broken connection may take to be known: a
	// moment, which is long on a machine that is busy.
	farewell = 2 * time.Second
)

// server is one configured server and, while it runs, its session. Fields below entry are
// guarded by owner.mu.
type server struct {
	owner *Servers
	name  string
	entry Entry
	fault string
	log   *slog.Logger
	tail  *child.Tail

	// may is what its program was last held to.
	may     grants.Held
	prefix  string
	state   string
	err     string
	nextTry time.Time
	tools   []tool
	session *sdk.ClientSession
	// heard is what it told of its resources and prompts.
	heard heard
	// silences are how many looks in a row went unanswered.
	silences int
	// ended is why the session went away, told to calls that were waiting in it.
	ended string

	cancel context.CancelFunc
	run    sync.WaitGroup
	// flying are the calls that wait for an answer; asking is what asks in the session.
	flying flights
	asking *crowd
	// reviewing holds a value while the person is asked about a changed tool; memo is held while what is
	// remembered changes.
	reviewing chan struct{}
	memo      sync.Mutex
	// unwell asks for a look at how the server is.
	unwell chan struct{}
	// signin outlives a session, as what it asks the person does.
	signin *signin.Handler
	// stale asks for the list of tools again.
	stale chan struct{}
}

func newServer(owner *Servers, name, prefix string, e Entry, fault string) *server {
	v := &server{
		owner: owner, name: name, prefix: prefix, entry: e, fault: fault, state: stateOff, tail: &child.Tail{},
		log: owner.log.With("server", name), stale: make(chan struct{}, 1), unwell: make(chan struct{}, 1), reviewing: make(chan struct{}, 1),
	}
	if fault != "" {
		v.state, v.err = stateDown, fault
	}
	return v
}

func (v *server) view() event.MCPServer {
	out := event.MCPServer{
		Name: v.name, State: v.state, Enabled: !v.entry.Disabled, Transport: v.entry.transport(), Error: v.owner.cfg.Secrets.Mask(v.err), Tools: []string{},
	}
	if v.entry.Command != "" {
		out.Command = child.Line(v.entry.Command, v.entry.Args)
	} else {
		out.Command = v.entry.URL
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

// start runs the server until stop; the caller holds owner.mu.
func (v *server) start(life context.Context) {
	ctx, cancel := context.WithCancel(life)
	v.cancel, v.state = cancel, stateStarting
	v.run.Go(func() { v.live(ctx) })
}

// stop ends the server and waits until its process is gone.
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

// live connects, serves until the session ends, and starts again with a growing pause.
func (v *server) live(ctx context.Context) {
	failures := 0
	for ctx.Err() == nil {
		began := time.Now()
		err := v.once(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > steady {
			failures = 0
		}
		pause := v.owner.cfg.pause(failures)
		if errors.Is(err, errStays) {
			v.set(func() { v.state, v.err, v.tools, v.session = stateDown, sentence(err.Error()), nil, nil })
			v.owner.publish()
			<-ctx.Done()
			return
		}
		if v.owner.cfg.died != nil {
			v.owner.cfg.died()
		}
		failures++
		v.log.Warn("MCP server failed", "error", err, "pause", pause)
		v.set(func() {
			v.state, v.err, v.nextTry = stateDown, sentence(err.Error()), time.Now().Add(pause).UTC()
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

// once is one life of the server: it returns why it ended.
func (v *server) once(ctx context.Context) error {
	link, err := v.dial(ctx)
	if err != nil {
		return err
	}
	// What ends a session: the server, as it is asked to; then its process, whether it does or not.
	var session *sdk.ClientSession
	var waiting sync.WaitGroup
	asking := newCrowd(ctx)
	defer func() {
		// Calls first: a session that is closed waits for them.
		asking.over()
		v.part(link, session)
		waiting.Wait()
		asking.end()
	}()
	client := sdk.NewClient(&sdk.Implementation{Name: "sextant", Version: v.owner.cfg.Version}, v.options())
	if err := tasks.Speak(client); err != nil {
		return fmt.Errorf("preparing the connection: %w", err)
	}
	v.answering(client)
	limit, cancel := context.WithTimeout(ctx, connectLimit)
	defer cancel()
	began := v.era(ctx)
	session, err = client.Connect(limit, link.transport, &sdk.ClientSessionOptions{ProtocolVersion: began})
	if err != nil {
		if began != "" && ctx.Err() == nil {
			// It may speak another revision by now; the next try finds out.
			v.learn(ctx, "")
		}
		if limit.Err() != nil && ctx.Err() == nil {
			return v.explain(link, fmt.Errorf("it did not answer within %d s", int(connectLimit.Seconds())))
		}
		return v.explain(link, fmt.Errorf("connecting: %w", err))
	}
	if is := session.InitializeResult(); is != nil && is.ProtocolVersion != began {
		v.learn(ctx, is.ProtocolVersion)
	}
	closed := make(chan error, 1)
	waiting.Go(func() { closed <- session.Wait() })
	v.listen(session, asking)
	if err := v.list(ctx, session); err != nil {
		return v.explain(link, fmt.Errorf("asking for its tools: %w", err))
	}
	tools := 0
	v.set(func() {
		v.state, v.err, v.session, v.asking, v.ended = stateReady, "", session, asking, ""
		v.heard.watched, v.heard.updates = nil, nil
		tools = len(v.tools)
	})
	v.log.Info("MCP server runs", "tools", tools)
	if err := v.owner.cfg.Sandbox.ran(v.name, v.entry); err != nil {
		v.log.Warn("that the MCP server ran is not noted", "error", err)
	}
	v.owner.publish()
	return v.serve(ctx, link, session, asking, closed)
}

// learn remembers the revision that the server speaks.
func (v *server) learn(ctx context.Context, era string) {
	if err := v.remember(ctx, func(k *wire.KnownServer) { k.Era, k.Found = era, time.Now() }); err != nil {
		v.log.Warn("the MCP server's revision is not remembered", "error", err)
	}
}

// over withdraws a server whose session has ended, finds out why, and tells the calls that wait in it.
func (v *server) over(link *link, err error) error {
	if err == nil {
		err = errors.New("it closed the connection")
	}
	// At once, before the reason is known: that may take a moment.
	v.set(func() {
		v.state, v.err = stateDown, sentence(err.Error())
		v.tools, v.session = nil, nil
	})
	v.owner.publish()
	err = v.explain(link, err)
	v.set(func() { v.ended, v.err = sentence(err.Error()), sentence(err.Error()) })
	return err
}

// explain adds what is known of a process's end and its last words.
func (v *server) explain(link *link, err error) error {
	if link.process == nil {
		return err
	}
	timer := time.NewTimer(farewell)
	defer timer.Stop()
	last := v.tail.Last()
	select {
	case <-link.process.Done():
		if last = v.tail.Last(); last != "" {
			return fmt.Errorf("stopped, %s: %s%s", link.process.Exit(), last, v.lacking(v.tail.String()))
		}
		return fmt.Errorf("stopped, %s", link.process.Exit())
	case <-timer.C:
	}
	if last != "" {
		return fmt.Errorf("%w; its last words: %s%s", err, last, v.lacking(v.tail.String()))
	}
	return err
}

// lacking says as a sentence of its own which grant the server seems to lack by what it said, "" for none.
func (v *server) lacking(said string) string {
	if v.owner.cfg.Sandbox == nil || v.owner.cfg.Sandbox.Confine == nil || v.entry.Command == "" {
		return ""
	}
	v.owner.mu.Lock()
	h := v.may
	v.owner.mu.Unlock()
	if why := h.Lacking(said[max(0, len(said)-4000):]); why != "" {
		return ". " + why
	}
	return ""
}

// maxWhy bounds what is kept and shown of an error, in characters: most of it is a server's words.
const maxWhy = 900

// sentence is an error's text as a person reads it on a card: one line in which nothing is unseen.
func sentence(text string) string {
	line := []rune(accepted.Shown(shorten(strings.Join(strings.Fields(text), " "), maxWhy)))
	if len(line) > 0 {
		line[0] = unicode.ToUpper(line[0])
	}
	return string(line)
}

func (v *server) options() *sdk.ClientOptions {
	o := &sdk.ClientOptions{
		// Of what a client may offer, servers get questions to the person, where there is one, and what
		// the person allows each: see offer.
		Capabilities:                &sdk.ClientCapabilities{},
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { v.again() },
		ProgressNotificationHandler: v.progressed,
	}
	v.hears(o)
	o.Capabilities.AddExtension(tasks.Extension, nil)
	v.offer(o)
	o.LoggingMessageHandler = v.logged
	if v.owner.cfg.Ask != nil {
		o.ElicitationHandler = v.elicit
		o.Capabilities.Elicitation = &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{}}
	}
	o.Capabilities.AddExtension(apps.Extension, apps.Settings())
	return o
}

// again asks for the list of tools once more, soon.
func (v *server) again() {
	select {
	case v.stale <- struct{}{}:
	default:
	}
}
