package recipes

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"sextant/backend/recipes/effect"
	"sextant/backend/surface"
	"sextant/shared/annotation"
	"sextant/shared/event"
	"sextant/shared/recipe"
	"sextant/shared/toolspec"
)

// maxWait is how long a run waits by default for an element or an effect.
const maxWait = 10 * time.Second

// maxCheck is how much of maxWait one look at the page uses up at most.
const maxCheck = 3 * time.Second

// waits are the pauses between looks at the page.
var waits = []time.Duration{100 * time.Millisecond, 300 * time.Millisecond, 600 * time.Millisecond, time.Second}

// run makes the calls of one recipe.
type run struct {
	do      func(ctx context.Context, call toolspec.Call) toolspec.Result
	observe func(value any) (annotation.Observation, bool)
	call    toolspec.Call
	// values contains the values of the parameters. shown has … in place of secret ones; everything that is reported,
	// and what is looked for on a page, is made from it.
	values, shown map[string]string
	dry           bool
	// first and last are the numbers of the first and the last step that run. address is a page to open before.
	first, last int
	address     string
	// elementID is the number of the element of the page that step first uses in place of its own, 0 for its own.
	elementID int
	// saved says how far the run came, and save writes it.
	saved   savedRun
	save    func(savedRun) error
	maxWait time.Duration
	// progress reports a line for people while the recipe runs.
	progress func(text string)

	report  recipe.Run
	sources []string
	// page is the newest complete look at the page.
	page annotation.Observation
}

func (r *run) runAll(ctx context.Context, rec recipe.Recipe) {
	r.report = recipe.Run{
		Recipe: rec.Name, Status: recipe.StatusDone, First: r.first,
		Steps: []recipe.StepReport{}, Values: map[string]any{},
	}
	switch {
	case r.dry:
		r.report.Status = recipe.StatusDry
	case r.last < len(rec.Steps):
		r.report.Status = recipe.StatusPaused
	}
	for n := r.first; n <= r.last; n++ {
		step := rec.Steps[n-1]
		sentence := fill(Sentence(step), r.shown)
		r.progress(fmt.Sprintf("%d%% · step %d of %d: %s\n", 100*(n-1)/len(rec.Steps), n, len(rec.Steps), sentence))
		done, err := r.step(ctx, n, step)
		done.Sentence = cmp.Or(done.Sentence, sentence)
		if err == nil {
			r.report.Steps = append(r.report.Steps, done)
			r.saved.Next, r.saved.Uncertain = n+1, false
			continue
		}
		var lost *NotFoundError
		chosen := n == r.first && r.elementID > 0 && ctx.Err() == nil
		_, _, hasOne := onlyReference(step)
		r.saved.Lost = hasOne && !r.saved.Uncertain && (chosen || errors.As(err, &lost))
		status := recipe.StatusFailed
		switch {
		case ctx.Err() != nil:
			status, err = recipe.StatusStopped, errors.New("it was stopped")
		case isMissing(err):
			status = recipe.StatusUnmet
		}
		done.Status, done.Outcome = string(status), r.hide(err.Error())
		r.report.Steps = append(r.report.Steps, done)
		if !r.dry || status == recipe.StatusStopped {
			r.report.Status, r.report.Step, r.report.Reason = status, n, done.Outcome
			break
		}
	}
	r.report.URL, r.report.Title = r.hide(r.page.Page.URL), r.page.Page.Title
	r.saved.Status, r.saved.Reason = r.report.Status, r.report.Reason
	r.report.Uncertain = r.saved.Uncertain
	if r.report.Status == recipe.StatusDone {
		r.saved.Next = 0
	}
	_ = r.saveProgress() // a run that has ended cannot fail any more
}

// hide returns text with … in place of secret values.
func (r *run) hide(text string) string {
	for name, value := range r.values {
		if r.shown[name] == HiddenText && value != "" {
			for _, written := range []string{value, url.QueryEscape(value), url.PathEscape(value)} {
				text = strings.ReplaceAll(text, written, HiddenText)
			}
		}
	}
	return text
}

