package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/page"
	"sextant/backend/surface"
	"sextant/shared/annotation"
)

// maxWaitStep bounds the time between two checks of a condition. Not every change of what a page shows is a mutation
// of its document: a media query or a picture can change it too.
const maxWaitStep = 250 * time.Millisecond

// Wait waits until all conditions in o are true, or for o.Seconds when o has none. The error is a fault of kind
// FaultTimeout when they are not true in time.
func Wait(ctx context.Context, s *page.Session, o surface.WaitOptions) (annotation.Observation, error) {
	if o.Seconds < 0 || o.Seconds > 300 {
		return annotation.Observation{}, &surface.Fault{
			Kind:    surface.FaultInvalid,
			Message: "seconds must be between 0 and 300", Suggestion: "Send seconds such as 10.",
		}
	}
	t, err := s.ActiveTab(ctx)
	if err != nil {
		return annotation.Observation{}, err
	}
	limit := time.Duration(cmp.Or(o.Seconds, surface.DefaultWaitSeconds) * float64(time.Second))
	c := surface.Condition{Text: o.Text, AbsentText: o.AbsentText, URL: o.URL}
	return s.Act(ctx, t, func(ctx context.Context, a *page.Action) error {
		begun := time.Now()
		// This outcome is for a wait that is cut short; the final one is set below.
		a.SetOutcome("%s", c.UnmetText())
		if c.IsZero() {
			return pause(ctx, a, limit)
		}
		missing, err := waitUntil(ctx, a, c, limit)
		if err != nil {
			return err
		}
		if len(missing) == 0 {
			a.Outcome = fmt.Sprintf("waited %.1f s: %s", time.Since(begun).Seconds(), c.MetText())
			return nil
		}
		return &surface.Fault{
			Kind: surface.FaultTimeout, Message: fmt.Sprintf("Waited %.1f s, but %s.", limit.Seconds(),
				strings.Join(missing, " and ")),
			Suggestion: "Call annotate_page to see what is there.",
		}
	})
}

func pause(ctx context.Context, a *page.Action, limit time.Duration) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-timer.C:
		a.Outcome = fmt.Sprintf("waited %.1f s", limit.Seconds())
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Address returns the address of the active tab, "" when there is none.
func Address(s *page.Session) string {
	s.Manager.Lock()
	defer s.Manager.Unlock()
	if s.Active == nil {
		return ""
	}
	return s.Active.URL
}

// AwaitCondition waits up to patience for c to be true in the active tab and reports whether it is. missing
// describes the part that is not: `"Saved" did not appear`. It does not change the snapshot that the next answer is
// compared with.
func AwaitCondition(ctx context.Context, s *page.Session, c surface.Condition, patience time.Duration) (held bool,
	missing string, err error,
) {
	t, err := s.ActiveTab(ctx)
	if err != nil {
		return false, "", err
	}
	release, err := t.Acquire(ctx)
	if err != nil {
		return false, "", err
	}
	defer release()
	if f := t.CheckReady(); f != nil {
		return false, "", f
	}
	ctx, done := t.Begin(ctx)
	defer done()
	t.Session.Manager.Lock()
	a := &page.Action{Tab: t, Page: t.Page}
	t.Session.Manager.Unlock()
	list, err := waitUntil(ctx, a, c, patience)
	if err != nil {
		return false, "", t.Explain(ctx, err)
	}
	return len(list) == 0, strings.Join(list, " and "), nil
}

