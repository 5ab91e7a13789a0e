package page

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/page/effects"
	"sextant/backend/surface"
)

// IsGuardedScheme reports whether an address is checked when a page goes there on its own; the proxy sees all others.
func IsGuardedScheme(url string) bool {
	scheme, _, _ := strings.Cut(strings.ToLower(url), ":")
	switch scheme {
	case "file", "chrome", "devtools", "chrome-extension", "view-source", "filesystem":
		return true
	}
	return false
}

// BlankPage is the empty page. It comes from no site, so it needs no approval.
const BlankPage = "about:blank"

// ErrNoAnswer is the cause of a navigation that reached its time limit.
var ErrNoAnswer = errors.New("the site did not answer")

// Open goes to an address.
func (a *Action) Open(ctx context.Context, address string) error {
	a.SetOutcome("opened %s", surface.Clip(address, 300))
	return a.Navigate(ctx, func(ctx context.Context) (string, error) {
		res, err := proto.PageNavigate{URL: address, TransitionType: proto.PageTransitionTypeTyped}.Call(a.Client(ctx))
		if err != nil {
			if strings.Contains(err.Error(), "Cannot navigate to invalid URL") {
				return "", &surface.Fault{
					Kind:       surface.FaultInvalid,
					Message:    fmt.Sprintf("%q is no address", surface.Clip(address, 200)),
					Suggestion: "Send an address such as https://example.com.",
				}
			}
			return "", err
		}
		return res.ErrorText, nil
	})
}

// Navigate starts a navigation and waits until the new document is committed or has failed. A
// document that has not started within the limit is given up, and the tab stays as it is.
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
		// The caller has canceled: a load in progress would occupy a connection.
		a.Page.Post(a.Page.Session, proto.PageStopLoading{})
		a.Tab.Tracker.LoadStopped(a.Page.MainFrame())
		return err
	case !errors.Is(context.Cause(bounded), ErrNoAnswer):
		return err
	}
	stop, cancelStop := context.WithTimeout(ctx, time.Second)
	defer cancelStop()
	_ = proto.PageStopLoading{}.Call(a.Client(stop))
	a.Tab.Tracker.LoadStopped(a.Page.MainFrame())
	a.Tab.Session.Manager.Lock()
	still := a.Tab.URL
	a.Tab.Session.Manager.Unlock()
	return &surface.Fault{
		Kind: surface.FaultTimeout, Message: fmt.Sprintf("No answer within %s (%s). The tab still shows %s.",
			limit.Round(time.Second), a.Outcome, surface.Clip(still, 200)),
		Suggestion: "Try again later, or open another address.",
	}
}

// awaitCommit waits for the commit that a successful start promises.
func (a *Action) awaitCommit(ctx context.Context, problem string) error {
	switch {
	case problem == "net::ERR_ABORTED":
		// A download, or an answer without a page: the tab stays where it is.
		a.Note = "The address led to no page (a download, or an empty answer); the tab stays where it was."
		return nil
	case problem != "":
		a.Tab.WithLock(func() { a.Tab.Effects.Remove(effects.KindFailed) })
		return &surface.Fault{
			Kind: surface.FaultNoPage, Message: fmt.Sprintf("The page could not be opened: %s (%s).",
				effects.NetworkErrorText(problem), problem),
			Suggestion: "Check the address, or try again later.",
		}
	}
	return a.Watch.AwaitNavigation(ctx)
}
