package registry

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"sextant/backend/panels/backends/process"
	"sextant/backend/panels/backends/scripted"
	"sextant/shared/toolspec"
)

func callScript(ctx context.Context, o *callable, sent endpointCall, output func(stream, text string)) toolspec.Result {
	value, sources, err := o.script.Run(ctx, sent.call, sent.args, output)
	var fault *scripted.ScriptError
	var r toolspec.Result
	switch {
	case errors.As(err, &fault):
		r = toolspec.Fail(toolspec.UserError, fault.Text, suggestion(nil, o))
	case err != nil && ctx.Err() == nil:
		r = toolspec.Fail(toolspec.SystemError, fmt.Sprintf("the %s panel's script could not run: %s", o.title, err),
			"Other panels and tools are not affected.")
	case err != nil:
		r = unreachable(ctx, o, sent, err)
	default:
		res := &http.Response{
			StatusCode: http.StatusOK, Header: http.Header{},
			Body: io.NopCloser(bytes.NewReader(value)),
		}
		res.Header.Set("Content-Type", "application/json")
		r = answer(res, o, sent, output) //nolint:bodyclose // the body is in memory
	}
	r.Sources = append(r.Sources, sources...)
	return r
}

// The last segment of the endpoint's path is the MCP server's name for the tool.
func (r *Registry) callMCPProgram(ctx context.Context, o *callable, sent endpointCall,
	output func(stream, text string),
) toolspec.Result {
	tool := o.Path[strings.LastIndexByte(o.Path, '/')+1:]
	result, reached, err := o.runner.CallTool(ctx, tool, sent.args, output)
	for errors.Is(err, process.ErrRemoved) {
		next := r.replacement(o)
		if next == nil {
			break
		}
		o = next
		result, reached, err = o.runner.CallTool(ctx, tool, sent.args, output)
	}
	switch {
	case err != nil && !reached:
		return toolspec.Fail(toolspec.SystemError, err.Error(), "Other panels and tools are not affected.")
	case err != nil:
		return unreachable(ctx, o, sent, err)
	}
	return result
}
