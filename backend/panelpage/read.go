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

// HTML is what the page shows, without scripts and what is hidden; what its frame shows follows.
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
	// Whether there is a frame now is only known by looking.
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

// maxHTML bounds what a frame may say that it shows, in bytes.
const maxHTML = 2 << 20

// countLimit is how long a page may take to be counted.
const countLimit = 2 * time.Second

// Operable counts the usable elements in view; an error says why the page cannot be observed now.
func (p *Page) Operable(ctx context.Context) (int, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, countLimit, errSilent)
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

// Selection is what is selected on the page.
func (p *Page) Selection(ctx context.Context) (string, error) {
	text, err := collect.Selection(ctx, p.world(false))
	if err != nil {
		return "", p.explain(ctx, err)
	}
	return text, nil
}

// Element is what the newest snapshots say about a number, false when they do not know it.
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

// Annotations are the elements of the newest snapshot, without taking another.
func (p *Page) Annotations() []annotation.Element {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if p.last == nil {
		return []annotation.Element{}
	}
	return slices.Clone(p.last.Elements)
}

// OriginOf says where the element id comes from: the origin of all that a panel shows is its address.
func (p *Page) OriginOf(id int) surface.ElementOrigin {
	element, ok := p.s.cfg.Elements.Element(id)
	if !ok || element.Tab != p.tab {
		return surface.ElementOrigin{Secret: true, Gone: p.s.cfg.Elements.Issued(id)}
	}
	_, alive := p.frameOf(element.Doc)
	return surface.ElementOrigin{Origin: p.Address(), Secret: element.Secret, Gone: !alive}
}

// RoleAndName returns the role and name of the element id when it was last seen.
func (p *Page) RoleAndName(id int) (role, name string) {
	element, ok := p.s.cfg.Elements.Element(id)
	if !ok || element.Tab != p.tab {
		return "", ""
	}
	return element.Role, element.Name
}
