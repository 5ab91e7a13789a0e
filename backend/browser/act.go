package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/observe/settle"
	"sextant/backend/surface"
	"sextant/shared/annotator"
)

// action is one action while it runs.
type action struct {
	t *tab
	// page is the tab's page when the action began.
	page *cdp.Page
	// outcome is the sentence of what is done; set before the page can feel anything, so
	// that an interrupted action is told truly.
	outcome string
	// acted is true once the page may have felt the action.
	acted bool
	note  string
	watch *settle.Watch
	// full asks for everything in the viewport instead of what changed.
	full bool
	// wide looks at the whole page; changed then lists what is new since the last such look.
	wide, changed bool
	// doc is the document that is acted on; nil is the main one.
	doc *cdp.Document
	// early is a look that was begun while the page was asked whether it rests; asked counts
	// those questions.
	early *collect.Ahead
	asked int
}

// does sets the outcome and marks that from here on the page may feel it.
func (a *action) does(format string, args ...any) {
	a.outcome, a.acted = fmt.Sprintf(format, args...), true
}

// act runs one action on a tab: waits for its turn, does it, waits for what it caused, looks,
// and answers with what changed.
func (s *Session) act(ctx context.Context, t *tab, do func(context.Context, *action) error) (annotator.Answer, error) {
	if _, err := s.b.start(ctx); err != nil {
		return annotator.Answer{}, err
	}
	release, err := t.acquire(ctx)
	if err != nil {
		return annotator.Answer{}, err
	}
	defer release()
	if f := t.fit(); f != nil {
		return annotator.Answer{}, f
	}
	return t.run(ctx, do)
}

// run is act for who holds the tab's turn.
func (t *tab) run(ctx context.Context, do func(context.Context, *action) error) (annotator.Answer, error) {
	ctx, done := t.begin(ctx)
	defer done()
	t.s.b.Lock()
	a := &action{t: t, page: t.page, watch: t.tracker.Begin(t.s.b.cfg.Limits)}
	t.acting = true
	t.s.b.Unlock()
	defer a.watch.Close()
	defer t.set(func() { t.acting, t.expects = false, false })
	if err := do(ctx, a); err != nil {
		if stopped := context.Cause(ctx); stopped != nil && a.acted {
			return t.cutShort(a, stopped)
		}
		return annotator.Answer{}, a.mend(ctx, err)
	}
	if !a.acted {
		a.watch.Looks()
	}
	res := a.watch.Wait(ctx, a.rester())
	if stopped := context.Cause(ctx); stopped != nil {
		return t.cutShort(a, stopped)
	}
	before := t.newest()
	now, err := a.see(ctx, res)
	if err != nil {
		if stopped := context.Cause(ctx); stopped != nil {
			return t.cutShort(a, stopped)
		}
		return annotator.Answer{}, a.mend(ctx, err)
	}
	return t.answer(ctx, a, before, now, res), nil
}

// options are what the look at the end of the action asks for.
func (a *action) options() collect.Options { return collect.Options{WholePage: a.wide} }

// see is the look at the end of the action. The one that was begun early holds when the page
// rested all along.
func (a *action) see(ctx context.Context, res settle.Result) (*snapshot, error) {
	if res.By != settle.Quiet || a.asked > 1 {
		a.early = nil
	}
	if a.early == nil {
		a.t.set(func() { a.t.stale = false })
	}
	return a.t.observer.lookAfter(ctx, a.options(), a.early)
}

// mend is tab.mend for an action that the page may have felt before it fell silent.
func (a *action) mend(ctx context.Context, err error) error {
	if a.acted && errors.Is(err, errUnresponsive) {
		return &surface.Fault{
			Kind: surface.FaultTimeout, Message: a.outcome + ", but the page does not answer since: its scripts keep it busy.",
			Suggestion: `Wait with wait_for, or call navigate_page with action "reload".`,
		}
	}
	return a.t.mend(ctx, err)
}

// cutShort answers for an action that took effect and was then interrupted.
func (t *tab) cutShort(a *action, cause error) (annotator.Answer, error) {
	b := t.s.b
	switch {
	case errors.Is(cause, errDialog), errors.Is(cause, errTabClosed):
	default:
		if f := t.ended(cause); f != nil {
			return annotator.Answer{}, f
		}
		return annotator.Answer{}, fmt.Errorf("%s, but was stopped: %w", a.outcome, cause)
	}
	b.Lock()
	defer b.Unlock()
	ans := annotator.Answer{
		Page:    annotator.Page{Title: t.title, URL: t.url, Version: t.version, Tab: t.id},
		Outcome: a.outcome, Events: t.take(), Elements: []annotator.Element{}, Changes: true,
		SettledBy: "dialog",
	}
	if errors.Is(cause, errTabClosed) {
		ans.Events = append(ans.Events, annotator.Event{Kind: "closed_tab", Text: fmt.Sprintf("tab %d closed", t.id), Tab: t.id})
		ans.SettledBy = "tab closed"
	} else {
		ans.Note = t.waitsFor()
	}
	return ans, nil
}