// saveProgress writes how far the run came. A dry run writes nothing.
func (r *run) saveProgress() error {
	if r.dry {
		return nil
	}
	return r.save(r.saved)
}

// step does the step with the number n.
func (r *run) step(ctx context.Context, n int, s recipe.Step) (recipe.StepReport, error) {
	s, replacement, err := r.begin(ctx, n, s)
	if err != nil {
		return recipe.StepReport{}, err
	}
	args, numbers, err := r.arguments(ctx, s)
	var lost *NotFoundError
	switch {
	case errors.As(err, &lost) && s.Optional && len(lost.Alike) == 0:
		return recipe.StepReport{Status: "skipped", Outcome: lost.Error()}, nil
	case err != nil:
		return recipe.StepReport{}, err
	case len(s.Keep) > 0:
		return r.keep(ctx, s, args)
	case r.dry:
		return recipe.StepReport{Status: "found", Outcome: strings.Join(numbers, ", ")}, nil
	}
	if s.Expect != nil && len(s.Expect.Appears) > 0 && len(numbers) == 0 {
		// What appears is compared with the page just before the step, or with the last look while a dialog is open.
		_ = r.look(ctx)
	}
	r.saved.Uncertain = true // until it has ended with its effect
	if err := r.saveProgress(); err != nil {
		return recipe.StepReport{}, err
	}
	before := r.page
	res := r.make(ctx, s.Tool, args)
	if !res.Success {
		r.saved.Uncertain = ctx.Err() != nil || res.ErrorType == toolspec.SystemError
		return recipe.StepReport{}, failure(res)
	}
	after, observed := r.observe(res.Value)
	if observed {
		r.page.Page = after.Page
	}
	report := recipe.StepReport{Status: "done", Outcome: res.Sentence, Sentence: fill(Sentence(s), r.shown)}
	if want := mapEffect(s.Expect, r.fillShown); want != nil {
		if err := r.awaitEffect(ctx, *want, before, after); err != nil {
			return recipe.StepReport{}, err
		}
		report.Proved = true
	}
	if replacement != nil {
		replacement.Proved = report.Proved
		r.saved.Replacements = addReplacement(r.saved.Replacements, *replacement)
		r.report.Replacements = append(r.report.Replacements, *replacement)
	}
	if s.Tool == navigateTool || (s.Expect != nil && s.Expect.URL != "") || hasEvent(after, "navigated") {
		r.noteAddress(n)
	}
	return report, nil
}

// begin notes that step n begins, and opens the page of the first one if it was lost. It returns the step with the
// element that was chosen for it, and what that replaces, nil for nothing.
func (r *run) begin(ctx context.Context, n int, s recipe.Step) (recipe.Step, *recipe.Replacement, error) {
	r.saved.Status, r.saved.Next, r.saved.Uncertain = recipe.StatusRunning, n, false
	if err := r.saveProgress(); err != nil {
		return s, nil, err
	}
	if n == r.first && r.address != "" && !r.dry {
		if err := r.open(ctx, r.address); err != nil {
			return s, nil, err
		}
	}
	if n != r.first || r.elementID == 0 {
		return s, nil, nil
	}
	return r.replace(ctx, n, r.elementID, s)
}

// open opens an address.
func (r *run) open(ctx context.Context, address string) error {
	args, err := encode(map[string]string{"url": address})
	if err != nil {
		return err
	}
	if res := r.make(ctx, navigateTool, args); !res.Success {
		return failure(res)
	}
	return nil
}

// noteAddress notes that step n led to the page that is open. An address with a secret is not kept.
func (r *run) noteAddress(n int) {
	r.saved.URL, r.saved.Since = surface.WithoutFragment(r.page.Page.URL), n+1
	if r.hide(r.saved.URL) != r.saved.URL {
		r.saved.URL, r.saved.Since = "", 0
	}
}

