package browser

import (
	"context"
	"fmt"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/surface"
	"sextant/shared/annotator"
	"sextant/shared/event"
)

// Tabs lists, opens, selects or closes tabs; the list is as it is afterwards. Opening and
// selecting answer with everything in the tab's viewport.
func (s *Session) Tabs(ctx context.Context, o TabOptions) (annotator.Answer, []event.Tab, error) {
	var ans annotator.Answer
	var err error
	switch o.Action {
	case "", "list":
		ans = s.overview("")
	case "open":
		ans, err = s.openTab(ctx, o.URL)
	case "select":
		ans, err = s.selectTab(ctx, o.Tab)
	case "close":
		ans, err = s.closeTab(ctx, o.Tab)
	default:
		err = &surface.Fault{Kind: surface.FaultInvalid, Message: fmt.Sprintf("unknown action %q", o.Action), Suggestion: "Send list, open, select or close."}
	}
	s.b.Lock()
	tabs := s.list()
	s.b.Unlock()
	return ans, tabs, err
}

// overview is an answer about the session's tabs and not about a page.
func (s *Session) overview(outcome string) annotator.Answer {
	s.b.Lock()
	defer s.b.Unlock()
	ans := annotator.Answer{Outcome: outcome, Events: []annotator.Event{}, Elements: []annotator.Element{}, Changes: true}
	if t := s.active; t != nil {
		ans.Page = annotator.Page{Title: t.title, URL: t.url, Version: t.version, Tab: t.id}
		ans.Events = t.take()
	}
	return ans
}

func (s *Session) openTab(ctx context.Context, typed string) (annotator.Answer, error) {
	address := blank
	if typed != "" {
		var err error
		if address, err = Address(typed); err != nil {
			return annotator.Answer{}, &surface.Fault{Kind: surface.FaultInvalid, Message: err.Error(), Suggestion: "Send an address such as https://example.com."}
		}
		if err := s.judge(ctx, address); err != nil {
			return annotator.Answer{}, err
		}
	}
	e, err := s.b.start(ctx)
	if err != nil {
		return annotator.Answer{}, err
	}
	t, err := s.open(ctx, e)
	if err != nil {
		return annotator.Answer{}, err
	}
	s.b.viewer.FrontChanged()
	s.b.events.state()
	return s.act(ctx, t, func(ctx context.Context, a *action) error {
		a.full = true
		if address == blank {
			a.does("opened tab %d", t.id)
			return nil
		}
		err := a.open(ctx, address)
		a.outcome = fmt.Sprintf("opened tab %d on %s", t.id, surface.Clip(address, 300))
		return err
	})
}

// byNumber finds a tab, 0 being the active one.
func (s *Session) byNumber(id int) (*tab, error) {
	s.b.Lock()
	defer s.b.Unlock()
	if id == 0 && s.active != nil {
		return s.active, nil
	}
	for _, t := range s.tabs {
		if t.id == id {
			return t, nil
		}
	}
	return nil, &surface.Fault{
		Kind: surface.FaultNotFound, Message: fmt.Sprintf("There is no tab %d.", id),
		Suggestion: "Call browser_tabs to see what is open.",
	}
}

func (s *Session) selectTab(ctx context.Context, id int) (annotator.Answer, error) {
	if _, err := s.b.start(ctx); err != nil {
		return annotator.Answer{}, err
	}
	t, err := s.byNumber(id)
	if err != nil {
		return annotator.Answer{}, err
	}
	s.b.Lock()
	s.active = t
	s.b.Unlock()
	s.b.viewer.FrontChanged()
	s.b.events.state()
	if t.open() != nil {
		return s.overview(fmt.Sprintf("selected tab %d", t.id)), nil
	}
	return s.act(ctx, t, func(ctx context.Context, a *action) error {
		a.full = true
		a.does("selected tab %d", t.id)
		return t.front(ctx)
	})
}

// closeTab closes a tab whatever it is doing: an action that runs in it ends.
func (s *Session) closeTab(ctx context.Context, id int) (annotator.Answer, error) {
	if _, err := s.b.start(ctx); err != nil {
		return annotator.Answer{}, err
	}
	t, err := s.byNumber(id)
	if err != nil {
		return annotator.Answer{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	s.b.Lock()
	e, p := s.b.conn, t.page
	s.b.Unlock()
	if e != nil && p != nil {
		if _, err := (proto.TargetCloseTarget{TargetID: proto.TargetTargetID(p.TargetID)}).Call(e.reg.Client(ctx)); err != nil {
			return annotator.Answer{}, fmt.Errorf("closing tab %d: %w", t.id, err)
		}
		if err := s.b.Await(ctx, func() bool { return t.closed }); err != nil {
			return annotator.Answer{}, fmt.Errorf("closing tab %d: %w", t.id, err)
		}
	}
	return s.overview(fmt.Sprintf("closed tab %d", t.id)), nil
}
