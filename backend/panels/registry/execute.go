package registry

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"

	"sextant/backend/panels/backends/process"
	"sextant/backend/panels/manifest"
	"sextant/shared/toolspec"
)

// Execute sends call to the endpoint of its tool and waits for the answer until ctx ends. output receives progress and
// may be nil. The error is always nil: a failure of the panel is part of the Result.
func (r *Registry) Execute(ctx context.Context, call toolspec.Call, def toolspec.Definition,
	output func(stream, text string),
) (toolspec.Result, error) {
	if output == nil {
		output = func(string, string) {}
	}
	o := r.state.Load().tools[call.Tool]
	if o == nil || o.Def.Owner != def.Owner {
		return toolspec.Fail(toolspec.UserError,
			fmt.Sprintf("%s does not exist any more: the %s panel was removed or changed", call.Tool, def.Owner),
			"List the tools again."), nil
	}
	args, missing := r.fillContext(o, call.Args)
	if missing != "" {
		return toolspec.Fail(toolspec.ValidationError, missing, "Send it, or open the item in the panel."), nil
	}
	sent, err := newEndpointCall(o.BoundTool, args)
	if err != nil {
		return toolspec.Fail(toolspec.ValidationError, err.Error(), suggestion(nil, o)), nil
	}
	if failed := r.approveStart(o, call); failed != nil {
		return *failed, nil
	}
	if o.handler != nil {
		ctx = toolspec.WithCallContext(ctx, &toolspec.CallContext{Call: withArgs(call, args), Output: output})
	}
	sent.call = call
	if sent.args, err = json.Marshal(args); err != nil {
		return toolspec.Fail(toolspec.ValidationError, "the arguments are not JSON: "+err.Error(), suggestion(nil, o)),
			nil
	}
	result := r.sendUntilRemoved(ctx, o, sent, output)
	if result.Sentence == "" {
		result.Sentence = sentence(o, args)
	}
	result.Undoable = r.noteUndo(ctx, o, call, args, result, output)
	if !o.builtin {
		result.Sources = append(result.Sources, "panel:"+o.Def.Owner)
	}
	return result, nil
}

var errPanelRemoved = errors.New("the panel was removed")

func (r *Registry) sendUntilRemoved(ctx context.Context, o *callable, sent endpointCall,
	output func(stream, text string),
) toolspec.Result {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer context.AfterFunc(o.ctx, func() { end(errPanelRemoved) })()
	result := r.send(ctx, o, sent, output)
	if !result.Success && errors.Is(context.Cause(ctx), errPanelRemoved) {
		gone := toolspec.Fail(toolspec.UserError,
			fmt.Sprintf("the %s panel was removed while it worked on %s; whether it took effect is unknown", o.title,
				sent.target()),
			"List the tools again. Other panels are not affected.")
		gone.Text = result.Text
		return gone
	}
	return result
}

func (r *Registry) fillContext(o *callable, raw json.RawMessage) (args map[string]json.RawMessage, missing string) {
	if len(bytes.TrimSpace(raw)) > 0 {
		if err := json.Unmarshal(raw, &args); err != nil {
			return nil, "the arguments are not a JSON object"
		}
	}
	if args == nil {
		args = map[string]json.RawMessage{}
	}
	r.mu.Lock()
	for parameter, key := range o.Inject {
		if value, ok := r.publishedBy(o.Def.Owner, key, o.context); ok && len(args[parameter]) == 0 {
			args[parameter] = value
		}
	}
	r.mu.Unlock()
	for _, name := range o.RequiredParams {
		if len(args[name]) == 0 {
			return nil, fmt.Sprintf("%s is missing, and the %s panel's context does not supply it", name, o.title)
		}
	}
	return args, ""
}

// A program needs an approval if it was not approved since Sextant started, or before each start without the whole
// sandbox. The caller holds r.mu.
func (r *Registry) needsApproval(p *process.Runner) bool {
	return !r.allowed[p.Identity()] || p.UnconfinedReason() != "" && !p.IsRunning()
}

// approveStart records that o's program may run, because the user has approved its start. It returns a refusal if that
// is no longer the program that the user was shown.
func (r *Registry) approveStart(o *callable, call toolspec.Call) *toolspec.Result {
	if o.runner == nil {
		return nil
	}
	command := o.runner.Identity()
	r.mu.Lock()
	defer r.mu.Unlock()
	shown, ok := r.shown.take(call.ID)
	switch {
	case !r.needsApproval(o.runner):
	case ok && shown != command:
		failed := toolspec.Fail(toolspec.PermissionError,
			fmt.Sprintf("the %s panel's program changed while the question waited; nothing was started", o.title),
			"Call again; the question then shows the new command.")
		return &failed
	case !ok && r.allowed[command]:
		failed := toolspec.Fail(toolspec.PermissionError,
			fmt.Sprintf("the %s panel's program ended meanwhile. It runs outside the sandbox, so it was not started "+
				"without a question", o.title),
			"Call again; the user is asked then.")
		return &failed
	}
	r.allowed[command] = true
	return nil
}

