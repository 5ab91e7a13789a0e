// Package mcpserver serves the Model Context Protocol to other programs: it offers them our tools and passes
// their calls to the pipeline, over standard input and output (`sextant mcp`) and over streamable HTTP. It has
// no policy: the pipeline decides about the calls, and reading a page as a resource is a call too.
//
// The official SDK implements the protocol. Lists are made for each request, because panels and servers are added
// and removed while a client is connected.
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
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// Tools lists the tools to offer. It is called for each request that needs them.
type Tools interface {
	Definitions() []toolspec.Definition
}

// Caller runs calls.
type Caller interface {
	Do(ctx context.Context, call toolspec.Call) toolspec.Result
}

// Config configures the server for one client: what is offered, and who answers.
type Config struct {
	Tools  Tools
	Caller Caller
	// Session names the browser tabs that the client's calls use, "" for the window's.
	Session string
	// Panel is the id of a panel whose tools are offered too, "" for none.
	Panel string
	// Client is the program's name if the connection determines it; "" uses the name that the client sends.
	Client string
	// CanAsk, if set, reports whether a person can be asked in a window now.
	CanAsk func() bool
	// FollowQuestions, if set, passes the questions of a call and its steps to sink until stop is called, and Answer
	// answers one of them. With both, a client that can ask its own user is asked if CanAsk reports false. Otherwise a
	// call with a question is refused then.
	FollowQuestions func(id string, sink func(event.Approval)) (stop func())
	Answer          func(ctx context.Context, id string, answer event.Answer, reason, hash string) error
	Version         string
	// Instructions are for the client's model; "" for none.
	Instructions string
	Changes      <-chan Change
	// FollowPage, if set, calls changed after the active page has changed, at a bounded rate, until ctx ends. It
	// runs while the client is subscribed to a resource of that page.
	FollowPage func(ctx context.Context, changed func())
	// ReportsPromptChanges declares that Changes reports changes of prompts too.
	ReportsPromptChanges bool
	// FollowProgress, if set, passes the output of the running call with that id to sink until stop is called. It is
	// reported to clients that ask for progress.
	FollowProgress func(id string, sink func(text string)) (stop func())
	// Conversations provides the conversations that the person shared, nil for none.
	Conversations Conversations
	// Resources replaces the built-in resources and prompts, and LocalTools adds tools that bypass Caller. Only the
	// conformance server sets them.
	Resources  ResourceProvider
	LocalTools []LocalTool
	Log        *slog.Logger
}

// Change is a change that clients are notified of: lists that may have changed, and the URI of a resource that
// may have changed, "" for none.
type Change struct {
	Tools, Prompts, Resources bool
	URI                       string
}

// LocalTool is a tool that is handled here and not by Config.Caller.
type LocalTool struct {
	Tool   *sdk.Tool
	Handle sdk.ToolHandler
}

const (
	maxMessage   = 16 << 20
	progressBeat = time.Second
)

// Serve serves one client until in or ctx ends, and cancels its running calls then. It returns nil if the client
// disconnected, and ctx's error if ctx ended.
func Serve(ctx context.Context, cfg Config, in io.Reader, out io.Writer) error {
	return newToolServer(cfg).serve(ctx, in, out)
}

func (t *toolServer) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	t.out = &spliceWriter{out: out}
	defer t.close()
	return serveStream(ctx, t.endpoint(), in, t.out)
}

