package browser

import (
	"context"
	"fmt"
	"strings"
	"time"

	"sextant/backend/browser/act/input"
	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/surface"

	"sextant/shared/annotator"
)

// maxHTML bounds what HTML gives back over all frames, in bytes.
const maxHTML = 16 << 20

// SelectText selects text: in the element id (0: the whole page) the place where text
// stands (all of it when empty), of that the characters from start to end (0: to the end).
func (s *Session) SelectText(ctx context.Context, id int, text string, start, end int) (annotator.Answer, error) {
	if id != 0 {
		return s.on(ctx, id, func(ctx context.Context, a *action, g *target) error {
			if err := g.sure(ctx); err != nil {
				return err
			}
			now, err := collect.SelectText(ctx, g.doc, g.thing.Handle, text, start, end)
			if err != nil {
				return g.blocked(err)
			}
			a.does("selected %q in %s", surface.Clip(now, 80), g.name())
			return a.showSelection(ctx, g.doc)
		})
	}
	t, err := s.current(ctx)
	if err != nil {
		return annotator.Answer{}, err
	}
	return s.act(ctx, t, func(ctx context.Context, a *action) error {
		var first error
		for _, doc := range a.page.Documents() {
			now, err := collect.SelectText(ctx, doc, 0, text, start, end)
			if err == nil {
				a.does("selected %q", surface.Clip(now, 80))
				return a.showSelection(ctx, doc)
			}
			if first == nil {
				first = err
			}
		}
		return first
	})
}

// noticing is how long an editor may take to look at what is selected after a key: some wait
// a tenth of a second for the keys to be over.
const noticing = 130 * time.Millisecond

// showSelection lets a rich-text editor learn what is selected in it. Some look for it only when
// a key or a button of the mouse is let go, so a key is pressed that does nothing by itself; what
// is chosen in their toolbar later would else change nothing, or the wrong place.
func (a *action) showSelection(ctx context.Context, doc *cdp.Document) error {
	if edits, err := collect.Edits(ctx, doc); err != nil || !edits {
		return err
	}
	if err := input.Key(a.client(ctx), "Shift"); err != nil {
		return err
	}
	select {
	case <-time.After(noticing):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Selection is the text that is selected in the active tab, "" for none.
func (s *Session) Selection(ctx context.Context) (string, error) {
	var selected string
	err := s.read(ctx, func(ctx context.Context, docs []*cdp.Document) error {
		for _, doc := range docs {
			text, err := collect.Selection(ctx, doc)
			if err != nil && doc == docs[0] {
				return err
			}
			if text != "" {
				selected = text
				return nil
			}
		}
		return nil
	})
	return selected, err
}

// HTML is the active tab's document as it is now, without scripts and what is hidden; the
// documents of its frames follow in <section> elements with their addresses.
func (s *Session) HTML(ctx context.Context) (html, url, title string, err error) {
	var out strings.Builder
	err = s.read(ctx, func(ctx context.Context, docs []*cdp.Document) error {
		for _, doc := range docs {
			bounded, cancel := context.WithTimeout(ctx, frameTimeout*2)
			text, err := collect.HTML(bounded, doc)
			cancel()
			switch {
			case doc == docs[0] && err != nil:
				return err
			case doc == docs[0]:
				url = doc.URL()
				out.WriteString(text)
			case err == nil && text != "" && out.Len()+len(text) < maxHTML:
				fmt.Fprintf(&out, "\n<section data-frame=%q>\n%s\n</section>", doc.URL(), text)
			}
		}
		raw, err := docs[0].Call(ctx, `function () { return document.title }`)
		if err != nil {
			return err
		}
		title, err = cdp.Decode[string](raw)
		return err
	})
	return out.String(), url, title, err
}

// read asks the active tab's documents something that changes nothing. It takes the tab's
// turn, so that it does not read in the middle of an action.
func (s *Session) read(ctx context.Context, ask func(context.Context, []*cdp.Document) error) error {
	t, err := s.current(ctx)
	if err != nil {
		return err
	}
	release, err := t.acquire(ctx)
	if err != nil {
		return err
	}
	defer release()
	if f := t.fit(); f != nil {
		return f
	}
	ctx, done := t.begin(ctx)
	defer done()
	ctx, cancel := context.WithTimeoutCause(ctx, 15*time.Second, errUnresponsive)
	defer cancel()
	s.b.Lock()
	a := &action{t: t, page: t.page, watch: t.tracker.Begin(s.b.cfg.Limits)}
	s.b.Unlock()
	defer a.watch.Close()
	a.watch.Looks()
	a.watch.Wait(ctx, a.rester())
	if err := ask(ctx, a.page.Documents()); err != nil {
		return t.mend(ctx, err)
	}
	return nil
}
