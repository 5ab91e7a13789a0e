package browser_test

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"strings"
	"sync"
	"testing"

	"sextant/backend/browser"
	"sextant/shared/event"
	"sextant/shared/wire"
)

const formPage = `<title>Form</title><style>body { margin: 0 } body > * { position: absolute; left: 10px; width: 200px; height: 30px }</style>
<select id=list style="top:10px" onchange="log.push('change ' + value)"><option>Ash<optgroup label=Conifers><option>Fir<option disabled>Yew</optgroup></select>
<input id=day type=date style="top:60px" value=2026-11-26 min=2026-11-01>
<a href="/next" style="top:110px">Next page</a>
<textarea id=text style="top:160px">some text</textarea>
<p style="top:210px; margin:0" id=words>Plain words</p>
<button style="top:260px" onclick="navigator.clipboard.writeText('by a button')">Copy the link</button>
<div id=edit contenteditable style="top:310px"></div>
<iframe srcdoc="<body style='margin:0'><select id=inner><option>One<option>Two</select>" style="top:360px;border:0;height:60px"></iframe>
<script>const log = []; addEventListener('paste', (e) => log.push('paste ' + [...e.clipboardData.types] + ' ' + e.clipboardData.files.length))</script>`

// hand uses a page as a person at the window does.
type hand struct {
	t   *testing.T
	ctx context.Context
	b   *browser.Browser

	mu     sync.Mutex
	events []event.Event
}

func newHand(t *testing.T, page string) *hand {
	h := &hand{t: t}
	h.ctx, h.b = newBrowser(t, browser.Config{Publish: func(e event.Event) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.events = append(h.events, e)
	}})
	live, err := h.b.OpenLiveReader(900, 600, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(live.Close)
	openPage(t, h.ctx, h.b.Session(""), site(t, map[string]any{"/": page, "/other": `<title>Other</title><textarea autofocus></textarea>`}))
	return h
}

func (h *hand) send(in wire.Input) {
	h.t.Helper()
	if err := h.b.DispatchInput(h.ctx, in); err != nil {
		h.t.Fatal(err)
	}
}

func (h *hand) move(x, y float64) { h.t.Helper(); h.send(wire.Input{Type: "move", X: x, Y: y}) }

func (h *hand) press(x, y float64) {
	h.t.Helper()
	h.move(x, y)
	h.send(wire.Input{Type: "down", X: x, Y: y, Button: "left", Count: 1})
	h.send(wire.Input{Type: "up", X: x, Y: y, Button: "left", Count: 1})
}

func (h *hand) key(key, code string, modifiers int) {
	h.t.Helper()
	for _, kind := range []string{"keydown", "keyup"} {
		h.send(wire.Input{Type: kind, Key: key, Code: code, Modifiers: modifiers})
	}
}

// last waits for an event of the kind that fits, and forgets all events.
func last[T any](h *hand, kind event.Kind, what string, fits func(T) bool) T {
	h.t.Helper()
	var found T
	eventually(h.t, what, func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		for _, e := range h.events {
			var data T
			if e.Kind == kind && json.Unmarshal(e.Data, &data) == nil && fits(data) {
				found, h.events = data, nil
				return true
			}
		}
		return false
	})
	return found
}

func (h *hand) eval(script string) string {
	h.t.Helper()
	_, res, err := h.b.Session("").Evaluate(h.ctx, browser.EvaluateOptions{Script: script})
	if err != nil {
		h.t.Fatal(err)
	}
	return res.Text
}

func (h *hand) copied() wire.Clipboard {
	h.t.Helper()
	last(h, event.PageCopied, "the page has copied", func(event.NoData) bool { return true })
	return h.b.Copied()
}

func TestPageReportsWhatIsUnderThePointer(t *testing.T) {
	h := newHand(t, formPage)
	for _, c := range []struct {
		x, y float64
		want event.PagePoint
	}{
		{40, 120, event.PagePoint{Cursor: "pointer", Link: "/next"}},
		{40, 170, event.PagePoint{Cursor: "text", Editable: true}},
		{30, 218, event.PagePoint{Cursor: "text"}},
		{180, 225, event.PagePoint{Cursor: "default"}},
	} {
		h.move(c.x, c.y)
		last(h, event.PagePointed, "what is at the pointer", func(p event.PagePoint) bool {
			return p.Cursor == c.want.Cursor && p.Editable == c.want.Editable && strings.HasSuffix(p.Link, c.want.Link)
		})
	}
}

