package cdp

import "math"

// projection maps the unit square to four corners by the perspective transform (a*u+b*v+c, d*u+e*v+f) / (g*u+h*v+1).
type projection struct{ a, b, c, d, e, f, g, h float64 }

// newProjection returns the map to the corners (x0, y0) … (x3, y3), clockwise from the upper left (Heckbert,
// "Fundamentals of Texture Mapping", 1989, 2.2.3). ok is false when the corners enclose no area.
func newProjection(q [8]float64) (w projection, ok bool) {
	x0, y0, x1, y1, x2, y2, x3, y3 := q[0], q[1], q[2], q[3], q[4], q[5], q[6], q[7]
	dx1, dx2, sx := x1-x2, x3-x2, x0-x1+x2-x3
	dy1, dy2, sy := y1-y2, y3-y2, y0-y1+y2-y3
	den := dx1*dy2 - dx2*dy1
	if math.Abs(den) < 1e-9 {
		return w, false
	}
	w.g, w.h = (sx*dy2-dx2*sy)/den, (dx1*sy-sx*dy1)/den
	w.a, w.b, w.c = x1-x0+w.g*x1, x3-x0+w.h*x3, x0
	w.d, w.e, w.f = y1-y0+w.g*y1, y3-y0+w.h*y3, y0
	return w, true
}

func (p projection) at(u, v float64) (x, y float64) {
	k := p.g*u + p.h*v + 1
	return (p.a*u + p.b*v + p.c) / k, (p.d*u + p.e*v + p.f) / k
}

func (p projection) from(x, y float64) (u, v float64) {
	a, b, c := p.a-p.g*x, p.b-p.h*x, x-p.c
	d, e, f := p.d-p.g*y, p.e-p.h*y, y-p.f
	den := a*e - b*d
	return (c*e - b*f) / den, (a*f - c*d) / den
}
