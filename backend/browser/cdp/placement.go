package cdp

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/go-rod/rod/lib/proto"
)

// Placement is the position of a document's viewport in the page's viewport, in CSS pixels. Unless the frame is
// rotated or tilted, a point (x, y) of the document is at (X + x*ScaleX, Y + y*ScaleY) of the page.
type Placement struct {
	X, Y, ScaleX, ScaleY float64
	// W and H are the size of the document's viewport in pixels of the page.
	W, H float64

	// warp is set for a frame that is rotated or tilted. w and h are the size of the document's viewport in its own
	// pixels.
	warp *projection
	w, h float64
}

// ToPage converts a point of the document to a point of the page.
func (p Placement) ToPage(x, y float64) (float64, float64) {
	if p.warp != nil {
		return p.warp.at(x/p.w, y/p.h)
	}
	return p.X + x*p.ScaleX, p.Y + y*p.ScaleY
}

// ToDocument converts a point of the page to a point of the document.
func (p Placement) ToDocument(x, y float64) (float64, float64) {
	if p.warp != nil {
		u, v := p.warp.from(x, y)
		return u * p.w, v * p.h
	}
	return (x - p.X) / p.ScaleX, (y - p.Y) / p.ScaleY
}

// Child returns the document in a frame element, nil when there is none yet. node is a function declaration that
// returns the frame element, such as collect.NodeExpression(handle).
func (d *Document) Child(ctx context.Context, handle int, node string) (*Document, error) {
	reg := d.frame.page.reg
	reg.mu.Lock()
	id, known := d.children[handle]
	reg.mu.Unlock()
	if !known {
		obj, err := d.call(ctx, node, false, nil)
		if err != nil || obj.ObjectID == "" {
			return nil, err
		}
		defer reg.conn.Post(d.session, "Runtime.releaseObject",
			proto.RuntimeReleaseObject{ObjectID: proto.RuntimeRemoteObjectID(obj.ObjectID)}, nil)
		res, err := proto.DOMDescribeNode{ObjectID: proto.RuntimeRemoteObjectID(obj.ObjectID)}.Call(d.Client(ctx))
		if err != nil {
			return nil, d.contextError(fmt.Errorf("describing a frame: %w", err))
		}
		if id = string(res.Node.FrameID); id == "" {
			return nil, nil
		}
	}
	reg.mu.Lock()
	defer reg.mu.Unlock()
	f := d.frame.page.frames[id]
	if f == nil {
		delete(d.children, handle)
		return nil, nil
	}
	d.children[handle] = id
	if f.parent == nil && f != d.frame.page.main {
		f.parent = d.frame
	}
	return f.doc, nil
}

// Parent returns the document that contains the frame of d, nil for the main document or when it is not known.
func (d *Document) Parent() *Document {
	reg := d.frame.page.reg
	reg.mu.Lock()
	defer reg.mu.Unlock()
	if d.frame.parent == nil {
		return nil
	}
	return d.frame.parent.doc
}

func (d *Document) owner(ctx context.Context, parent *Document) (proto.DOMBackendNodeID, error) {
	res, err := proto.DOMGetFrameOwner{FrameID: proto.PageFrameID(d.frame.ID)}.Call(parent.Client(ctx))
	if err != nil {
		return 0, parent.contextError(fmt.Errorf("finding a frame's element: %w", err))
	}
	return res.BackendNodeID, nil
}

// Placement measures the current position of the document. The main document has an infinite size.
func (d *Document) Placement(ctx context.Context) (Placement, error) {
	parent := d.Parent()
	if parent == nil {
		return Placement{ScaleX: 1, ScaleY: 1, W: math.Inf(1), H: math.Inf(1)}, nil
	}
	id, err := d.owner(ctx, parent)
	if err != nil {
		return Placement{}, err
	}
	box, err := proto.DOMGetBoxModel{BackendNodeID: id}.Call(parent.Client(ctx))
	if err != nil {
		return Placement{}, parent.contextError(fmt.Errorf("measuring a frame: %w", err))
	}
	c := box.Model.Content
	if len(c) < 8 {
		return Placement{}, fmt.Errorf("the frame has no size")
	}
	var own [2]float64
	raw, err := d.Call(ctx, "function () { return [innerWidth, innerHeight] }")
	if err != nil {
		return Placement{}, err
	}
	if err := json.Unmarshal(raw, &own); err != nil || own[0] <= 0 || own[1] <= 0 {
		return Placement{}, fmt.Errorf("the frame has no size")
	}
	// The browser measures from the top frame of the parent's session.
	root := parent
	for !root.isSessionRoot() {
		if root = root.Parent(); root == nil {
			return Placement{}, ErrReplaced
		}
	}
	outer, err := root.Placement(ctx)
	if err != nil {
		return Placement{}, err
	}
	return outer.around([8]float64(c[:8]), own[0], own[1])
}

