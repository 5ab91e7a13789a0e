package browser

import (
	"math"
	"slices"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/shared/wire"
)

// The picture of a tab that rests comes once. Chromium loses it when too many are on their way
// to a busy reader, and sometimes sends none for a new size or a new page; a screencast that is
// started anew sends what the page shows now.
const (
	// owedFor is how long a picture that must come is waited for, doubled with each new start.
	owedFor = 400 * time.Millisecond
	// castStarts is how often one picture is asked for.
	castStarts = 6
	// trustedStarts is after how many of them a picture of another size than the viewport's holds.
	trustedStarts = 2
	// lateBy is from when on a picture says that others may have been lost behind it.
	lateBy = 50 * time.Millisecond
)

// due is a picture that must come, of the tab that is shown. Guarded by Browser.mu.
type due struct {
	timer  *time.Timer
	starts int
}

// recast makes the picture come from the window's active tab, if anybody looks. It only
// posts, so it may be called from anywhere but under mu.
func (b *Browser) recast() {
	b.mu.Lock()
	defer b.mu.Unlock()
	var want *tab
	if w := b.sessions[""]; w != nil && len(b.lives) > 0 && w.active != nil && w.active.page != nil {
		want = w.active
	}
	if b.cast == want && want != nil {
		return
	}
	if old := b.cast; old != nil && old != want && old.page != nil {
		old.page.Post(old.page.Session, proto.PageStopScreencast{})
	}
	if want == nil && b.cast == nil {
		b.stopCasts()
	}
	b.cast = want
	b.paid()
	if want == nil {
		return
	}
	l := b.lives[len(b.lives)-1]
	p := want.page
	want.width, want.height, want.scale = l.width, l.height, l.scale
	p.Post(p.Session, want.metrics())
	if !b.cfg.Headless {
		p.Post(p.Session, proto.PageBringToFront{})
	}
	want.screencast()
	want.owe()
}

// screencast starts the tab's picture anew. Called under mu.
func (t *tab) screencast() {
	quality, w, h := 80, int(math.Ceil(float64(t.width)*t.scale)), int(math.Ceil(float64(t.height)*t.scale))
	t.page.Post(t.page.Session, proto.PageStopScreencast{})
	t.page.Post(t.page.Session, proto.PageStartScreencast{
		Format: proto.PageStartScreencastFormatJpeg, Quality: &quality, MaxWidth: &w, MaxHeight: &h,
	})
}

// owe says that a picture of the tab must come now, if it is the one that is shown. Called under mu.
func (t *tab) owe() {
	b := t.s.b
	if b.cast != t {
		return
	}
	b.paid()
	b.due = &due{}
	b.chase(b.due)
}

// paid says that it came, or is not wanted any more. Called under mu.
func (b *Browser) paid() {
	if b.due != nil {
		b.due.timer.Stop()
		b.due = nil
	}
}

// chase starts the picture anew unless it comes in time. Called under mu.
func (b *Browser) chase(d *due) {
	d.timer = time.AfterFunc(owedFor<<d.starts, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.due != d {
			return
		}
		if b.cast == nil || b.cast.page == nil || d.starts == castStarts {
			b.due = nil
			return
		}
		d.starts++
		b.cast.screencast()
		b.chase(d)
	})
}

// arrived judges a picture of the tab that is shown: one of its size pays what is owed, one
// that was long on its way may have had followers that Chromium dropped. Called under mu.
func (b *Browser) arrived(m *proto.PageScreencastFrameMetadata) {
	want := b.cast.metrics()
	late := m.Timestamp > 0 && time.Since(m.Timestamp.Time()) > lateBy
	switch fits := math.Abs(m.DeviceWidth-float64(want.Width)) <= 1 && math.Abs(m.DeviceHeight-float64(want.Height)) <= 1; {
	case !fits && (b.due == nil || b.due.starts <= trustedStarts):
	case late && (b.due == nil || b.due.starts == 0):
		b.cast.owe()
	default:
		b.paid()
	}
}

// numbered tells the window what a look at its tab found; the picture under the numbers has to
// be as new as they are.
func (t *tab) numbered(l *look) {
	t.set(t.owe)
	t.s.b.out.marks(l.marks())
}

// stopCasts ends every picture when nobody looks. Called under mu.
func (b *Browser) stopCasts() {
	if w := b.sessions[""]; w != nil {
		for _, t := range w.tabs {
			if t.page != nil {
				t.page.Post(t.page.Session, proto.PageStopScreencast{})
			}
		}
	}
}

// picture hands a frame of the screencast to everybody who looks.
func (t *tab) picture(p *cdp.Page, ev cdp.Event) {
	f, ok := decode[proto.PageScreencastFrame](ev)
	if !ok || f.Metadata == nil {
		return
	}
	// The feed holds back a slow reader; were Chromium held back, it would drop the last
	// picture of a page that then rests.
	p.Post(ev.SessionID, proto.PageScreencastFrameAck{SessionID: f.SessionID})
	b := t.s.b
	b.mu.Lock()
	lives := slices.Clone(b.lives)
	showing := b.cast == t
	if showing {
		b.arrived(f.Metadata)
	}
	moved := t.scrolled != [2]float64{f.Metadata.ScrollOffsetX, f.Metadata.ScrollOffsetY}
	t.scrolled = [2]float64{f.Metadata.ScrollOffsetX, f.Metadata.ScrollOffsetY}
	b.mu.Unlock()
	if !showing {
		return
	}
	for _, l := range lives {
		l.feed.Offer(LiveFrame{JPEG: f.Data, Header: wire.FrameHeader{
			Tab: t.id, Width: f.Metadata.DeviceWidth, Height: f.Metadata.DeviceHeight,
			ScrollX: f.Metadata.ScrollOffsetX, ScrollY: f.Metadata.ScrollOffsetY,
		}})
	}
	if moved {
		b.nudge()
	}
}
