package page

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/observe/settle"
	"sextant/backend/surface"
	"sextant/shared/annotation"
)

// Action is the state of a running action.
type Action struct {
	Tab *Tab
	// Page is the tab's page when the action began.
	Page *cdp.Page
	// Outcome describes the action. It is set before the page can notice the action, so that the report of an
	// interrupted action contains it.
	Outcome string
	// Acted is true once the action may have had an effect on the page.
	Acted bool
	Note  string
	Watch *settle.Watch
	// ListAll returns all elements in the viewport instead of the changes.
	ListAll bool
	// WholePage observes the whole page. ChangesOnly then returns only the changes since the last such snapshot of
	// the same main document.
	WholePage, ChangesOnly bool
	// ActedOn is the number of the action's element, 0 for none. Document is its document, nil for the main one.
	ActedOn     int
	Document    *cdp.Document
	speculative *collect.Speculation
	polls       int
}

// SetOutcome sets the outcome and records that the action may have an effect from now on.
func (a *Action) SetOutcome(format string, args ...any) {
	a.Outcome, a.Acted = fmt.Sprintf(format, args...), true
}

// Act runs one action in a tab. It waits for the tab's turn, runs do, waits for the effects, takes a snapshot and
// returns the changes or, as the Action says, all elements. It starts Chromium if necessary.
func (s *Session) Act(ctx context.Context, t *Tab, do func(context.Context, *Action) error) (annotation.Observation,
	error,
) {
	if _, err := s.Manager.Start(ctx); err != nil {
		return annotation.Observation{}, err
	}
	release, err := t.Acquire(ctx)
	if err != nil {
		return annotation.Observation{}, err
	}
	defer release()
	if f := t.CheckReady(); f != nil {
		return annotation.Observation{}, f
	}
	return t.Run(ctx, do)
}

// Run is like Act, for a caller that has the tab's turn. It does not check that the tab can act.
func (t *Tab) Run(ctx context.Context, do func(context.Context, *Action) error) (annotation.Observation, error) {
	ctx, done := t.Begin(ctx)
	defer done()
	t.Session.Manager.Lock()
	a := &Action{Tab: t, Page: t.Page, Watch: t.Tracker.Begin(t.Session.Manager.Config.Limits)}
	t.acting = true
	t.Session.Manager.Unlock()
	defer a.Watch.Close()
	defer t.WithLock(func() { t.acting, t.ExpectsTab = false, false })
	if err := do(ctx, a); err != nil {
		if stopped := context.Cause(ctx); stopped != nil && a.Acted {
			return t.interrupted(a, stopped)
		}
		return annotation.Observation{}, a.explain(ctx, err)
	}
	if !a.Acted {
		a.Watch.SetReadOnly()
	}
	res := a.Watch.Wait(ctx, a.ActivityFunc())
	if stopped := context.Cause(ctx); stopped != nil {
		return t.interrupted(a, stopped)
	}
	before := t.lastSnapshot()
	now, err := a.observe(ctx, res)
	if err != nil {
		if stopped := context.Cause(ctx); stopped != nil {
			return t.interrupted(a, stopped)
		}
		return annotation.Observation{}, a.explain(ctx, err)
	}
	text := now.TakeNewText(ctx, a.Watch.ChangeWindow())
	ans := t.answer(ctx, a, before, now, res)
	ans.ActedOn = a.ActedOn
	ans.SetNewText(t.Session.masked(text.Lines), text.More, now.Elements)
	return ans, nil
}

func (a *Action) options() collect.Options { return collect.Options{WholePage: a.WholePage} }

func (a *Action) observe(ctx context.Context, res settle.Result) (*observe.Snapshot, error) {
	if res.WaitedFor != settle.Quiet || a.polls > 1 {
		a.speculative = nil
	}
	if a.speculative == nil {
		a.Tab.WithLock(func() { a.Tab.Stale = false })
	}
	return a.Tab.Observer.SnapshotWith(ctx, a.options(), a.speculative)
}

