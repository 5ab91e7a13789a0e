// Package mcpserver is the door for other programs that speak the Model Context
// Protocol: it shows them our tools and passes their calls to the Pipeline, over standard
// input and output (`sextant mcp`) and over streamable HTTP. It has no logic and no policy
// of its own; what a call may do is decided where every call is decided, and what is read
// of a page as a resource is such a call too.
//
// The protocol is the official SDK's. Lists, calls, resources and prompts are answered from
// what there is at that moment, not from a copy, because panels and servers come and go
// while a client is connected.
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

// Tools is what is offered; it is asked again for every request.
type Tools interface {
	Definitions() []toolspec.Definition
}

// Caller runs calls; the Pipeline is one.
type Caller interface {
	Do(ctx context.Context, call toolspec.Call) toolspec.Result
}

// Config is what a client is offered and who answers it.
type Config struct {
	Tools  Tools
	Caller Caller
	// Session names the browser tabs that the client's calls mean.
	Session string
	// Panel is the panel whose tools are offered too, "" for none.
	Panel string
	// Client is the program's name when the connection has settled it; "" takes what the
	// client says of itself.
	Client string
	// Asks, when set, reports whether a person can be asked in a window now.
	Asks func() bool
	// Questions, when set, hands the questions that a call and its steps put to sink until stop
	// is called, and Answer answers one: so a client that can ask its own person is asked when
	// Asks reports false. Without them such a call is refused.
	Questions func(id string, sink func(event.Approval)) (stop func())
	Answer    func(ctx context.Context, id string, answer event.Answer, reason, hash string) error
	// Version is told to clients.
	Version string
	// Instructions are told to clients at the start; "" for none.
	Instructions string
	// Changed, when set, says what clients are to be told of.
	Changed <-chan Change
	// Follow, when set, calls changed after the page in front has changed, until ctx ends; it bounds
	// how often. It is run while a client is subscribed to a form of that page.
	Follow func(ctx context.Context, changed func())
	// AllChange says that Changed tells of prompts too. Only the conformance server sets it: a
	// Sextant's never change.
	AllChange bool
	// Progress, when set, passes what a running call says to sink until stop is called; the
	// id is the Call's. Clients that ask for progress get it.
	Progress func(id string, sink func(text string)) (stop func())
	// Shared are the conversations that a person shared, nil for none.
	Shared Conversations
	// Shelf replaces the resources and prompts of a Sextant, and Fixtures are tools beside the
	// Catalogue's that speak the protocol themselves. Only the conformance server sets them.
	Shelf    Shelf
	Fixtures []Fixture
	Log      *slog.Logger
}

// Change is what clients are told of: lists that may be others now, and the address of a
// resource that may have other contents, "" for none.
type Change struct {
	Tools, Prompts, Resources bool
	URI                       string
}

// Fixture is a tool that is answered here and not by the Pipeline.
type Fixture struct {
	Tool   *sdk.Tool
	Handle sdk.ToolHandler
}

// Bounds of one client's messages and of how often it hears of progress.
const (
	maxMessage   = 16 << 20
	progressBeat = time.Second
)

// Serve speaks with one client until in ends or ctx does. It returns nil when the client
// left and ctx's error when ctx ended. Calls that run are cancelled with it.
func Serve(ctx context.Context, cfg Config, in io.Reader, out io.Writer) error {
	return newDoor(cfg).serve(ctx, in, out)
}

