package inspect

import (
	"context"
	"time"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/page"
	"sextant/backend/surface"
)

const linkTimeout = 200 * time.Millisecond

// OriginOf returns what is known about the element id and its document.
func OriginOf(s *page.Session, id int) surface.ElementOrigin {
	t, f := s.TabOfElement(id)
	if f != nil {
		return surface.ElementOrigin{Secret: true, Gone: f.Kind == surface.FaultGone}
	}
	element, ok := s.Manager.Elements.Element(id)
	if !ok {
		return surface.ElementOrigin{Secret: true, Gone: s.Manager.Elements.WasIssued(id)}
	}
	return surface.ElementOrigin{
		Origin: element.Origin, Secret: element.Secret, Submits: element.Submits,
		Gone: t.Observer.Document(element.Doc) == nil,
	}
}

// RoleAndName returns the role and name of the element id when it was last seen, "" for an unknown one.
func RoleAndName(s *page.Session, id int) (role, name string) {
	if _, f := s.TabOfElement(id); f != nil {
		return "", ""
	}
	element, _ := s.Manager.Elements.Element(id)
	return element.Role, element.Name
}

// KeyTargets returns the addresses of the documents that a key press may reach: the page in front, or its frames when
// one of them has the focus. When the page does not answer in time, it returns all of them. It returns nil when there
// is no page that can answer.
func KeyTargets(s *page.Session) []string {
	page := s.FrontPage()
	if page == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), linkTimeout)
	defer cancel()
	docs := page.Documents()
	if len(docs) == 0 {
		return nil
	}
	from, to := 0, 1
	if framed, err := collect.FocusIsInFrame(ctx, docs[0]); err != nil {
		to = len(docs)
	} else if framed && len(docs) > 1 {
		from, to = 1, len(docs)
	}
	var all []string
	for _, doc := range docs[from:to] {
		all = append(all, doc.URL())
	}
	return all
}

// HasLink reports whether the page in front, or a frame in it, has a link to exactly url. It asks the page as it is
// now and returns false when the page does not answer in time. It does not start Chromium.
func HasLink(s *page.Session, url string) bool {
	found := documentsThat(s, func(ctx context.Context, doc *cdp.Document) (bool, error) {
		return collect.HasLink(ctx, doc, url)
	})
	return len(found) > 0
}

// SignedIn returns the addresses of the documents of the page in front that offer to sign out. Those that do not answer
// in time are left out.
func SignedIn(s *page.Session) []string {
	return documentsThat(s, func(ctx context.Context, doc *cdp.Document) (bool, error) {
		return collect.IsSignedIn(ctx, doc)
	})
}

func documentsThat(s *page.Session, hold func(context.Context, *cdp.Document) (bool, error)) []string {
	page := s.FrontPage()
	if page == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), linkTimeout)
	defer cancel()
	var all []string
	for i, doc := range page.Documents() {
		if i >= observe.MaxFrames || ctx.Err() != nil {
			break
		}
		if found, err := hold(ctx, doc); err == nil && found {
			all = append(all, doc.URL())
		}
	}
	return all
}
