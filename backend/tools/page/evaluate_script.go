package page

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sextant/backend/browser"
	"sextant/backend/tools/page/observation"
	"sextant/shared/toolspec"
)

type evaluateParams struct {
	Script  string  `json:"script" required:"true"`
	ID      int     `json:"annotationId" min:"1"`
	Seconds float64 `json:"seconds" min:"0.1" max:"60" default:"10" doc:"time limit"`
}

// A script acts with the log-in that the page has, so it needs confirmation. The description names no host, because the
// script may send data anywhere.
func (t *Tools) evaluateScript() tool {
	return build(tool{
		name: "evaluate_script", hints: toolspec.Hints{OpenWorld: true, Confirm: true}, timeout: 90_000,
		examples: []string{
			`{"script":"document.title"}`, `{"script":"element.dataset.price","annotationId":12}`,
			`{"script":"const r = await fetch('/api'); return r.status"}`,
		},
	}, func(s session, p evaluateParams) toolspec.Description {
		d := toolspec.Description{Sentence: "Running a script on the page", Target: s.Address(), Data: p.Script}
		if p.ID > 0 {
			d.Sentence, d.Annotation = "Running a script on "+nameOf(s, p.ID), p.ID
			// The script runs in the element's document, which may be a frame.
			if origin := s.OriginOf(p.ID).Origin; origin != "" &&
				!slices.Contains(observation.Sources(s.Address()), origin) {
				d.Target = origin
			}
		}
		if name := observation.DisplayName(d.Target); name != "" {
			d.Question = "Run a script on " + name + "?"
		}
		return d
	}, func(ctx context.Context, s session, p evaluateParams) (toolspec.Result, error) {
		origin := s.OriginOf(p.ID).Origin
		a, v, err := s.Evaluate(ctx, browser.EvaluateOptions{
			Script: p.Script, ID: p.ID, Limit: time.Duration(p.Seconds * float64(time.Second)),
		})
		if err != nil {
			return toolspec.Result{}, err
		}
		if v.Text == "" { // for example because of a navigation
			return t.result(a, "Ran a script on the page"), nil
		}
		line := "value: " + observation.Escape(v.Text)
		if v.Truncated {
			line += fmt.Sprintf("… (cut to %d bytes)", len(v.Text))
		}
		r := t.resultOf(a, line+"\n", observation.DefaultMaxTokens, "Ran a script on the page")
		if body, ok := r.Value.(observation.Value); ok {
			if body, err = body.With("value", v); err != nil {
				return toolspec.Result{}, err
			}
			r.Value = body
		}
		if p.ID > 0 {
			r.Sources = observation.AppendMissing(r.Sources, observation.Sources(origin)...)
		}
		return r, nil
	})
}
