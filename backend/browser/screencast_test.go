package browser_test

import (
	"bytes"
	"image/jpeg"
	"testing"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser"
	"sextant/backend/surface"
)

// Chromium loses pictures on a busy machine; here its screencast is ended behind the back of the
// browser, so that nothing but a new start brings one.
func TestLostScreencastFrameIsRequestedAgain(t *testing.T) {
	ctx, b := newBrowser(t, browser.Config{})
	url := site(t, map[string]any{"/": `<title>Still</title><button onclick="document.body.style.background = '#000'">Darken</button>`})
	live, err := b.OpenLiveReader(900, 600, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer live.Close()
	s := b.Session("")
	openPage(t, ctx, s, url)
	picture := func(what string, holds func(browser.LiveFrame) bool) browser.LiveFrame {
		t.Helper()
		var last browser.LiveFrame
		eventually(t, what, func() bool {
			select {
			case f := <-live.Frames():
				live.Ack(f.Header.Frame)
				last = f
				return holds(f)
			case <-time.After(time.Second):
				return false
			}
		})
		return last
	}
	wide := func(width float64) func(browser.LiveFrame) bool {
		return func(f browser.LiveFrame) bool { return f.Header.Width == width }
	}
	lose := func() {
		t.Helper()
		if err := s.SendForTest(ctx, proto.PageStopScreencast{}); err != nil {
			t.Fatal(err)
		}
	}
	picture("the page is shown", wide(900))

	lose()
	s.SetDevice(browser.Emulation{Device: "phone", Width: 390, Height: 844, Scale: 2, Mobile: true})
	before := picture("the size of the device is shown", wide(390))

	lose()
	darken := findElement(t, annotate(t, s, surface.AnnotateOptions{}), "button", "Darken")
	if _, err := s.Click(ctx, surface.ClickOptions{ID: darken.ID}); err != nil {
		t.Fatal(err)
	}
	picture("what an action did is shown", func(f browser.LiveFrame) bool {
		return isDark(t, f.JPEG) && !isDark(t, before.JPEG)
	})
}

// isDark says whether the middle of a picture is black.
func isDark(t *testing.T, picture []byte) bool {
	t.Helper()
	img, err := jpeg.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	box := img.Bounds()
	r, g, b, _ := img.At(box.Dx()/2, box.Dy()/2).RGBA()
	return r+g+b < 3*0x1000
}
