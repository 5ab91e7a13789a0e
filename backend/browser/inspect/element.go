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
	has, _ := anyDocument(s, func(ctx context.Context, doc *cdp.Document) (bool, error) {
		return collect.HasLink(ctx, doc, url)
	})
	return has
}

// SignedIn reports whether a document of the page in front offers to sign out, or does not answer in time.
func SignedIn(s *page.Session) bool {
	signedIn, late := anyDocument(s, func(ctx context.Context, doc *cdp.Document) (bool, error) {
		return collect.IsSignedIn(ctx, doc)
	})
	return signedIn || late
}

// anyDocument reports whether a document of the page in front has a property, and whether one did not answer in time.
func anyDocument(s *page.Session, has func(context.Context, *cdp.Document) (bool, error)) (found, late bool) {
	page := s.FrontPage()
	if page == nil {
		return false, false
	}
	ctx, cancel := context.WithTimeout(context.Background(), linkTimeout)
	defer cancel()
	for i, doc := range page.Documents() {
		if i >= observe.MaxFrames || ctx.Err() != nil {
			break
		}
		if found, err := has(ctx, doc); err == nil && found {
			return true, false
		}
	}
	return false, ctx.Err() != nil
}