// around places a frame in the page: q are its corners in p, and w and h its viewport size in CSS pixels.
func (p Placement) around(q [8]float64, w, h float64) (Placement, error) {
	for i := 0; i < 8; i += 2 {
		q[i], q[i+1] = p.ToPage(q[i], q[i+1])
	}
	warp, ok := newProjection(q)
	if !ok {
		return Placement{}, fmt.Errorf("the frame has no size")
	}
	in := Placement{X: q[0], Y: q[1], W: q[4] - q[0], H: q[5] - q[1], w: w, h: h}
	in.ScaleX, in.ScaleY = math.Hypot(q[2]-q[0], q[3]-q[1])/w, math.Hypot(q[6]-q[0], q[7]-q[1])/h
	if in.ScaleX <= 0 || in.ScaleY <= 0 {
		return Placement{}, fmt.Errorf("the frame has no size")
	}
	if math.Abs(q[3]-q[1])+math.Abs(q[6]-q[0])+math.Abs(q[4]-q[2])+math.Abs(q[5]-q[7]) > 0.01 {
		in.warp = &warp
	}
	return in, nil
}

// Reveal scrolls the documents around d, outermost first, to show the rectangle r of d, nil for all of it.
func (d *Document) Reveal(ctx context.Context, r *proto.DOMRect) error {
	parent := d.Parent()
	if parent == nil {
		return nil
	}
	if err := parent.Reveal(ctx, nil); err != nil {
		return err
	}
	id, err := d.owner(ctx, parent)
	if err != nil {
		return err
	}
	err = proto.DOMScrollIntoViewIfNeeded{BackendNodeID: id, Rect: r}.Call(parent.Client(ctx))
	if err != nil {
		return parent.contextError(fmt.Errorf("scrolling to a frame: %w", err))
	}
	return nil
}

// CoveredBy names the element that covers the frame of d at a point of its parent's viewport, "" for none.
func (d *Document) CoveredBy(ctx context.Context, x, y float64) (string, error) {
	parent := d.Parent()
	if parent == nil {
		return "", nil
	}
	id, err := d.owner(ctx, parent)
	if err != nil {
		return "", err
	}
	world, err := parent.isolated(ctx)
	if err != nil {
		return "", err
	}
	node, err := proto.DOMResolveNode{BackendNodeID: id, ExecutionContextID: world}.Call(parent.Client(ctx))
	if err != nil {
		return "", parent.contextError(fmt.Errorf("finding a frame's element: %w", err))
	}
	var text string
	res, err := parent.run(ctx, callFunctionOn, map[string]any{
		"functionDeclaration": overScript, "objectId": node.Object.ObjectID, "returnByValue": true,
		"arguments": []map[string]any{{"value": x}, {"value": y}}, "silent": true,
	})
	if err != nil {
		return "", err
	}
	if err := json.Unmarshal(res.json(), &text); err != nil {
		return "", fmt.Errorf("reading what covers a frame: %w", err)
	}
	return text, nil
}

const overScript = `function (x, y) {
  let hit = document.elementFromPoint(x, y);
  while (hit && hit.shadowRoot) {
    const inner = hit.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  if (!hit || hit === this || this.contains(hit)) return '';
  let box = hit;
  while (box && !box.getAttribute('role') && !box.getAttribute('aria-label') && box.tagName !== 'DIALOG') box = box.parentElement;
  const named = box || hit;
  const role = named.getAttribute('role') || (named.tagName === 'DIALOG' ? 'dialog' : named.tagName.toLowerCase());
  const name = named.getAttribute('aria-label') || (hit.innerText || '').trim().slice(0, 40);
  return role + (name ? ' "' + name + '"' : '');
}`