func (r *Registry) send(ctx context.Context, o *callable, sent endpointCall,
	output func(stream, text string),
) toolspec.Result {
	switch {
	case o.handler != nil:
		return callHandler(ctx, o, sent, output)
	case o.runner != nil && o.runner.IsMCPServer():
		return r.callMCPProgram(ctx, o, sent, output)
	case o.runner != nil:
		return r.callProgram(ctx, o, sent, output)
	case o.script != nil:
		return callScript(ctx, o, sent, output)
	case o.isMCPServer:
		return r.callMCPServer(ctx, o, sent)
	}
	client := r.client(o)
	if client == nil {
		return noEgress(o)
	}
	req, err := http.NewRequestWithContext(ctx, sent.method, address(o.url, sent), body(sent))
	if err != nil {
		return toolspec.Fail(toolspec.ValidationError, "making the request: "+err.Error(), suggestion(nil, o))
	}
	process.SetHeaders(req, sent.body != nil, "")
	res, err := client.Do(req)
	if err != nil {
		return unreachable(ctx, o, sent, err)
	}
	defer res.Body.Close()
	return answer(res, o, sent, output)
}

func noEgress(o *callable) toolspec.Result {
	return toolspec.Fail(toolspec.PermissionError,
		fmt.Sprintf("the %s panel's address %s is not on this machine, and outside access is not set up",
			o.title, o.url),
		"Use an address of this machine in backend.url.")
}

// replacement returns the tool that has replaced o after o's program was removed. It returns nil if there is none or
// its program has a different process.Runner.Identity, which the user has not approved.
func (r *Registry) replacement(o *callable) *callable {
	next := r.state.Load().tools[o.Name]
	if next == nil || next.runner == nil || next.runner == o.runner || next.runner.Identity() != o.runner.Identity() {
		return nil
	}
	return next
}

func (r *Registry) callProgram(ctx context.Context, o *callable, sent endpointCall,
	output func(stream, text string),
) toolspec.Result {
	q := process.Request{Method: sent.method, Path: sent.path, Query: sent.query, Body: sent.body}
	res, reached, err := o.runner.Do(ctx, q, output)
	for errors.Is(err, process.ErrRemoved) {
		next := r.replacement(o)
		if next == nil {
			break
		}
		o = next
		res, reached, err = o.runner.Do(ctx, q, output)
	}
	switch {
	case err != nil && !reached:
		return toolspec.Fail(toolspec.SystemError, err.Error(), "Other panels and tools are not affected.")
	case err != nil:
		return unreachable(ctx, o, sent, err)
	}
	defer res.Body.Close()
	return answer(res, o, sent, output)
}

func body(sent endpointCall) io.Reader {
	if sent.body == nil {
		return http.NoBody
	}
	return bytes.NewReader(sent.body)
}

func address(base string, sent endpointCall) string {
	full := strings.TrimSuffix(base, "/") + sent.path
	if sent.query != "" {
		full += "?" + sent.query
	}
	return full
}

func unreachable(ctx context.Context, o *callable, sent endpointCall, err error) toolspec.Result {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return toolspec.Fail(toolspec.SystemError,
			fmt.Sprintf("the %s panel did not answer %s in time; whether it took effect is unknown", o.title,
				sent.target()),
			"Look at the panel before calling again.")
	}
	if ctx.Err() != nil {
		return toolspec.Fail(toolspec.SystemError,
			fmt.Sprintf("stopped while the %s panel worked on %s; whether it took effect is unknown", o.title,
				sent.target()), "")
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err
	}
	if o.runner != nil {
		if why := o.runner.ExitReason(); why != "" {
			return toolspec.Fail(toolspec.SystemError,
				fmt.Sprintf("the %s panel's program stopped during the call, %s; whether it took effect is unknown",
					o.title, why),
				"The next call starts it again.")
		}
	}
	why := err.Error()
	if errors.Is(err, syscall.ECONNREFUSED) {
		if u, bad := url.Parse(o.url); bad == nil {
			why = "connection refused, nothing listens on " + u.Host
		}
	}
	return toolspec.Fail(toolspec.SystemError, fmt.Sprintf("the %s panel cannot be reached: %s", o.title, why),
		"Start its backend, then call again. Other panels are not affected.")
}

// client returns a client for o's address: a direct one for this machine, otherwise one that uses Config.Egress. It
// returns nil if that is nil or the address is invalid.
func (r *Registry) client(o *callable) *http.Client {
	u, err := url.Parse(o.url)
	if err != nil || o.url == "" {
		return nil
	}
	var transport http.RoundTripper = r.local
	if !manifest.IsLoopback(u.Hostname()) {
		if r.cfg.Egress == nil {
			return nil
		}
		transport = r.cfg.Egress
	}
	return &http.Client{Transport: transport, CheckRedirect: noRedirect}
}

func noRedirect(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// localTransport connects only to this machine, whatever address a name resolves to.
func localTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 5 * time.Second}
	return &http.Transport{
		MaxIdleConnsPerHost: 2, IdleConnTimeout: 30 * time.Second, MaxResponseHeaderBytes: 64 << 10,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			host, port, err := net.SplitHostPort(address)
			if err != nil {
				return nil, err
			}
			if host == "localhost" {
				host = "127.0.0.1"
			}
			if !manifest.IsLoopback(host) {
				return nil, fmt.Errorf("%s is not on this machine", host)
			}
			return dialer.DialContext(ctx, network, net.JoinHostPort(host, port))
		},
	}
}
