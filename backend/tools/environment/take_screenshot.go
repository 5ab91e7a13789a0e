package environment

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"math"

	"sextant/backend/surface"
	"sextant/shared/toolspec"
)

//go:embed take_screenshot.md
var screenshotAbout string

type screenshotParams struct {
	Annotated bool `json:"annotated"`
	ID        int  `json:"annotationId" min:"0"`
	FullPage  bool `json:"full_page"`
	MaxTokens int  `json:"max_tokens" min:"50"`
}

// shot is the value of take_screenshot; the picture itself is in the result's images.
type shot struct {
	Width  int `json:"width"`
	Height int `json:"height"`
	// Scale is pixels of the picture for a CSS pixel of the page; Tokens is about what it costs.
	Scale  float64 `json:"scale"`
	Tokens int     `json:"tokens"`
	Bytes  int     `json:"bytes"`
	URL    string  `json:"url"`
	// Note says what was done to keep the picture in bounds.
	Note string `json:"note,omitempty"`
}

// Bounds of a picture: services refuse longer sides, and every byte crosses each door.
const (
	maxSide  = 7_800
	maxBytes = 4 << 20
)

func (t *Tools) takeScreenshot() tool {
	return build(tool{
		name: "take_screenshot", about: about(screenshotAbout), hints: toolspec.Hints{ReadOnly: true, OpenWorld: true}, timeout: 60_000,
		examples: []string{`{}`, `{"annotated":true,"max_tokens":800}`, `{"annotationId":12}`},
	}, func(s session, p screenshotParams) toolspec.Description {
		if p.ID > 0 {
			d := present(s, "Photographing", p.ID)
			d.Moves = true // an element out of sight is scrolled into it
			return d
		}
		return toolspec.Description{Present: "Taking a picture of the page"}
	}, func(ctx context.Context, s session, p screenshotParams) (toolspec.Result, error) {
		if p.ID > 0 && p.FullPage {
			return toolspec.Result{}, &argumentError{"annotationId and full_page stand together", "send one of them"}
		}
		pic, err := s.Screenshot(ctx, surface.ScreenshotOptions{Annotated: p.Annotated, FullPage: p.FullPage, ID: p.ID, MaxTokens: p.MaxTokens})
		if err != nil {
			return toolspec.Result{}, err
		}
		note := ""
		if pic.MIME == "image/png" {
			if pic, note, err = fitted(pic); err != nil {
				return toolspec.Result{}, err
			}
		}
		v := shot{
			Width: pic.Width, Height: pic.Height, Scale: math.Round(pic.Scale*1000) / 1000, Tokens: pic.Tokens(),
			Bytes: len(pic.Data), URL: s.Address(), Note: note,
		}
		r := toolspec.OK(v)
		r.Text = fmt.Sprintf("Picture of %s, %d × %d pixels, scale %g, about %d tokens.", place(v.URL), v.Width, v.Height, v.Scale, v.Tokens)
		if note != "" {
			r.Text += " " + note
		}
		r.Images = []toolspec.Image{{MIME: pic.MIME, Data: pic.Data}}
		r.Sentence = "Took a picture of the page"
		if p.ID > 0 {
			r.Sentence = "Took a picture of " + called(s, p.ID)
		}
		r.Preview = []string{fmt.Sprintf("%d × %d pixels · %d KB", v.Width, v.Height, (v.Bytes+1023)/1024)}
		r.Sources = sources(v.URL)
		return r, nil
	})
}

// fitted keeps a picture in the bounds of what can be passed on.
func fitted(pic surface.Picture) (surface.Picture, string, error) {
	data, size, note, err := bounded(pic.Data)
	if err != nil {
		return pic, "", err
	}
	if size.Y >= pic.Height/2 && size.X < pic.Width && len(data) < len(pic.Data) {
		pic.Scale *= float64(size.X) / float64(pic.Width)
	}
	pic.Data, pic.Width, pic.Height = data, size.X, size.Y
	return pic, note, nil
}

// bounded keeps a PNG within maxSide and maxBytes: what is too long is cut at the bottom or
// right, what is still too heavy is halved until it fits.
func bounded(raw []byte) (data []byte, size image.Point, note string, err error) {
	cfg, err := png.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		return nil, size, "", fmt.Errorf("reading the picture: %w", err)
	}
	size = image.Pt(cfg.Width, cfg.Height)
	if cfg.Width <= maxSide && cfg.Height <= maxSide && len(raw) <= maxBytes {
		return raw, size, "", nil
	}
	if cfg.Width > 40_000 || cfg.Height > 40_000 || cfg.Width*cfg.Height > 200_000_000 {
		return nil, size, "", &argumentError{fmt.Sprintf("the picture is too large: %d × %d pixels", cfg.Width, cfg.Height), "take the viewport or one element, and scroll"}
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		return nil, size, "", fmt.Errorf("reading the picture: %w", err)
	}
	pic := crop(img, maxSide)
	if pic.Rect.Size() != size {
		note = fmt.Sprintf("Cut to the first %d × %d of %d × %d pixels.", pic.Rect.Dx(), pic.Rect.Dy(), size.X, size.Y)
	}
	for {
		var b bytes.Buffer
		if err := png.Encode(&b, pic); err != nil {
			return nil, size, "", fmt.Errorf("writing the picture: %w", err)
		}
		if b.Len() <= maxBytes || pic.Rect.Dx() < 200 {
			return b.Bytes(), pic.Rect.Size(), note, nil
		}
		pic = half(pic)
		note = fmt.Sprintf("Made smaller to %d × %d of %d × %d pixels.", pic.Rect.Dx(), pic.Rect.Dy(), size.X, size.Y)
	}
}

func crop(img image.Image, side int) *image.RGBA {
	b := img.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, min(b.Dx(), side), min(b.Dy(), side)))
	draw.Draw(out, out.Rect, img, b.Min, draw.Src)
	return out
}

// half averages each two by two pixels.
func half(p *image.RGBA) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, max(1, p.Rect.Dx()/2), max(1, p.Rect.Dy()/2)))
	for y := range out.Rect.Dy() {
		for x := range out.Rect.Dx() {
			a, b := p.PixOffset(2*x, 2*y), p.PixOffset(2*x, min(2*y+1, p.Rect.Dy()-1))
			o := out.PixOffset(x, y)
			for i := range 4 {
				out.Pix[o+i] = byte((int(p.Pix[a+i]) + int(p.Pix[a+4+i]) + int(p.Pix[b+i]) + int(p.Pix[b+4+i])) / 4)
			}
		}
	}
	return out
}
