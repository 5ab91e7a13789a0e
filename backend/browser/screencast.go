package browser

import (
	"math"
	"slices"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
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

// FrontChanged implements viewer: the picture comes from the window's active tab, if anybody watches. It only
// posts, so it may be called from anywhere but under the lock.
func (v *view) FrontChanged() {
	v.m.Lock()
	defer v.m.Unlock()
	var want *tab
	if t := v.m.WindowTab(); t != nil && len(v.readers) > 0 && t.page != nil {
		want = t
	}
	if v.shown == want && want != nil {
		return
	}
	if old := v.shown; old != nil && old != want && old.page != nil {
		old.page.Post(old.page.Session, proto.PageStopScreencast{})
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
	p := want.page
	want.width, want.height, want.scale = l.width, l.height, l.scale
	p.Post(p.Session, want.metrics())
	if !v.m.cfg.Headless {
		p.Post(p.Session, proto.PageBringToFront{})
	}
	v.startScreencast(want)
	v.Repaint(want)
}

// startScreencast starts the tab's screencast again. Called under the lock.
func (v *view) startScreencast(t *tab) {
	quality, w, h := 80, int(math.Ceil(float64(t.width)*t.scale)), int(math.Ceil(float64(t.height)*t.scale))
	t.page.Post(t.page.Session, proto.PageStopScreencast{})
	t.page.Post(t.page.Session, proto.PageStartScreencast{
		Format: proto.PageStartScreencastFormatJpeg, Quality: &quality, MaxWidth: &w, MaxHeight: &h,
	})
}

// Repaint implements viewer.
func (v *view) Repaint(t *tab) {
	if v.shown != t {
		return
	}
	v.settleDue()
	v.due = &duePicture{}
	v.chase(v.due)
}

// settleDue forgets the due picture, which came or is not wanted any more. Called under the lock.
func (v *view) settleDue() {
	if v.due != nil {
		v.due.timer.Stop()
		v.due = nil
	}
}

// chase starts the screencast again unless the picture comes in time. Called under the lock.
func (v *view) chase(d *duePicture) {
	d.timer = time.AfterFunc(pictureTimeout<<d.starts, func() {
		v.m.Lock()
		defer v.m.Unlock()
		if v.due != d {
			return
		}
		if v.shown == nil || v.shown.page == nil || d.starts == maxScreencastStarts {
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
func (v *view) judge(m *proto.PageScreencastFrameMetadata) {
	want := v.shown.metrics()
	late := m.Timestamp > 0 && time.Since(m.Timestamp.Time()) > lateAfter
	switch fits := math.Abs(m.DeviceWidth-float64(want.Width)) <= 1 && math.Abs(m.DeviceHeight-float64(want.Height)) <= 1; {
	case !fits && (v.due == nil || v.due.starts <= anySizeAfter):
	case late && (v.due == nil || v.due.starts == 0):
		v.Repaint(v.shown)
	default:
		v.settleDue()
	}
}

// stopAll ends every screencast when nobody watches. Called under the lock.
func (v *view) stopAll() {
	for _, t := range v.m.windowTabs() {
		if t.page != nil {
			t.page.Post(t.page.Session, proto.PageStopScreencast{})
		}
	}
}

// ScreencastFrame implements viewer: every reader gets the picture.
func (v *view) ScreencastFrame(t *tab, p *cdp.Page, ev cdp.Event) {
	f, ok := cdp.DecodeEvent[proto.PageScreencastFrame](ev)
	if !ok || f.Metadata == nil {
		return
	}
	// The feed holds back a slow reader; were Chromium held back, it would drop the last picture of a page that
	// then rests.
	p.Post(ev.SessionID, proto.PageScreencastFrameAck{SessionID: f.SessionID})
	v.m.Lock()
	readers := slices.Clone(v.readers)
	shown := v.shown == t
	if shown {
		v.judge(f.Metadata)
	}
	moved := t.scrolled != [2]float64{f.Metadata.ScrollOffsetX, f.Metadata.ScrollOffsetY}
	t.scrolled = [2]float64{f.Metadata.ScrollOffsetX, f.Metadata.ScrollOffsetY}
	v.m.Unlock()
	if !shown {
		return
	}
	for _, l := range readers {
		l.feed.Offer(LiveFrame{JPEG: f.Data, Header: wire.FrameHeader{
			Tab: t.id, Width: f.Metadata.DeviceWidth, Height: f.Metadata.DeviceHeight,
			ScrollX: f.Metadata.ScrollOffsetX, ScrollY: f.Metadata.ScrollOffsetY,
		}})
	}
	if moved {
		v.PageChanged()
	}
}
