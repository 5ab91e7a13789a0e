package mcpclient

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/mcp/config"
	"sextant/backend/mcp/inflight"
	"sextant/backend/mcp/tasks"
	"sextant/backend/pipeline/deadline"
	"sextant/backend/toolprovider/results"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

const (
	maxCallTime = 30 * time.Minute
	// codeUndelivered is the SDK's code for a request that HTTP did not deliver.
	codeUndelivered = -32005
)

// Execute runs call on its server. The error is always nil: failures are in the Result. output may be nil; it
// receives lines of progress.
func (s *Servers) Execute(
	ctx context.Context, call toolspec.Call, def toolspec.Definition, output func(stream, text string),
) (toolspec.Result, error) {
	s.mu.Lock()
	v, t := s.find(call.Tool)
	s.mu.Unlock()
	if v == nil {
		return s.notCallable(def.Owner, call.Tool), nil
	}
	if t.added {
		return s.CallTool(ctx, v.name, t.ours, call.Args), nil
	}
	return s.call(ctx, v.name, t.theirs, call, output), nil
}

// find requires s.mu. The server is nil if no tool has that name.
func (s *Servers) find(public string) (*server, tool) {
	for _, v := range s.servers {
		for _, t := range v.tools {
			if t.public(v.prefix) == public {
				return v, t
			}
		}
	}
	return nil, tool{}
}

// Explain implements catalog.Explainer for the tools of servers that do not run.
func (s *Servers) Explain(public string) *toolspec.Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.servers {
		if v.session == nil && strings.HasPrefix(public, v.prefix+"__") {
			why := whyNotCallable(v, v.name, public)
			return &why
		}
	}
	return nil
}

func (s *Servers) notCallable(server, tool string) toolspec.Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	return whyNotCallable(s.servers[server], server, tool)
}

// whyNotCallable requires the lock of the servers. v is nil if there is no such server.
func whyNotCallable(v *server, server, tool string) toolspec.Result {
	switch {
	case v == nil:
		return toolspec.Fail(toolspec.UserError, fmt.Sprintf("there is no MCP server %q",
			excerpt.TruncateRunes(server, 64)),
			"Check the list of MCP servers.")
	case v.state == stateOff:
		return toolspec.Fail(toolspec.UserError, fmt.Sprintf("the MCP server %s is switched off", v.name),
			"Switch it on, then call again.")
	case v.state == stateStarting:
		return toolspec.Fail(toolspec.SystemError, fmt.Sprintf("the MCP server %s is starting", v.name),
			"Call again in a few seconds.")
	case v.state == stateDown || v.session == nil:
		next := "It is restarted automatically. Other servers are not affected."
		switch {
		case v.fault != "":
			next = "Fix its entry in mcp-config.json."
		case !v.nextTry.IsZero():
			next = fmt.Sprintf("Other servers are not affected. Next try in %d s.",
				max(1, int(time.Until(v.nextTry).Seconds()+0.5)))
		}
		r := toolspec.Fail(toolspec.SystemError, fmt.Sprintf("the MCP server %s is not running: %s", v.name, v.err),
			next)
		r.Sources = []string{v.source()} // v.err may quote the server
		return r
	}
	return toolspec.Fail(toolspec.UserError,
		fmt.Sprintf("the MCP server %s has no tool %q", v.name, excerpt.TruncateRunes(tool, 80)),
		"Check the list of its tools.")
}

// Session implements resources.Sessions.
func (s *Servers) Session(
	ctx context.Context, server string,
) (inner context.Context, session *sdk.ClientSession, done func(), err error) {
	s.mu.Lock()
	v := s.servers[server]
	var group *sessionGroup
	if v != nil {
		session, group = v.session, v.group
	}
	s.mu.Unlock()
	if session == nil {
		if v == nil {
			return nil, nil, nil, unknownServer(server)
		}
		why := s.notCallable(server, "")
		return nil, nil, nil, fmt.Errorf("%s. %s", why.Error, why.Suggestion)
	}
	inner, done = group.within(ctx)
	return inner, session, done, nil
}

func unknownServer(name string) error {
	return fmt.Errorf("%w: %s", config.ErrUnknownServer, excerpt.TruncateRunes(name, 64))
}

