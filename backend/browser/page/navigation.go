package page

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	effects "sextant/backend/browser/page/effects"
	"sextant/backend/browser/page/network"
	"sextant/backend/surface"
	"sextant/shared/annotator"
)

// The options of a Session's actions mirror the environment tools of CONTRACT.md one to
// one; zero values are the defaults said there.

// NavigateOptions: URL, or Action back, forward, reload.
type NavigateOptions struct{ URL, Action string }

// blank is the page that holds nothing. It comes from no site, so nobody is asked about it.
const BlankPage = "about:blank"

var errNoAnswer = errors.New("the site did not answer")

// Address completes what a person types as an address: "example.com" becomes https, a
// loopback or private name http. An error says that it is none.
func Address(typed string) (string, error) {
	typed = strings.TrimSpace(typed)
	if typed == "" {
		return "", errors.New("the address is empty")
	}
	if strings.EqualFold(typed, BlankPage) {
		return BlankPage, nil
	}
	if !strings.Contains(typed, "://") {
		head, _, _ := strings.Cut(typed, "/")
		host := head
		if h, _, err := net.SplitHostPort(head); err == nil {
			host = h
		}
		scheme := "https://"
		if ip := net.ParseIP(strings.Trim(host, "[]")); host == "localhost" || strings.HasSuffix(host, ".localhost") ||
			(ip != nil && (ip.IsLoopback() || ip.IsPrivate())) {
			scheme = "http://"
		}
		typed = scheme + typed
	}
	u, err := url.Parse(typed)
	if err != nil {
		return "", fmt.Errorf("%q is no address", surface.Clip(typed, 200))
	}
	if u.Host == "" && u.Scheme != "file" && u.Scheme != "chrome" {
		return "", fmt.Errorf("%q is no address", surface.Clip(typed, 200))
	}
	return typed, nil
}

// judge asks whether an address may be opened.
func (s *Session) checkAddress(ctx context.Context, address string) error {
	if s.Manager.Config.CheckAddress == nil || address == BlankPage {
		return nil
	}
	if err := s.Manager.Config.CheckAddress(ctx, address); err != nil {
		var f *surface.Fault
		if errors.As(err, &f) {
			return f
		}
		return &surface.Fault{
			Kind: surface.FaultBlocked, Message: fmt.Sprintf("%s was not opened: %s.", surface.Clip(address, 200), strings.TrimSuffix(err.Error(), ".")),
			Suggestion: "A person can open it by typing the address.",
		}
	}
	return nil
}

// Navigate opens an address in the active tab, or goes back, forward or reloads. The answer
// lists everything in the viewport.
func (s *Session) Navigate(ctx context.Context, o NavigateOptions) (annotator.Answer, error) {
	if (o.URL == "") == (o.Action == "") {
		return annotator.Answer{}, &surface.Fault{Kind: surface.FaultInvalid, Message: "navigate_page takes either url or action", Suggestion: `Send url, or action "back", "forward" or "reload".`}
	}
	var address string
	if o.URL != "" {
		var err error
		if address, err = Address(o.URL); err != nil {
			return annotator.Answer{}, &surface.Fault{Kind: surface.FaultInvalid, Message: err.Error(), Suggestion: "Send an address such as https://example.com."}
		}
		if err := s.checkAddress(ctx, address); err != nil {
			return annotator.Answer{}, err
		}
	}
	t, err := s.ActiveTab(ctx)
	if err != nil {
		return annotator.Answer{}, err
	}
	// A crashed page can be left: that is the way out of it.
	t.Locked(func() { t.Crashed = false })
	t.cancelAuth()
	return s.Act(ctx, t, s.goElsewhere(t, o.Action, address))
}

