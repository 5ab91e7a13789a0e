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

// The picture of a page that rests comes once. Chromium drops it when too many wait for a busy reader, and
// sometimes sends none for a new size or a new page; a screencast that is started again sends what the page shows
// now.
const (
	// pictureTimeout is how long a picture that must come is waited for, doubled with each new start.
	pictureTimeout = 400 * time.Millisecond
	// maxScreencastStarts is how often one picture is asked for.
	maxScreencastStarts = 6
	// anySizeAfter is after how many of them a picture of another size than the viewport's is taken.
	anySizeAfter = 2
	// lateAfter is the age from which a picture may have had followers that were dropped.
	lateAfter = 50 * time.Millisecond
)

// duePicture is a picture that must come, of the tab that is shown.
type duePicture struct {
	timer  *time.Timer
	starts int
}

// FrontChanged implements page.Viewer: the picture comes from the window's active tab, if anybody watches. It only
// posts, so it may be called from anywhere but under the lock.
func (v *View) FrontChanged() {
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
		old.Page.Post(old.Page.Session, proto.PageStopScreencast{})
	}
	if want == nil && v.shown == nil {
		v.stopAll()
	}
	v.shown = want
	v.settleDue()
	if want == nil {
		return
	}
	l := v.readers[len(v.readers)-1]
	p := want.Page
	want.Width, want.Height, want.Scale = l.width, l.height, l.scale
	p.Post(p.Session, want.Metrics())
	if !v.manager.Config.Headless {
		p.Post(p.Session, proto.PageBringToFront{})
	}
	v.startScreencast(want)
	v.Repaint(want)
}

// startScreencast starts the tab's screencast again. Called under the lock.
func (v *View) startScreencast(t *page.Tab) {
	quality, w, h := 80, int(math.Ceil(float64(t.Width)*t.Scale)), int(math.Ceil(float64(t.Height)*t.Scale))
	t.Page.Post(t.Page.Session, proto.PageStopScreencast{})
	t.Page.Post(t.Page.Session, proto.PageStartScreencast{
		Format: proto.PageStartScreencastFormatJpeg, Quality: &quality, MaxWidth: &w, MaxHeight: &h,
	})
}

// Repaint implements page.Viewer.
func (v *View) Repaint(t *page.Tab) {
	if v.shown != t {
		return
	}
	v.settleDue()
	v.due = &duePicture{}
	v.chase(v.due)
}

// settleDue forgets the due picture, which came or is not wanted any more. Called under the lock.
func (v *View) settleDue() {
	if v.due != nil {
		v.due.timer.Stop()
		v.due = nil
	}
}

// chase starts the screencast again unless the picture comes in time. Called under the lock.
func (v *View) chase(d *duePicture) {
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
		v.chase(d)
	})
}

// judge sees whether a picture of the tab that is shown is the due one: one of the right size is; one that took
// long may have had followers that Chromium dropped. Called under the lock.
func (v *View) judge(m *proto.PageScreencastFrameMetadata) {
	want := v.shown.Metrics()
	late := m.Timestamp > 0 && time.Since(m.Timestamp.Time()) > lateAfter
	switch fits := math.Abs(m.DeviceWidth-float64(want.Width)) <= 1 &&
		math.Abs(m.DeviceHeight-float64(want.Height)) <= 1; {
	case !fits && (v.due == nil || v.due.starts <= anySizeAfter):
	case late && (v.due == nil || v.due.starts == 0):
		v.Repaint(v.shown)
	default:
		v.settleDue()
	}
}

// stopAll ends every screencast when nobody watches. Called under the lock.
func (v *View) stopAll() {
	for _, t := range v.manager.WindowTabs() {
		if t.Page != nil {
			t.Page.Post(t.Page.Session, proto.PageStopScreencast{})
		}
	}
}

// ScreencastFrame implements page.Viewer: every reader gets the picture.
func (v *View) ScreencastFrame(t *page.Tab, p *cdp.Page, ev cdp.Event) {
	f, ok := cdp.DecodeEvent[proto.PageScreencastFrame](ev)
	if !ok || f.Metadata == nil {
		return
	}
	// The feed holds back a slow reader; were Chromium held back, it would drop the last picture of a page that
	// then rests.
	p.Post(ev.SessionID, proto.PageScreencastFrameAck{SessionID: f.SessionID})
	v.manager.Lock()
	readers := slices.Clone(v.readers)
	shown := v.shown == t
	if shown {
		v.judge(f.Metadata)
	}
	moved := t.Scrolled != [2]float64{f.Metadata.ScrollOffsetX, f.Metadata.ScrollOffsetY}
	t.Scrolled = [2]float64{f.Metadata.ScrollOffsetX, f.Metadata.ScrollOffsetY}
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
		v.PageChanged()
	}
}