// explain is like Tab.Explain, but keeps the outcome of an action after which the page stopped answering.
func (a *Action) explain(ctx context.Context, err error) error {
	if a.Acted && errors.Is(err, observe.ErrUnresponsive) {
		return &surface.Fault{
			Kind: surface.FaultTimeout, Message: a.Outcome +
				", but the page does not answer since: its scripts keep it busy.",
			Suggestion: `Wait with wait_for, or call navigate_page with action "reload".`,
		}
	}
	return a.Tab.Explain(ctx, err)
}

func (t *Tab) interrupted(a *Action, cause error) (annotation.Observation, error) {
	b := t.Session.Manager
	switch {
	case errors.Is(cause, ErrDialog), errors.Is(cause, ErrTabClosed):
	default:
		if f := t.endedFault(cause); f != nil {
			return annotation.Observation{}, f
		}
		return annotation.Observation{}, fmt.Errorf("%s, but was stopped: %w", a.Outcome, cause)
	}
	b.Lock()
	defer b.Unlock()
	ans := annotation.Observation{
		Page:    annotation.Page{Title: t.Title, URL: t.URL, Version: t.Version, Tab: t.ID},
		Outcome: a.Outcome, Events: t.TakeEffects(), Elements: []annotation.Element{}, OnlyChanges: true,
		SettledBy: "dialog",
	}
	if errors.Is(cause, ErrTabClosed) {
		ans.Events = append(ans.Events, annotation.Event{
			Kind: "closed_tab", Text: fmt.Sprintf("tab %d closed", t.ID),
			Tab: t.ID,
		})
		ans.SettledBy = "tab closed"
	} else {
		ans.Note = t.dialogNote()
	}
	return ans, nil
}

// Explain converts an error of an action to a fault for the caller where it knows one.
func (t *Tab) Explain(ctx context.Context, err error) error {
	var fault *surface.Fault
	if errors.As(err, &fault) {
		return fault
	}
	for _, cause := range []error{context.Cause(ctx), err} {
		if f := t.endedFault(cause); f != nil {
			return f
		}
	}
	var refusal *collect.Refusal
	switch {
	case errors.As(err, &refusal):
		return &surface.Fault{Kind: surface.FaultBlocked, Message: "The page does not allow it: " + refusal.Message +
			".", Suggestion: "Call annotate_page to see what can be done."}
	case errors.Is(err, observe.ErrUnresponsive):
		return &surface.Fault{
			Kind: surface.FaultTimeout, Message: "The page does not answer: its scripts keep it busy.",
			Suggestion: `Wait with wait_for, or call navigate_page with action "reload".`,
		}
	case errors.Is(err, collect.ErrGone):
		return &surface.Fault{
			Kind: surface.FaultGone, Message: "The element has left the page.", Suggestion: "Call annotate_page.",
		}
	case errors.Is(err, cdp.ErrReplaced):
		return &surface.Fault{
			Kind: surface.FaultGone, Message: "The page was replaced by a navigation during the action.",
			Suggestion: "Call annotate_page.",
		}
	}
	return err
}

func (t *Tab) lastSnapshot() *observe.Snapshot {
	t.Session.Manager.Lock()
	defer t.Session.Manager.Unlock()
	return t.last
}

const minReportedWait = 100 * time.Millisecond

