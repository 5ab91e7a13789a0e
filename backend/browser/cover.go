package browser

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/surface"
	"sextant/shared/annotator"
)

//go:embed cover.js
var coverScript string

// maxCovered bounds the secrets that a session covers in pictures; the oldest are forgotten first.
const maxCovered = 64

// lineLeast is how long a line of a secret is that is covered by itself, in bytes.
const lineLeast = 16

// covered is a person's secret that was typed into a document of origin.
type covered struct{ text, origin string }

// placed is a document that was looked at, and where it stands in the top page's viewport.
type placed struct {
	doc    *cdp.Document
	origin string
	at     cdp.Place
}

// covers remembers a secret that was typed, for pictures of what its origin shows.
func (t *tab) covers(text, origin string) {
	t.set(func() {
		c := covered{text, origin}
		list := slices.DeleteFunc(t.s.covered, func(o covered) bool { return o == c })
		if len(list) >= maxCovered {
			list = list[1:]
		}
		t.s.covered = append(list, c)
	})
}

// coveredAt are the secrets that documents of origin got, and the long lines of them.
func (s *Session) coveredAt(origin string) []string {
	s.b.Lock()
	defer s.b.Unlock()
	var all []string
	for _, c := range s.covered {
		if !strings.EqualFold(c.origin, origin) {
			continue
		}
		all = append(all, c.text)
		for line := range strings.Lines(c.text) {
			if line = strings.TrimSpace(line); line != c.text && len(line) >= lineLeast {
				all = append(all, line)
			}
		}
	}
	return all
}

// belongs refuses to type a secret for the origin only into another document.
func (g *target) belongs(ctx context.Context, only string) error {
	if only == "" {
		return nil
	}
	raw, err := g.doc.Call(ctx, "() => location.origin")
	if err != nil {
		return err
	}
	var origin string
	if err := json.Unmarshal(raw, &origin); err == nil && strings.EqualFold(origin, only) {
		return nil
	}
	return &surface.Fault{
		Kind:       surface.FaultBlocked,
		Message:    fmt.Sprintf("%s stands on %s now, and the secret is for %s: nothing was typed.", g.name(), surface.Clip(origin, 100), only),
		Suggestion: "Call annotate_page to see where the page went.",
	}
}

// showing are the boxes in which the documents show secrets that were typed into their origin, in CSS
// pixels of the top page's viewport.
func (s *Session) showing(ctx context.Context, docs []placed, elements []annotator.Element) ([]annotator.Box, error) {
	var boxes []annotator.Box
	var all []string
	for _, d := range docs {
		values := s.coveredAt(d.origin)
		if len(values) == 0 {
			continue
		}
		all = append(all, values...)
		raw, err := d.doc.Call(ctx, coverScript, values)
		if err != nil {
			return nil, fmt.Errorf("looking for secrets on the page: %w", err)
		}
		var found []collect.Rect
		if err := json.Unmarshal(raw, &found); err != nil {
			return nil, fmt.Errorf("looking for secrets on the page: %w", err)
		}
		for _, r := range found {
			boxes = append(boxes, annotator.Box{
				X: d.at.X + r.X*d.at.ScaleX, Y: d.at.Y + r.Y*d.at.ScaleY, Width: r.W * d.at.ScaleX, Height: r.H * d.at.ScaleY,
			})
		}
	}
	// What stands below a closed root only the collector sees.
	for _, e := range elements {
		if slices.ContainsFunc(all, func(v string) bool { return strings.Contains(e.Value, v) || strings.Contains(e.Name, v) }) {
			boxes = append(boxes, e.Box)
		}
	}
	return boxes, nil
}

// unprintable refuses to print a page that shows a secret: a PDF cannot be painted over.
func (s *Session) unprintable(ctx context.Context, docs []*cdp.Document) error {
	var all []placed
	for _, d := range docs {
		raw, err := d.Call(ctx, "() => location.origin")
		var origin string
		if err == nil && json.Unmarshal(raw, &origin) == nil {
			all = append(all, placed{d, origin, cdp.Place{ScaleX: 1, ScaleY: 1}})
		}
	}
	boxes, err := s.showing(ctx, all, nil)
	if err == nil && len(boxes) > 0 {
		return &surface.Fault{
			Kind: surface.FaultBlocked, Message: "The page shows a secret that was typed into it, and a PDF would hold it: nothing was printed.",
			Suggestion: "Send the form or empty the field first, or take_screenshot: there it is painted over.",
		}
	}
	return err
}
