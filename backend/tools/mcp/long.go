package mcp

import (
	"context"
	"errors"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/calls/deadline"
	"sextant/backend/tools/mcp/tasks"
	"sextant/shared/toolspec"
)

// follow waits for a call that its server goes on with as a task.
func (v *server) follow(ctx context.Context, session *sdk.ClientSession, asking *crowd, first *tasks.State) (*sdk.CallToolResult, error) {
	say := func(string) {}
	if one, ok := ctx.Value(flightKey{}).(*flight); ok {
		v.flying.mu.Lock()
		one.task = first.ID
		m := one.meter
		v.flying.mu.Unlock()
		say = m.say
	}
	task := tasks.Task{Session: session, First: first, Say: say, Answer: v.answers, Enter: asking.enter}
	return task.Wait(ctx)
}

// answers puts what a task asks to whoever answers it: each as if the server had asked for it by itself.
func (v *server) answers(ctx context.Context, requests sdk.InputRequestMap) (sdk.InputResponseMap, error) {
	out := sdk.InputResponseMap{}
	for name, one := range requests {
		var err error
		switch p := one.(type) {
		case *sdk.ElicitParams:
			out[name], err = v.elicit(ctx, &sdk.ElicitRequest{Params: p})
		case *sdk.CreateMessageWithToolsParams:
			out[name], err = v.sampleAny(ctx, p)
		case *sdk.ListRootsParams:
			var roots []*sdk.Root
			if roots, err = v.roots(ctx, p); err == nil {
				out[name] = &sdk.ListRootsResult{Roots: roots}
			}
		default:
			err = &tasks.Ended{Why: "its task asks for something that Sextant does not offer to it"}
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// taskFailed says what became of a call that went on as a task, nil of any other.
func (v *server) taskFailed(outer, ctx context.Context, asking *crowd, name string, err error) *toolspec.Result {
	var given *tasks.GivenUp
	var ended *tasks.Ended
	var r toolspec.Result
	switch {
	case errors.As(err, &ended):
		r = toolspec.Fail(toolspec.UserError, fmt.Sprintf("the MCP server %s did not finish %s: %s", v.name, name, shorten(ended.Why, 2000)), "Look at what it changed before calling again.")
		r.Sources = []string{"mcp:" + v.name}
	case !errors.As(err, &given), outer.Err() == nil && asking.on.Err() != nil:
		return nil // a server that was stopped has no task any more
	case errors.Is(ctx.Err(), context.DeadlineExceeded), errors.Is(context.Cause(ctx), deadline.ErrOver):
		r = toolspec.Fail(toolspec.SystemError, fmt.Sprintf("the MCP server %s did not finish %s in time; %s", v.name, name, given.Error()),
			"Look at what it changed before calling again.")
	case outer.Err() != nil:
		r = toolspec.Fail(toolspec.SystemError, fmt.Sprintf("stopped while the MCP server %s worked on %s; %s", v.name, name, given.Error()), "")
	default:
		return nil // the connection broke
	}
	return &r
}

// asker is the call that a question with this metadata belongs to, nil where that is not known: the one
// whose task it names, else as whose finds it.
func (f *flights) asker(ctx context.Context, meta map[string]any) *flight {
	if id := tasks.Related(meta); id != "" {
		f.mu.Lock()
		defer f.mu.Unlock()
		for one := range f.now {
			if one.task == id {
				return one
			}
		}
		return nil
	}
	return f.whose(ctx)
}