// serve is Serve at a door that is there.
func (d *door) serve(ctx context.Context, in io.Reader, out io.Writer) error {
	d.out = &splicer{out: out}
	defer d.close()
	return converse(ctx, d.talk(), in, d.out)
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

// door answers for the Catalogue.
type door struct {
	cfg   Config
	shelf Shelf
	// out is the stream to the client, nil over HTTP.
	out    *splicer
	parked parking
	subs   subscriptions
	// stirred carries the addresses whose contents changed with the page.
	stirred chan string
	record  record
}

func newDoor(cfg Config) *door {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	d := &door{cfg: cfg, shelf: cfg.Shelf, stirred: make(chan string)}
	d.subs.door = d
	if d.shelf == nil {
		d.shelf = &shelf{door: d}
	}
	return d
}

// close ends the calls whose question nobody came back to answer and what is followed, and waits for
// both.
func (d *door) close() {
	d.subs.close()
	d.parked.close()
}

// talk is the door as one conversation.
func (d *door) talk() talk {
	return talk{
		version: d.cfg.Version, instructions: d.cfg.Instructions, changed: d.cfg.Changed, allChange: d.cfg.AllChange, log: d.cfg.Log,
		list: d.list, call: d.call, shelf: d.shelf, heard: d.heard, stirred: d.stirred, subscribe: d.subs.add, unsubscribe: d.subs.remove,
	}
}

func (d *door) list(context.Context, *sdk.ListToolsRequest) ([]*sdk.Tool, error) {
	defs := d.cfg.Tools.Definitions()
	list := make([]*sdk.Tool, 0, len(defs)+len(d.cfg.Fixtures))
	for _, def := range defs {
		list = append(list, offered(def))
	}
	for _, f := range d.cfg.Fixtures {
		list = append(list, f.Tool)
	}
	return list, nil
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
	for _, f := range d.cfg.Fixtures {
		if f.Tool.Name == name {
			return f.Handle(ctx, req)
		}
	}
	if req.Params.RequestState != "" {
		return d.resume(ctx, req)
	}
	defs := d.cfg.Tools.Definitions()
	at := slices.IndexFunc(defs, func(def toolspec.Definition) bool { return def.Name == name })
	if at < 0 {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: unknown(name, defs)}
	}
	call := d.toCall(req.ClientInfo(), name, req.Params.Arguments)
	call.From.Unpaged = !pages(defs)
	if !call.From.Interactive && d.canAsk(req.ClientCapabilities()) {
		return d.askingClient(ctx, req, defs[at], call)
	}
	stop := d.progress(ctx, req, &call)
	result := d.cfg.Caller.Do(ctx, call)
	stop()
	d.tell(ctx, req.Session, name, result)
	return d.answer(ctx, defs[at], result, inWindow), nil
}

// toCall is what a client asks for as the Pipeline takes it.
func (d *door) toCall(info *sdk.Implementation, tool string, args json.RawMessage) toolspec.Call {
	if len(args) == 0 || string(args) == "null" {
		args = json.RawMessage("{}")
	}
	return toolspec.Call{
		Tool: tool, Args: args, Panel: d.cfg.Panel,
		From: toolspec.Provenance{
			Caller: toolspec.CallerMCP, Client: d.client(info), Session: d.cfg.Session,
			Interactive: d.cfg.Asks != nil && d.cfg.Asks(),
		},
	}
}

// tell logs to the client what its person may want to know later. The SDK holds it back from
// clients that did not ask for logs of that level.
func (d *door) tell(ctx context.Context, session *sdk.ServerSession, tool string, r toolspec.Result) {
	level, text := sdk.LoggingLevel("debug"), tool+" was done"
	switch {
	case r.Asked != "":
		level, text = "notice", tool+": a person was asked and allowed it: "+r.Asked
	case !r.Success && (r.ErrorType == toolspec.SecurityError || r.ErrorType == toolspec.PermissionError):
		level, text = "warning", tool+" was refused: "+r.Error
	case !r.Success:
		level, text = "info", tool+" failed: "+r.Error
	}
	//nolint:staticcheck // deprecated by 2026-07-28, and asked for by clients of older revisions
	_ = session.Log(ctx, &sdk.LoggingMessageParams{Level: level, Logger: "sextant", Data: text}) // a client that left hears nothing
}

// pages reports whether a client is offered the tool that reads long results in parts.
func pages(defs []toolspec.Definition) bool {
	return slices.ContainsFunc(defs, func(def toolspec.Definition) bool { return def.Name == toolspec.ReadResult })
}

// client is the name of the program that calls.
func (d *door) client(info *sdk.Implementation) string {
	if d.cfg.Client != "" {
		return d.cfg.Client
	}
	return clientName(info)
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
