package cli

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"sextant/app/cli/verb"
	httpapi "sextant/backend/api/http"
	"sextant/backend/pipeline/nearest"
	"sextant/shared/toolspec"
	"sextant/shared/wire"
)

func (v *toolsListVerb) join(ctx context.Context, at verb.RunningInstance, io verb.Streams) error {
	var found wire.Discovery
	if err := at.CallRoute(ctx, "tools_discover", url.Values{"panelId": {v.Panel}}.Encode(), nil, &found); err != nil {
		return err
	}
	if v.JSON {
		return verb.PrintJSON(io, found)
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

func (v *toolsShowVerb) join(ctx context.Context, at verb.RunningInstance, io verb.Streams) error {
	var all httpapi.ToolRows
	if err := at.Call(ctx, http.MethodGet, "/api/tools", nil, &all); err != nil {
		return err
	}
	names := make([]string, 0, len(all.Tools))
	for _, row := range all.Tools {
		if row.Name == v.Name {
			return verb.PrintJSON(io, row.Definition)
		}
		names = append(names, row.Name)
	}
	return verb.Failure(verb.ExitFailed, "there is no tool %q. Similar names: %s", v.Name,
		strings.Join(nearest.Names(v.Name, names, 3), ", "))
}

func (v *toolsCallVerb) join(
	ctx context.Context, at verb.RunningInstance, args string, io verb.Streams,
) (toolspec.Result, error) {
	call := map[string]any{"tool": v.Name, "args": json.RawMessage(args), "text": true}
	if v.Panel != "" {
		call["panelId"] = v.Panel
	}
	var answer httpapi.ToolAnswer
	stop := at.PrintProgress(ctx, v.Name, json.RawMessage(args), v.lines(io))
	err := at.CallRoute(ctx, "tools_execute", "", call, &answer)
	stop()
	r := answer.Result
	r.Text = answer.ModelText
	if err == nil && len(r.ImageIDs) > 0 && v.Out != "" {
		picture, err := at.Do(ctx, http.MethodGet, "/api/blobs/"+r.ImageIDs[0], nil)
		if err != nil {
			return r, verb.Failure(verb.ExitFailed, "the picture could not be read: %v", err)
		}
		r.Images = []toolspec.Image{{Data: picture}}
	}
	return r, err
}
