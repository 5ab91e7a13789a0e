package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// ResourceProvider provides what a client can use besides tools: resources, prompts and completions. Its
// methods may be called concurrently.
type ResourceProvider interface {
	Resources(ctx context.Context, req *sdk.ListResourcesRequest) ([]*sdk.Resource, error)
	Templates(ctx context.Context, req *sdk.ListResourceTemplatesRequest) ([]*sdk.ResourceTemplate, error)
	// Read returns the SDK's ResourceNotFoundError for an unknown URI.
	Read(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error)
	Prompts(ctx context.Context, req *sdk.ListPromptsRequest) ([]*sdk.Prompt, error)
	Prompt(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error)
	Complete(ctx context.Context, req *sdk.CompleteRequest) (*sdk.CompleteResult, error)
}

// endpoint is the protocol endpoint for one client: its declarations and request handlers.
type endpoint struct {
	version, instructions string
	life                  context.Context //nolint:containedctx // the lifetime of the endpoint
	onRequest             func(req sdk.Request)
	changed               <-chan Change
	resourceChanges       <-chan string
	promptChanges         bool
	subscribe             func(context.Context, *sdk.SubscribeRequest) error
	unsubscribe           func(context.Context, *sdk.UnsubscribeRequest) error
	log                   *slog.Logger
	listTools             func(context.Context, *sdk.ListToolsRequest) ([]*sdk.Tool, error)
	callTool              sdk.ToolHandler
	resources             ResourceProvider
}

// The SDK stores lists of tools, prompts and resources, but ours change independently of it. So one entry of each
// kind is registered, and requests are passed to the SDK under its name.
const (
	entryName = "sextant_entry"
	entryURI  = "sextant:entry"
)

type requestedKey struct{}

func (e endpoint) newServer() *sdk.Server {
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	options := &sdk.ServerOptions{
		Instructions: e.instructions, Logger: slog.New(debugHandler{e.log.Handler()}),
		CompletionHandler: e.resources.Complete,
		// Lists and pages are only for this client: a cache must not serve them to another one.
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = "private" },
		Capabilities: &sdk.ServerCapabilities{
			Tools:     &sdk.ToolCapabilities{ListChanged: e.changed != nil},
			Prompts:   &sdk.PromptCapabilities{ListChanged: e.promptChanges},
			Resources: &sdk.ResourceCapabilities{ListChanged: e.changed != nil, Subscribe: e.subscribe != nil},
			//nolint:staticcheck // deprecated by 2026-07-28, but needed by clients of older revisions
			Logging: &sdk.LoggingCapabilities{},
		},
	}
	if e.subscribe != nil {
		options.SubscribeHandler, options.UnsubscribeHandler = e.subscribe, e.unsubscribe
	}
	server := sdk.NewServer(&sdk.Implementation{Name: "sextant", Title: "Sextant", Version: e.version}, options)
	server.AddReceivingMiddleware(e.receive)
	e.registerEntries(server, Change{Tools: true, Prompts: true, Resources: true})
	return server
}

// registerEntries makes the SDK notify clients of changed lists: it does so when an entry is registered again.
func (e endpoint) registerEntries(server *sdk.Server, change Change) {
	if change.Tools {
		server.AddTool(&sdk.Tool{Name: entryName, InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				params := *req.Params
				params.Name = requestedName(ctx)
				meantReq := *req
				meantReq.Params = &params
				return e.callTool(ctx, &meantReq)
			})
	}
	if change.Prompts {
		server.AddPrompt(&sdk.Prompt{Name: entryName},
			func(ctx context.Context, req *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
				params := *req.Params
				params.Name = requestedName(ctx)
				meantReq := *req
				meantReq.Params = &params
				return e.resources.Prompt(ctx, &meantReq)
			})
	}
	if change.Resources {
		server.AddResource(&sdk.Resource{Name: entryName, URI: entryURI},
			func(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
				params := *req.Params
				params.URI = requestedName(ctx)
				meantReq := *req
				meantReq.Params = &params
				return e.resources.Read(ctx, &meantReq)
			})
	}
}

func requestedName(ctx context.Context) string {
	name, _ := ctx.Value(requestedKey{}).(string)
	return name
}

