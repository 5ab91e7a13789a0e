package mcp

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

	"sextant/backend/calls/deadline"
	"sextant/backend/tools/mcp/tasks"
	"sextant/backend/tools/panels/child"
	"sextant/shared/toolspec"
)

// Execute runs call on its server and waits for the answer, at most until ctx ends. The
// error is always nil: what goes wrong here is told in the Result. What the
// server tells of its progress is told as output, one line at a time.
func (s *Servers) Execute(ctx context.Context, call toolspec.Call, def toolspec.Definition, output func(stream, text string)) (toolspec.Result, error) {
	s.mu.Lock()
	v, t := s.find(call.Tool)
	s.mu.Unlock()
	if v == nil {
		return s.absent(def.Owner, call.Tool), nil
	}
	if t.added {
		return s.added(ctx, v, t, call.Args), nil
	}
	return s.call(ctx, v.name, t.theirs, call, output), nil
}

// find is the tool with a public name; the caller holds mu.
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

// absent says why a server cannot be called now.
func (s *Servers) absent(server, tool string) toolspec.Result {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.servers[server]
	switch {
	case v == nil:
		return toolspec.Fail(toolspec.UserError, fmt.Sprintf("there is no MCP server %q", shorten(server, 64)), "Look at the list of MCP servers.")
	case v.state == stateOff:
		return toolspec.Fail(toolspec.UserError, fmt.Sprintf("the MCP server %s is switched off", v.name), "Switch it on, then call again.")
	case v.state == stateStarting:
		return toolspec.Fail(toolspec.SystemError, fmt.Sprintf("the MCP server %s is starting", v.name), "Call again in a few seconds.")
	case v.state == stateDown || v.session == nil:
		next := "It is started again by itself. The other servers are not affected."
		switch {
		case v.fault != "":
			next = "Mend its entry in mcp-config.json."
		case !v.nextTry.IsZero():
			next = fmt.Sprintf("The other servers are not affected. Next try in %d s.", max(1, int(time.Until(v.nextTry).Seconds()+0.5)))
		}
		return toolspec.Fail(toolspec.SystemError, fmt.Sprintf("the MCP server %s does not run: %s", v.name, v.err), next)
	}
	return toolspec.Fail(toolspec.UserError, fmt.Sprintf("the MCP server %s has no tool %q", v.name, shorten(tool, 80)), "Look at the list of its tools.")
}

// Call runs a tool of a server by the server's own name for it, or by ours. It passes no
// policy: the doors send their calls through the Pipeline under ToolName instead.
//
// No person is behind such a call: where the server would ask one, nobody answers.
func (s *Servers) Call(ctx context.Context, server, name string, args json.RawMessage) toolspec.Result {
	return s.call(ctx, server, name, toolspec.Call{Args: args}, nil)
}

func (s *Servers) call(ctx context.Context, server, name string, call toolspec.Call, output func(stream, text string)) toolspec.Result {
	args := call.Args
	s.mu.Lock()
	v := s.servers[server]
	var session *sdk.ClientSession
	var asking *crowd
	theirs, asTask := "", false
	if v != nil && v.session != nil {
		for _, t := range v.tools {
			if t.added {
				continue
			}
			if t.theirs == name || theirs == "" && (t.ours == name || t.public(v.prefix) == name) {
				session, asking, theirs, asTask = v.session, v.asking, t.theirs, t.asTask
			}
		}
	}
	s.mu.Unlock()
	if session == nil {
		return s.absent(server, name)
	}
	if len(bytes.TrimSpace(args)) == 0 {
		args = json.RawMessage("{}")
	}
	outer := ctx
	ctx, part := asking.within(ctx)
	defer part()
	// Whoever calls may bound it more narrowly; this one stands still while the person is asked.
	ctx, stop := deadline.With(ctx, longest)
	defer stop()
	ctx, land := v.flying.begin(ctx, call)
	defer land()
	if refusal := v.review(ctx, call, theirs); refusal != nil {
		return *refusal
	}
	if asTask {
		ctx = tasks.Ask(ctx)
	}
	token, told := v.flying.metered(ctx, output)
	defer told()
	params := &sdk.CallToolParams{Name: theirs, Arguments: args}
	params.SetProgressToken(token)
	answer, err := v.ask(ctx, session, asking, params)
	if err != nil {
		return v.failed(outer, ctx, session, asking, theirs, err)
	}
	r := Result(v.name, answer)
	r.App = wholeFor(call, v, theirs, answer)
	if !r.Success {
		r.Suggestion = strings.TrimSpace(r.Suggestion + strings.TrimPrefix(v.lacking(r.Error), "."))
	}
	r.Sentence = fmt.Sprintf("%s: %s", v.name, theirs)
	r.Sources = []string{"mcp:" + v.name}
	return r
}

