package cdp

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/go-rod/rod/lib/proto"
)

// HiddenPage is a page in a separate browser context that is not a tab: the Handler gets no events of it. Its methods
// may be called concurrently.
type HiddenPage struct {
	reg     *Registry
	session string
}

// OpenHidden opens a hidden page, which has the permissions. It exists until the browser ends.
func (r *Registry) OpenHidden(
	ctx context.Context, url string, permissions ...proto.BrowserPermissionType,
) (*HiddenPage, error) {
	own, err := proto.TargetCreateBrowserContext{DisposeOnDetach: true}.Call(r.Client(ctx))
	if err != nil {
		return nil, fmt.Errorf("opening a hidden page: %w", err)
	}
	attached := make(chan string, 1)
	r.mu.Lock()
	r.hidden[string(own.BrowserContextID)] = attached
	r.mu.Unlock()
	grant := proto.BrowserGrantPermissions{Permissions: permissions, BrowserContextID: own.BrowserContextID}
	if err := grant.Call(r.Client(ctx)); err != nil {
		return nil, fmt.Errorf("giving a hidden page its permissions: %w", err)
	}
	target, err := proto.TargetCreateTarget{URL: url, BrowserContextID: own.BrowserContextID}.Call(r.Client(ctx))
	if err != nil {
		return nil, fmt.Errorf("opening a hidden page: %w", err)
	}
	if r.only != nil {
		r.conn.Post("", "Target.attachToTarget",
			proto.TargetAttachToTarget{TargetID: target.TargetID, Flatten: true}, nil)
	}
	select {
	case id := <-attached:
		p := &HiddenPage{reg: r, session: id}
		return p, proto.EmulationSetFocusEmulationEnabled{Enabled: true}.Call(sessionClient{ctx, r.conn, id})
	case <-ctx.Done():
		return nil, fmt.Errorf("attaching to a hidden page: %w", context.Cause(ctx))
	}
}

// Call calls a function declaration with JSON arguments in the page, awaits its promise and returns the JSON result.
func (p *HiddenPage) Call(ctx context.Context, function string, args ...any) (json.RawMessage, error) {
	list, err := json.Marshal(append([]any{}, args...))
	if err != nil {
		return nil, fmt.Errorf("encoding the arguments: %w", err)
	}
	raw, err := p.reg.conn.Call(ctx, p.session, "Runtime.evaluate", map[string]any{
		"expression": fmt.Sprintf("(%s)(...%s)", function, list), "awaitPromise": true, "returnByValue": true,
	})
	if err != nil {
		return nil, err
	}
	res, err := result(raw, "Runtime.evaluate")
	if err != nil {
		return nil, err
	}
	return res.json(), nil
}