func (e endpoint) receive(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if e.onRequest != nil {
			e.onRequest(req)
		}
		if e.life != nil {
			var cancel context.CancelFunc
			ctx, cancel = context.WithCancel(ctx)
			defer cancel()
			defer context.AfterFunc(e.life, cancel)()
		}
		switch r := req.(type) {
		case *sdk.CallToolRequest:
			ctx, r.Params.Name = context.WithValue(ctx, requestedKey{}, r.Params.Name), entryName
		case *sdk.GetPromptRequest:
			ctx, r.Params.Name = context.WithValue(ctx, requestedKey{}, r.Params.Name), entryName
		case *sdk.ReadResourceRequest:
			ctx, r.Params.URI = context.WithValue(ctx, requestedKey{}, r.Params.URI), entryURI
		}
		result, err := next(ctx, method, req)
		if err != nil {
			return nil, err
		}
		return e.replaceLists(ctx, req, result)
	}
}

func (e endpoint) replaceLists(ctx context.Context, req sdk.Request, result sdk.Result) (_ sdk.Result, err error) {
	switch out := result.(type) {
	case *sdk.ListToolsResult:
		if r, ok := req.(*sdk.ListToolsRequest); ok {
			out.Tools, err = e.listTools(ctx, r)
		}
	case *sdk.ListPromptsResult:
		if r, ok := req.(*sdk.ListPromptsRequest); ok {
			out.Prompts, err = e.resources.Prompts(ctx, r)
		}
	case *sdk.ListResourcesResult:
		if r, ok := req.(*sdk.ListResourcesRequest); ok {
			out.Resources, err = e.resources.Resources(ctx, r)
		}
	case *sdk.ListResourceTemplatesResult:
		if r, ok := req.(*sdk.ListResourceTemplatesRequest); ok {
			out.ResourceTemplates, err = e.resources.Templates(ctx, r)
		}
	}
	if err != nil {
		return nil, err
	}
	return result, nil
}

func (e endpoint) announce(ctx context.Context, server *sdk.Server) {
	for {
		select {
		case <-ctx.Done():
			return
		case change, open := <-e.changed:
			if !open {
				return
			}
			e.registerEntries(server, change)
			if change.URI != "" {
				notifyUpdated(ctx, server, change.URI)
			}
		case uri := <-e.resourceChanges:
			notifyUpdated(ctx, server, uri)
		}
	}
}

func notifyUpdated(ctx context.Context, server *sdk.Server, uri string) {
	_ = server.ResourceUpdated(ctx, &sdk.ResourceUpdatedNotificationParams{URI: uri}) // it never fails
}

func serveStream(ctx context.Context, t endpoint, in io.Reader, out io.Writer) error {
	server := t.newServer()
	session, err := server.Connect(ctx, &sdk.IOTransport{
		Reader: reader{in}, Writer: writer{out},
		MaxLineLength: maxMessage,
	}, nil)
	if err != nil {
		return fmt.Errorf("starting MCP server: %w", err)
	}
	ended := make(chan error, 1)
	announcing, stop := context.WithCancel(ctx)
	var waiting sync.WaitGroup
	waiting.Go(func() { ended <- session.Wait() })
	waiting.Go(func() { t.announce(announcing, server) })
	defer waiting.Wait()
	defer stop()
	select {
	case <-ctx.Done():
		_ = session.Close()
		return ctx.Err()
	case err := <-ended:
		if clientLeft(err) {
			return nil
		}
		return fmt.Errorf("serving MCP: %w", err)
	}
}

// debugHandler logs at debug level, because a client that disconnects or does not read is no problem here.
type debugHandler struct{ slog.Handler }

// Enabled implements slog.Handler.
func (d debugHandler) Enabled(ctx context.Context, level slog.Level) bool {
	return d.Handler.Enabled(ctx, min(level, slog.LevelDebug))
}

// Handle implements slog.Handler.
func (d debugHandler) Handle(ctx context.Context, r slog.Record) error {
	r.Level = min(r.Level, slog.LevelDebug)
	return d.Handler.Handle(ctx, r)
}
