package cdp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	rodcdp "github.com/go-rod/rod/lib/cdp"
	"github.com/go-rod/rod/lib/proto"
)

// ErrReplaced is the error of calls of a Document that another has replaced or whose frame was removed.
var ErrReplaced = errors.New("the document was replaced")

// ScriptError is an exception thrown by a script that we ran in a page. Line counts from 0.
type ScriptError struct {
	Text string
	Line int
}

// Error implements error.
func (e *ScriptError) Error() string { return "script in the page: " + e.Text }

const worldName = "sextant"

// Document is one document in one frame. It ends when another replaces it, its frame is removed, or its isolated world
// is lost. It implements collect.World. Its methods may be called concurrently.
type Document struct {
	// Seq is the document's number, from Options.DocumentCounter.
	Seq int

	frame    *Frame
	session  string
	loaderID string
	url      string
	gone     chan struct{}
	// making contains one token while the isolated world is being created.
	making   chan struct{}
	world    proto.RuntimeExecutionContextID
	children map[int]string
	// object is the remote object id of the document in the page's main world, "" until it is needed.
	object string
}

// FrameID returns the id of the document's frame.
func (d *Document) FrameID() string { return d.frame.ID }

// SessionID returns the id of the document's protocol session.
func (d *Document) SessionID() string { return d.session }

// IsMain reports whether d is the page's main document.
func (d *Document) IsMain() bool {
	d.frame.page.reg.mu.Lock()
	defer d.frame.page.reg.mu.Unlock()
	return d.frame == d.frame.page.main
}

// URL returns the document's address as the browser last reported it.
func (d *Document) URL() string {
	d.frame.page.reg.mu.Lock()
	defer d.frame.page.reg.mu.Unlock()
	return d.url
}

// IsCurrent reports whether the document is still the one in its frame.
func (d *Document) IsCurrent() bool {
	select {
	case <-d.gone:
		return false
	default:
		return true
	}
}

// end is called under reg.mu.
func (d *Document) end() {
	if d.IsCurrent() {
		close(d.gone)
	}
}

// Client returns a client that runs rod's typed requests on the document's session.
func (d *Document) Client(ctx context.Context) proto.Client {
	return sessionClient{ctx, d.frame.page.reg.conn, d.session}
}

// Call implements collect.World.
func (d *Document) Call(ctx context.Context, function string, args ...any) (json.RawMessage, error) {
	res, err := d.call(ctx, function, true, args)
	if err != nil {
		return nil, err
	}
	return res.json(), nil
}

func (d *Document) call(ctx context.Context, function string, byValue bool, args []any) (remoteObject, error) {
	req, err := d.callParams(ctx, function, byValue, args)
	if err != nil {
		return remoteObject{}, err
	}
	req["awaitPromise"] = true
	return d.run(ctx, callFunctionOn, req)
}

const callFunctionOn = "Runtime.callFunctionOn"

func (d *Document) callParams(
	ctx context.Context, function string, byValue bool, args []any,
) (map[string]any, error) {
	type argument struct {
		Value any `json:"value"`
	}
	list := make([]argument, len(args))
	for i, a := range args {
		list[i].Value = a
	}
	world, err := d.isolated(ctx)
	if err != nil {
		return nil, err
	}
	return map[string]any{
		"functionDeclaration": function, "executionContextId": world, "arguments": list,
		"returnByValue": byValue, "silent": true,
	}, nil
}

// SetFiles sets the files of the file field that the function declaration node returns. The page gets the same events
// as when a person chooses files.
func (d *Document) SetFiles(ctx context.Context, node string, paths []string) error {
	obj, err := d.call(ctx, node, false, nil)
	if err != nil {
		return err
	}
	if obj.ObjectID == "" {
		return ErrReplaced
	}
	id := proto.RuntimeRemoteObjectID(obj.ObjectID)
	defer d.frame.page.reg.conn.Post(d.session, "Runtime.releaseObject", proto.RuntimeReleaseObject{ObjectID: id}, nil)
	if err := (proto.DOMSetFileInputFiles{Files: paths, ObjectID: id}).Call(d.Client(ctx)); err != nil {
		return d.contextError(fmt.Errorf("setting files: %w", err))
	}
	return nil
}

