package live

import (
	"context"
	_ "embed"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe"
	"sextant/backend/browser/page"
	"sextant/shared/annotation"
	"sextant/shared/wire"
)

//go:embed find.js
var findScript string

type foundInDocument struct {
	Count int
	// Near is the first match that is not above the viewport, -1 for none.
	Near  int
	Boxes []struct {
		annotation.Box
		Match int
	}
	At *annotation.Box
}

// Find finds text in the active tab's page and its frames, and scrolls to the match with the index show, modulo their
// number. When show is -1, it scrolls to the first match that is not above the viewport. When scroll is false, it
// does not scroll.
func (v *View) Find(ctx context.Context, s *page.Session, text string, show int, scroll bool) (wire.Found, error) {
	ctx, cancel := context.WithTimeout(ctx, personWaits)
	defer cancel()
	found := wire.Found{Current: -1, Boxes: []wire.FoundBox{}}
	err := s.Read(ctx, func(ctx context.Context, docs []*cdp.Document) error {
		results := make([]foundInDocument, len(docs))
		near := -1
		for i, doc := range docs {
			one, err := findIn(ctx, doc, text, -1)
			if err != nil && i == 0 {
				return err
			}
			if near < 0 && one.Near >= 0 {
				near = found.Count + one.Near
			}
			results[i] = one
			found.Count += one.Count
		}
		if found.Count == 0 {
			return nil
		}
		if show < 0 {
			show = max(near, 0)
		}
		found.Current = show % found.Count
		if scroll {
			if err := scrollToMatch(ctx, docs, results, text, found.Current); err != nil {
				return err
			}
		}
		before := 0
		for i, doc := range docs {
			if len(results[i].Boxes) > 0 {
				at, err := doc.Placement(ctx)
				if err != nil {
					continue
				}
				for _, b := range results[i].Boxes {
					x, y := at.ToPage(b.X, b.Y)
					box := annotation.Box{X: x, Y: y, Width: b.Width * at.ScaleX, Height: b.Height * at.ScaleY}
					found.Boxes = append(found.Boxes, wire.FoundBox{Box: box, Current: before+b.Match == found.Current})
				}
			}
			before += results[i].Count
		}
		return nil
	})
	return found, err
}

// scrollToMatch also updates the results of the documents that may have scrolled.
func scrollToMatch(
	ctx context.Context, docs []*cdp.Document, results []foundInDocument, text string, match int,
) error {
	i := 0
	for match >= results[i].Count {
		match -= results[i].Count
		i++
	}
	found, err := findIn(ctx, docs[i], text, match)
	if err != nil {
		return err
	}
	results[i] = found
	if docs[i].IsMain() || found.At == nil {
		return nil
	}
	rect := &proto.DOMRect{X: found.At.X, Y: found.At.Y, Width: found.At.Width, Height: found.At.Height}
	if err := docs[i].Reveal(ctx, rect); err != nil {
		return err
	}
	for i, doc := range docs {
		if again, err := findIn(ctx, doc, text, -1); err == nil {
			results[i] = again
		}
	}
	return nil
}

func findIn(ctx context.Context, doc *cdp.Document, text string, show int) (foundInDocument, error) {
	if !doc.IsMain() {
		bounded, cancel := context.WithTimeout(ctx, observe.FrameTimeout)
		defer cancel()
		ctx = bounded
	}
	raw, err := doc.Call(ctx, findScript, text, show)
	if err != nil {
		return foundInDocument{}, err
	}
	return cdp.Decode[foundInDocument](raw)
}
