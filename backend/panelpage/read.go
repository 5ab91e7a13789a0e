package panelpage

import (
	"context"
	"fmt"
	"slices"
	"time"

	"sextant/backend/browser/observe/collect"
	"sextant/backend/surface"
	"sextant/shared/annotation"
)

// HTML returns the visible content of the page and its frame as HTML, without scripts. It omits a frame that does not
// answer or has more than 2 MB of HTML.
func (p *Page) HTML(ctx context.Context) (html, url, title string, err error) {
	release, err := p.acquire(ctx)
	if err != nil {
		return "", "", "", err
	}
	defer release()
	html, err = collect.HTML(ctx, p.world(false))
	if err != nil {
		return "", "", "", p.explain(ctx, err)
	}
	// Only a snapshot tells whether there is a frame now.
	l, err := p.takeSnapshot(ctx, false)
	if err != nil {
		return "", "", "", p.explain(ctx, err)
	}
	if l.framed {
		inner, err := collect.HTML(ctx, p.world(true))
		if err == nil && len(inner) <= maxHTML {
			html += fmt.Sprintf("\n<section data-frame=%q>\n%s\n</section>", p.Address(), inner)
		}
	}
	return html, p.Address(), p.name(), nil
}

const maxHTML = 2 << 20

const countLimit = 2 * time.Second

// CountUsable returns the number of usable elements in the viewport. The error says why the page cannot be observed
// now, for example because it did not answer within 2 seconds.
func (p *Page) CountUsable(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, countLimit, errNoAnswer)
	defer cancel()
	release, err := p.acquire(ctx)
	if err != nil {
		return 0, p.explain(ctx, err)
	}
	defer release()
	l, err := p.takeSnapshot(ctx, false)
	if err != nil {
		return 0, p.explain(ctx, err)
	}
	n := 0
	for _, e := range l.Elements {
		if e.Usable {
			n++
		}
	}
	return n, nil
}

// Selection returns the selected text of the page, but not of its frame; "" for none.
func (p *Page) Selection(ctx context.Context) (string, error) {
	text, err := collect.Selection(ctx, p.world(false))
	if err != nil {
		return "", p.explain(ctx, err)
	}
	return text, nil
}

// Element implements surface.Surface.
func (p *Page) Element(id int) (annotation.Element, bool) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	for _, l := range []*snapshot{p.last, p.whole} {
		if l == nil {
			continue
		}
		if i, ok := l.ByID[id]; ok {
			return l.Elements[i], true
		}
	}
	return annotation.Element{}, false
}

// Annotations implements surface.Surface.
func (p *Page) Annotations() []annotation.Element {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if p.last == nil {
		return []annotation.Element{}
	}
	return slices.Clone(p.last.Elements)
}

// UnlistedAnnotations implements surface.Surface.
func (p *Page) UnlistedAnnotations() (above, below int) {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if p.last == nil {
		return 0, 0
	}
	return p.last.Above, p.last.Below
}

// OriginOf implements surface.Surface. All content of a panel, also in its frame, has the page's address as its origin.
// For an element that is not on this page, the origin is unknown.
func (p *Page) OriginOf(id int) surface.ElementOrigin {
	element, ok := p.s.cfg.Elements.Element(id)
	if !ok || element.Tab != p.tab {
		return surface.ElementOrigin{Secret: true, Gone: p.s.cfg.Elements.WasIssued(id)}
	}
	_, alive := p.frameOf(element.Doc)
	return surface.ElementOrigin{Origin: p.Address(), Secret: element.Secret, Gone: !alive}
}

// RoleAndName implements surface.Surface.
func (p *Page) RoleAndName(id int) (role, name string) {
	element, ok := p.s.cfg.Elements.Element(id)
	if !ok || element.Tab != p.tab {
		return "", ""
	}
	return element.Role, element.Name
}
