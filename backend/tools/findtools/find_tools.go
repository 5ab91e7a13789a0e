// Package findtools provides find_tools, which searches the catalog of tools. If there are more tools than a model's
// prompt should contain, the model gets a few of them and finds the others with find_tools.
//
// It finds the tools that can be called while the call's panel is active. The policy decides about a found tool when it
// is called.
package findtools

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"sextant/backend/pipeline/search"
	"sextant/backend/toolkit"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

//go:embed find_tools.md
var findToolsDoc string

const (
	defaultFound = 5
	maxFound     = 10
)

// Tools provides find_tools. It is safe for concurrent use.
type Tools struct {
	toolkit.List[tool]
	offered func(panel string) []toolspec.Definition
}

type tool struct{ def toolspec.Definition }

func (t tool) Definition() toolspec.Definition { return t.def }

// New returns the tool. offered returns the tools that can be called while a panel is active.
func New(offered func(panel string) []toolspec.Definition) *Tools {
	return &Tools{offered: offered, List: toolkit.List[tool]{{toolkit.Define(toolspec.FindTools, "workspace",
		findToolsDoc,
		fmt.Sprintf(
			`{"type":"object","properties":{"query":{"type":"string","minLength":1,"maxLength":500},`+
				`"limit":{"type":"integer","minimum":1,"maximum":%d,"default":%d}},"required":["query"],"additionalProperties":false}`,
			maxFound, defaultFound), toolspec.Hints{ReadOnly: true, Idempotent: true},
		`{"query":"send a chat message"}`, `{"query":"rename a file","limit":3}`,
		`{"query":"turn a page into a PDF","limit":1}`)}}}
}

type params struct {
	Query string `json:"query"`
	Limit int    `json:"limit"`
}

// found lists the best match first. Of is the number of searched tools.
type found struct {
	Tools []toolspec.Function `json:"tools"`
	Of    int                 `json:"of"`
}

// Describe returns the effect of call.
func (t *Tools) Describe(call toolspec.Call) toolspec.Description {
	var p params
	_ = json.Unmarshal(call.Args, &p)
	return toolspec.Description{Sentence: "Finding a tool: " + excerpt.Line(p.Query, 60)}
}

// Execute runs one call. The error is always nil.
func (t *Tools) Execute(
	_ context.Context, call toolspec.Call, _ toolspec.Definition, _ func(stream, text string),
) (toolspec.Result, error) {
	p := params{Limit: defaultFound}
	if bad := toolkit.Decode(call.Args, &p); bad != nil {
		return *bad, nil
	}
	all := t.offered(call.Panel)
	others := make([]toolspec.Definition, 0, len(all))
	for _, d := range all {
		if d.Name != toolspec.FindTools {
			others = append(others, d)
		}
	}
	hits := search.New(others).Find(p.Query, min(max(p.Limit, 1), maxFound))
	value := found{Tools: make([]toolspec.Function, len(hits)), Of: len(others)}
	r := toolspec.OK(&value)
	if len(hits) == 0 {
		r.Text = fmt.Sprintf("None of %d tools matches. Try other words: what is done, and to what.", len(others))
		r.Sentence = "Found no tool"
		return r, nil
	}
	for i, d := range hits {
		value.Tools[i] = d.Function()
		if i < 3 {
			r.Preview = append(r.Preview, d.Name)
		}
	}
	r.Text = search.Summary(hits)
	r.Sentence = fmt.Sprintf("Found %d of %d tools", len(hits), len(others))
	return r, nil
}
