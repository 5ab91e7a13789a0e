// Package screenshot prepares captured pictures for models and people: it covers secrets, cuts out an element, scales
// to a budget of tokens and draws the numbers of elements.
package screenshot

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"math"

	"sextant/backend/surface"
	"sextant/shared/annotation"
)

func paintOver(canvas *image.RGBA, boxes []annotation.Box, dx, dy, scale float64) {
	for _, b := range boxes {
		draw.Draw(canvas, rectangle(b, dx, dy, scale), image.NewUniform(color.RGBA{0x30, 0x30, 0x30, 0xff}),
			image.Point{}, draw.Src)
	}
}

// maxPlainPNG is the size in bytes up to which a PNG is sent as it is. Above it, encode tries a JPEG.
const maxPlainPNG = 150 << 10

// Capture is a captured picture of a page. OffsetX and OffsetY say where in it the viewport is, and Width how wide it
// is, all in CSS pixels.
type Capture struct {
	PNG []byte
	// Image is the decoded picture; nil means that PNG is still to be decoded.
	Image                   image.Image
	OffsetX, OffsetY, Width float64
	// CoveredBoxes are boxes of the viewport to paint over.
	CoveredBoxes []annotation.Box
}

// Render makes the picture that o asks for. It paints over f.CoveredBoxes, cuts out crop (nil for the whole capture),
// scales to o.MaxTokens, and draws the numbers of elements if o.Annotated is set. The error is a *surface.Fault if crop
// is not in the capture.
func Render(f Capture, elements []annotation.Element, o surface.ScreenshotOptions,
	crop *annotation.Element,
) (surface.Picture, error) {
	src := f.Image
	if src == nil {
		var err error
		if src, err = png.Decode(bytes.NewReader(f.PNG)); err != nil {
			return surface.Picture{}, fmt.Errorf("reading the picture: %w", err)
		}
	}
	bounds := src.Bounds()
	scale := 1.0
	if f.Width > 0 {
		scale = float64(bounds.Dx()) / f.Width
	}
	area := bounds
	if crop != nil {
		const margin = 8
		area = rectangle(crop.Box, f.OffsetX, f.OffsetY, scale).Inset(-margin).Intersect(bounds)
		if area.Empty() {
			return surface.Picture{}, &surface.Fault{
				Kind:    surface.FaultBlocked,
				Message: fmt.Sprintf("[%d] cannot be seen now.", crop.ID), Suggestion: "Call annotate_page.",
			}
		}
	}
	size, shrink := fitTokens(area.Size(), o.MaxTokens)
	if !o.Annotated && crop == nil && shrink == 1 && f.PNG != nil && len(f.PNG) <= maxPlainPNG &&
		len(f.CoveredBoxes) == 0 {
		return surface.Picture{Data: f.PNG, MIME: "image/png", Width: size.X, Height: size.Y, Scale: scale}, nil
	}
	canvas := image.NewRGBA(area)
	draw.Draw(canvas, area, src, area.Min, draw.Src)
	paintOver(canvas, f.CoveredBoxes, f.OffsetX, f.OffsetY, scale)
	canvas = downscale(canvas, size)
	if o.Annotated {
		dx, dy := f.OffsetX-float64(area.Min.X)/scale, f.OffsetY-float64(area.Min.Y)/scale
		for _, e := range elements {
			drawNumber(canvas, e, dx, dy, scale*shrink)
		}
	}
	return encode(canvas, scale*shrink)
}

// WindowCapture is a picture of a whole window, of which one part is to be shown. PNG is the whole window and Width its
// width in CSS pixels. Part is the box to show, and CoveredBoxes are boxes to paint over. Elements are those whose
// numbers can be drawn. Crop is the element to cut out, nil for all of Part. Boxes are in CSS pixels of the window.
type WindowCapture struct {
	PNG          []byte
	Width        float64
	Part         annotation.Box
	CoveredBoxes []annotation.Box
	Elements     []annotation.Element
	Crop         *annotation.Element
}

