package panelpage

import (
	"context"
	"encoding/json"
	"time"

	"sextant/shared/wire"
)

const drawLimit = time.Second

// draw asks the window to show the numbers of a snapshot. Errors are ignored: the numbers are only for people.
func (p *Page) draw(ctx context.Context, l *snapshot) {
	w := p.s.connected()
	if w == nil {
		return
	}
	marks := wire.SurfaceMarks{Marks: make([]wire.SurfaceMark, 0, len(l.Elements))}
	for _, e := range l.Elements {
		if element, ok := p.s.cfg.Elements.Element(e.ID); ok {
			marks.Marks = append(marks.Marks, wire.SurfaceMark{Handle: element.Handle, Element: e})
		}
	}
	p.s.mu.Lock()
	marks.Version, marks.DocID = p.version, p.docs[0].key
	if l.framed {
		marks.FrameDocID = p.docs[1].key
	}
	p.s.mu.Unlock()
	arg, err := json.Marshal(marks)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, drawLimit)
	defer cancel()
	_, _ = w.Ask(ctx, wire.SurfaceRequest{Panel: p.panel, Operation: "marks", Args: []json.RawMessage{arg}})
}