// Call runs one of a server's own tools; name is any of the tool's names. It bypasses the policy: calls of programs
// and models must go through the pipeline instead, under the name that ToolName returns.
func (s *Servers) Call(ctx context.Context, server, name string, args json.RawMessage) toolspec.Result {
	return s.call(ctx, server, name, toolspec.Call{Args: args}, nil)
}

func (s *Servers) call(
	ctx context.Context, server, name string, call toolspec.Call, output func(stream, text string),
) toolspec.Result {
	args := call.Args
	s.mu.Lock()
	v := s.servers[server]
	var session *sdk.ClientSession
	var group *sessionGroup
	theirs, asTask := "", false
	if v != nil && v.session != nil {
		for _, t := range v.tools {
			if !t.added && (t.theirs == name || theirs == "" && (t.ours == name || t.public(v.prefix) == name)) {
				session, group, theirs, asTask = v.session, v.group, t.theirs, t.asTask
			}
		}
	}
	s.mu.Unlock()
	if session == nil {
		return s.notCallable(server, name)
	}
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	outer := ctx
	ctx, leave := group.within(ctx)
	defer leave()
	// The caller may have a shorter deadline. This one is paused while the person is asked.
	ctx, stop := deadline.With(ctx, maxCallTime)
	defer stop()
	ctx, end := v.calls.Begin(ctx, call)
	defer end()
	if refusal := v.review(ctx, call, theirs); refusal != nil {
		return *refusal
	}
	if asTask {
		ctx = tasks.WithTaskRequest(ctx)
	}
	token, endProgress := inflight.FromContext(ctx).TrackProgress(output)
	defer endProgress()
	params := &sdk.CallToolParams{Name: theirs, Arguments: args}
	params.SetProgressToken(token)
	answer, err := v.send(ctx, session, group, params)
	if err != nil {
		r := v.callFailed(outer, ctx, session, group, theirs, err)
		r.Sources = []string{v.source()} // most of these errors quote the server
		return r
	}
	r := results.FromCallResult(v.name, answer)
	r.AppResult = v.answerForPage(call, theirs, answer)
	if !r.Success {
		r.Suggestion = strings.TrimSpace(r.Suggestion + strings.TrimPrefix(v.missingGrant(r.Error), "."))
	}
	r.Sentence = fmt.Sprintf("%s: %s", v.name, theirs)
	r.Sources = []string{v.source()}
	return r
}

// source is the origin of what the server returns, as in toolspec.Result.Sources.
func (v *server) source() string { return "mcp:" + v.name }

// send waits at most inflight.Grace after the end of ctx. A server that reads nothing blocks the write, which has no
// deadline; then the goroutine ends with the session.
func (v *server) send(
	ctx context.Context, session *sdk.ClientSession, group *sessionGroup, params *sdk.CallToolParams,
) (*sdk.CallToolResult, error) {
	outcome := make(chan inflight.Outcome[*sdk.CallToolResult], 1)
	if !group.goDo(func() {
		answer, err := session.CallTool(ctx, params)
		if first := tasks.FromResult(answer); err == nil && first != nil {
			answer, err = v.waitForTask(ctx, session, group, first)
		}
		outcome <- inflight.Outcome[*sdk.CallToolResult]{Answer: answer, Err: err}
	}) {
		return nil, sdk.ErrConnectionClosed
	}
	if o, ok := inflight.AwaitOutcome(ctx, outcome); ok {
		return o.Answer, o.Err
	}
	v.checkSoon()
	return nil, ctx.Err()
}

func (v *server) waitForTask(
	ctx context.Context, session *sdk.ClientSession, group *sessionGroup, first *tasks.State,
) (*sdk.CallToolResult, error) {
	report := func(string) {}
	if c := inflight.FromContext(ctx); c != nil {
		c.SetTask(first.ID)
		report = c.Report
	}
	task := tasks.Task{Session: session, First: first, Report: report, Answer: v.requests.AnswerTask, Go: group.goDo}
	return task.Wait(ctx)
}

