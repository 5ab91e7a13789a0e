package page

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/page/effects"
	"sextant/backend/surface"
)

// IsGuardedScheme reports whether CheckAddress must check an address that a page itself navigates to.
func IsGuardedScheme(url string) bool {
	scheme, _, _ := strings.Cut(strings.ToLower(url), ":")
	switch scheme {
	case "file", "chrome", "devtools", "chrome-extension", "view-source", "filesystem":
		return true
	}
	return false
}

// BlankPage is the address of the empty page.
const BlankPage = "about:blank"

// ErrNoAnswer is the cause when a navigation reached its time limit.
var ErrNoAnswer = errors.New("the site did not answer")

// answerLimit is how long a page has to answer before it is left. Then its scripts are ended, and after the same time
// its process.
const answerLimit = time.Second

// Unblock makes it possible to leave a page that computes without end, which keeps Chromium from navigating. While a
// dialog is open, pages wait for its answer and do not compute.
func (t *Tab) Unblock(ctx context.Context) {
	var p *cdp.Page
	t.WithLock(func() {
		waiting := slices.ContainsFunc(t.Session.Tabs, func(t *Tab) bool { return t.Dialog != nil })
		if !waiting && !t.Crashed {
			p = t.Page
		}
	})
	if p == nil || t.answers(ctx, p) {
		return
	}
	p.Post(p.SessionID, proto.RuntimeTerminateExecution{})
	if t.answers(ctx, p) {
		return
	}
	p.Post(p.SessionID, proto.PageCrash{})
	bounded, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	_ = t.Session.Manager.Await(bounded, func() bool { return t.Crashed })
}

// answers reports whether the page evaluates something in time.
func (t *Tab) answers(ctx context.Context, p *cdp.Page) bool {
	bounded, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	_, err := proto.RuntimeEvaluate{Expression: "1"}.Call(p.Client(bounded))
	return err == nil || bounded.Err() == nil || ctx.Err() != nil
}

// Open navigates to an address.
func (a *Action) Open(ctx context.Context, address string) error {
	a.SetOutcome("opened %s", surface.Truncate(address, 300))
	return a.Navigate(ctx, func(ctx context.Context) (string, error) {
		res, err := proto.PageNavigate{URL: address, TransitionType: proto.PageTransitionTypeTyped}.Call(a.Client(ctx))
		if err != nil {
			if strings.Contains(err.Error(), "Cannot navigate to invalid URL") {
				return "", &surface.Fault{
					Kind:       surface.FaultInvalid,
					Message:    fmt.Sprintf("%q is no address", surface.Truncate(address, 200)),
					Suggestion: "Send an address such as https://example.com.",
				}
			}
			return "", err
		}
		return res.ErrorText, nil
	})
}

// Navigate calls start, which returns the browser's error text ("" for none), and waits until the navigation has a
// result. It stops one that exceeds Limits.Navigation.
func (a *Action) Navigate(ctx context.Context, start func(context.Context) (string, error)) error {
	limit := a.Tab.Session.Manager.Config.Limits.Navigation
	bounded, cancel := context.WithTimeoutCause(ctx, limit, ErrNoAnswer)
	defer cancel()
	problem, err := start(bounded)
	if err == nil {
		err = a.awaitCommit(bounded, problem)
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && a.Tab.endedFault(context.Cause(ctx)) == nil && !errors.Is(context.Cause(ctx), ErrDialog):
		// The caller has canceled, but a load in progress would still occupy a connection.
		a.Page.Post(a.Page.SessionID, proto.PageStopLoading{})
		a.Tab.Tracker.RecordLoadStop(a.Page.MainFrameID())
		return err
	case !errors.Is(context.Cause(bounded), ErrNoAnswer):
		return err
	}
	stop, cancelStop := context.WithTimeout(ctx, time.Second)
	defer cancelStop()
	_ = proto.PageStopLoading{}.Call(a.Client(stop))
	a.Tab.Tracker.RecordLoadStop(a.Page.MainFrameID())
	a.Tab.Session.Manager.Lock()
	still := a.Tab.URL
	a.Tab.Session.Manager.Unlock()
	return &surface.Fault{
		Kind: surface.FaultTimeout, Message: fmt.Sprintf("No answer within %s (%s). The tab still shows %s.",
			limit.Round(time.Second), a.Outcome, surface.Truncate(still, 200)),
		Suggestion: "Try again later, or open another address.",
	}
}

func (a *Action) awaitCommit(ctx context.Context, problem string) error {
	switch {
	case problem == "net::ERR_ABORTED":
		a.Note = "The address did not lead to a page (a download or an empty response); the tab stays where it was."
		return nil
	case problem != "":
		var to string
		a.Tab.WithLock(func() {
			a.Tab.Effects.Remove(effects.KindNavigationFailed)
			if n := len(a.Tab.Navigations); n > 0 {
				to = a.Tab.Navigations[n-1].URL
			}
		})
		head, text := a.Tab.Session.Manager.ExplainFailure(to, problem)
		return &surface.Fault{
			Kind: surface.FaultNoPage, Message: fmt.Sprintf("%s (%s).", head, problem),
			Suggestion: text,
		}
	}
	return a.Watch.AwaitNavigation(ctx)
}
