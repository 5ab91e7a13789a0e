package page

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"sextant/backend/surface"
	"sextant/backend/tools/page/observation"
	"sextant/shared/annotation"
	"sextant/shared/toolspec"
)

type stepsParams struct {
	Steps []json.RawMessage `json:"steps" required:"true" max:"20" items:"{\"type\":\"object\",\"properties\":{\"tool\":{\"type\":\"string\"}},\"required\":[\"tool\"]}"`
}

// expectTimeout is the time that an expect condition gets after the page has settled.
const expectTimeout = 3 * time.Second

// Status is "done", "failed" or "skipped".
type stepResult struct {
	Tool    string `json:"tool"`
	Status  string `json:"status"`
	Outcome string `json:"outcome"`
}

func (t *Tools) runSteps() tool {
	x := build(tool{
		name: "run_steps", hints: toolspec.Hints{OpenWorld: true}, timeout: toolspec.MaxTimeoutMS,
		secret: []string{"steps"},
		examples: []string{
			`{"steps":[{"tool":"type_text","annotationId":13,"text":"x"},{"tool":"click_element","annotationId":9,"expect":{"text":"Saved"}}]}`,
			`{"steps":[{"tool":"click_element","annotationId":7,"unless":{"gone":"Cookies"}},{"tool":"click_element","annotationId":4,"navigates":true}]}`,
			`{"steps":[{"tool":"hover_element","annotationId":5},` +
				`{"tool":"click_element","annotationId":30,"expect":{"event":"opened_tab"}}]}`,
		},
	}, t.describeSteps, func(context.Context, session, stepsParams) (toolspec.Result, error) {
		return toolspec.Result{}, errors.New("run_steps needs its call")
	})
	x.run = func(ctx context.Context, s session, call toolspec.Call) (toolspec.Result, error) {
		p, err := read[stepsParams](call.Args)
		if err != nil {
			return toolspec.Result{}, x.unreadable(err)
		}
		steps, err := t.parseSteps(p)
		if err != nil {
			return toolspec.Result{}, err
		}
		r := &stepRun{t: t, s: s, call: call, steps: steps, namesBefore: map[int][2]string{}}
		for _, st := range steps {
			for _, id := range st.elementIDs {
				role, name := r.sessionFor(st).RoleAndName(id)
				r.namesBefore[id] = [2]string{role, name}
			}
		}
		r.run(ctx)
		if ctx.Err() != nil {
			return toolspec.Result{}, context.Cause(ctx)
		}
		return r.result(ctx)
	}
	return x
}

// If one step has secret arguments, all steps are hidden.
func (t *Tools) describeSteps(s session, p stepsParams) toolspec.Description {
	d := toolspec.Description{Sentence: "Running " + english.Plural(len(p.Steps), "step", ""), ForwardsSecrets: true}
	steps, err := t.parseSteps(p)
	if err != nil {
		d.SecretArgs = []string{"steps"}
		return d
	}
	var names []string
	for _, st := range steps {
		names = append(names, st.tool)
		if len(t.byName[st.tool].describe(s, st.args).SecretArgs) > 0 {
			d.SecretArgs = []string{"steps"}
		}
	}
	d.Target = strings.Join(names, ", ")
	return d
}

type stepRun struct {
	t     *Tools
	s     session
	call  toolspec.Call
	steps []step

	results []stepResult
	done    int
	stopped string
	// waited is true if the last step that was done expected a condition on the page or a new tab.
	waited bool
	// namesBefore contains the role and the name of the elements that steps use.
	namesBefore map[int][2]string
	// annotationsBefore contains the annotations before a click on an element that a later step uses too.
	annotationsBefore []annotation.Element
	failed            *toolspec.Result
	summary           observation.Summary
	images            []toolspec.Image
	texts             []string
	sources           []string
}

func (r *stepRun) sessionFor(st step) session {
	s, err := r.t.surfaceOf(toolspec.Call{Tool: st.tool, Args: st.args, From: r.call.From})
	if err != nil {
		return r.s // the step then fails with the same error
	}
	return s
}

func (r *stepRun) run(ctx context.Context) {
	for i := range r.steps {
		r.step(ctx, i)
		if r.stopped != "" || ctx.Err() != nil {
			return
		}
	}
}

