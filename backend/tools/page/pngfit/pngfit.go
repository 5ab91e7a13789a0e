// Package pngfit reduces PNG pictures to the size that clients and model services accept.
package pngfit

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"strings"
)

// maxSide is a limit of model services.
const (
	maxSide  = 7_800
	maxBytes = 4 << 20
)

// ErrTooLarge is returned for a picture that is too large to decode.
var ErrTooLarge = errors.New("the picture is too large")

// Fit cuts the PNG raw at the bottom and right to sides of at most 7,800 pixels, then halves its size until it has at
// most 4 MiB or is less than 200 pixels wide. note describes the change, or is "" if there was none.
func Fit(raw []byte) (data []byte, size image.Point, note string, err error) {
	cfg, err := png.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		return nil, size, "", fmt.Errorf("reading the picture: %w", err)
	}
	size = image.Pt(cfg.Width, cfg.Height)
	if cfg.Width <= maxSide && cfg.Height <= maxSide && len(raw) <= maxBytes {
		return raw, size, "", nil
	}
	if cfg.Width > 40_000 || cfg.Height > 40_000 || cfg.Width*cfg.Height > 200_000_000 {
		return nil, size, "", fmt.Errorf("%w: %d × %d pixels", ErrTooLarge, cfg.Width, cfg.Height)
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil {
		return nil, size, "", fmt.Errorf("reading the picture: %w", err)
	}
	pic := crop(img, maxSide)
	if pic.Rect.Size() != size {
		note = fmt.Sprintf("Cut to the first %d × %d of %d × %d pixels.", pic.Rect.Dx(), pic.Rect.Dy(), size.X, size.Y)
	}
	cut := pic.Rect.Size()
	for {
		var b bytes.Buffer
		if err := png.Encode(&b, pic); err != nil {
			return nil, size, "", fmt.Errorf("writing the picture: %w", err)
		}
		if b.Len() <= maxBytes || pic.Rect.Dx() < 200 {
			if pic.Rect.Size() != cut {
				note = strings.TrimSpace(note + fmt.Sprintf(" Scaled down to %d × %d of %d × %d pixels.",
					pic.Rect.Dx(), pic.Rect.Dy(), cut.X, cut.Y))
			}
			return b.Bytes(), pic.Rect.Size(), note, nil
		}
		pic = halve(pic)
	}
}

func crop(img image.Image, side int) *image.RGBA {
	b := img.Bounds()
	out := image.NewRGBA(image.Rect(0, 0, min(b.Dx(), side), min(b.Dy(), side)))
	draw.Draw(out, out.Rect, img, b.Min, draw.Src)
	return out
}

func halve(p *image.RGBA) *image.RGBA {
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