func (t *Tab) answer(ctx context.Context, a *Action, before, now *observe.Snapshot,
	res settle.Result,
) annotation.Observation {
	whole := now
	if a.WholePage {
		now = now.InView()
	}
	changes, gone := t.Observer.Compare(ctx, before, now)
	b := t.Session.Manager
	b.Lock()
	if before == nil || before.MainDocument != now.MainDocument || len(changes)+len(gone) > 0 {
		t.Version++
	}
	now.Page.Version = t.Version
	now.SettledMS = int(res.Took.Milliseconds())
	t.last, t.refreshed = now, nil
	t.DialogsInRow = 0
	t.Title, t.URL = now.Page.Title, now.Page.URL
	ans := annotation.Observation{
		Page: now.Page, Outcome: a.Outcome, Events: t.TakeEffects(), Elements: changes, Gone: gone, OnlyChanges: true,
		Above: now.Above, Below: now.Below, SettledMS: now.SettledMS, SettledBy: res.WaitedFor, Note: a.Note,
	}
	if !a.Acted && !res.TimedOut && res.Took < minReportedWait {
		// An action that only reads has no effects to wait for.
		ans.SettledMS, ans.SettledBy = 0, ""
	}
	active := t.Session.Owner == "" && t.Session.Active == t
	opened := t.Session.openedInFront(t, ans.Events)
	notes := t.Session.unreadNotes()
	b.Unlock()
	b.Elements.RecordReported(whole.IDs())
	for _, note := range notes {
		AddNote(&ans, note)
	}
	if opened > 0 {
		AddNote(&ans, fmt.Sprintf("Tab %d%s", opened, inFrontNote))
	}
	switch {
	case a.WholePage:
		t.answerWholePage(ctx, a, whole, &ans)
	case a.ListAll || before == nil || before.MainDocument != now.MainDocument:
		ans.Elements, ans.OnlyChanges = now.Elements, false
	}
	if ans.Elements == nil {
		ans.Elements = []annotation.Element{}
	}
	b.Elements.RecordRowsReported(annotation.IDsWithRow(ans.Elements))
	if res.TimedOut {
		AddNote(&ans, fmt.Sprintf("The page is %s after %s; this is what is there.", res.WaitedFor,
			res.Took.Round(100*time.Millisecond)))
	}
	for _, src := range now.UnresponsiveFrames {
		AddNote(&ans, "A frame did not answer and is left out: "+surface.Truncate(src, 100))
	}
	if active {
		t.publishMarks(now)
		b.Events.PublishState()
	}
	return ans
}

// AddNote appends a sentence to the note of an observation.
func AddNote(ans *annotation.Observation, text string) {
	if ans.Note != "" {
		ans.Note += " "
	}
	ans.Note += text
}

func (t *Tab) answerWholePage(ctx context.Context, a *Action, now *observe.Snapshot, ans *annotation.Observation) {
	b := t.Session.Manager
	b.Lock()
	before := t.lastWhole
	t.lastWhole = now
	b.Unlock()
	ans.Above, ans.Below = 0, 0
	ans.Elements, ans.Gone, ans.OnlyChanges = now.Elements, nil, false
	if a.ChangesOnly && before != nil && before.MainDocument == now.MainDocument {
		ans.Elements, ans.Gone = t.Observer.Compare(ctx, before, now)
		ans.OnlyChanges = true
	}
}

// Client returns a client that runs requests on the page's own session.
func (a *Action) Client(ctx context.Context) proto.Client { return a.Page.Client(ctx) }

// AddActionNote appends a sentence to the note of a running action.
func AddActionNote(a *Action, text string) { a.Note = strings.TrimSpace(a.Note + " " + text) }

// Read calls ask with the active tab's documents; ask must not change them. It waits for the tab's turn, so that it
// does not read in the middle of an action. The page then has 15 s. Read starts Chromium if necessary.
func (s *Session) Read(ctx context.Context, ask func(context.Context, []*cdp.Document) error) error {
	t, err := s.ActiveTab(ctx)
	if err != nil {
		return err
	}
	release, err := t.Acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	if f := t.CheckReady(); f != nil {
		return f
	}
	ctx, done := t.Begin(ctx)
	defer done()
	ctx, cancel := context.WithTimeoutCause(ctx, 15*time.Second, observe.ErrUnresponsive)
	defer cancel()
	s.Manager.Lock()
	a := &Action{Tab: t, Page: t.Page, Watch: t.Tracker.Begin(s.Manager.Config.Limits)}
	s.Manager.Unlock()
	defer a.Watch.Close()
	a.Watch.SetReadOnly()
	a.Watch.Wait(ctx, a.ActivityFunc())
	if err := ask(ctx, a.Page.Documents()); err != nil {
		return t.Explain(ctx, err)
	}
	return nil
}
