package environment

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"sextant/backend/browser"
	"sextant/backend/tools/environment/observation"
	"sextant/shared/annotator"
	"sextant/shared/toolspec"
)

type pageToolsParams struct {
	Action    string         `json:"action" enum:"list,call" default:"\"list\""`
	Name      string         `json:"name" doc:"to call"`
	Arguments map[string]any `json:"arguments"`
	Origin    string         `json:"origin" doc:"of the frame that offers it"`
}

// pageToolsValue is the value of page_tools that lists.
type pageToolsValue struct {
	Tools []browser.PageTool `json:"tools"`
}

func (t *Tools) pageTools() tool {
	x := build(tool{
		name: "page_tools", hints: toolspec.Hints{OpenWorld: true}, timeout: 60_000,
		examples: []string{`{}`, `{"action":"call","name":"search","arguments":{"q":"lamp"}}`},
	}, func(s session, p pageToolsParams) toolspec.Description {
		if p.Action != "call" {
			return toolspec.Description{Present: "Asking the page for its tools"}
		}
		// The document that offers the tool gets the arguments; it may be a frame of another origin.
		origin := s.PageToolOrigin(p.Name, p.Origin)
		d := toolspec.Description{Present: "Calling the page's tool “" + annotator.Clean(p.Name, 60) + "”", Target: s.Address()}
		if from := observation.Sources(s.Address()); len(from) == 0 || from[0] != origin {
			d.Present, d.Target = "Calling the tool “"+annotator.Clean(p.Name, 60)+"” of "+annotator.Clean(observation.Host(origin), 80), annotator.Clean(origin, 200)
		}
		if raw, err := json.Marshal(p.Arguments); err == nil && len(p.Arguments) > 0 {
			d.Data = string(raw)
		}
		d.Hosts = observation.Hosts(origin)
		return d
	}, func(ctx context.Context, s session, p pageToolsParams) (toolspec.Result, error) {
		if p.Action != "call" {
			list, err := s.PageTools(ctx)
			if err != nil {
				return toolspec.Result{}, err
			}
			return pageToolList(list, observation.Sources(s.Address())), nil
		}
		if p.Name == "" {
			return toolspec.Result{}, &argumentError{"name is missing", `{"action":"list"} returns the names`}
		}
		raw, err := json.Marshal(p.Arguments)
		if err != nil || p.Arguments == nil {
			raw = []byte("{}")
		}
		a, said, err := s.CallPageTool(ctx, p.Name, p.Origin, raw)
		if err != nil {
			return toolspec.Result{}, err
		}
		before := ""
		if said != "" {
			before = "the page's tool says: " + observation.Quote(said) + "\n"
		}
		r := t.resultOf(a, before, observation.DefaultTokens, "Called the page's tool “"+annotator.Clean(p.Name, 60)+"”")
		if v, ok := r.Value.(observation.Value); ok {
			if v, err = v.With("output", said); err != nil {
				return toolspec.Result{}, err
			}
			r.Value = v
		}
		r.Sources = observation.Add(r.Sources, observation.Sources(p.Origin)...)
		return r, nil
	})
	// The tool is called at the origin that was judged, whichever document offers the name by then.
	x.onDescribe = func(call toolspec.Call) {
		if p, err := read[pageToolsParams](call.Args); err == nil && p.Action == "call" {
			t.resolved.Set(call.ID, []string{t.sessions(call.From.Session).PageToolOrigin(p.Name, p.Origin)})
		}
	}
	run := x.run
	x.run = func(ctx context.Context, s session, call toolspec.Call) (toolspec.Result, error) {
		var fields map[string]json.RawMessage
		if p, err := read[pageToolsParams](call.Args); err == nil && p.Action == "call" && json.Unmarshal(call.Args, &fields) == nil {
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

// pageToolList lists a page's tools; all of its text is the page's.
func pageToolList(list []browser.PageTool, from []string) toolspec.Result {
	list = slices.Clone(list)
	if list == nil {
		list = []browser.PageTool{}
	}
	r := toolspec.OK(pageToolsValue{Tools: list})
	r.Sentence = "Found " + english.Plural(len(list), "tool", "") + " of the page"
	r.Sources = slices.Clone(from)
	if len(list) == 0 {
		r.Text = "This page offers no tools."
		return r
	}
	var b strings.Builder
	for _, p := range list {
		b.WriteString(annotator.Quote(annotator.Clean(p.Name, 200)) + " " + annotator.Quote(annotator.Clean(p.Description, 500)))
		if p.Form {
			b.WriteString(" (fills in a form)")
		}
		if !slices.Contains(from, p.Origin) {
			// The frame does not count as read by this, so giving its tool data has to be asked about.
			b.WriteString(" (of a frame; origin " + annotator.Clean(p.Origin, 200) + ")")
		}
		b.WriteString(" " + compactJSON(p.Parameters) + "\n")
	}
	r.Text = strings.TrimSuffix(b.String(), "\n")
	return r
}

// compactJSON is JSON on one line.
func compactJSON(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return "{}"
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "{}"
	}
	return observation.Escape(string(b))
}
