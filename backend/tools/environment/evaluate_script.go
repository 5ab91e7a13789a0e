package environment

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"sextant/backend/browser"
	"sextant/shared/toolspec"
)

//go:embed evaluate_script.md
var evaluateAbout string

type evaluateParams struct {
	Script  string  `json:"script" required:"true"`
	ID      int     `json:"annotationId" min:"1"`
	Seconds float64 `json:"seconds" min:"0.1" max:"60" default:"10" doc:"how long it may take"`
}

// evaluateScript asks before it runs: a script can do whatever the page can, as whoever is logged
// in there. Its description names no host, because where it sends what it reads is not known,
// so the policy asks in a context that holds outside text even where other questions are off.
func (t *Tools) evaluateScript() tool {
	return build(tool{
		name: "evaluate_script", about: about(evaluateAbout), hints: toolspec.Hints{OpenWorld: true, Confirm: true}, timeout: 90_000,
		examples: []string{`{"script":"document.title"}`, `{"script":"element.dataset.price","annotationId":12}`, `{"script":"const r = await fetch('/api'); return r.status"}`},
	}, func(s session, p evaluateParams) toolspec.Description {
		d := toolspec.Description{Present: "Running a script on the page", Target: s.Address(), Data: p.Script}
		if p.ID > 0 {
			d.Present, d.Annotation = "Running a script on "+called(s, p.ID), p.ID
			// It runs in the element's own document, which may be a frame's.
			if origin := s.OriginOf(p.ID).Origin; origin != "" && !slices.Contains(sources(s.Address()), origin) {
				d.Target = origin
			}
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
		if v.Text == "" { // interrupted by a dialog, or the page was left
			return t.answered(a, "", defaultTokens, "Ran a script on the page"), nil
		}
		line := "value: " + visible(v.Text)
		if v.Cut {
			line += fmt.Sprintf("… (cut to %d bytes)", len(v.Text))
		}
		r := t.answered(a, line+"\n", defaultTokens, "Ran a script on the page")
		if body, ok := r.Value.(seen); ok {
			if body, err = body.with("value", v); err != nil {
				return toolspec.Result{}, err
			}
			r.Value = body
		}
		if p.ID > 0 {
			r.Sources = appendAll(r.Sources, sources(origin))
		}
		return r, nil
	})
}

// visible writes what cannot be seen in JSON text as its escape, so that it keeps to its line.
func visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp) {
			if r > 0xFFFF {
				r = unicode.ReplacementChar
			}
			fmt.Fprintf(&b, `\u%04x`, r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
