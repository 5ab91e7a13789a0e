package live

import (
	"math"
	"slices"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/page"
	"sextant/shared/wire"
)

// Chromium sends the picture of a page that no longer changes only once, drops it for a busy reader, and sometimes
// sends none for a new size or page. Restarting the screencast makes it send the current picture.
const (
	// pictureTimeout is how long to wait for a due picture, doubled with each restart.
	pictureTimeout      = 400 * time.Millisecond
	maxScreencastStarts = 6
	// anySizeAfter is the number of restarts up to which a picture of a size other than the viewport's is ignored.
	anySizeAfter = 2
	// lateAfter is the age of a picture from which later ones may have been dropped.
	lateAfter = 50 * time.Millisecond
)

type duePicture struct {
	timer  *time.Timer
	starts int
}

// UpdateFront implements page.Viewer. It takes the manager's lock.
func (v *View) UpdateFront() {
	v.manager.Lock()
	defer v.manager.Unlock()
	var want *page.Tab
	if t := v.manager.WindowTab(); t != nil && len(v.readers) > 0 && t.Page != nil {
		want = t
	}
	if v.shown == want && want != nil {
		return
	}
	if old := v.shown; old != nil && old != want && old.Page != nil {
		old.Page.Post(old.Page.SessionID, proto.PageStopScreencast{})
	}
	if want == nil && v.shown == nil {
		v.stopAll()
	}
	v.shown = want
	v.clearDue()
	if want == nil {
		return
	}
	l := v.readers[len(v.readers)-1]
	p := want.Page
	want.Width, want.Height, want.Scale = l.width, l.height, l.scale
	p.Post(p.SessionID, want.Metrics())
	if !v.manager.Config.Headless {
		p.Post(p.SessionID, proto.PageBringToFront{})
	}
	v.startScreencast(want)
	v.Repaint(want)
}

// startScreencast is called under the lock.
func (v *View) startScreencast(t *page.Tab) {
	quality, w, h := 80, int(math.Ceil(float64(t.Width)*t.Scale)), int(math.Ceil(float64(t.Height)*t.Scale))
	t.Page.Post(t.Page.SessionID, proto.PageStopScreencast{})
	t.Page.Post(t.Page.SessionID, proto.PageStartScreencast{
		Format: proto.PageStartScreencastFormatJpeg, Quality: &quality, MaxWidth: &w, MaxHeight: &h,
	})
}

// Repaint implements page.Viewer.
func (v *View) Repaint(t *page.Tab) {
	if v.shown != t {
		return
	}
	v.clearDue()
	v.due = &duePicture{}
	v.scheduleRestart(v.due)
}

// clearDue is called under the lock.
func (v *View) clearDue() {
	if v.due != nil {
		v.due.timer.Stop()
		v.due = nil
	}
}

// scheduleRestart is called under the lock.
func (v *View) scheduleRestart(d *duePicture) {
	d.timer = time.AfterFunc(pictureTimeout<<d.starts, func() {
		v.manager.Lock()
		defer v.manager.Unlock()
		if v.due != d {
			return
		}
		if v.shown == nil || v.shown.Page == nil || d.starts == maxScreencastStarts {
			v.due = nil
			return
		}
		d.starts++
		v.startScreencast(v.shown)
		v.scheduleRestart(d)
	})
}

// checkDue requests another picture when the first is late. Called under the lock.
func (v *View) checkDue(m *proto.PageScreencastFrameMetadata) {
	want := v.shown.Metrics()
	late := m.Timestamp > 0 && time.Since(m.Timestamp.Time()) > lateAfter
	switch fits := math.Abs(m.DeviceWidth-float64(want.Width)) <= 1 &&
		math.Abs(m.DeviceHeight-float64(want.Height)) <= 1; {
	case !fits && (v.due == nil || v.due.starts <= anySizeAfter):
	case late && (v.due == nil || v.due.starts == 0):
		v.Repaint(v.shown)
	default:
		v.clearDue()
	}
}

// stopAll is called under the lock.
func (v *View) stopAll() {
	for _, t := range v.manager.WindowTabs() {
		if t.Page != nil {
			t.Page.Post(t.Page.SessionID, proto.PageStopScreencast{})
		}
	}
}

// HandleScreencastFrame implements page.Viewer.
func (v *View) HandleScreencastFrame(t *page.Tab, p *cdp.Page, ev cdp.Event) {
	f, ok := cdp.DecodeEvent[proto.PageScreencastFrame](ev)
	if !ok || f.Metadata == nil {
		return
	}
	// The feed holds pictures back for a slow reader. Chromium must not: it would drop the last picture of a page
	// that then no longer changes.
	p.Post(ev.SessionID, proto.PageScreencastFrameAck{SessionID: f.SessionID})
	v.manager.Lock()
	readers := slices.Clone(v.readers)
	shown := v.shown == t
	if shown {
		v.checkDue(f.Metadata)
	}
	moved := t.ScrollOffset != [2]float64{f.Metadata.ScrollOffsetX, f.Metadata.ScrollOffsetY}
	t.ScrollOffset = [2]float64{f.Metadata.ScrollOffsetX, f.Metadata.ScrollOffsetY}
	v.manager.Unlock()
	if !shown {
		return
	}
	for _, l := range readers {
		l.feed.Offer(Frame{JPEG: f.Data, Header: wire.FrameHeader{
			Tab: t.ID, Width: f.Metadata.DeviceWidth, Height: f.Metadata.DeviceHeight,
			ScrollX: f.Metadata.ScrollOffsetX, ScrollY: f.Metadata.ScrollOffsetY,
		}})
	}
	if moved {
		v.RequestMarks()
	}
}