// clientLeft checks errors of reads and of writes: a client may disconnect during our answer.
func clientLeft(err error) bool {
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

// reader and writer add the Close that the transport needs.
type reader struct{ io.Reader }

// Close closes the stream if it can be closed.
func (r reader) Close() error {
	if c, ok := r.Reader.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

type writer struct{ io.Writer }

// Close closes the stream if it can be closed.
func (w writer) Close() error {
	if c, ok := w.Writer.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

type toolServer struct {
	cfg       Config
	resources ResourceProvider
	// out is the stream to the client, nil over HTTP.
	out             *spliceWriter
	parkedCalls     parkedCalls
	subs            subscriptions
	resourceChanges chan string
	activity        activity
}

func newToolServer(cfg Config) *toolServer {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	d := &toolServer{cfg: cfg, resources: cfg.Resources, resourceChanges: make(chan string)}
	d.subs.server = d
	if d.resources == nil {
		d.resources = &builtinResources{server: d}
	}
	return d
}

func (t *toolServer) close() {
	t.subs.close()
	t.parkedCalls.close()
}

func (t *toolServer) endpoint() endpoint {
	return endpoint{
		version: t.cfg.Version, instructions: t.cfg.Instructions, changed: t.cfg.Changes,
		promptChanges: t.cfg.ReportsPromptChanges,
		log:           t.cfg.Log,
		listTools:     t.listTools, callTool: t.callTool, resources: t.resources, onRequest: t.noteRequest,
		resourceChanges: t.resourceChanges, subscribe: t.subs.add,
		unsubscribe: t.subs.remove,
	}
}

func (t *toolServer) listTools(context.Context, *sdk.ListToolsRequest) ([]*sdk.Tool, error) {
	defs := t.cfg.Tools.Definitions()
	list := make([]*sdk.Tool, 0, len(defs)+len(t.cfg.LocalTools))
	for _, def := range defs {
		list = append(list, toolOf(def))
	}
	for _, f := range t.cfg.LocalTools {
		list = append(list, f.Tool)
	}
	return list, nil
}

// toolOf leaves out the destructiveHint of a read-only tool, because clients pay for every word.
func toolOf(def toolspec.Definition) *sdk.Tool {
	schema := def.Parameters
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object"}`)
	}
	h := def.Hints
	a := &sdk.ToolAnnotations{ReadOnlyHint: h.ReadOnly, IdempotentHint: h.Idempotent, OpenWorldHint: &h.OpenWorld}
	if !h.ReadOnly {
		a.DestructiveHint = &h.Destructive
	}
	tool := &sdk.Tool{Name: def.Name, Description: def.Description, InputSchema: schema, Annotations: a}
	if def.Output != nil {
		tool.OutputSchema = def.Output
	}
	return tool
}

func (t *toolServer) callTool(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	name := req.Params.Name
	for _, f := range t.cfg.LocalTools {
		if f.Tool.Name == name {
			return f.Handle(ctx, req)
		}
	}
	if req.Params.RequestState != "" {
		return t.resume(ctx, req)
	}
	defs := t.cfg.Tools.Definitions()
	at := slices.IndexFunc(defs, func(def toolspec.Definition) bool { return def.Name == name })
	if at < 0 {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: unknownTool(name, defs)}
	}
	call := t.toCall(req.ClientInfo(), name, req.Params.Arguments)
	call.From.NeedsFullResults = !offersPaging(defs)
	if !call.From.Interactive && t.canAskClient(req.ClientCapabilities()) {
		return t.callWithQuestions(ctx, req, defs[at], call)
	}
	stop := t.progress(ctx, req, &call)
	result := t.cfg.Caller.Do(ctx, call)
	stop()
	t.logResult(ctx, req.Session, name, result)
	return t.answer(ctx, defs[at], result, inWindow), nil
}

func (t *toolServer) toCall(info *sdk.Implementation, tool string, args json.RawMessage) toolspec.Call {
	if len(args) == 0 || string(args) == "null" {
		args = json.RawMessage("{}")
	}
	return toolspec.Call{
		Tool: tool, Args: args, Panel: t.cfg.Panel,
		From: toolspec.Provenance{
			Caller: toolspec.CallerMCP, Client: t.clientName(info), Session: t.cfg.Session,
			Interactive: t.cfg.CanAsk != nil && t.cfg.CanAsk(),
		},
	}
}

// logResult leaves it to the SDK to drop the message for clients that did not request that level.
func (t *toolServer) logResult(ctx context.Context, session *sdk.ServerSession, tool string, r toolspec.Result) {
	level, text := sdk.LoggingLevel("debug"), tool+" succeeded"
	switch {
	case r.ApprovedQuestion != "":
		level, text = "notice", tool+": a person was asked and allowed it: "+r.ApprovedQuestion
	case !r.Success && (r.ErrorType == toolspec.SecurityError || r.ErrorType == toolspec.PermissionError):
		level, text = "warning", tool+" was refused: "+r.Error
	case !r.Success:
		level, text = "info", tool+" failed: "+r.Error
	}
	//nolint:staticcheck // deprecated by 2026-07-28, and needed by clients of older revisions
	_ = session.Log(ctx, &sdk.LoggingMessageParams{
		Level: level, Logger: "sextant",
		Data: text,
	}) // the client may have disconnected
}

func offersPaging(defs []toolspec.Definition) bool {
	return slices.ContainsFunc(defs, func(def toolspec.Definition) bool { return def.Name == toolspec.ReadResult })
}

func (t *toolServer) clientName(info *sdk.Implementation) string {
	if t.cfg.Client != "" {
		return t.cfg.Client
	}
	return clientName(info)
}

func clientName(info *sdk.Implementation) string {
	if info == nil {
		return ""
	}
	return truncate(info.Name, 80)
}

func unknownTool(name string, defs []toolspec.Definition) string {
	names := make([]string, 0, len(defs))
	for _, def := range defs {
		names = append(names, def.Name)
	}
	return fmt.Sprintf("unknown tool %q; available are %s. More tools are available with --tools environment or "+
		"--tools all.", truncate(name, 80), strings.Join(names, ", "))
}

func truncate(text string, n int) string {
	runes := []rune(strings.ToValidUTF8(text, "�"))
	return string(runes[:min(n, len(runes))])
}
