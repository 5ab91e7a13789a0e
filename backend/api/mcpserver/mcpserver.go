// Package mcpserver is the door for other programs that speak the Model Context
// Protocol (`sextant mcp`): it shows them our tools and passes their calls to the
// Pipeline, over standard input and output. It has no logic and no policy of its own;
// what a call may do is decided where every call is decided.
//
// The protocol is the official SDK's. tools/list and tools/call are answered from the
// Catalogue as it is at that moment, not from a copy, because panels and servers come
// and go while a client is connected.
package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/shared/toolspec"
)

// Tools is what is offered; it is asked again for every request.
type Tools interface {
	Definitions() []toolspec.Definition
}

// Caller runs calls; the Pipeline is one.
type Caller interface {
	Do(ctx context.Context, call toolspec.Call) toolspec.Result
}

// Config is what Serve needs.
type Config struct {
	Tools  Tools
	Caller Caller
	// Session names the browser tabs that the client's calls mean.
	Session string
	// Client is the program's name when the connection has settled it; "" takes what the
	// client says of itself.
	Client string
	// Asks, when set, reports whether a person can be asked now.
	Asks func() bool
	// Version is told to clients.
	Version string
	// Instructions are told to clients at the start; "" for none.
	Instructions string
	// Changed, when set, carries a value whenever the offered tools may have changed; the
	// client is told then.
	Changed <-chan struct{}
	// Progress, when set, passes what a running call says to sink until stop is called; the
	// id is the Call's. Clients that ask for progress get it.
	Progress func(id string, sink func(text string)) (stop func())
	Log      *slog.Logger
}

// Bounds of one client's messages and of how often it hears of progress.
const (
	maxMessage   = 16 << 20
	progressBeat = time.Second
)

// Serve speaks with one client until in ends or ctx does. It returns nil when the client
// left and ctx's error when ctx ended. Calls that run are cancelled with it.
func Serve(ctx context.Context, cfg Config, in io.Reader, out io.Writer) error {
	d := &door{cfg: cfg, out: &splicer{out: out}}
	return converse(ctx, talk{
		version: cfg.Version, instructions: cfg.Instructions, changed: cfg.Changed, log: cfg.Log,
		list: func(context.Context, *sdk.ListToolsRequest) (*sdk.ListToolsResult, error) { return d.list(), nil },
		call: d.call,
	}, in, d.out)
}

// talk is one conversation with a client: who we say we are, and who answers the two
// methods that are ours.
type talk struct {
	version, instructions string
	changed               <-chan struct{}
	log                   *slog.Logger
	list                  func(context.Context, *sdk.ListToolsRequest) (*sdk.ListToolsResult, error)
	call                  func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error)
}

// receive answers what is ours and leaves the rest to the SDK.
func (t talk) receive(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		switch r := req.(type) {
		case *sdk.ListToolsRequest:
			return t.list(ctx, r)
		case *sdk.CallToolRequest:
			return t.call(ctx, r)
		}
		return next(ctx, method, req)
	}
}

// converse speaks with one client until in ends or ctx does.
func converse(ctx context.Context, t talk, in io.Reader, out io.Writer) error {
	if t.log == nil {
		t.log = slog.New(slog.DiscardHandler)
	}
	server := sdk.NewServer(&sdk.Implementation{Name: "sextant", Title: "Sextant", Version: t.version}, &sdk.ServerOptions{
		Instructions: t.instructions, Logger: t.log,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{ListChanged: t.changed != nil}},
	})
	server.AddReceivingMiddleware(t.receive)
	session, err := server.Connect(ctx, &sdk.IOTransport{Reader: reader{in}, Writer: writer{out}, MaxLineLength: maxMessage}, nil)
	if err != nil {
		return fmt.Errorf("starting MCP server: %w", err)
	}
	ended := make(chan error, 1)
	var waiting sync.WaitGroup
	waiting.Go(func() { ended <- session.Wait() })
	defer waiting.Wait()
	for {
		select {
		case <-ctx.Done():
			_ = session.Close()
			return ctx.Err()
		case err := <-ended:
			if left(err) {
				return nil
			}
			return fmt.Errorf("serving MCP: %w", err)
		case _, open := <-t.changed:
			if !open {
				t.changed = nil
				continue
			}
			announce(server)
		}
	}
}