// awaitEffect waits until want has come. before is the last look at the page before the step, and after is what the
// step itself reported.
func (r *run) awaitEffect(ctx context.Context, want recipe.Effect, before, after annotation.Observation) error {
	now, said := after, slices.Concat(after.NewText, after.AllNewText)
	first := true
	return r.await(ctx, func() error {
		if !first {
			if err := r.look(ctx); err != nil {
				return err
			}
			now, said = r.page, slices.Concat(said, r.page.NewText, r.page.AllNewText)
		}
		first = false
		return effect.Missing(want, before, now, hasEvent(after, want.Event), said)
	})
}

func hasEvent(o annotation.Observation, kind string) bool {
	return slices.ContainsFunc(o.Events, func(e annotation.Event) bool { return e.Kind == kind })
}

// keep reads values from the page for the result of the run. It also does so in a dry run.
func (r *run) keep(ctx context.Context, s recipe.Step, args json.RawMessage) (recipe.StepReport, error) {
	var lines []string
	err := r.await(ctx, func() error {
		res := r.make(ctx, s.Tool, args)
		if !res.Success {
			return failure(res)
		}
		page, err := pageBlocks(res.Value)
		if err != nil {
			return err
		}
		lines = nil
		for _, o := range s.Keep {
			filled := mapOutput(o, r.fillShown)
			if o.Label != "" && filled.Label == "" {
				return errors.New("the text before the value " + o.Name + " is empty")
			}
			value, err := read(filled, page)
			if err != nil {
				return err
			}
			r.report.Values[o.Name] = value
			lines = append(lines, valueText(o, value))
		}
		return nil
	})
	if err != nil {
		return recipe.StepReport{}, err
	}
	return recipe.StepReport{Status: "done", Kept: strings.Join(lines, "\n")}, nil
}

func failure(res toolspec.Result) error {
	return errors.New(strings.TrimSpace(strings.TrimSuffix(res.Error, ".") + ". " + res.Suggestion))
}

// make runs a tool as a call within the call of the recipe. What earlier calls read taints it.
func (r *run) make(ctx context.Context, tool string, args json.RawMessage) toolspec.Result {
	call := toolspec.Call{Tool: tool, Args: args, Panel: r.call.Panel, ParentCall: r.call.ID, From: r.call.From}
	call.From.InBrowser = true
	call.From.Outside = toolspec.SortedUnion(call.From.Outside, r.sources)
	res := r.do(ctx, call)
	r.sources = toolspec.SortedUnion(r.sources, res.Sources)
	return res
}

func (r *run) fillShown(text string) string { return fill(text, r.shown) }

// look lists all elements of the page.
func (r *run) look(ctx context.Context) error {
	res := r.make(ctx, "annotate_page", json.RawMessage(`{"scope":"page"}`))
	if !res.Success {
		return failure(res)
	}
	o, ok := r.observe(res.Value)
	if !ok {
		return errors.New("annotate_page did not return the elements of the page")
	}
	r.page = o
	return nil
}

// arguments returns the arguments of a step with values for parameters and numbers for elements. numbers are those of
// the elements, such as [12].
func (r *run) arguments(ctx context.Context, s recipe.Step) (text json.RawMessage, numbers []string, err error) {
	args := map[string]any{}
	dec := json.NewDecoder(bytes.NewReader(s.Args))
	dec.UseNumber()
	if err := dec.Decode(&args); err != nil {
		return nil, nil, fmt.Errorf("reading the arguments of %s: %w", s.Tool, err)
	}
	refs := References(s)
	for name, value := range args {
		if _, isElement := refs[name]; !isElement {
			args[name] = mapTexts(value, func(t string) string { return fill(t, r.values) })
		}
	}
	if tab, ok := args["tab"].(map[string]any); ok && s.Tool == tabsTool {
		pattern, _ := tab["url"].(string)
		id, err := r.tabAt(ctx, pattern)
		if err != nil {
			return nil, nil, err
		}
		args["tab"] = id
	}
	for name, ref := range refs {
		id, err := r.find(ctx, mapReference(ref, r.fillShown))
		if err != nil {
			return nil, nil, err
		}
		args[name] = id
		numbers = append(numbers, fmt.Sprintf("[%d]", id))
	}
	text, err = encode(args)
	return text, numbers, err
}

