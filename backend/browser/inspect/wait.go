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

// maxWaitStep bounds how long a wait trusts that what it waits for shows as a change of a
// document: a style sheet's media query or a picture changes nothing in one.
const maxWaitStep = 250 * time.Millisecond

// Wait waits until everything that o names holds: a text is there, a text is gone, the
// address contains something; with seconds alone it just waits.
func Wait(ctx context.Context, s *page.Session, o surface.WaitOptions) (annotation.Observation, error) {
	if o.Seconds < 0 || o.Seconds > 300 {
		return annotation.Observation{}, &surface.Fault{
			Kind:    surface.FaultInvalid,
			Message: "seconds must lie between 0 and 300", Suggestion: "Send seconds such as 10.",
		}
	}
	t, err := s.ActiveTab(ctx)
	if err != nil {
		return annotation.Observation{}, err
	}
	limit := time.Duration(cmp.Or(o.Seconds, surface.DefaultWaitSeconds) * float64(time.Second))
	c := surface.Condition{Text: o.Text, Gone: o.Gone, URL: o.URL}
	return s.Act(ctx, t, func(ctx context.Context, a *page.Action) error {
		begun := time.Now()
		// Said of a wait that is cut short; what it came to is said below.
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

// pause waits for as long as it was asked to.
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

// Address is the address of the active tab, "" when there is none.
func Address(s *page.Session) string {
	s.Manager.Lock()
	defer s.Manager.Unlock()
	if s.Active == nil {
		return ""
	}
	return s.Active.URL
}

// Holds reports whether c holds in the active tab, and waits for it up to patience. missing
// says what does not hold: `"Saved" is not there`. It changes nothing, not even what the next
// answer compares with.
func Holds(ctx context.Context, s *page.Session, c surface.Condition, patience time.Duration) (held bool,
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

// waitUntil waits for c, at most limit, and returns what of it does not hold at the end. It checks
// again whenever a document changes or the page loads something.
func waitUntil(ctx context.Context, a *page.Action, c surface.Condition, limit time.Duration) (missing []string,
	err error,
) {
	deadline := time.Now().Add(limit)
	for {
		tracker := a.Tab.Tracker
		began, news := time.Now(), tracker.Changed()
		docs := a.Page.Documents()
		counts := mutationCounts(ctx, a, docs)
		if missing, err = unmet(ctx, a, c); err != nil || len(missing) == 0 {
			return missing, err
		}
		left := time.Until(deadline)
		if left <= 0 {
			return missing, nil
		}
		// A page that never rests must not be read without a pause.
		join := min(max(time.Since(began), 20*time.Millisecond), maxWaitStep)
		awaitChange(ctx, a, docs, counts, news, min(left, maxWaitStep), join)
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
}

// unmet is what of c does not hold now.
func unmet(ctx context.Context, a *page.Action, c surface.Condition) (list []string, err error) {
	if c.URL != "" {
		if now := a.Page.MainDocument().URL(); !surface.ContainsFold(now, c.URL) {
			list = append(list, fmt.Sprintf("the address does not contain %q: it is %s", surface.Clip(c.URL, 80),
				surface.Clip(now, 200)))
		}
	}
	if c.Text != "" {
		if there, _, err := hasText(ctx, a, c.Text); err != nil {
			return nil, err
		} else if !there {
			list = append(list, fmt.Sprintf("%q did not appear", surface.Clip(c.Text, 80)))
		}
	}
	if c.Gone != "" {
		there, known, err := hasText(ctx, a, c.Gone)
		switch {
		case err != nil:
			return nil, err
		case !known:
			list = append(list, fmt.Sprintf("the page does not say whether %q is still there",
				surface.Clip(c.Gone, 80)))
		case there:
			list = append(list, fmt.Sprintf("%q is still there", surface.Clip(c.Gone, 80)))
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
	return fmt.Sprintf("%q", surface.Clip(name, 80))
}

// hasElement reports whether an element of the role and name can be acted on in the tab.
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

// hasText reports whether a text can be read in any document of the tab; known is false when the
// main one did not say.
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

// mutationCounts is how often each document changed until now, -1 for one that does not say.
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

// awaitChange returns when a document changed since it was counted, when the page loads something,
// or after most.
func awaitChange(ctx context.Context, a *page.Action, docs []*cdp.Document, counts []int, news <-chan struct{}, most,
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
	case <-news:
		// The first change is hardly ever the only one.
		select {
		case <-time.After(join):
		case <-ctx.Done():
		}
	case <-ctx.Done():
	}
	cancel()
}