// leave is the action that takes a tab elsewhere.
func (s *Session) goElsewhere(t *Tab, way, address string) func(context.Context, *Action) error {
	return func(ctx context.Context, a *Action) error {
		if err := t.BringToFront(ctx); err != nil {
			return err
		}
		a.Full = true
		switch way {
		case "":
			return a.open(ctx, address)
		case "reload":
			a.Acting("reloaded the page")
			return a.navigate(ctx, func(ctx context.Context) (string, error) {
				return "", proto.PageReload{}.Call(a.Client(ctx))
			})
		case "back", "forward":
			return a.goHistory(ctx, way)
		}
		return &surface.Fault{Kind: surface.FaultInvalid, Message: fmt.Sprintf("unknown action %q", way), Suggestion: "Send back, forward or reload."}
	}
}

// open goes to an address.
func (a *Action) open(ctx context.Context, address string) error {
	a.Acting("opened %s", surface.Clip(address, 300))
	return a.navigate(ctx, func(ctx context.Context) (string, error) {
		res, err := proto.PageNavigate{URL: address, TransitionType: proto.PageTransitionTypeTyped}.Call(a.Client(ctx))
		if err != nil {
			if strings.Contains(err.Error(), "Cannot navigate to invalid URL") {
				return "", &surface.Fault{Kind: surface.FaultInvalid, Message: fmt.Sprintf("%q is no address", surface.Clip(address, 200)), Suggestion: "Send an address such as https://example.com."}
			}
			return "", err
		}
		return res.ErrorText, nil
	})
}

// history goes one step back or forward.
func (a *Action) goHistory(ctx context.Context, direction string) error {
	h, err := proto.PageGetNavigationHistory{}.Call(a.Client(ctx))
	if err != nil {
		return fmt.Errorf("reading the tab's history: %w", err)
	}
	i := h.CurrentIndex - 1
	if direction == "forward" {
		i = h.CurrentIndex + 1
	}
	if i < 0 || i >= len(h.Entries) {
		return &surface.Fault{
			Kind: surface.FaultInvalid, Message: fmt.Sprintf("There is no page to go %s to in tab %d.", direction, a.Tab.ID),
			Suggestion: "Call navigate_page with a url.",
		}
	}
	a.Acting("went %s to %s", direction, surface.Clip(h.Entries[i].URL, 300))
	if h.Entries[i].URL == h.Entries[h.CurrentIndex].URL {
		return a.goFrameHistory(ctx, h.Entries[i].ID, direction)
	}
	return a.navigate(ctx, func(ctx context.Context) (string, error) {
		return "", proto.PageNavigateToHistoryEntry{EntryID: h.Entries[i].ID}.Call(a.Client(ctx))
	})
}

// stepLimit bounds the wait for a step of the history that may have nothing to move any more.
const stepLimit = time.Second

// stepFrame goes to an entry of the history that differs in a frame of the page only, which
// may not be there any more.
func (a *Action) goFrameHistory(ctx context.Context, entry int, direction string) error {
	if err := (proto.PageNavigateToHistoryEntry{EntryID: entry}).Call(a.Client(ctx)); err != nil {
		return fmt.Errorf("going %s: %w", direction, err)
	}
	a.Outcome = fmt.Sprintf("went %s by one step, in a frame of the page", direction)
	bounded, cancel := context.WithTimeoutCause(ctx, stepLimit, errNoAnswer)
	defer cancel()
	if err := a.Watch.Moved(bounded); err != nil && !errors.Is(err, errNoAnswer) {
		return err
	}
	return nil
}

