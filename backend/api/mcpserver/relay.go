package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxAnswer bounds one message of the Sextant that was joined; pictures are large.
const maxAnswer = 64 << 20

// RelayConfig is what Relay needs.
type RelayConfig struct {
	// Find tells where Sextant runs; it is asked again after a connection was lost.
	Find func(ctx context.Context) (Place, error)
	// Tools and Share are the Guest's.
	Tools string
	Share bool
	// Version and Instructions are told to the client.
	Version, Instructions string
	Log                   *slog.Logger
}

// Relay speaks with one client over in and out, as Serve does, and lets a running Sextant
// answer: the client has tabs there for as long as it stays. When that Sextant ends, the
// calls under way fail and say that their outcome is not known; later ones fail until one
// runs again, which is joined then. The first call after that fails too, because the
// client's numbers meant elements that are gone.
func Relay(ctx context.Context, cfg RelayConfig, in io.Reader, out io.Writer) error {
	r := &relay{cfg: cfg, patience: joinPatience, changed: make(chan struct{}, 1), progress: map[int64]func(*sdk.ProgressNotificationParams){}}
	ctx, cancel := context.WithCancel(ctx)
	defer r.close()
	defer cancel()
	return converse(ctx, talk{
		version: cfg.Version, instructions: cfg.Instructions, changed: r.changed, log: cfg.Log, list: r.list, call: r.call,
	}, in, out)
}

// relay is the way from one client to the Sextant that it joined.
type relay struct {
	cfg     RelayConfig
	changed chan struct{}
	// patience bounds the time until the other side speaks MCP.
	patience time.Duration
	// watching counts goroutines that wait for the end of a connection.
	watching sync.WaitGroup

	// joining is held while a connection is made.
	joining sync.Mutex

	mu       sync.Mutex
	session  *sdk.ClientSession
	joined   int
	stale    bool
	progress map[int64]func(*sdk.ProgressNotificationParams)
	last     int64
}

func (r *relay) close() {
	r.mu.Lock()
	session := r.session
	r.mu.Unlock()
	if session != nil {
		_ = session.Close()
	}
	r.watching.Wait()
}

// join returns the living connection, making one when there is none.
func (r *relay) join(ctx context.Context, client *sdk.Implementation) (*sdk.ClientSession, error) {
	r.joining.Lock()
	defer r.joining.Unlock()
	r.mu.Lock()
	session := r.session
	r.mu.Unlock()
	if session != nil {
		return session, nil
	}
	place, err := r.cfg.Find(ctx)
	if err != nil {
		return nil, err
	}
	name := clientName(client)
	conn, err := place.connect(ctx, Guest{Client: name, Tools: r.cfg.Tools, Share: r.cfg.Share})
	if err != nil {
		return nil, err
	}
	us := sdk.NewClient(&sdk.Implementation{Name: name, Version: r.cfg.Version}, &sdk.ClientOptions{
		Logger: r.cfg.Log, Capabilities: &sdk.ClientCapabilities{},
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { r.poke() },
		ProgressNotificationHandler: r.pass,
	})
	// What is silent after the upgrade must not hold up every later call.
	hello, cancel := context.WithTimeout(ctx, r.patience)
	defer cancel()
	session, err = us.Connect(hello, &sdk.IOTransport{Reader: conn, Writer: conn, MaxLineLength: maxAnswer}, nil)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("joining the running Sextant: %w", err), conn.Close())
	}
	r.mu.Lock()
	r.session, r.stale = session, r.joined > 0
	r.joined++
	r.mu.Unlock()
	r.watching.Go(func() {
		_ = session.Wait() // how it ended is told by the calls
		_ = session.Close()
		r.mu.Lock()
		r.session = nil
		r.mu.Unlock()
	})
	return session, nil
}

// poke tells the client that the tools may have changed.
func (r *relay) poke() {
	select {
	case r.changed <- struct{}{}:
	default: // one notice waits already
	}
}

// pass hands a notice of progress to the call that it belongs to.
func (r *relay) pass(_ context.Context, req *sdk.ProgressNotificationClientRequest) {
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

func (r *relay) list(ctx context.Context, req *sdk.ListToolsRequest) (*sdk.ListToolsResult, error) {
	session, err := r.join(ctx, req.ClientInfo())
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
	}
	list, err := session.ListTools(ctx, nil)
	if err != nil && !answered(err) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "The Sextant that was joined has ended. " + whatNext}
	}
	return list, err
}

const whatNext = "Start sextant again and repeat the call, which joins it; or start sextant mcp with --headless for a browser of its own."

func (r *relay) call(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	name := short(req.Params.Name, 80)
	session, err := r.join(ctx, req.ClientInfo())
	if err != nil {
		return failed(fmt.Sprintf("%s did not run: %v", name, err)), nil
	}
	if r.anew() {
		return failed(name + " did not run: Sextant was started anew since the last call, so its tabs and numbers are gone. Call annotate_page or navigate_page."), nil
	}
	params := &sdk.CallToolParams{Name: req.Params.Name, Arguments: json.RawMessage("{}")}
	if len(req.Params.Arguments) > 0 {
		params.Arguments = req.Params.Arguments
	}
	defer r.follow(ctx, req, params)()
	result, err := session.CallTool(ctx, params)
	if err != nil && ctx.Err() == nil && !answered(err) {
		return failed(name + ": the Sextant that was joined ended in the middle of it; whether it took effect is not known. " + whatNext), nil
	}
	return result, err
}

// anew reports, once, that the numbers the client knows belong to a Sextant that is gone.
func (r *relay) anew() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	was := r.stale
	r.stale = false
	return was
}

// follow passes progress of the call on, when its client wants it, until stop is called.
func (r *relay) follow(ctx context.Context, req *sdk.CallToolRequest, params *sdk.CallToolParams) (stop func()) {
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
		_ = req.Session.NotifyProgress(ctx, &passed) // a client that left hears nothing
	}
	r.mu.Unlock()
	params.SetProgressToken(own)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.progress, own)
	}
}

// answered reports whether err is an answer of the other side and not the loss of it.
func answered(err error) bool {
	// What the SDK says for a connection that closes, which is no answer either.
	const serverClosing, clientClosing = -32004, -32003
	var said *jsonrpc.Error
	if errors.Is(err, sdk.ErrConnectionClosed) || !errors.As(err, &said) {
		return false
	}
	return said.Code != serverClosing && said.Code != clientClosing
}

// failed is a call's error as a model reads it.
func failed(text string) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: "error (system_error): " + text}}}
}
