package environment

import (
	"context"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"

	"sextant/backend/surfaces/browser"
	"sextant/shared/annotator"
	"sextant/shared/toolspec"
)

//go:embed page_tools.md
var pageToolsAbout string

type pageToolsParams struct {
	Action    string         `json:"action" enum:"list,call" default:"\"list\""`
	Name      string         `json:"name" doc:"to call"`
	Arguments map[string]any `json:"arguments"`
}

// offered is the value of page_tools that lists.
type offered struct {
	Tools []browser.PageTool `json:"tools"`
}

func (t *Tools) pageTools() tool {
	return build(tool{
		name: "page_tools", about: about(pageToolsAbout), hints: toolspec.Hints{OpenWorld: true}, timeout: 60_000,
		examples: []string{`{}`, `{"action":"call","name":"search","arguments":{"q":"lamp"}}`},
	}, func(s session, p pageToolsParams) toolspec.Description {
		if p.Action != "call" {
			return toolspec.Description{Present: "Asking the page for its tools"}
		}
		d := toolspec.Description{Present: "Calling the page's tool “" + annotator.Clean(p.Name, 60) + "”", Target: s.Address()}
		if raw, err := json.Marshal(p.Arguments); err == nil && len(p.Arguments) > 0 {
			d.Data = string(raw)
		}
		if h := hostOf(s.Address()); h != "" {
			d.Hosts = []string{h}
		}
		return d
	}, func(ctx context.Context, s session, p pageToolsParams) (toolspec.Result, error) {
		if p.Action != "call" {
			list, err := s.PageTools(ctx)
			if err != nil {
				return toolspec.Result{}, err
			}
			return pageToolList(list, sources(s.Address())), nil
		}
		if p.Name == "" {
			return toolspec.Result{}, &argumentError{"name is missing", `{"action":"list"} tells the names`}
		}
		raw, err := json.Marshal(p.Arguments)
		if err != nil || p.Arguments == nil {
			raw = []byte("{}")
		}
		a, said, err := s.CallPageTool(ctx, p.Name, raw)
		if err != nil {
			return toolspec.Result{}, err
		}
		before := ""
		if said != "" {
			before = "the page's tool says: " + oneLine(said) + "\n"
		}
		r := t.answered(a, before, defaultTokens, "Called the page's tool “"+annotator.Clean(p.Name, 60)+"”")
		if v, ok := r.Value.(seen); ok {
			if v, err = v.with("output", said); err != nil {
				return toolspec.Result{}, err
			}
			r.Value = v
		}
		return r, nil
	})
}

// pageToolList is the list of a page's tools; every word of it is the page's.
func pageToolList(list []browser.PageTool, from []string) toolspec.Result {
	list = slices.Clone(list)
	if list == nil {
		list = []browser.PageTool{}
	}
	r := toolspec.OK(offered{Tools: list})
	r.Sentence = "Found " + plural(len(list), "tool") + " of the page"
	r.Sources = from
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
		b.WriteString(" " + compact(p.Parameters) + "\n")
	}
	r.Text = strings.TrimSuffix(b.String(), "\n")
	return r
}

// compact is JSON on one line.
func compact(raw json.RawMessage) string {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return "{}"
	}
	b, err := json.Marshal(v)
	if err != nil {
		return "{}"
	}
	return visible(string(b))
}
