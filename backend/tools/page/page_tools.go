package page

import (
	"context"
	"encoding/json"

	"sextant/backend/tools/page/lists"
	"sextant/backend/tools/page/observation"
	"sextant/shared/annotation"
	"sextant/shared/toolspec"
)

type pageToolsParams struct {
	Action    string         `json:"action" enum:"list,call" default:"\"list\""`
	Name      string         `json:"name" doc:"to call"`
	Arguments map[string]any `json:"arguments"`
	Origin    string         `json:"origin" doc:"of the frame that offers it"`
}

func (t *Tools) pageTools() tool {
	x := build(tool{
		name: "page_tools", hints: toolspec.Hints{OpenWorld: true}, timeout: 60_000,
		examples: []string{
			`{}`, `{"action":"call","name":"search","arguments":{"q":"lamp"}}`,
			`{"action":"call","name":"show_basket","origin":"https://shop.example.com"}`,
		},
	}, describePageTools, func(ctx context.Context, s session, p pageToolsParams) (toolspec.Result, error) {
		if p.Action != "call" {
			list, err := s.PageTools(ctx)
			if err != nil {
				return toolspec.Result{}, err
			}
			return lists.PageTools(list, observation.Sources(s.Address())), nil
		}
		if p.Name == "" {
			return toolspec.Result{}, &argumentError{"name is missing", `{"action":"list"} returns the names`}
		}
		raw, err := json.Marshal(p.Arguments)
		if err != nil || p.Arguments == nil {
			raw = []byte("{}")
		}
		a, output, err := s.CallPageTool(ctx, p.Name, p.Origin, raw)
		if err != nil {
			return toolspec.Result{}, err
		}
		before := ""
		if output != "" {
			before = "the page's tool says: " + observation.Quote(output) + "\n"
		}
		r := t.resultOf(a, before, observation.DefaultMaxTokens,
			"Called the page's tool “"+annotation.Clean(p.Name, 60)+"”")
		if v, ok := r.Value.(observation.Value); ok {
			if v, err = v.With("output", output); err != nil {
				return toolspec.Result{}, err
			}
			r.Value = v
		}
		r.Sources = observation.AppendMissing(r.Sources, observation.Sources(p.Origin)...)
		return r, nil
	})
	// The call goes to the origin that was judged, even if another document offers the name by then.
	x.onDescribe = func(call toolspec.Call) {
		if p, err := read[pageToolsParams](call.Args); err == nil && p.Action == "call" {
			t.resolved.Set(call.ID, []string{t.sessions(call.From.Session).PageToolOrigin(p.Name, p.Origin)})
		}
	}
	run := x.run
	x.run = func(ctx context.Context, s session, call toolspec.Call) (toolspec.Result, error) {
		var fields map[string]json.RawMessage
		if p, err := read[pageToolsParams](call.Args); err == nil && p.Action == "call" &&
			json.Unmarshal(call.Args, &fields) == nil {
			origin := []string{s.PageToolOrigin(p.Name, p.Origin)}
			if was, judged := t.resolved.Take(call.ID); judged {
				origin = was
			}
			if fields["origin"], err = json.Marshal(origin[0]); err != nil {
				return toolspec.Result{}, err
			}
			if call.Args, err = json.Marshal(fields); err != nil {
				return toolspec.Result{}, err
			}
		}
		return run(ctx, s, call)
	}
	return x
}

func describePageTools(s session, p pageToolsParams) toolspec.Description {
	if p.Action != "call" {
		return toolspec.Description{Sentence: "Asking the page for its tools"}
	}
	// The arguments go to the document that offers the tool, which may be a frame of another origin.
	origin := s.PageToolOrigin(p.Name, p.Origin)
	d := toolspec.Description{
		Sentence: "Calling the page's tool “" + annotation.Clean(p.Name, 60) + "”",
		Target:   s.Address(),
	}
	if from := observation.Sources(s.Address()); len(from) == 0 || from[0] != origin {
		d.Sentence = "Calling the tool “" + annotation.Clean(p.Name, 60) + "” of " +
			annotation.Clean(observation.Host(origin), 80)
		d.Target = annotation.Clean(origin, 200)
	}
	if raw, err := json.Marshal(p.Arguments); err == nil && len(p.Arguments) > 0 {
		d.Data = string(raw)
	}
	d.Hosts = observation.Hosts(origin)
	return d
}
