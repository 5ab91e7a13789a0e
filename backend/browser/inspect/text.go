package inspect

import (
	"context"
	"fmt"
	"strings"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/observe"
	"sextant/backend/browser/observe/collect"
	"sextant/backend/browser/page"
)

const maxHTML = 16 << 20

// Selection returns the text that is selected in the active tab, "" for none.
func Selection(ctx context.Context, s *page.Session) (string, error) {
	var selected string
	err := s.Read(ctx, func(ctx context.Context, docs []*cdp.Document) error {
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

// HTML returns the active tab's document as it is now, without scripts and hidden content. The documents of its frames
// follow in <section> elements with their addresses, except for frames that do not answer or do not fit.
func HTML(ctx context.Context, s *page.Session) (html, url, title string, err error) {
	var out strings.Builder
	err = s.Read(ctx, func(ctx context.Context, docs []*cdp.Document) error {
		for _, doc := range docs {
			bounded, cancel := context.WithTimeout(ctx, observe.FrameTimeout*2)
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
