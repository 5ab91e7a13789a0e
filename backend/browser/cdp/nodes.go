package cdp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/go-rod/rod/lib/proto"
)

// CallText implements collect.World.
func (d *Document) CallText(ctx context.Context, function string, args ...any) (string, error) {
	req, err := d.callParams(ctx, function, true, args)
	if err != nil {
		return "", err
	}
	raw, err := d.frame.page.reg.conn.callUntil(ctx, d.gone, d.session, callFunctionOn, req)
	if err != nil {
		return "", d.contextError(err)
	}
	if s, ok := plainText(raw); ok {
		return s, nil
	}
	res, err := result(raw, callFunctionOn)
	if err != nil {
		return "", err
	}
	var s string
	if err := json.Unmarshal(res.json(), &s); err != nil {
		return "", fmt.Errorf("reading the answer of a script: %w", err)
	}
	return s, nil
}

const group = "sextant-call"

// CallNodes implements collect.World.
func (d *Document) CallNodes(ctx context.Context, function string, nodes []int) (json.RawMessage, error) {
	world, err := d.isolated(ctx)
	if err != nil {
		return nil, err
	}
	conn := d.frame.page.reg.conn
	args := make([]map[string]any, len(nodes))
	got := make(chan struct{}, len(nodes))
	for i, n := range nodes {
		req := proto.DOMResolveNode{
			BackendNodeID: proto.DOMBackendNodeID(n), ExecutionContextID: world,
			ObjectGroup: group,
		}
		conn.Post(d.session, "DOM.resolveNode", req, func(raw json.RawMessage, err error) {
			args[i] = map[string]any{"value": nil}
			var res proto.DOMResolveNodeResult
			if err == nil && json.Unmarshal(raw, &res) == nil && res.Object != nil && res.Object.ObjectID != "" {
				args[i] = map[string]any{"objectId": res.Object.ObjectID}
			}
			got <- struct{}{}
		})
	}
	for range nodes {
		select {
		case <-got:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-d.gone:
			return nil, ErrReplaced
		}
	}
	defer conn.Post(d.session, "Runtime.releaseObjectGroup", proto.RuntimeReleaseObjectGroup{ObjectGroup: group}, nil)
	res, err := d.run(ctx, callFunctionOn, map[string]any{
		"functionDeclaration": function, "executionContextId": world, "arguments": args, "returnByValue": true,
		"silent": true,
	})
	if err != nil {
		return nil, err
	}
	return res.json(), nil
}

// ClosedRoot implements collect.World.
func (d *Document) ClosedRoot(ctx context.Context, function string) (int, error) {
	obj, err := d.call(ctx, function, false, nil)
	if err != nil || obj.ObjectID == "" {
		return 0, err
	}
	defer d.frame.page.reg.conn.Post(d.session, "Runtime.releaseObject",
		proto.RuntimeReleaseObject{ObjectID: proto.RuntimeRemoteObjectID(obj.ObjectID)}, nil)
	res, err := proto.DOMDescribeNode{ObjectID: proto.RuntimeRemoteObjectID(obj.ObjectID)}.Call(d.Client(ctx))
	if err != nil {
		return 0, d.contextError(fmt.Errorf("describing a node: %w", err))
	}
	return closedRoot(res.Node), nil
}

// closedRoot skips the browser's own shadow roots, such as those of fields and media players.
func closedRoot(n *proto.DOMNode) int {
	for _, r := range n.ShadowRoots {
		if r.ShadowRootType == proto.DOMShadowRootTypeClosed {
			return int(r.BackendNodeID)
		}
	}
	return 0
}

// Listeners implements collect.World.
func (d *Document) Listeners(ctx context.Context) (json.RawMessage, error) {
	object, err := d.documentObject(ctx)
	if err != nil {
		return nil, err
	}
	raw, err := d.frame.page.reg.conn.callUntil(ctx, d.gone, d.session, "DOMDebugger.getEventListeners",
		map[string]any{"objectId": object, "depth": -1, "pierce": true})
	if err != nil {
		return nil, d.contextError(err)
	}
	return raw, nil
}

func (d *Document) documentObject(ctx context.Context) (string, error) {
	reg := d.frame.page.reg
	reg.mu.Lock()
	object, world := d.object, d.frame.mainCtx
	reg.mu.Unlock()
	if object != "" {
		return object, nil
	}
	if !d.IsCurrent() {
		return "", ErrReplaced
	}
	req := map[string]any{"expression": "document", "silent": true}
	if world != 0 {
		req["contextId"] = world
	} else if !d.isSessionRoot() {
		return "", fmt.Errorf("the frame has no main world yet")
	}
	res, err := d.run(ctx, "Runtime.evaluate", req)
	if err != nil {
		return "", err
	}
	if res.ObjectID == "" {
		return "", fmt.Errorf("the page does not return its document")
	}
	reg.mu.Lock()
	d.object = res.ObjectID
	reg.mu.Unlock()
	return res.ObjectID, nil
}