// RenderWindow is like Render, for the part of a window. It returns a *surface.Fault if the part is not in the picture.
func RenderWindow(d WindowCapture, o surface.ScreenshotOptions) (surface.Picture, error) {
	all, err := png.Decode(bytes.NewReader(d.PNG))
	if err != nil {
		return surface.Picture{}, fmt.Errorf("reading the picture: %w", err)
	}
	cut, ok := all.(interface {
		SubImage(r image.Rectangle) image.Image
	})
	if !ok || d.Width <= 0 {
		return surface.Picture{}, errors.New("reading the picture: it has no part that can be cut out")
	}
	scale := float64(all.Bounds().Dx()) / d.Width
	part := cut.SubImage(rectangle(d.Part, 0, 0, scale))
	if part.Bounds().Empty() {
		return surface.Picture{}, &surface.Fault{
			Kind:    surface.FaultBlocked,
			Message: "Nothing of the page can be seen now.", Suggestion: "Ask the person to make the window larger.",
		}
	}
	return Render(Capture{Image: part, Width: float64(part.Bounds().Dx()) / scale, CoveredBoxes: d.CoveredBoxes},
		d.Elements, o,
		d.Crop)
}

func fitTokens(size image.Point, tokens int) (image.Point, float64) {
	if maxPixels := float64(tokens * surface.PixelsPerToken); tokens > 0 && float64(size.X*size.Y) > maxPixels {
		k := math.Sqrt(maxPixels / float64(size.X*size.Y))
		// A very thin picture keeps at least one pixel.
		w, h := max(1, int(float64(size.X)*k)), max(1, int(float64(size.Y)*k))
		return image.Pt(w, h), float64(w) / float64(size.X)
	}
	return size, 1
}

func downscale(p *image.RGBA, size image.Point) *image.RGBA {
	from := p.Rect.Size()
	out := image.NewRGBA(image.Rectangle{Max: size})
	if size == from {
		draw.Draw(out, out.Rect, p, p.Rect.Min, draw.Src)
		return out
	}
	for y := range size.Y {
		y0, y1 := y*from.Y/size.Y, max((y+1)*from.Y/size.Y, y*from.Y/size.Y+1)
		for x := range size.X {
			x0, x1 := x*from.X/size.X, max((x+1)*from.X/size.X, x*from.X/size.X+1)
			var sum [4]int
			for sy := y0; sy < y1; sy++ {
				at := p.PixOffset(p.Rect.Min.X+x0, p.Rect.Min.Y+sy)
				for i, v := range p.Pix[at : at+4*(x1-x0)] {
					sum[i%4] += int(v)
				}
			}
			n, o := (y1-y0)*(x1-x0), out.PixOffset(x, y)
			for i := range 4 {
				out.Pix[o+i] = byte(sum[i] / n)
			}
		}
	}
	return out
}

// encode writes a picture as PNG, which keeps text sharp, or, above maxPlainPNG, as JPEG where that is less than
// half the size.
func encode(p *image.RGBA, scale float64) (surface.Picture, error) {
	var out bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestSpeed}
	if err := enc.Encode(&out, p); err != nil {
		return surface.Picture{}, fmt.Errorf("writing the picture: %w", err)
	}
	pic := surface.Picture{Data: out.Bytes(), MIME: "image/png", Width: p.Rect.Dx(), Height: p.Rect.Dy(), Scale: scale}
	if out.Len() <= maxPlainPNG {
		return pic, nil
	}
	var jpegData bytes.Buffer
	if err := jpeg.Encode(&jpegData, p, &jpeg.Options{Quality: 85}); err != nil {
		return surface.Picture{}, fmt.Errorf("writing the picture: %w", err)
	}
	if jpegData.Len()*2 < out.Len() {
		pic.Data, pic.MIME = jpegData.Bytes(), "image/jpeg"
	}
	return pic, nil
}
