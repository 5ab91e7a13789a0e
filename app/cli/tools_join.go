package cli

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	"sextant/app/cli/progress"
	httpapi "sextant/backend/api/http"
	"sextant/backend/pipeline/nearest"
	"sextant/backend/store/eventlog"
	"sextant/shared/navigation"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

func (i runningInstance) callRoute(ctx context.Context, route, query string, body, v any) error {
	nav, err := navigation.Load()
	if err != nil {
		return err
	}
	method, path := nav.Route(route)
	if query != "" {
		path += "?" + query
	}
	return i.call(ctx, method, path, body, v)
}

func (i runningInstance) call(ctx context.Context, method, path string, body, v any) error {
	b, err := i.Do(ctx, method, path, body)
	if err != nil {
		return failure(exitFailed, "the running Sextant answered: %v", err)
	}
	if v == nil {
		return nil
	}
	if err := json.Unmarshal(b, v); err != nil {
		return failure(exitFailed, "the answer of the running Sextant could not be read: %v", err)
	}
	return nil
}

func (v *toolsListVerb) join(ctx context.Context, at runningInstance, io Streams) error {
	var found wire.Discovery
	if err := at.callRoute(ctx, "tools_discover", url.Values{"panelId": {v.Panel}}.Encode(), nil, &found); err != nil {
		return err
	}
	if v.JSON {
		return printJSON(io, found)
	}
	var list []toolspec.Definition
	for _, group := range [][]toolspec.Function{found.Baseline, found.Panel, found.MCP} {
		for _, f := range group {
			list = append(list, toolspec.Definition{
				Name: f.Function.Name, Description: f.Function.Description,
				Origin: found.Origins[f.Function.Name],
			})
		}
	}
	return listTools(io, list)
}

func (v *toolsShowVerb) join(ctx context.Context, at runningInstance, io Streams) error {
	var all httpapi.ToolRows
	if err := at.call(ctx, http.MethodGet, "/api/tools", nil, &all); err != nil {
		return err
	}
	names := make([]string, 0, len(all.Tools))
	for _, row := range all.Tools {
		if row.Name == v.Name {
			return printJSON(io, row.Definition)
		}
		names = append(names, row.Name)
	}
	return failure(exitFailed, "there is no tool %q. Similar names: %s", v.Name,
		strings.Join(nearest.Names(v.Name, names, 3), ", "))
}

func (v *toolsCallVerb) join(ctx context.Context, at runningInstance, io Streams) error {
	call := map[string]any{"tool": v.Name, "args": json.RawMessage(v.Args)}
	if v.Panel != "" {
		call["panelId"] = v.Panel
	}
	var r toolspec.Result
	stop := at.printProgress(ctx, v.Name, json.RawMessage(v.Args), io.Err)
	err := at.callRoute(ctx, "tools_execute", "", call, &r)
	stop()
	if err != nil {
		return err
	}
	// The value contains the text for models, if there is one.
	if value, ok := r.Value.(map[string]any); ok && r.Success {
		r.Text, _ = value["text"].(string)
	}
	return v.print(io, r)
}

// printProgress prints nothing if the events cannot be read; the call does not depend on them.
func (i runningInstance) printProgress(
	ctx context.Context, tool string, args json.RawMessage, w io.Writer,
) (stop func()) {
	stream, err := i.listen(ctx, eventlog.FromNow)
	if err != nil {
		return func() {}
	}
	return progress.Follow(stream, tool, args, w)
}
