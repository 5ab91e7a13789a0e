package environment

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"

	"sextant/backend/surface"
	"sextant/shared/annotator"
	"sextant/shared/toolspec"
)

//go:embed run_steps.md
var stepsAbout string

type stepsParams struct {
	Steps []json.RawMessage `json:"steps" required:"true" max:"20" items:"{\"type\":\"object\",\"properties\":{\"tool\":{\"type\":\"string\"}},\"required\":[\"tool\"]}"`
}

// expectPatience is how long what a step expects may take to come after the page is at rest.
const expectPatience = 3 * time.Second

// stepEnd is how one step ended: done, skipped (what its unless names held) or failed.
type stepEnd struct {
	Tool    string `json:"tool"`
	Status  string `json:"status"`
	Outcome string `json:"outcome"`
}

func (t *Tools) runSteps() tool {
	x := build(tool{
		name: "run_steps", about: about(stepsAbout), hints: toolspec.Hints{OpenWorld: true}, timeout: toolspec.MaxTimeoutMS, secret: []string{"steps"},
		examples: []string{
			`{"steps":[{"tool":"type_text","annotationId":13,"text":"x"},{"tool":"click_element","annotationId":9,"expect":{"text":"Saved"}}]}`,
			`{"steps":[{"tool":"click_element","annotationId":7,"unless":{"gone":"Cookies"}},{"tool":"click_element","annotationId":4,"navigates":true}]}`,
		},
	}, t.describeSteps, func(context.Context, session, stepsParams) (toolspec.Result, error) {
		return toolspec.Result{}, errors.New("run_steps needs its call")
	})
	x.run = func(ctx context.Context, s session, call toolspec.Call) (toolspec.Result, error) {
		p, err := read[stepsParams](call.Args)
		if err != nil {
			return toolspec.Result{}, &argumentError{message: "the arguments cannot be read: " + err.Error(), suggestion: "send an object such as " + x.examples[0]}
		}
		steps, err := t.parseSteps(p)
		if err != nil {
			return toolspec.Result{}, err
		}
		r := &stepRun{t: t, s: s, call: call, steps: steps, called: map[int][2]string{}}
		for _, st := range steps {
			for _, id := range st.ids {
				role, name := r.on(st).RoleAndName(id)
				r.called[id] = [2]string{role, name}
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

// describeSteps: what each step does is judged and told when its turn comes. The steps are
// hidden as a whole when one of them has something to hide.
func (t *Tools) describeSteps(s session, p stepsParams) toolspec.Description {
	d := toolspec.Description{Present: "Doing " + english.Plural(len(p.Steps), "step", ""), Quotes: true}
	steps, err := t.parseSteps(p)
	if err != nil {
		d.Secret = []string{"steps"}
		return d
	}
	var names []string
	for _, st := range steps {
		names = append(names, st.tool)
		if len(t.byName[st.tool].describe(s, st.args).Secret) > 0 {
			d.Secret = []string{"steps"}
		}
	}
	d.Target = strings.Join(names, ", ")
	return d
}

// stepRun is one run_steps while it runs.
type stepRun struct {
	t     *Tools
	s     session
	call  toolspec.Call
	steps []step

	ends    []stepEnd
	done    int
	stopped string
	// waited is true when what the last step expects was waited for, or stands in a tab of its own.
	waited bool
	// called is what the numbers of all steps were called when the run began: role and name.
	called map[int][2]string
	// beside is what was numbered before a press whose element a later step is for too.
	beside []annotator.Element
	// failed is the result of the step that failed, nil when none did.
	failed *toolspec.Result
	sum    sum
	images []toolspec.Image
	read   []string
	from   []string
}

// on is what a step acts on.
func (r *stepRun) on(st step) session {
	s, err := r.t.surfaceOf(toolspec.Call{Tool: st.tool, Args: st.args, From: r.call.From})
	if err != nil {
		return r.s // the step says so itself
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

// step runs one step: the guard before it, its call, and the guards after it.
func (r *stepRun) step(ctx context.Context, i int) {
	st := r.steps[i]
	r.s = r.on(st)
	if st.unless != nil {
		held, _, err := r.s.Holds(ctx, st.unless.Condition, 0)
		if err != nil {
			r.fail(i, toolspec.Fail(toolspec.UserError, "what its unless names could not be looked for: "+err.Error(), ""))
			return
		}
		if held {
			r.ends = append(r.ends, stepEnd{st.tool, "skipped", "skipped: what its unless names holds"})
			return
		}
	}
	before := r.sum.page.URL
	if before == "" {
		before = r.s.Address()
	}
	r.beside = nil
	if r.pressesAgain(i) {
		r.beside = r.s.Annotations()
	}
	res := r.t.opts.Do(ctx, toolspec.Call{
		ID: fmt.Sprintf("%s.%d", r.call.ID, i+1), Tool: st.tool, Args: st.args, Panel: r.call.Panel, From: r.call.From,
	})
	r.from = append(r.from, res.Sources...)
	if !res.Success {
		r.fail(i, res)
		return
	}
	r.done++
	ans, looked := wholeAnswer(res.Value)
	end := stepEnd{Tool: st.tool, Status: "done", Outcome: res.Sentence}
	if looked {
		end.Outcome = outcomeOf(ans, res.Sentence)
		r.sum.add(ans)
	} else {
		r.read = append(r.read, fmt.Sprintf("%d %s:\n%s", i+1, st.tool, res.ModelText()))
	}
	r.images = append(r.images, res.Images...)
	r.ends = append(r.ends, end)
	if why := r.surprise(i, before, ans, looked); why != "" {
		r.stopped = fmt.Sprintf("stopped after step %d: %s", i+1, why)
		return
	}
	r.waited = st.expect != nil && (st.expect.asks() || st.expect.event == "opened_tab")
	if st.expect != nil && st.expect.asks() {
		held, missing, err := r.s.Holds(ctx, st.expect.Condition, expectPatience)
		if err != nil {
			missing = err.Error()
		}
		if !held {
			r.stopped = fmt.Sprintf("stopped after step %d, which did not do what it expects: %s", i+1, missing)
		}
	}
}

func (r *stepRun) fail(i int, res toolspec.Result) {
	why := strings.TrimSpace(res.Error + " " + res.Suggestion)
	r.ends = append(r.ends, stepEnd{r.steps[i].tool, "failed", res.Error})
	r.stopped = fmt.Sprintf("stopped at step %d: %s", i+1, why)
	r.failed = &res
}

// outcomeOf is a step's outcome with what came of it, on one line.
func outcomeOf(a annotator.Answer, sentence string) string {
	if a.Outcome == "" {
		a.Outcome = sentence
	}
	return annotator.Happened(a)
}

// result is what the caller gets. When not even the first step ran, it is that step's failure.
func (r *stepRun) result(ctx context.Context) (toolspec.Result, error) {
	if r.failed != nil && r.done == 0 {
		f := *r.failed
		f.Error = fmt.Sprintf("step %d of %d: %s", len(r.ends), len(r.steps), f.Error)
		f.Sources = sorted(r.from)
		return f, nil
	}
	if r.stopped != "" || r.sum.page.Tab == 0 || r.waited {
		// What a failed step left behind, or what came late, is seen once more.
		if a, err := r.s.Annotate(ctx, surface.AnnotateOptions{ChangesOnly: true}); err == nil {
			r.sum.add(a)
		}
	}
	a := r.sum.answer()
	a.Outcome = fmt.Sprintf("did %d of %s", r.done, english.Plural(len(r.steps), "step", ""))
	if r.stopped != "" {
		a.Outcome += "; " + r.stopped
	}
	// The lines of the steps tell what happened.
	events := a.Events
	a.Events = nil
	res := r.t.answered(a, r.lines(), defaultTokens, "Did "+english.Plural(r.done, "step", ""))
	if r.stopped != "" {
		res.Sentence = fmt.Sprintf("Did %d of %s, then stopped", r.done, english.Plural(len(r.steps), "step", ""))
	}
	v, _ := res.Value.(seen)
	v.Events = events
	if len(r.read) > 0 {
		res.Text += "\n" + strings.Join(r.read, "\n")
		v.Text = res.Text
	}
	res.Images = r.images
	res.Sources = sorted(append(r.from, res.Sources...))
	var err error
	for _, m := range []struct {
		name  string
		value any
	}{{"done", r.done}, {"steps", r.ends}, {"stopped", r.stopped}} {
		if v, err = v.with(m.name, m.value); err != nil {
			return res, err
		}
	}
	res.Value = v
	return res, nil
}

// lines tell how each step ended, one a line, and leave the page half of what an answer may cost.
func (r *stepRun) lines() string {
	text := ""
	for _, long := range []int{300, 100, 40} {
		var b strings.Builder
		for i, e := range r.ends {
			fmt.Fprintf(&b, "%d %s\n", i+1, annotator.Clean(e.Outcome, long))
		}
		if text = b.String(); r.t.tokens.count(text) <= defaultTokens/2 {
			break
		}
	}
	return text
}

func sorted(list []string) []string {
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}
