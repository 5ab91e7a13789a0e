package page

import (
	"context"
	"errors"
	"fmt"
	"math"

	"sextant/backend/surface"
	"sextant/backend/tools/page/observation"
	"sextant/backend/tools/page/pngfit"
	"sextant/shared/toolspec"
)

type screenshotParams struct {
	Annotated bool `json:"annotated"`
	ID        int  `json:"annotationId" min:"0"`
	FullPage  bool `json:"full_page"`
	MaxTokens int  `json:"max_tokens" min:"50"`
}

// The picture itself is in the images of the Result.
type screenshotValue struct {
	Width  int `json:"width"`
	Height int `json:"height"`
	// Scale is the number of pixels per CSS pixel.
	Scale  float64 `json:"scale"`
	Tokens int     `json:"tokens"`
	Bytes  int     `json:"bytes"`
	URL    string  `json:"url"`
	Note   string  `json:"note,omitempty"`
}

func (t *Tools) takeScreenshot() tool {
	return build(tool{
		name: "take_screenshot", hints: toolspec.Hints{ReadOnly: true, OpenWorld: true}, timeout: 60_000,
		examples: []string{`{}`, `{"annotated":true,"max_tokens":800}`, `{"annotationId":12}`},
	}, func(s session, p screenshotParams) toolspec.Description {
		if p.ID > 0 {
			d := describeElement(s, "Taking a picture of", p.ID)
			d.ScrollsPage = true // an element out of view is scrolled into view
			return d
		}
		return toolspec.Description{Sentence: "Taking a picture of the page"}
	}, func(ctx context.Context, s session, p screenshotParams) (toolspec.Result, error) {
		if p.ID > 0 && p.FullPage {
			return toolspec.Result{}, &argumentError{
				"annotationId and full_page cannot be combined",
				"send one of them",
			}
		}
		pic, err := s.Screenshot(ctx, surface.ScreenshotOptions{
			Annotated: p.Annotated, FullPage: p.FullPage, ID: p.ID,
			MaxTokens: p.MaxTokens,
		})
		if err != nil {
			return toolspec.Result{}, err
		}
		note := ""
		if pic.MIME == "image/png" {
			if pic, note, err = fit(pic); err != nil {
				return toolspec.Result{}, err
			}
		}
		v := screenshotValue{
			Width: pic.Width, Height: pic.Height, Scale: math.Round(pic.Scale*1000) / 1000, Tokens: pic.Tokens(),
			Bytes: len(pic.Data), URL: s.Address(), Note: note,
		}
		r := toolspec.OK(v)
		r.Text = fmt.Sprintf("Picture of %s, %d × %d pixels, scale %g, about %d tokens.",
			observation.DisplayName(v.URL),
			v.Width, v.Height, v.Scale, v.Tokens)
		if note != "" {
			r.Text += " " + note
		}
		r.Images = []toolspec.Image{{MIME: pic.MIME, Data: pic.Data}}
		r.Sentence = "Took a picture of the page"
		if p.ID > 0 {
			r.Sentence = "Took a picture of " + nameOf(s, p.ID)
		}
		r.Preview = []string{fmt.Sprintf("%d × %d pixels · %d KB", v.Width, v.Height, (v.Bytes+1023)/1024)}
		r.Sources = observation.Sources(v.URL)
		return r, nil
	})
}

func fit(pic surface.Picture) (surface.Picture, string, error) {
	data, size, note, err := pngfit.Fit(pic.Data)
	if errors.Is(err, pngfit.ErrTooLarge) {
		return pic, "", &argumentError{err.Error(), "take the viewport or one element, and scroll"}
	}
	if err != nil {
		return pic, "", err
	}
	if size.Y >= pic.Height/2 && size.X < pic.Width && len(data) < len(pic.Data) {
		pic.Scale *= float64(size.X) / float64(pic.Width)
	}
	pic.Data, pic.Width, pic.Height = data, size.X, size.Y
	return pic, note, nil
}
