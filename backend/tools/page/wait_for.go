package page

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"sextant/backend/surface"
	"sextant/shared/annotation"
	"sextant/shared/toolspec"
)

type waitParams struct {
	Text    string  `json:"text"`
	Gone    string  `json:"gone"`
	URL     string  `json:"url"`
	Seconds float64 `json:"seconds" min:"0" max:"120" doc:"time limit; default 10"`
}

func (t *Tools) waitFor() tool {
	return build(tool{
		name: "wait_for", hints: toolspec.Hints{ReadOnly: true, OpenWorld: true}, timeout: 130_000,
		examples: []string{`{"text":"Order placed"}`, `{"gone":"Loading"}`, `{"url":"/checkout","seconds":20}`},
	}, func(_ session, p waitParams) toolspec.Description {
		return toolspec.Description{
			Sentence: "Waiting for " + p.condition(),
			LimitMS:  int(cmp.Or(p.Seconds, surface.DefaultWaitSeconds) * 1000),
		}
	}, func(ctx context.Context, s session, p waitParams) (toolspec.Result, error) {
		if p.Text == "" && p.Gone == "" && p.URL == "" && p.Seconds <= 0 {
			return toolspec.Result{}, &argumentError{
				"there is nothing to wait for",
				`send text, gone, url or seconds, e.g. {"text":"Saved"}`,
			}
		}
		a, err := s.Wait(ctx, surface.WaitOptions{Text: p.Text, AbsentText: p.Gone, URL: p.URL, Seconds: p.Seconds})
		if err != nil {
			return toolspec.Result{}, err
		}
		verb := "Waited for "
		if strings.HasPrefix(a.Outcome, "stopped waiting") {
			verb = "Stopped waiting for "
		}
		return t.result(a, verb+p.condition()), nil
	})
}

func (p waitParams) condition() string {
	switch {
	case p.Text != "":
		return "“" + annotation.Clean(p.Text, 60) + "”"
	case p.Gone != "":
		return "“" + annotation.Clean(p.Gone, 60) + "” to go"
	case p.URL != "":
		return "the address " + annotation.Clean(p.URL, 60)
	}
	return fmt.Sprintf("%g s", p.Seconds)
}
