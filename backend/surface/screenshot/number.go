package screenshot

import (
	"image"
	"image/color"
	"image/draw"
	"math"
	"strconv"

	"sextant/shared/annotation"
)

func digits(d byte) [7]byte {
	switch d {
	case '0':
		return [7]byte{0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110}
	case '1':
		return [7]byte{0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110}
	case '2':
		return [7]byte{0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111}
	case '3':
		return [7]byte{0b11110, 0b00001, 0b00001, 0b01110, 0b00001, 0b00001, 0b11110}
	case '4':
		return [7]byte{0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010}
	case '5':
		return [7]byte{0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110}
	case '6':
		return [7]byte{0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110}
	case '7':
		return [7]byte{0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000}
	case '8':
		return [7]byte{0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110}
	default:
		return [7]byte{0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100}
	}
}

// rectangle converts a box of the viewport, which is at (dx, dy) of the picture, to pixels of the picture.
func rectangle(b annotation.Box, dx, dy, scale float64) image.Rectangle {
	round := func(v float64) int { return int(math.Round(min(max(v, -1e6), 1e6) * scale)) }
	return image.Rect(round(b.X+dx), round(b.Y+dy), round(b.X+b.Width+dx), round(b.Y+b.Height+dy))
}

// drawNumber draws an element's frame and, above its upper left corner, its number in a badge. The badge of a
// disabled element is hollow.
func drawNumber(canvas *image.RGBA, e annotation.Element, dx, dy, scale float64) {
	r := rectangle(e.Box, dx, dy, scale)
	if !r.Overlaps(canvas.Bounds()) {
		return
	}
	foreground := color.RGBA{0xc2, 0x18, 0x5b, 0xff}
	background := color.RGBA{0xff, 0xff, 0xff, 0xff}
	if !e.Usable {
		foreground, background = background, foreground
	}
	line := color.RGBA{0xc2, 0x18, 0x5b, 0xff}
	thickness := max(1, int(math.Round(scale)))
	outline(canvas, r, line, thickness)
	// Smaller digits cannot be read.
	dot := max(2, int(math.Round(scale*1.5)))
	text := strconv.Itoa(e.ID)
	w, h := (len(text)*6+1)*dot+2*dot, 9*dot
	at := image.Pt(max(r.Min.X, 0), max(r.Min.Y-h, 0))
	at.X = min(at.X, max(canvas.Bounds().Max.X-w, 0))
	badge := image.Rectangle{Min: at, Max: at.Add(image.Pt(w, h))}
	draw.Draw(canvas, badge, image.NewUniform(foreground), image.Point{}, draw.Src)
	outline(canvas, badge, line, thickness)
	for i := range len(text) {
		for row, bits := range digits(text[i]) {
			for col := range 5 {
				if bits&(1<<(4-col)) == 0 {
					continue
				}
				p := image.Pt(at.X+(2+i*6+col)*dot, at.Y+(1+row)*dot)
				draw.Draw(canvas, image.Rectangle{Min: p, Max: p.Add(image.Pt(dot, dot))}, image.NewUniform(background),
					image.Point{}, draw.Src)
			}
		}
	}
}

func outline(canvas *image.RGBA, r image.Rectangle, c color.Color, thickness int) {
	u := image.NewUniform(c)
	for _, side := range []image.Rectangle{
		image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+thickness),
		image.Rect(r.Min.X, r.Max.Y-thickness, r.Max.X, r.Max.Y),
		image.Rect(r.Min.X, r.Min.Y, r.Min.X+thickness, r.Max.Y),
		image.Rect(r.Max.X-thickness, r.Min.Y, r.Max.X, r.Max.Y),
	} {
		draw.Draw(canvas, side, u, image.Point{}, draw.Src)
	}
}
