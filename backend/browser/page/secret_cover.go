package page

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/browser/observe"
	"sextant/backend/browser/observe/collect"
	"sextant/shared/annotation"
)

//go:embed secret_boxes.js
var coverScript string

const maxCovered = 64

// minCoveredLine is the length in bytes from which a single line of a secret is covered too.
const minCoveredLine = 16

type typedSecret struct{ text, origin string }

// CoverSecret adds a typed secret that pictures must cover in documents of origin.
func (t *Tab) CoverSecret(text, origin string) {
	t.WithLock(func() {
		c := typedSecret{text, origin}
		list := slices.DeleteFunc(t.Session.covered, func(o typedSecret) bool { return o == c })
		if len(list) >= maxCovered {
			list = list[1:]
		}
		t.Session.covered = append(list, c)
	})
}

func (s *Session) secretsOf(origin string) []string {
	s.Manager.Lock()
	defer s.Manager.Unlock()
	var all []string
	for _, c := range s.covered {
		if !strings.EqualFold(c.origin, origin) {
			continue
		}
		all = append(all, c.text)
		for line := range strings.Lines(c.text) {
			if line = strings.TrimSpace(line); line != c.text && len(line) >= minCoveredLine {
				all = append(all, line)
			}
		}
	}
	return all
}

// SecretBoxes returns the boxes in which documents show secrets that were typed into their origin, in CSS pixels of the
// top page's viewport.
func (s *Session) SecretBoxes(ctx context.Context, docs []observe.PlacedDocument,
	elements []annotation.Element,
) ([]annotation.Box, error) {
	var boxes []annotation.Box
	var all []string
	for _, d := range docs {
		values := s.secretsOf(d.Origin)
		if len(values) == 0 {
			continue
		}
		all = append(all, values...)
		raw, err := d.Document.Call(ctx, coverScript, values)
		if err != nil {
			return nil, fmt.Errorf("looking for secrets on the page: %w", err)
		}
		var found []collect.Rect
		if err := json.Unmarshal(raw, &found); err != nil {
			return nil, fmt.Errorf("looking for secrets on the page: %w", err)
		}
		for _, r := range found {
			boxes = append(boxes, annotation.Box{
				X: d.Placement.X + r.X*d.Placement.ScaleX, Y: d.Placement.Y + r.Y*d.Placement.ScaleY,
				Width: r.W * d.Placement.ScaleX, Height: r.H * d.Placement.ScaleY,
			})
		}
	}
	// Only the collector sees the content of a closed shadow root.
	for _, e := range elements {
		if slices.ContainsFunc(all, func(v string) bool {
			return strings.Contains(e.Value, v) ||
				strings.Contains(e.Name, v)
		}) {
			boxes = append(boxes, e.Box)
		}
	}
	return boxes, nil
}