// callFailed gets the context of the caller as outer; ctx also ends with the session and with the call's deadline.
func (v *server) callFailed(
	outer, ctx context.Context, session *sdk.ClientSession, group *sessionGroup, name string, err error,
) toolspec.Result {
	if r := v.taskFailed(outer, ctx, group, name, err); r != nil {
		return *r
	}
	switch {
	case outer.Err() == nil && group.serverCtx.Err() != nil:
		return toolspec.Fail(toolspec.SystemError,
			fmt.Sprintf("the MCP server %s was stopped during %s; whether it took effect is unknown", v.name, name),
			"Check what it changed. It can be called again when it is switched on.")
	case timedOut(ctx):
		v.checkSoon()
		return toolspec.Fail(toolspec.SystemError,
			fmt.Sprintf("the MCP server %s did not answer %s in time; whether it took effect is unknown", v.name, name),
			"Check what it changed before calling again.")
	case outer.Err() != nil:
		return toolspec.Fail(toolspec.SystemError,
			fmt.Sprintf("stopped while the MCP server %s worked on %s; whether it took effect is unknown", v.name,
				name), "")
	}
	var refused *jsonrpc.Error
	if !errors.As(err, &refused) {
		// err is not an answer: the connection broke. Closing the session leads to a new one.
		_ = session.Close()
		return toolspec.Fail(toolspec.SystemError,
			fmt.Sprintf("the MCP server %s stopped during the call; whether it took effect is unknown. %s",
				v.name, v.whyEnded(outer, err)),
			"It is restarted automatically. Other servers are not affected.")
	}
	if refused.Code == codeUndelivered {
		// Listing the tools shows whether only this call failed or the server is down.
		v.relistSoon()
		return toolspec.Fail(toolspec.SystemError,
			fmt.Sprintf("the MCP server %s could not be reached: %s", v.name, excerpt.TruncateRunes(err.Error(), 500)),
			"Call again later. Other servers are not affected.")
	}
	return toolspec.Fail(toolspec.UserError,
		fmt.Sprintf("the MCP server %s refused the call: %s", v.name, excerpt.TruncateRunes(refused.Message, 2000)),
		"Check the arguments of "+name+".")
}

func timedOut(ctx context.Context) bool {
	return errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.Is(context.Cause(ctx), deadline.ErrExceeded)
}

func (v *server) taskFailed(outer, ctx context.Context, group *sessionGroup, name string, err error) *toolspec.Result {
	var canceled *tasks.CanceledError
	var ended *tasks.EndedError
	var r toolspec.Result
	switch {
	case errors.As(err, &ended):
		r = toolspec.Fail(toolspec.UserError,
			fmt.Sprintf("the MCP server %s did not finish %s: %s", v.name, name,
				excerpt.TruncateRunes(ended.Why, 2000)),
			"Check what it changed before calling again.")
	case !errors.As(err, &canceled), outer.Err() == nil && group.serverCtx.Err() != nil:
		return nil // a server that was stopped has no tasks any more
	case timedOut(ctx):
		r = toolspec.Fail(toolspec.SystemError,
			fmt.Sprintf("the MCP server %s did not finish %s in time; %s", v.name, name, canceled.Error()),
			"Check what it changed before calling again.")
	case outer.Err() != nil:
		r = toolspec.Fail(toolspec.SystemError,
			fmt.Sprintf("stopped while the MCP server %s worked on %s; %s", v.name, name, canceled.Error()), "")
	default:
		return nil // the connection broke
	}
	return &r
}

// whyEnded waits for the reason why the session ended, which says more than err, the error of a call in it.
func (v *server) whyEnded(ctx context.Context, err error) string {
	for started := time.Now(); ctx.Err() == nil && time.Since(started) < 2*inflight.Grace; {
		v.owner.mu.Lock()
		reason := v.endReason
		v.owner.mu.Unlock()
		if reason != "" {
			return reason
		}
		time.Sleep(20 * time.Millisecond)
	}
	return excerpt.TruncateRunes(err.Error(), 500)
}

// Describe describes what call would do: the server's program or address, and the arguments.
func (s *Servers) Describe(call toolspec.Call) toolspec.Description {
	s.mu.Lock()
	v, t := s.find(call.Tool)
	s.mu.Unlock()
	if v == nil {
		return toolspec.Description{Sentence: "Running " + call.Tool}
	}
	d := toolspec.Description{
		Sentence: fmt.Sprintf("Asking %s: %s", v.name, cmp.Or(t.theirs, strings.ReplaceAll(t.ours, "__", "/"))),
		Data:     excerpt.TruncateRunes(string(call.Args), 2000),
		Target:   v.entry.CommandOrURL(), Title: excerpt.Line(cmp.Or(t.title, t.theirs), 80),
	}
	if u, err := url.Parse(v.entry.URL); err == nil && v.isRemote() {
		d.Hosts = []string{strings.ToLower(u.Host)}
	}
	return d
}
