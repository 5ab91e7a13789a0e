package browser

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/go-rod/rod/lib/proto"
)

func dragEvent(c proto.Client, kind proto.InputDispatchDragEventType, x, y float64, data *proto.InputDragData) error {
	if err := (proto.InputDispatchDragEvent{Type: kind, X: x, Y: y, Data: data}).Call(c); err != nil {
		return fmt.Errorf("dragging: %w", err)
	}
	return nil
}

// intercept makes the browser hand a drag-and-drop over to us instead of the desktop.
func (d *drag) intercept(ctx context.Context) (stop func(), err error) {
	came := make(chan *proto.InputDragData, 1)
	d.came = came
	d.a.t.set(func() { d.a.t.drags = came })
	stop = func() {
		d.a.t.set(func() { d.a.t.drags = nil })
		d.a.page.Post(d.a.page.Session, proto.InputSetInterceptDrags{Enabled: false})
	}
	if err := (proto.InputSetInterceptDrags{Enabled: true}).Call(d.a.client(ctx)); err != nil {
		stop()
		return nil, fmt.Errorf("preparing a drag: %w", err)
	}
	return stop, nil
}

// dragIntercepted hands on the drag-and-drop that the page began.
func (t *tab) dragIntercepted(params json.RawMessage) {
	var e proto.InputDragIntercepted
	if json.Unmarshal(params, &e) != nil || e.Data == nil {
		return
	}
	t.set(func() {
		select {
		case t.drags <- e.Data:
		default:
		}
	})
}
