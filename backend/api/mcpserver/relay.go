package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxAnswer is large because messages may contain images.
const maxAnswer = 64 << 20

// RelayConfig configures Relay.
type RelayConfig struct {
	// Find finds the running Sextant. It is called again after a connection was lost.
	Find func(ctx context.Context) (Instance, error)
	// Tools, Panel and SharesTabs have the same meaning as in JoinRequest.
	Tools, Panel          string
	SharesTabs            bool
	Version, Instructions string
	Log                   *slog.Logger
}

// Relay serves one client over in and out, as Serve does, and forwards its requests to a running Sextant. When that
// Sextant ends, running calls fail with an unknown outcome. Later calls fail until another Sextant runs; Relay then
// joins that. The first tool call after joining again fails too, because the client's element numbers are no longer
// valid.
func Relay(ctx context.Context, cfg RelayConfig, in io.Reader, out io.Writer) error {
	r := &relay{
		cfg: cfg, timeout: joinTimeout, changed: make(chan Change), waiting: make(chan struct{}, 1),
		subscribed: map[string]int{}, progress: map[int64]func(*sdk.ProgressNotificationParams){},
	}
	ctx, cancel := context.WithCancel(ctx)
	defer r.close()
	defer cancel()
	r.background.Go(func() { r.sendChanges(ctx) })
	return serveStream(ctx, endpoint{
		version: cfg.Version, instructions: cfg.Instructions, changed: r.changed, log: cfg.Log, listTools: r.list,
		callTool: r.call, resources: relayedResources{r},
		subscribe: r.subscribe, unsubscribe: r.unsubscribe,
	}, in, out)
}

type relay struct {
	cfg        RelayConfig
	changed    chan Change
	waiting    chan struct{}
	timeout    time.Duration
	background sync.WaitGroup

	joining sync.Mutex

	mu             sync.Mutex
	session        *sdk.ClientSession
	joined         int
	restartedSince bool
	progress       map[int64]func(*sdk.ProgressNotificationParams)
	last           int64
	subscribed     map[string]int
	pending        []Change
}

func (r *relay) close() {
	r.mu.Lock()
	session := r.session
	r.mu.Unlock()
	if session != nil {
		_ = session.Close()
	}
	r.background.Wait()
}

type clientRequest interface {
	ClientInfo() *sdk.Implementation
	ClientCapabilities() *sdk.ClientCapabilities
}

func (r *relay) join(ctx context.Context, client clientRequest) (*sdk.ClientSession, error) {
	r.joining.Lock()
	defer r.joining.Unlock()
	r.mu.Lock()
	session := r.session
	r.mu.Unlock()
	if session != nil {
		return session, nil
	}
	instance, err := r.cfg.Find(ctx)
	if err != nil {
		return nil, err
	}
	name := clientName(client.ClientInfo())
	conn, err := instance.connect(ctx, JoinRequest{
		Client: name, Tools: r.cfg.Tools, Panel: r.cfg.Panel,
		SharesTabs: r.cfg.SharesTabs,
	})
	if err != nil {
		return nil, err
	}
	caps := &sdk.ClientCapabilities{}
	if theirs := client.ClientCapabilities(); supportsForms(theirs) {
		caps.Elicitation = theirs.Elicitation
	}
	us := sdk.NewClient(&sdk.Implementation{Name: name, Version: r.cfg.Version}, &sdk.ClientOptions{
		Logger: r.cfg.Log, Capabilities: caps,
		ToolListChangedHandler: func(context.Context, *sdk.ToolListChangedRequest) {
			r.queueChange(Change{Tools: true})
		},
		ResourceListChangedHandler: func(context.Context, *sdk.ResourceListChangedRequest) {
			r.queueChange(Change{Resources: true})
		},
		ResourceUpdatedHandler: func(_ context.Context, req *sdk.ResourceUpdatedNotificationRequest) {
			r.resourceUpdated(req.Params.URI)
		},
		ProgressNotificationHandler: r.forwardProgress,
		// Questions are for the client: they are forwarded unchanged.
		MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
	})
	// A silent peer must not block all later calls.
	hello, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	session, err = us.Connect(hello, &sdk.IOTransport{Reader: conn, Writer: conn, MaxLineLength: maxAnswer}, nil)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("joining the running Sextant: %w", err), conn.Close())
	}
	r.mu.Lock()
	r.session, r.restartedSince = session, r.joined > 0
	r.joined++
	again := slices.Sorted(maps.Keys(r.subscribed))
	r.mu.Unlock()
	for _, uri := range again {
		// Not reported: usually the new Sextant lacks the resource.
		_ = session.Subscribe(hello, &sdk.SubscribeParams{URI: uri})
	}
	r.background.Go(func() {
		_ = session.Wait() // the calls report how it ended
		_ = session.Close()
		r.mu.Lock()
		r.session = nil
		r.mu.Unlock()
	})
	return session, nil
}