// longest is how long a call may take that nobody else bounds.
const longest = 30 * time.Minute

// ask sends one call and waits for its answer, but not longer than ctx: a server that reads nothing
// holds up the writing, which knows no deadline. What is left of it ends with the session.
func (v *server) ask(ctx context.Context, session *sdk.ClientSession, asking *crowd, params *sdk.CallToolParams) (*sdk.CallToolResult, error) {
	came := make(chan outcome[*sdk.CallToolResult], 1)
	if !asking.enter(func() {
		answer, err := session.CallTool(ctx, params)
		if first := tasks.Of(answer); err == nil && first != nil {
			answer, err = v.follow(ctx, session, asking, first)
		}
		came <- outcome[*sdk.CallToolResult]{answer, err}
	}) {
		return nil, sdk.ErrConnectionClosed
	}
	if o, ok := settled(ctx, came); ok {
		return o.answer, o.err
	}
	v.look()
	return nil, ctx.Err()
}

// codeUndelivered is the SDK's own code for a request that HTTP did not deliver; a
// server's answer has another.
const codeUndelivered = -32005

// failed says why a call failed that ran in ctx, which ends with its session, for a caller who waits
// in outer.
func (v *server) failed(outer, ctx context.Context, session *sdk.ClientSession, asking *crowd, name string, err error) toolspec.Result {
	if r := v.taskFailed(outer, ctx, asking, name, err); r != nil {
		return *r
	}
	switch {
	case outer.Err() == nil && asking.on.Err() != nil:
		return toolspec.Fail(toolspec.SystemError, fmt.Sprintf("the MCP server %s was stopped while it worked on %s; whether it acted is unknown", v.name, name),
			"Look at what it changed. It can be called again when it is switched on.")
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.Is(context.Cause(ctx), deadline.ErrOver):
		v.look()
		return toolspec.Fail(toolspec.SystemError, fmt.Sprintf("the MCP server %s did not answer %s in time; whether it acted is unknown", v.name, name),
			"Look at what it changed before calling again.")
	case outer.Err() != nil:
		return toolspec.Fail(toolspec.SystemError, fmt.Sprintf("stopped while the MCP server %s worked on %s; whether it acted is unknown", v.name, name), "")
	}
	var refused *jsonrpc.Error
	if !errors.As(err, &refused) {
		// Not an answer: the connection broke. Ending the session has it made anew.
		_ = session.Close()
		return toolspec.Fail(toolspec.SystemError, fmt.Sprintf("the MCP server %s stopped during the call; whether it acted is unknown. %s", v.name, v.why(outer, err)),
			"It is started again by itself. The other servers are not affected.")
	}
	if refused.Code == codeUndelivered {
		// A look at its tools finds out whether it is only this call or the server.
		v.again()
		return toolspec.Fail(toolspec.SystemError, fmt.Sprintf("the MCP server %s could not be asked: %s", v.name, shorten(err.Error(), 500)),
			"Call again later. The other servers are not affected.")
	}
	r := toolspec.Fail(toolspec.UserError, fmt.Sprintf("the MCP server %s refused the call: %s", v.name, shorten(refused.Message, 2000)),
		"Check the arguments of "+name+".")
	r.Sources = []string{"mcp:" + v.name}
	return r
}

// why waits a moment for the reason of a session's end to be known, which says more than
// the error of the call that broke with it.
func (v *server) why(ctx context.Context, err error) string {
	for begun := time.Now(); ctx.Err() == nil && time.Since(begun) < 2*farewell; {
		v.owner.mu.Lock()
		ended := v.ended
		v.owner.mu.Unlock()
		if ended != "" {
			return ended
		}
		time.Sleep(20 * time.Millisecond)
	}
	return shorten(err.Error(), 500)
}

// Describe says what call would do: the server's program or address, and what it is sent.
func (s *Servers) Describe(call toolspec.Call) toolspec.Description {
	s.mu.Lock()
	v, t := s.find(call.Tool)
	s.mu.Unlock()
	if v == nil {
		return toolspec.Description{Present: "Running " + call.Tool}
	}
	d := toolspec.Description{
		Present: fmt.Sprintf("Asking %s: %s", v.name, cmp.Or(t.theirs, strings.ReplaceAll(t.ours, "__", "/"))),
		Data:    shorten(string(call.Args), 2000),
	}
	if v.entry.Command != "" {
		d.Target = child.Line(v.entry.Command, v.entry.Args)
		return d
	}
	d.Target = v.entry.URL
	if u, err := url.Parse(v.entry.URL); err == nil {
		d.Hosts = []string{strings.ToLower(u.Host)}
	}
	return d
}
