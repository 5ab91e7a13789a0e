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

// callScript lets the panel's script answer.
func callScript(ctx context.Context, o *callable, sent endpointCall, output func(stream, text string)) toolspec.Result {
	value, sources, err := o.script.Answer(ctx, sent.call, sent.args, output)
	var fault *scripted.Fault
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

// callMCPProgram lets the panel's MCP server answer: the last segment of the endpoint's path is its name for the
// tool, and the arguments go unchanged.
func (r *Registry) callMCPProgram(ctx context.Context, o *callable, sent endpointCall,
	output func(stream, text string),
) toolspec.Result {
	tool := o.Path[strings.LastIndexByte(o.Path, '/')+1:]
	result, reached, err := o.runner.Ask(ctx, tool, sent.args, output)
	for errors.Is(err, process.ErrRemoved) {
		next := r.replacement(o)
		if next == nil {
			break
		}
		o = next
		result, reached, err = o.runner.Ask(ctx, tool, sent.args, output)
	}
	switch {
	case err != nil && !reached:
		return toolspec.Fail(toolspec.SystemError, err.Error(), "Other panels and tools are not affected.")
	case err != nil:
		return unreachable(ctx, o, sent, err)
	}
	return result
}