// EvalMain implements collect.World.
func (d *Document) EvalMain(ctx context.Context, expression string) (json.RawMessage, error) {
	reg := d.frame.page.reg
	reg.mu.Lock()
	world := d.frame.mainCtx
	reg.mu.Unlock()
	if !d.IsCurrent() {
		return nil, ErrReplaced
	}
	req := map[string]any{
		"expression": expression, "includeCommandLineAPI": true, "returnByValue": true,
		"awaitPromise": true, "silent": true,
	}
	if world != 0 {
		req["contextId"] = world
	} else if !d.isSessionRoot() {
		return nil, fmt.Errorf("the frame has no main world yet")
	}
	res, err := d.run(ctx, "Runtime.evaluate", req)
	if err != nil {
		return nil, err
	}
	return res.json(), nil
}

func (d *Document) isSessionRoot() bool {
	reg := d.frame.page.reg
	reg.mu.Lock()
	defer reg.mu.Unlock()
	return d.frame.parent == nil || d.frame.parent.session != d.session
}

type remoteObject struct {
	Value          json.RawMessage `json:"value"`
	Unserializable string          `json:"unserializableValue"`
	ObjectID       string          `json:"objectId"`
}

func (r remoteObject) json() json.RawMessage {
	if len(r.Value) == 0 {
		return json.RawMessage("null")
	}
	return r.Value
}

func (d *Document) run(ctx context.Context, method string, req any) (remoteObject, error) {
	raw, err := d.frame.page.reg.conn.callUntil(ctx, d.gone, d.session, method, req)
	if err != nil {
		return remoteObject{}, d.contextError(err)
	}
	return result(raw, method)
}

func result(raw json.RawMessage, method string) (remoteObject, error) {
	var res struct {
		Result           remoteObject
		ExceptionDetails *proto.RuntimeExceptionDetails
	}
	if err := json.Unmarshal(raw, &res); err != nil {
		return remoteObject{}, fmt.Errorf("reading the answer of %s: %w", method, err)
	}
	if x := res.ExceptionDetails; x != nil {
		text := x.Text
		if x.Exception != nil && x.Exception.Description != "" {
			text = x.Exception.Description
		}
		return remoteObject{}, &ScriptError{Text: text, Line: x.LineNumber}
	}
	return res.Result, nil
}

// contextError also ends d when a protocol error says that its world or frame is missing.
func (d *Document) contextError(err error) error {
	if !d.IsCurrent() {
		return ErrReplaced
	}
	var e *rodcdp.Error
	if errors.As(err, &e) {
		for _, sign := range []string{
			"Cannot find context", "context was destroyed", "navigated or closed",
			"Session with given id", "No frame for given id", "Frame with the given id",
			"uniqueContextId not found",
		} {
			if strings.Contains(e.Message, sign) {
				d.supersede()
				return fmt.Errorf("%w (%s)", ErrReplaced, e.Message)
			}
		}
	}
	return err
}

// supersede ends the document although its page stays, because its isolated world was lost with all handles.
func (d *Document) supersede() {
	reg := d.frame.page.reg
	reg.mu.Lock()
	defer reg.mu.Unlock()
	if d.frame.doc == d {
		reg.newDocument(d.frame, d.loaderID, d.url)
	}
}

func (d *Document) isolated(ctx context.Context) (proto.RuntimeExecutionContextID, error) {
	reg := d.frame.page.reg
	select {
	case d.making <- struct{}{}:
		defer func() { <-d.making }()
	case <-d.gone:
		return 0, ErrReplaced
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
	reg.mu.Lock()
	world := d.world
	reg.mu.Unlock()
	if world != 0 {
		return world, nil
	}
	raw, err := reg.conn.callUntil(ctx, d.gone, d.session, "Page.createIsolatedWorld",
		proto.PageCreateIsolatedWorld{FrameID: proto.PageFrameID(d.frame.ID), WorldName: worldName})
	if err != nil {
		return 0, d.contextError(err)
	}
	var res proto.PageCreateIsolatedWorldResult
	if err := json.Unmarshal(raw, &res); err != nil {
		return 0, fmt.Errorf("creating the isolated world: %w", err)
	}
	// All events before the answer were handled: if the world belonged to another document, this one would have
	// ended.
	if !d.IsCurrent() {
		return 0, ErrReplaced
	}
	reg.mu.Lock()
	d.world = res.ExecutionContextID
	reg.mu.Unlock()
	return res.ExecutionContextID, nil
}