func (r *stepRun) step(ctx context.Context, i int) {
	st := r.steps[i]
	r.s = r.sessionFor(st)
	if st.unless != nil {
		held, _, err := r.s.AwaitCondition(ctx, st.unless.Condition, 0)
		if err != nil {
			r.fail(i, toolspec.Fail(toolspec.UserError, "its unless condition could not be checked: "+err.Error(), ""))
			return
		}
		if held {
			r.results = append(r.results, stepResult{st.tool, "skipped", "skipped: its unless condition holds"})
			return
		}
	}
	before := r.summary.Page.URL
	if before == "" {
		before = r.s.Address()
	}
	r.annotationsBefore = nil
	if r.pressesAgain(i) {
		r.annotationsBefore = r.s.Annotations()
	}
	res := r.t.opts.Do(ctx, toolspec.Call{
		ID: fmt.Sprintf("%s.%d", r.call.ID, i+1), Tool: st.tool, Args: st.args, Panel: r.call.Panel, From: r.call.From,
	})
	r.sources = append(r.sources, res.Sources...)
	if !res.Success {
		r.fail(i, res)
		return
	}
	r.done++
	ans, observed := observation.FullObservation(res.Value)
	end := stepResult{Tool: st.tool, Status: "done", Outcome: res.Sentence}
	if observed {
		end.Outcome = outcomeOf(ans, res.Sentence)
		r.summary.Add(ans)
	} else {
		r.texts = append(r.texts, fmt.Sprintf("%d %s:\n%s", i+1, st.tool, res.ModelText()))
	}
	r.images = append(r.images, res.Images...)
	r.results = append(r.results, end)
	if why := r.stopReason(i, before, ans, observed); why != "" {
		r.stopped = fmt.Sprintf("stopped after step %d: %s", i+1, why)
		return
	}
	r.waited = st.expect != nil && (st.expect.onPage() || st.expect.event == "opened_tab")
	if st.expect != nil && st.expect.onPage() {
		held, missing, err := r.s.AwaitCondition(ctx, st.expect.Condition, expectTimeout)
		if err != nil {
			missing = err.Error()
		}
		if !held {
			r.stopped = fmt.Sprintf("stopped after step %d, whose expect condition does not hold: %s", i+1, missing)
		}
	}
}

func (r *stepRun) fail(i int, res toolspec.Result) {
	why := strings.TrimSpace(res.Error + " " + res.Suggestion)
	r.results = append(r.results, stepResult{r.steps[i].tool, "failed", res.Error})
	r.stopped = fmt.Sprintf("stopped at step %d: %s", i+1, why)
	r.failed = &res
}

func outcomeOf(a annotation.Observation, sentence string) string {
	if a.Outcome == "" {
		a.Outcome = sentence
	}
	return annotation.OutcomeLine(a)
}

func (r *stepRun) result(ctx context.Context) (toolspec.Result, error) {
	if r.failed != nil && r.done == 0 {
		f := *r.failed
		f.Error = fmt.Sprintf("step %d of %d: %s", len(r.results), len(r.steps), f.Error)
		f.Sources = observation.SortedUnique(r.sources)
		return f, nil
	}
	if r.stopped != "" || r.summary.Page.Tab == 0 || r.waited {
		// This adds the changes of a failed step, and late changes.
		if a, err := r.s.Annotate(ctx, surface.AnnotateOptions{ChangesOnly: true}); err == nil {
			r.summary.Add(a)
		}
	}
	a := r.summary.Observation()
	a.Outcome = fmt.Sprintf("did %d of %s", r.done, english.Plural(len(r.steps), "step", ""))
	if r.stopped != "" {
		a.Outcome += "; " + r.stopped
	}
	// The lines of the steps already list the events.
	events := a.Events
	a.Events = nil
	res := r.t.resultOf(a, r.lines(), observation.DefaultMaxTokens, "Ran "+english.Plural(r.done, "step", ""))
	if r.stopped != "" {
		res.Sentence = fmt.Sprintf("Ran %d of %s, then stopped", r.done, english.Plural(len(r.steps), "step", ""))
	}
	v, _ := res.Value.(observation.Value)
	v.Events = events
	if len(r.texts) > 0 {
		res.Text += "\n" + strings.Join(r.texts, "\n")
		v.Text = res.Text
	}
	res.Images = r.images
	res.Sources = observation.SortedUnique(append(r.sources, res.Sources...))
	var err error
	for _, m := range []struct {
		name  string
		value any
	}{{"done", r.done}, {"steps", r.results}, {"stopped", r.stopped}} {
		if v, err = v.With(m.name, m.value); err != nil {
			return res, err
		}
	}
	res.Value = v
	return res, nil
}

func (r *stepRun) lines() string {
	text := ""
	for _, long := range []int{300, 100, 40} {
		var b strings.Builder
		for i, e := range r.results {
			fmt.Fprintf(&b, "%d %s\n", i+1, annotation.Clean(e.Outcome, long))
		}
		if text = b.String(); r.t.tokens.Count(text) <= observation.DefaultMaxTokens/2 {
			break
		}
	}
	return text
}