// depart starts a navigation and waits until the new document is there or is known not to
// come. A document that has not begun within the limit is given up, and the tab stays.
func (a *Action) navigate(ctx context.Context, start func(context.Context) (string, error)) error {
	limit := a.Tab.Session.Manager.Config.Limits.Navigation
	bounded, cancel := context.WithTimeoutCause(ctx, limit, errNoAnswer)
	defer cancel()
	problem, err := start(bounded)
	if err == nil {
		err = a.awaitCommit(bounded, problem)
	}
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && a.Tab.endedFault(context.Cause(ctx)) == nil && !errors.Is(context.Cause(ctx), errDialog):
		// Whoever asked for the page wants it no more: what is on its way would hold a connection.
		a.Page.Post(a.Page.Session, proto.PageStopLoading{})
		a.Tab.Tracker.Stopped(a.Page.MainFrame())
		return err
	case !errors.Is(context.Cause(bounded), errNoAnswer):
		return err
	}
	stop, cancelStop := context.WithTimeout(ctx, time.Second)
	defer cancelStop()
	_ = proto.PageStopLoading{}.Call(a.Client(stop))
	a.Tab.Tracker.Stopped(a.Page.MainFrame())
	a.Tab.Session.Manager.Lock()
	still := a.Tab.URL
	a.Tab.Session.Manager.Unlock()
	return &surface.Fault{
		Kind: surface.FaultTimeout, Message: fmt.Sprintf("No answer within %s (%s). The tab still shows %s.", limit.Round(time.Second), a.Outcome, surface.Clip(still, 200)),
		Suggestion: "Try again later, or open another address.",
	}
}

// arrive waits for the commit that a successful start promises.
func (a *Action) awaitCommit(ctx context.Context, problem string) error {
	switch {
	case problem == "net::ERR_ABORTED":
		// A download, or an answer without a page: the tab stays where it is.
		a.Note = "The address led to no page (a download, or an empty answer); the tab stays where it was."
		return nil
	case problem != "":
		a.Tab.Locked(func() { a.Tab.effects.Remove(effects.KindFailed) })
		return &surface.Fault{
			Kind: surface.FaultNoPage, Message: fmt.Sprintf("The page could not be opened: %s (%s).", networkErrorText(problem), problem),
			Suggestion: "Check the address, or try again later.",
		}
	}
	return a.Watch.Begun(ctx)
}

// trip is one navigation of the tab's main frame.
type navigation struct {
	loader, url string
	// hops are the statuses of the redirects, status that of the document, 0 for none.
	redirects []int
	status    int
	// failed is the network error that the browser shows a page of its own about.
	failed    string
	committed bool
}

// maxHops bounds the redirects that are told one by one; browsers stop at 20.
const maxRedirects = 6

// Effect implements effectSource: `navigated to https://… (302 → 200)`.
func (r *navigation) Effect() (kind, text string) {
	if r.failed != "" {
		return effects.KindFailed, fmt.Sprintf("navigation to %s failed: %s (%s)", surface.Clip(r.url, 220), networkErrorText(r.failed), surface.Clip(r.failed, 60))
	}
	text = "navigated to " + surface.Clip(r.url, 230)
	var way []string
	hops := r.redirects
	if len(hops) > maxRedirects {
		way, hops = append(way, fmt.Sprintf("%d redirects", len(hops))), nil
	}
	for _, s := range hops {
		way = append(way, fmt.Sprint(s))
	}
	if r.status != 0 {
		way = append(way, network.StatusText(r.status))
	}
	if len(way) > 0 {
		text += " (" + strings.Join(way, " → ") + ")"
	}
	return effects.KindNavigated, text
}

// reason is a network error in words.
func networkErrorText(problem string) string {
	switch strings.TrimPrefix(problem, "net::") {
	case "ERR_NAME_NOT_RESOLVED":
		return "there is no site of that name"
	case "ERR_CONNECTION_REFUSED":
		return "nothing answers at that address"
	case "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_CLOSED":
		return "the site broke the connection off"
	case "ERR_CONNECTION_TIMED_OUT", "ERR_TIMED_OUT":
		return "the site did not answer"
	case "ERR_INTERNET_DISCONNECTED", "ERR_ADDRESS_UNREACHABLE", "ERR_NETWORK_CHANGED":
		return "the network cannot be reached"
	case "ERR_TUNNEL_CONNECTION_FAILED", "ERR_PROXY_CONNECTION_FAILED", "ERR_BLOCKED_BY_CLIENT":
		return "the address is not allowed"
	case "ERR_TOO_MANY_REDIRECTS":
		return "the site sends in circles"
	}
	if strings.Contains(problem, "CERT") || strings.Contains(problem, "SSL") {
		return "the site's certificate cannot be trusted"
	}
	return "the browser refused it"
}