func TestPersonChoosesInListsAndPickers(t *testing.T) {
	h := newHand(t, formPage)
	h.press(50, 20)
	list := last(h, event.PickerOpened, "the list", func(p event.Picker) bool { return p.Type == event.PickerSelect })
	if len(list.Options) != 3 || list.Options[1].Group != "Conifers" || !list.Options[2].Disabled || list.Box.Y != 10 {
		t.Errorf("the list is %+v", list)
	}
	if err := h.b.Pick(h.ctx, list.ID, 1, ""); err != nil {
		t.Fatal(err)
	}
	if got := h.eval("log.join() + ' ' + list.value"); got != `"change Fir Fir"` {
		t.Errorf("the page has %s", got)
	}
	h.key(" ", "Space", 0)
	last(h, event.PickerOpened, "the list, by a key", func(p event.Picker) bool { return p.Selected == 1 })
	if err := h.b.Pick(h.ctx, list.ID, 0, ""); err == nil {
		t.Error("an earlier list is still open")
	}
	h.press(50, 70) // the digits of a date are typed
	h.press(195, 70)
	day := last(h, event.PickerOpened, "the date", func(p event.Picker) bool { return p.Type == event.PickerDate })
	if day.Value != "2026-11-26" || day.Min != "2026-11-01" {
		t.Errorf("the date is %+v", day)
	}
	if err := h.b.Pick(h.ctx, day.ID, 0, "2026-12-24"); err != nil {
		t.Fatal(err)
	}
	if got := h.eval("day.value"); got != `"2026-12-24"` {
		t.Errorf("the day is %s", got)
	}
	h.press(30, 370)
	isInner := func(p event.Picker) bool { return len(p.Options) == 2 }
	inner := last(h, event.PickerOpened, "the list in a frame", isInner)
	if inner.Box.Y < 360 {
		t.Errorf("the list in the frame is at %+v", inner.Box)
	}
}

func TestPersonCopiesAndPastes(t *testing.T) {
	h := newHand(t, formPage)
	h.press(50, 170)
	h.key("a", "KeyA", 2)
	h.key("c", "KeyC", 2)
	if got := h.copied(); got.Text != "some text" {
		t.Errorf("copied %+v", got)
	}
	if got := h.b.Copied(); !got.IsEmpty() {
		t.Errorf("copied again: %+v", got)
	}
	// The model cannot paste what the person has copied.
	h.press(50, 320)
	if _, err := h.b.Session("").PressKey(h.ctx, "Control+v"); err != nil {
		t.Fatal(err)
	}
	if got := h.eval("edit.textContent"); got != `""` {
		t.Errorf("the model pasted %s", got)
	}
	h.press(50, 270)
	if got := h.copied(); got.Text != "by a button" {
		t.Errorf("the button copied %+v", got)
	}
	h.press(50, 320)
	if err := h.b.Paste(h.ctx, wire.Clipboard{Text: "mine", HTML: "<b>mine</b>"}); err != nil {
		t.Fatal(err)
	}
	if got := h.eval("edit.innerHTML"); !strings.Contains(got, "mine</b>") {
		t.Errorf("pasted %s", got)
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	if err := h.b.Paste(h.ctx, wire.Clipboard{PNG: picture.Bytes()}); err != nil {
		t.Fatal(err)
	}
	if got := h.eval("log.at(-1)"); got != `"paste Files 1"` {
		t.Errorf("the page got %s", got)
	}
	// What was pasted does not stay where another page could get it.
	if _, err := h.b.Session("").PressKey(h.ctx, "Control+v"); err != nil {
		t.Fatal(err)
	}
	if got := h.eval("log.at(-1)"); got != `"paste  0"` {
		t.Errorf("after the paste, the clipboard has %s", got)
	}
}

func TestFindInPage(t *testing.T) {
	page := `<title>Find</title><p>A needle, a nee<b>dle</b> and a N<i>EED</i>LE.<p>nee<p>dle<div style="display:none">needle</div>
<div style="height:3000px"></div><p id=low>The last   needle.<iframe srcdoc="<p>A needle in a frame"></iframe>`
	h := newHand(t, page)
	find := func(text string, show int) wire.Found {
		t.Helper()
		found, err := h.b.Find(h.ctx, text, show, true)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	if got := find("needle", -1); got.Count != 5 || got.Current != 0 || len(got.Boxes) < 3 {
		t.Errorf("found %+v", got)
	}
	got := find("LAST needle", -1)
	if got.Count != 1 || got.Current != 0 || len(got.Boxes) != 1 || !got.Boxes[0].Current {
		t.Errorf("found %+v", got)
	}
	if got := h.eval("scrollY > 1000"); got != "true" {
		t.Error("the page did not scroll to the match")
	}
	if got := find("needle", 9); got.Current != 4 {
		t.Errorf("the match in the frame is %+v", got)
	}
	if got := find("no such thing", -1); got.Count != 0 || got.Current != -1 {
		t.Errorf("found %+v", got)
	}
}

func TestZoomKeepsThePicturesSize(t *testing.T) {
	h := newHand(t, `<title>Zoom</title><p>Text`)
	h.b.SetZoom(150)
	eventually(t, "the page is zoomed", func() bool { return h.eval("innerWidth + ' ' + devicePixelRatio") == `"600 1.5"` })
	h.b.SetZoom(100)
	eventually(t, "the page is not zoomed", func() bool { return h.eval("innerWidth") == "900" })
}
