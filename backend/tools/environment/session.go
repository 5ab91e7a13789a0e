package environment

import (
	"context"
	"strings"
	"time"

	"sextant/backend/browser"
	"sextant/backend/surface/panelpage"
	"sextant/shared/annotator"
)

// session is what the tools act on: a page of one owner's tabs, or the page of a panel.
type session = *surface

// surface is one owner's tabs, with the page of a panel in front of them when that is meant.
type surface struct {
	*browser.Session
	// page is nil when the browser is meant.
	page *panelpage.Page
}

// about is the text of a tool's .md file as the model reads it.
func about(md string) string { return strings.TrimSpace(md) }

// Each method below is the one of the surface that is meant; their comments stand there.

func (s *surface) Annotate(ctx context.Context, o browser.AnnotateOptions) (annotator.Answer, error) {
	if s.page != nil {
		return s.page.Annotate(ctx, o)
	}
	return s.Session.Annotate(ctx, o)
}

func (s *surface) Click(ctx context.Context, o browser.ClickOptions) (annotator.Answer, error) {
	if s.page != nil {
		return s.page.Click(ctx, o)
	}
	return s.Session.Click(ctx, o)
}

func (s *surface) Hover(ctx context.Context, id int) (annotator.Answer, error) {
	if s.page != nil {
		return s.page.Hover(ctx, id)
	}
	return s.Session.Hover(ctx, id)
}

func (s *surface) Type(ctx context.Context, o browser.TypeOptions) (annotator.Answer, error) {
	if s.page != nil {
		return s.page.Type(ctx, o)
	}
	return s.Session.Type(ctx, o)
}

func (s *surface) Select(ctx context.Context, id int, values []string) (annotator.Answer, error) {
	if s.page != nil {
		return s.page.Select(ctx, id, values)
	}
	return s.Session.Select(ctx, id, values)
}

func (s *surface) Press(ctx context.Context, key string) (annotator.Answer, error) {
	if s.page != nil {
		return s.page.Press(ctx, key)
	}
	return s.Session.Press(ctx, key)
}

func (s *surface) Scroll(ctx context.Context, o browser.ScrollOptions) (annotator.Answer, error) {
	if s.page != nil {
		return s.page.Scroll(ctx, o)
	}
	return s.Session.Scroll(ctx, o)
}

func (s *surface) Wait(ctx context.Context, o browser.WaitOptions) (annotator.Answer, error) {
	if s.page != nil {
		return s.page.Wait(ctx, o)
	}
	return s.Session.Wait(ctx, o)
}

func (s *surface) Holds(ctx context.Context, c browser.Condition, patience time.Duration) (held bool, missing string, err error) {
	if s.page != nil {
		return s.page.Holds(ctx, c, patience)
	}
	return s.Session.Holds(ctx, c, patience)
}

func (s *surface) HTML(ctx context.Context) (html, url, title string, err error) {
	if s.page != nil {
		return s.page.HTML(ctx)
	}
	return s.Session.HTML(ctx)
}

func (s *surface) Shot(ctx context.Context, o browser.ShotOptions) (browser.Picture, error) {
	if s.page != nil {
		return s.page.Shot(ctx, o)
	}
	return s.Session.Shot(ctx, o)
}

func (s *surface) Selection(ctx context.Context) (string, error) {
	if s.page != nil {
		return s.page.Selection(ctx)
	}
	return s.Session.Selection(ctx)
}

func (s *surface) Element(id int) (annotator.Element, bool) {
	if s.page != nil {
		return s.page.Element(id)
	}
	return s.Session.Element(id)
}

func (s *surface) Annotations() []annotator.Element {
	if s.page != nil {
		return s.page.Annotations()
	}
	return s.Session.Annotations()
}

func (s *surface) Spot(id int) browser.Spot {
	if s.page != nil {
		return s.page.Spot(id)
	}
	return s.Session.Spot(id)
}

func (s *surface) Called(id int) (role, name string) {
	if s.page != nil {
		return s.page.Called(id)
	}
	return s.Session.Called(id)
}

func (s *surface) Typed() []string {
	if s.page != nil {
		return []string{s.page.Address()}
	}
	return s.Session.Typed()
}

func (s *surface) Address() string {
	if s.page != nil {
		return s.page.Address()
	}
	return s.Session.Address()
}

func (s *surface) Asks() (what, address string) {
	if s.page != nil {
		return "", ""
	}
	return s.Session.Asks()
}