func waitUntil(ctx context.Context, a *page.Action, c surface.Condition, limit time.Duration) (missing []string,
	err error,
) {
	deadline := time.Now().Add(limit)
	for {
		tracker := a.Tab.Tracker
		began, loads := time.Now(), tracker.Changed()
		docs := a.Page.Documents()
		counts := mutationCounts(ctx, a, docs)
		if missing, err = unmet(ctx, a, c); err != nil || len(missing) == 0 {
			return missing, err
		}
		left := time.Until(deadline)
		if left <= 0 {
			return missing, nil
		}
		// A page that changes all the time must not be read without a pause.
		join := min(max(time.Since(began), 20*time.Millisecond), maxWaitStep)
		awaitChange(ctx, a, docs, counts, loads, min(left, maxWaitStep), join)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
}

func unmet(ctx context.Context, a *page.Action, c surface.Condition) (list []string, err error) {
	if c.URL != "" {
		if now := a.Page.MainDocument().URL(); !surface.ContainsFold(now, c.URL) {
			list = append(list, fmt.Sprintf("the address does not contain %q: it is %s", surface.Truncate(c.URL, 80),
				surface.Truncate(now, 200)))
		}
	}
	if c.Text != "" {
		if there, _, err := hasText(ctx, a, c.Text); err != nil {
			return nil, err
		} else if !there {
			list = append(list, fmt.Sprintf("%q did not appear", surface.Truncate(c.Text, 80)))
		}
	}
	if c.AbsentText != "" {
		there, known, err := hasText(ctx, a, c.AbsentText)
		switch {
		case err != nil:
			return nil, err
		case !known:
			list = append(list, fmt.Sprintf("the page does not say whether %q is still there",
				surface.Truncate(c.AbsentText, 80)))
		case there:
			list = append(list, fmt.Sprintf("%q is still there", surface.Truncate(c.AbsentText, 80)))
		}
	}
	if c.Role != "" || c.Name != "" {
		if there, err := hasElement(ctx, a, c.Role, c.Name); err != nil {
			return nil, err
		} else if !there {
			list = append(list, "there is no "+strings.TrimSpace(c.Role+" "+quotedName(c.Name)))
		}
	}
	return list, nil
}

func quotedName(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf("%q", surface.Truncate(name, 80))
}

func hasElement(ctx context.Context, a *page.Action, role, name string) (bool, error) {
	l, err := a.Tab.Observer.Snapshot(ctx, collect.Options{WholePage: true})
	if errors.Is(err, cdp.ErrReplaced) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, e := range l.Elements {
		if (role == "" || strings.EqualFold(e.Role, role)) && surface.ContainsFold(e.Name, name) {
			return true, nil
		}
	}
	return false, nil
}

// hasText returns known false when the main document did not answer.
func hasText(ctx context.Context, a *page.Action, text string) (there, known bool, err error) {
	known = true
	for _, doc := range a.Page.Documents() {
		bounded, cancel := context.WithTimeout(ctx, observe.FrameTimeout)
		here, err := collect.HasText(bounded, doc, text)
		cancel()
		if ctx.Err() != nil {
			return false, false, context.Cause(ctx)
		}
		if err == nil && here {
			return true, true, nil
		}
		known = known && (err == nil || !doc.IsMain())
	}
	return false, known, nil
}

// mutationCounts returns how often each document has changed, -1 for one that does not answer.
func mutationCounts(ctx context.Context, a *page.Action, docs []*cdp.Document) []int {
	list := make([]int, len(docs))
	for i, doc := range docs {
		bounded, cancel := context.WithTimeout(ctx, observe.FrameTimeout)
		r, err := collect.ActivityOf(bounded, doc)
		cancel()
		if list[i] = r.Mutations; err != nil {
			list[i] = -1
		}
	}
	return list
}

// awaitChange returns join after a change since counts or a load, and after most at the latest.
func awaitChange(ctx context.Context, a *page.Action, docs []*cdp.Document, counts []int, loads <-chan struct{}, most,
	join time.Duration,
) {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	var asking sync.WaitGroup
	defer asking.Wait()
	moved := make(chan struct{}, len(docs))
	for i, doc := range docs {
		if counts[i] < 0 {
			continue
		}
		asking.Go(func() {
			if _, err := doc.Call(ctx, observe.AwaitMutationScript, counts[i], most.Milliseconds(),
				join.Milliseconds()); err == nil {
				moved <- struct{}{}
			}
		})
	}
	select {
	case <-moved:
	case <-loads:
		// More changes usually follow the first one.
		select {
		case <-time.After(join):
		case <-ctx.Done():
		}
	case <-ctx.Done():
	}
	cancel()
}