// queueChange skips a change that is queued already, because the client may read slowly.
func (r *relay) queueChange(change Change) {
	r.mu.Lock()
	if !slices.Contains(r.pending, change) {
		r.pending = append(r.pending, change)
	}
	r.mu.Unlock()
	select {
	case r.waiting <- struct{}{}:
	default:
	}
}

func (r *relay) sendChanges(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-r.waiting:
		}
		r.mu.Lock()
		changes := r.pending
		r.pending = nil
		r.mu.Unlock()
		for _, change := range changes {
			select {
			case <-ctx.Done():
				return
			case r.changed <- change:
			}
		}
	}
}

func (r *relay) forwardProgress(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
	var token int64
	switch v := req.Params.ProgressToken.(type) {
	case float64:
		token = int64(v)
	case int64:
		token = v
	}
	r.mu.Lock()
	sink := r.progress[token]
	r.mu.Unlock()
	if sink != nil {
		sink(req.Params)
	}
}

func forward[T any](ctx context.Context, r *relay, client clientRequest, ask func(*sdk.ClientSession) (T, error)) (T,
	error,
) {
	var none T
	session, err := r.join(ctx, client)
	if err != nil {
		return none, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
	}
	answer, err := ask(session)
	switch {
	case err == nil:
		return answer, nil
	case !isResponse(err) && ctx.Err() == nil:
		return none, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "Sextant has ended. " + restartHint}
	}
	return none, responseError(err)
}

func responseError(err error) error {
	var response *jsonrpc.Error
	if errors.As(err, &response) {
		return response
	}
	return err
}

func (r *relay) list(ctx context.Context, req *sdk.ListToolsRequest) ([]*sdk.Tool, error) {
	list, err := forward(ctx, r, req, func(s *sdk.ClientSession) (*sdk.ListToolsResult, error) {
		return s.ListTools(ctx, nil)
	})
	if err != nil {
		return nil, err
	}
	return list.Tools, nil
}

const restartHint = "Start Sextant and repeat the call, which connects to it; or start sextant mcp with --headless " +
	"to use its own browser."

func (r *relay) call(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	name := truncate(req.Params.Name, 80)
	session, err := r.join(ctx, req)
	if err != nil {
		return errorResult(fmt.Sprintf("%s did not run: %v", name, err)), nil
	}
	if r.restarted() {
		return errorResult(name + " did not run: Sextant was restarted since the last call, so its tabs and element " +
			"numbers are gone. Call annotate_page or navigate_page."), nil
	}
	params := &sdk.CallToolParams{Name: req.Params.Name, Arguments: json.RawMessage("{}")}
	if len(req.Params.Arguments) > 0 {
		params.Arguments = req.Params.Arguments
	}
	params.InputResponses, params.RequestState = req.Params.InputResponses, req.Params.RequestState
	defer r.forwardProgressOf(ctx, req, params)()
	for {
		result, err := session.CallTool(ctx, params)
		switch {
		case err != nil && ctx.Err() == nil && !isResponse(err):
			return errorResult(name + ": Sextant ended during the call; whether it took effect is unknown. " +
				restartHint), nil
		case err != nil:
			return nil, responseError(err)
		case len(result.InputRequests) == 0 || req.ProtocolVersion() >= sinceStateless:
			return result, nil
		}
		// A client of an older revision is asked during its call, as often as needed.
		params.InputResponses, params.RequestState = sdk.InputResponseMap{}, result.RequestState
		for key, question := range result.InputRequests {
			form, ok := question.(*sdk.ElicitParams)
			if !ok {
				continue
			}
			if answer, err := req.Session.Elicit(ctx, form); err == nil {
				params.InputResponses[key] = answer
			} else {
				params.InputResponses[key] = &sdk.ElicitResult{Action: "cancel"}
			}
		}
	}
}

// restarted reports each restart once.
func (r *relay) restarted() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	was := r.restartedSince
	r.restartedSince = false
	return was
}

func (r *relay) forwardProgressOf(ctx context.Context, req *sdk.CallToolRequest,
	params *sdk.CallToolParams,
) (stop func()) {
	token := req.Params.GetProgressToken()
	if token == nil {
		return func() {}
	}
	r.mu.Lock()
	r.last++
	own := r.last
	r.progress[own] = func(p *sdk.ProgressNotificationParams) {
		passed := *p
		passed.ProgressToken = token
		_ = req.Session.NotifyProgress(ctx, &passed) // the client may have disconnected
	}
	r.mu.Unlock()
	params.SetProgressToken(own)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.progress, own)
	}
}

func isResponse(err error) bool {
	// These are the SDK's codes for a closing connection.
	const serverClosing, clientClosing = -32004, -32003
	var response *jsonrpc.Error
	if errors.Is(err, sdk.ErrConnectionClosed) || !errors.As(err, &response) {
		return false
	}
	return response.Code != serverClosing && response.Code != clientClosing
}

func errorResult(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: "error (system_error): " +
		text}}}
}