// left reports whether a session ended because the client went away, which shows in a
// read or, when it went in the middle of our answer, in a write.
func left(err error) bool {
	if err == nil {
		return true
	}
	for _, one := range []error{io.EOF, io.ErrClosedPipe, os.ErrClosed, syscall.EPIPE, sdk.ErrConnectionClosed} {
		if errors.Is(err, one) {
			return true
		}
	}
	return false
}

// reader and writer give plain streams the Close that the transport wants. Closing a
// standard stream under a read does not end the read, so they only close what can close.
type reader struct{ io.Reader }

// Close closes the stream when it can be closed.
func (r reader) Close() error {
	if c, ok := r.Reader.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

type writer struct{ io.Writer }

// Close closes the stream when it can be closed.
func (w writer) Close() error {
	if c, ok := w.Writer.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// door answers the two methods that are ours.
type door struct {
	cfg Config
	out *splicer
}

// marker is a tool that is added and removed at once: the SDK tells clients of a changed
// list only when its own list changes, and ours stands elsewhere.
const marker = "sextant_changed"

// announce tells clients that the tools may have changed.
func announce(server *sdk.Server) {
	server.AddTool(&sdk.Tool{Name: marker, InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return nil, errors.New("not a tool")
		})
	server.RemoveTools(marker)
}

func (d *door) list() *sdk.ListToolsResult {
	defs := d.cfg.Tools.Definitions()
	list := &sdk.ListToolsResult{Tools: make([]*sdk.Tool, 0, len(defs))}
	for _, def := range defs {
		list.Tools = append(list.Tools, offered(def))
	}
	return list
}

// offered is def as MCP describes tools. What equals MCP's defaults is left out: clients
// pay for every word of it.
func offered(def toolspec.Definition) *sdk.Tool {
	schema := def.Parameters
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object"}`)
	}
	h := def.Hints
	a := &sdk.ToolAnnotations{ReadOnlyHint: h.ReadOnly, IdempotentHint: h.Idempotent, OpenWorldHint: &h.OpenWorld}
	if !h.ReadOnly {
		a.DestructiveHint = &h.Destructive
	}
	return &sdk.Tool{Name: def.Name, Description: def.Description, InputSchema: schema, Annotations: a}
}

func (d *door) call(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	name := req.Params.Name
	defs := d.cfg.Tools.Definitions()
	at := slices.IndexFunc(defs, func(def toolspec.Definition) bool { return def.Name == name })
	if at < 0 {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: unknown(name, defs)}
	}
	args := req.Params.Arguments
	if len(args) == 0 || string(args) == "null" {
		args = json.RawMessage("{}")
	}
	call := toolspec.Call{
		Tool: name, Args: args,
		From: toolspec.Provenance{
			Caller: toolspec.CallerMCP, Client: d.client(req), Session: d.cfg.Session,
			Interactive: d.cfg.Asks != nil && d.cfg.Asks(), Unpaged: !pages(defs),
		},
	}
	stop := d.progress(ctx, req, &call)
	result := d.cfg.Caller.Do(ctx, call)
	stop()
	return d.answer(ctx, defs[at], result), nil
}

// pages reports whether a client is offered the tool that reads long results in parts.
func pages(defs []toolspec.Definition) bool {
	return slices.ContainsFunc(defs, func(def toolspec.Definition) bool { return def.Name == toolspec.ReadResult })
}

// client is the name of the program that calls.
func (d *door) client(req *sdk.CallToolRequest) string {
	if d.cfg.Client != "" {
		return d.cfg.Client
	}
	return clientName(req.ClientInfo())
}

// clientName is what a client says of itself, short enough to show.
func clientName(info *sdk.Implementation) string {
	if info == nil {
		return ""
	}
	return short(info.Name, 80)
}

// unknown is an error's text that helps to send a name that exists.
func unknown(name string, defs []toolspec.Definition) string {
	names := make([]string, 0, len(defs))
	for _, def := range defs {
		names = append(names, def.Name)
	}
	return fmt.Sprintf("unknown tool %q; offered are %s. More are offered with --tools environment or --tools all.", short(name, 80), strings.Join(names, ", "))
}

func short(text string, n int) string {
	runes := []rune(strings.ToValidUTF8(text, "�"))
	return string(runes[:min(n, len(runes))])
}