// mend turns the ways an action can fail into what its caller can read.
func (t *tab) mend(ctx context.Context, err error) error {
	var fault *surface.Fault
	if errors.As(err, &fault) {
		return fault
	}
	for _, cause := range []error{context.Cause(ctx), err} {
		if f := t.ended(cause); f != nil {
			return f
		}
	}
	var refusal *collect.Refusal
	switch {
	case errors.As(err, &refusal):
		return &surface.Fault{Kind: surface.FaultBlocked, Message: "The page does not allow it: " + refusal.Message + ".", Suggestion: "Call annotate_page to see what can be done."}
	case errors.Is(err, errUnresponsive):
		return &surface.Fault{
			Kind: surface.FaultTimeout, Message: "The page does not answer: its scripts keep it busy.",
			Suggestion: `Wait with wait_for, or call navigate_page with action "reload".`,
		}
	case errors.Is(err, collect.ErrGone):
		return &surface.Fault{
			Kind: surface.FaultGone, Message: "What it was about has left the page.", Suggestion: "Call annotate_page.",
		}
	case errors.Is(err, cdp.ErrReplaced):
		return &surface.Fault{
			Kind: surface.FaultGone, Message: "The page was replaced by a navigation in the middle of it.",
			Suggestion: "Call annotate_page.",
		}
	}
	return err
}

func (t *tab) newest() *snapshot {
	t.s.b.Lock()
	defer t.s.b.Unlock()
	return t.last
}

// tellable is how long a look must have waited for the page before that is worth telling.
const tellable = 100 * time.Millisecond

// answer compares two looks, keeps the new one and says what changed.
func (t *tab) answer(ctx context.Context, a *action, before, now *snapshot, res settle.Result) annotator.Answer {
	whole := now
	if a.wide {
		now = now.inView()
	}
	changes, gone := t.observer.compare(ctx, before, now)
	b := t.s.b
	b.Lock()
	if before == nil || before.main != now.main || len(changes)+len(gone) > 0 {
		t.version++
	}
	now.page.Version = t.version
	now.settled = int(res.Took.Milliseconds())
	t.last, t.refreshed = now, nil
	t.storm = 0
	t.title, t.url = now.page.Title, now.page.URL
	ans := annotator.Answer{
		Page: now.page, Outcome: a.outcome, Events: t.take(), Elements: changes, Gone: gone, Changes: true,
		Above: now.above, Below: now.below, SettledMS: now.settled, SettledBy: res.By, Note: a.note,
	}
	if !a.acted && !res.Capped && res.Took < tellable {
		// Who only looks caused nothing that could be waited for.
		ans.SettledMS, ans.SettledBy = 0, ""
	}
	active := t.s.owner == "" && t.s.active == t
	opened := t.s.inFront(t, ans.Events)
	notes := t.s.unreadNotes()
	b.Unlock()
	b.elements.Tell(whole.ids())
	for _, note := range notes {
		addNote(&ans, note)
	}
	if opened > 0 {
		addNote(&ans, fmt.Sprintf("Tab %d%s", opened, frontNote))
	}
	switch {
	case a.wide:
		t.widen(ctx, a, whole, &ans)
	case a.full || before == nil || before.main != now.main:
		ans.Elements, ans.Changes = now.elements, false
	}
	if ans.Elements == nil {
		ans.Elements = []annotator.Element{}
	}
	b.elements.TellRows(withRows(ans.Elements))
	if res.Capped {
		addNote(&ans, fmt.Sprintf("The page is %s after %s; this is what is there.", res.By, res.Took.Round(100*time.Millisecond)))
	}
	for _, src := range now.silent {
		addNote(&ans, "A frame did not answer and is left out: "+surface.Clip(src, 100))
	}
	if active {
		t.publishMarks(now)
		b.events.state()
	}
	return ans
}

// withRows are the numbers of the elements that are listed with the words of their row.
func withRows(list []annotator.Element) (ids []int) {
	for _, e := range list {
		if slices.ContainsFunc(e.States, func(s string) bool { return strings.HasPrefix(s, `in "`) }) {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

func addNote(ans *annotator.Answer, text string) {
	if ans.Note != "" {
		ans.Note += " "
	}
	ans.Note += text
}
