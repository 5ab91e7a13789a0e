package act

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/page"
	"sextant/backend/surface"
	"sextant/shared/annotation"
)

// NavigateOptions says where to go: to URL or, by Action, back, forward or reload. Set exactly one.
type NavigateOptions struct{ URL, Action string }

// CompleteAddress completes a typed address: "example.com" becomes an https address, localhost or a local IP address an
// http one. It returns an error for text without a host, unless it is a file: or chrome: address or about:blank.
func CompleteAddress(typed string) (string, error) {
	typed = strings.TrimSpace(typed)
	if typed == "" {
		return "", errors.New("the address is empty")
	}
	if strings.EqualFold(typed, page.BlankPage) {
		return page.BlankPage, nil
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
		return "", fmt.Errorf("%q is no address", surface.Truncate(typed, 200))
	}
	if u.Host == "" && u.Scheme != "file" && u.Scheme != "chrome" {
		return "", fmt.Errorf("%q is no address", surface.Truncate(typed, 200))
	}
	return typed, nil
}

func checkAddress(ctx context.Context, s *page.Session, address string) error {
	if s.Manager.Config.CheckAddress == nil || address == page.BlankPage {
		return nil
	}
	if err := s.Manager.Config.CheckAddress(ctx, address); err != nil {
		var f *surface.Fault
		if errors.As(err, &f) {
			return f
		}
		return &surface.Fault{
			Kind: surface.FaultBlocked, Message: fmt.Sprintf("%s was not opened: %s.", surface.Truncate(address, 200),
				strings.TrimSuffix(err.Error(), ".")),
			Suggestion: "A person can open it by typing the address.",
		}
	}
	return nil
}

// Navigate opens an address in the active tab, or goes back, forward or reloads. The observation lists all elements
// in the viewport.
func Navigate(ctx context.Context, s *page.Session, o NavigateOptions) (annotation.Observation, error) {
	if (o.URL == "") == (o.Action == "") {
		return annotation.Observation{}, &surface.Fault{
			Kind:       surface.FaultInvalid,
			Message:    "navigate_page takes either url or action",
			Suggestion: `Send url, or action "back", "forward" or "reload".`,
		}
	}
	var address string
	if o.URL != "" {
		var err error
		if address, err = CompleteAddress(o.URL); err != nil {
			return annotation.Observation{}, &surface.Fault{
				Kind: surface.FaultInvalid, Message: err.Error(),
				Suggestion: "Send an address such as https://example.com.",
			}
		}
		if err := checkAddress(ctx, s, address); err != nil {
			return annotation.Observation{}, err
		}
	}
	t, err := s.ActiveTab(ctx)
	if err != nil {
		return annotation.Observation{}, err
	}
	// Navigating is the way to recover from a page that hangs or crashed.
	t.Unblock(ctx)
	t.WithLock(func() { t.Crashed = false })
	t.CancelAuth()
	return s.Act(ctx, t, navigation(s, t, o.Action, address))
}

func navigation(s *page.Session, t *page.Tab, action, address string) func(context.Context, *page.Action) error {
	return func(ctx context.Context, a *page.Action) error {
		if err := t.BringToFront(ctx); err != nil {
			return err
		}
		a.ListAll = true
		switch action {
		case "":
			return a.Open(ctx, address)
		case "reload":
			a.SetOutcome("reloaded the page")
			return a.Navigate(ctx, func(ctx context.Context) (string, error) {
				return "", proto.PageReload{}.Call(a.Client(ctx))
			})
		case "back", "forward":
			return goHistory(ctx, a, action)
		}
		return &surface.Fault{
			Kind: surface.FaultInvalid, Message: fmt.Sprintf("unknown action %q", action),
			Suggestion: "Send back, forward or reload.",
		}
	}
}

func goHistory(ctx context.Context, a *page.Action, direction string) error {
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
			Kind: surface.FaultInvalid, Message: fmt.Sprintf("There is no page to go %s to in tab %d.", direction,
				a.Tab.ID),
			Suggestion: "Call navigate_page with a url.",
		}
	}
	a.SetOutcome("went %s to %s", direction, surface.Truncate(h.Entries[i].URL, 300))
	if h.Entries[i].URL == h.Entries[h.CurrentIndex].URL {
		return goFrameHistory(ctx, a, h.Entries[i].ID, direction)
	}
	return a.Navigate(ctx, func(ctx context.Context) (string, error) {
		return "", proto.PageNavigateToHistoryEntry{EntryID: h.Entries[i].ID}.Call(a.Client(ctx))
	})
}

// stepLimit bounds the wait for a history step that may not change anything.
const stepLimit = time.Second

// goFrameHistory goes to a history entry that differs only in a frame of the page, which may no longer exist.
func goFrameHistory(ctx context.Context, a *page.Action, entry int, direction string) error {
	if err := (proto.PageNavigateToHistoryEntry{EntryID: entry}).Call(a.Client(ctx)); err != nil {
		return fmt.Errorf("going %s: %w", direction, err)
	}
	a.Outcome = fmt.Sprintf("went %s by one step, in a frame of the page", direction)
	bounded, cancel := context.WithTimeoutCause(ctx, stepLimit, page.ErrNoAnswer)
	defer cancel()
	if err := a.Watch.AwaitAnyNavigation(bounded); err != nil && !errors.Is(err, page.ErrNoAnswer) {
		return err
	}
	return nil
}
