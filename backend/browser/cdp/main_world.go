package cdp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/go-rod/rod/lib/proto"
)

func (d *Document) mainWorld() (int, error) {
	reg := d.frame.page.reg
	reg.mu.Lock()
	defer reg.mu.Unlock()
	switch {
	case d.frame.doc != d:
		return 0, ErrReplaced
	case d.frame.mainCtx == 0:
		return 0, fmt.Errorf("the page has no main world")
	}
	return d.frame.mainCtx, nil
}

// CheckSyntax returns the syntax error of a script as a *ScriptError, nil when it has none. Other errors mean that
// it could not be checked. It does not run the script.
func (d *Document) CheckSyntax(ctx context.Context, source string) error {
	world, err := d.mainWorld()
	if err != nil {
		return err
	}
	_, err = d.run(ctx, "Runtime.compileScript", map[string]any{
		"expression": source, "sourceURL": "", "persistScript": false, "executionContextId": world,
	})
	return err
}

// CallMain calls a function declaration in the page's main world and awaits its result. node, when not "", is a
// function declaration that returns a node in our isolated world, such as collect.NodeExpression; that node is the
// argument of function. Exceptions are a *ScriptError.
func (d *Document) CallMain(ctx context.Context, function, node string) (json.RawMessage, error) {
	world, err := d.mainWorld()
	if err != nil {
		return nil, err
	}
	req := map[string]any{
		"functionDeclaration": function, "executionContextId": world,
		"returnByValue": true, "awaitPromise": true, "silent": true,
	}
	if node != "" {
		object, err := d.nodeInMain(ctx, node, world)
		if err != nil {
			return nil, err
		}
		defer d.release(object)
		req["arguments"] = []map[string]any{{"objectId": object}}
	}
	res, err := d.run(ctx, callFunctionOn, req)
	if err != nil {
		return nil, err
	}
	return res.json(), nil
}

// EvalREPL runs a script in the page's main world as a console does. It passes the value of the last statement to
// the function declaration then, and returns the result of then.
func (d *Document) EvalREPL(ctx context.Context, script, then string) (json.RawMessage, error) {
	world, err := d.mainWorld()
	if err != nil {
		return nil, err
	}
	res, err := d.run(ctx, "Runtime.evaluate", map[string]any{
		"expression": script, "contextId": world, "awaitPromise": true, "replMode": true, "silent": true,
	})
	if err != nil {
		return nil, err
	}
	argument := map[string]any{}
	switch {
	case res.ObjectID != "":
		defer d.release(res.ObjectID)
		argument["objectId"] = res.ObjectID
	case res.Unserializable != "":
		argument["unserializableValue"] = res.Unserializable
	case len(res.Value) > 0:
		argument["value"] = res.Value
	}
	res, err = d.run(ctx, callFunctionOn, map[string]any{
		"functionDeclaration": then, "executionContextId": world, "arguments": []any{argument},
		"returnByValue": true, "awaitPromise": true, "silent": true,
	})
	if err != nil {
		return nil, err
	}
	return res.json(), nil
}

// TerminateExecution asks the browser to end the running scripts of the document's process. It does not wait.
func (d *Document) TerminateExecution() {
	d.frame.page.reg.conn.Post(d.session, "Runtime.terminateExecution", nil, nil)
}

func (d *Document) nodeInMain(ctx context.Context, node string, world int) (string, error) {
	ours, err := d.call(ctx, node, false, nil)
	if err != nil {
		return "", err
	}
	if ours.ObjectID == "" {
		return "", fmt.Errorf("the element has left the page")
	}
	defer d.release(ours.ObjectID)
	desc, err := proto.DOMDescribeNode{ObjectID: proto.RuntimeRemoteObjectID(ours.ObjectID)}.Call(d.Client(ctx))
	if err != nil {
		return "", d.contextError(fmt.Errorf("describing the element: %w", err))
	}
	theirs, err := proto.DOMResolveNode{
		BackendNodeID: desc.Node.BackendNodeID, ExecutionContextID: proto.RuntimeExecutionContextID(world),
	}.Call(d.Client(ctx))
	if err != nil {
		return "", d.contextError(fmt.Errorf("finding the element: %w", err))
	}
	return string(theirs.Object.ObjectID), nil
}

func (d *Document) release(object string) {
	d.frame.page.reg.conn.Post(d.session, "Runtime.releaseObject",
		proto.RuntimeReleaseObject{ObjectID: proto.RuntimeRemoteObjectID(object)}, nil)
}
