package act

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/page"
	"sextant/backend/surface"
	"sextant/shared/annotation"
	"sextant/shared/event"
)

// TabCommand says what to do with tabs. Action is list (the default), open, select or close. URL is for open; "" is
// an empty tab. Tab is for select and close; 0 is the active tab.
type TabCommand struct {
	Action, URL string
	Tab         int
}

// ManageTabs lists, opens, selects or closes tabs and returns the list of tabs afterwards.
func ManageTabs(ctx context.Context, s *page.Session, o TabCommand) (annotation.Observation, []event.Tab, error) {
	var ans annotation.Observation
	var err error
	switch o.Action {
	case "", "list":
		ans = overview(s, "")
	case "open":
		ans, err = openTab(ctx, s, o.URL)
	case "select":
		ans, err = selectTab(ctx, s, o.Tab)
	case "close":
		ans, err = closeTab(ctx, s, o.Tab)
	default:
		err = &surface.Fault{
			Kind: surface.FaultInvalid, Message: fmt.Sprintf("unknown action %q", o.Action),
			Suggestion: "Send list, open, select or close.",
		}
	}
	s.Manager.Lock()
	tabs := s.TabList()
	s.Manager.Unlock()
	return ans, tabs, err
}

func overview(s *page.Session, outcome string) annotation.Observation {
	s.Manager.Lock()
	defer s.Manager.Unlock()
	ans := annotation.Observation{
		Outcome: outcome, Events: []annotation.Event{}, Elements: []annotation.Element{},
		OnlyChanges: true,
	}
	if t := s.Active; t != nil {
		ans.Page = annotation.Page{Title: t.Title, URL: t.URL, Version: t.Version, Tab: t.ID}
		ans.Events = t.TakeEffects()
	}
	return ans
}

func openTab(ctx context.Context, s *page.Session, typed string) (annotation.Observation, error) {
	address := page.BlankPage
	if typed != "" {
		var err error
		if address, err = CompleteAddress(typed); err != nil {
			return annotation.Observation{}, &surface.Fault{
				Kind: surface.FaultInvalid, Message: err.Error(),
				Suggestion: "Send an address such as https://example.com.",
			}
		}
		if err := checkAddress(ctx, s, address); err != nil {
			return annotation.Observation{}, err
		}
	}
	e, err := s.Manager.Start(ctx)
	if err != nil {
		return annotation.Observation{}, err
	}
	t, err := s.OpenEmptyTab(ctx, e)
	if err != nil {
		return annotation.Observation{}, err
	}
	s.Manager.Viewer.UpdateFront()
	s.Manager.Events.PublishState()
	return s.Act(ctx, t, func(ctx context.Context, a *page.Action) error {
		a.ListAll = true
		if address == page.BlankPage {
			a.SetOutcome("opened tab %d", t.ID)
			return nil
		}
		err := a.Open(ctx, address)
		a.Outcome = fmt.Sprintf("opened tab %d on %s", t.ID, surface.Truncate(address, 300))
		return err
	})
}

// tabByID returns a tab; 0 is the active one.
func tabByID(s *page.Session, id int) (*page.Tab, error) {
	s.Manager.Lock()
	defer s.Manager.Unlock()
	if id == 0 && s.Active != nil {
		return s.Active, nil
	}
	for _, t := range s.Tabs {
		if t.ID == id {
			return t, nil
		}
	}
	return nil, &surface.Fault{
		Kind: surface.FaultNotFound, Message: fmt.Sprintf("There is no tab %d.", id),
		Suggestion: "Call browser_tabs to see what is open.",
	}
}

func selectTab(ctx context.Context, s *page.Session, id int) (annotation.Observation, error) {
	if _, err := s.Manager.Start(ctx); err != nil {
		return annotation.Observation{}, err
	}
	t, err := tabByID(s, id)
	if err != nil {
		return annotation.Observation{}, err
	}
	s.Manager.Lock()
	s.Active = t
	s.Manager.Unlock()
	s.Manager.Viewer.UpdateFront()
	s.Manager.Events.PublishState()
	if t.CurrentDialog() != nil {
		return overview(s, fmt.Sprintf("selected tab %d", t.ID)), nil
	}
	return s.Act(ctx, t, func(ctx context.Context, a *page.Action) error {
		a.ListAll = true
		a.SetOutcome("selected tab %d", t.ID)
		return t.BringToFront(ctx)
	})
}

// MoveTab puts the tab id at a place among the tabs of s, counted from 0. It does nothing if there is no such tab.
func MoveTab(s *page.Session, id, to int) {
	s.Manager.Lock()
	if i := slices.IndexFunc(s.Tabs, func(t *page.Tab) bool { return t.ID == id }); i >= 0 {
		t := s.Tabs[i]
		others := slices.Delete(slices.Clone(s.Tabs), i, i+1)
		s.Tabs = slices.Insert(others, max(0, min(to, len(others))), t)
	}
	s.Manager.Unlock()
	s.Manager.Events.PublishState()
}

// closeLimit is how long Chromium may take to close a tab.
const closeLimit = 10 * time.Second

func closeTab(ctx context.Context, s *page.Session, id int) (annotation.Observation, error) {
	if _, err := s.Manager.Start(ctx); err != nil {
		return annotation.Observation{}, err
	}
	t, err := tabByID(s, id)
	if err != nil {
		return annotation.Observation{}, err
	}
	t.Unblock(ctx)
	s.Manager.Lock()
	e, p := s.Manager.Conn(), t.Page
	s.Manager.Unlock()
	if e != nil && p != nil {
		bounded, cancel := context.WithTimeout(ctx, closeLimit)
		defer cancel()
		closing := proto.TargetCloseTarget{TargetID: proto.TargetTargetID(p.TargetID)}
		_, err := closing.Call(e.Registry.Client(bounded))
		if err == nil {
			err = s.Manager.Await(bounded, func() bool { return t.Closed })
		}
		switch {
		case err != nil && bounded.Err() != nil && ctx.Err() == nil:
			return annotation.Observation{}, &surface.Fault{
				Kind: surface.FaultTimeout, Message: fmt.Sprintf("Tab %d did not close in time.", t.ID),
				Suggestion: "Try again, or go on in another tab; the others are not affected.",
			}
		case err != nil:
			return annotation.Observation{}, fmt.Errorf("closing tab %d: %w", t.ID, err)
		}
	}
	return overview(s, fmt.Sprintf("closed tab %d", t.ID)), nil
}