// find waits until the page has one element that fits.
func (r *run) find(ctx context.Context, want annotation.Reference) (int, error) {
	var found annotation.Element
	if want.InOtherTab && !r.dry {
		if err := r.selectTabWith(ctx, want); err != nil {
			return 0, err
		}
	}
	err := r.await(ctx, func() error {
		if err := r.look(ctx); err != nil {
			return err
		}
		e, err := Find(want, r.page.Elements)
		found = e
		return err
	})
	return found.ID, err
}

func (r *run) tabs(ctx context.Context) ([]event.Tab, error) {
	res := r.make(ctx, tabsTool, json.RawMessage(`{"action":"list"}`))
	if !res.Success {
		return nil, failure(res)
	}
	b, err := json.Marshal(res.Value)
	if err != nil {
		return nil, fmt.Errorf("reading the tabs: %w", err)
	}
	var list struct {
		Tabs []event.Tab `json:"tabs"`
	}
	if err := json.Unmarshal(b, &list); err != nil {
		return nil, fmt.Errorf("reading the tabs: %w", err)
	}
	return list.Tabs, nil
}

// selectTabWith selects the only tab in which want is found.
func (r *run) selectTabWith(ctx context.Context, want annotation.Reference) error {
	tabs, err := r.tabs(ctx)
	if err != nil {
		return err
	}
	var with []int
	for _, tab := range tabs {
		if err := r.selectTab(ctx, tab.ID); err != nil {
			return err
		}
		if _, err := Find(want, r.page.Elements); err == nil {
			with = append(with, tab.ID)
		}
	}
	if len(with) != 1 {
		return &NotFoundError{Target: want}
	}
	return r.selectTab(ctx, with[0])
}

// tabAt returns the number of the only tab with an address.
func (r *run) tabAt(ctx context.Context, pattern string) (int, error) {
	tabs, err := r.tabs(ctx)
	if err != nil {
		return 0, err
	}
	tabs = slices.DeleteFunc(tabs, func(t event.Tab) bool { return !effect.MatchesURL(pattern, t.URL) })
	if len(tabs) != 1 {
		return 0, &effect.MissingError{What: fmt.Sprintf("one tab shows %s, but %d do", pattern, len(tabs))}
	}
	return tabs[0].ID, nil
}

func (r *run) selectTab(ctx context.Context, id int) error {
	if res := r.make(ctx, tabsTool, fmt.Appendf(nil, `{"action":"select","tab":%d}`, id)); !res.Success {
		return failure(res)
	}
	return r.look(ctx)
}

// await repeats check until nothing is missing any more, for at most r.maxWait. A dry run does not wait.
func (r *run) await(ctx context.Context, check func() error) error {
	left := r.maxWait
	for n := 0; ; n++ {
		begun := time.Now()
		err := check()
		// A check that takes longer waited for a person who had taken over the page.
		left -= min(time.Since(begun), maxCheck)
		if !isMissing(err) || r.dry || left <= 0 {
			return err
		}
		pause := waits[min(n, len(waits)-1)]
		left -= pause
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

func isMissing(err error) bool {
	var element *NotFoundError
	var missing *effect.MissingError
	var value *valueMissingError
	return errors.As(err, &element) || errors.As(err, &missing) || errors.As(err, &value)
}

// References returns the elements that a step acts on, by argument.
func References(s recipe.Step) map[string]annotation.Reference {
	var fields map[string]json.RawMessage
	if json.Unmarshal(s.Args, &fields) != nil {
		return nil
	}
	refs := map[string]annotation.Reference{}
	for _, name := range []string{"annotationId", "target", "from", "to"} {
		var ref annotation.Reference
		if json.Unmarshal(fields[name], &ref) == nil && ref.Role != "" {
			refs[name] = ref
		}
	}
	return refs
}
