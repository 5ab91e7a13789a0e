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

// person uses a page through its picture, as at the window.
type person struct {
	t   *testing.T
	ctx context.Context
	b   *browser.Browser

	mu     sync.Mutex
	events []event.Event
}

func newPerson(t *testing.T, page string) *person {
	p := &person{t: t}
	p.ctx, p.b = newBrowser(t, browser.Config{Publish: func(e event.Event) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.events = append(p.events, e)
	}})
	live, err := p.b.OpenLiveReader(900, 600, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(live.Close)
	openPage(t, p.ctx, p.b.Session(""), site(t, map[string]any{"/": page}))
	return p
}

func (p *person) send(in wire.Input) {
	p.t.Helper()
	if err := p.b.DispatchInput(p.ctx, "", in); err != nil {
		p.t.Fatal(err)
	}
}

func (p *person) move(x, y float64) { p.t.Helper(); p.send(wire.Input{Type: "move", X: x, Y: y}) }

func (p *person) press(x, y float64) {
	p.t.Helper()
	p.move(x, y)
	p.send(wire.Input{Type: "down", X: x, Y: y, Button: "left", Count: 1})
	p.send(wire.Input{Type: "up", X: x, Y: y, Button: "left", Count: 1})
}

func (p *person) key(key, code string, modifiers int) {
	p.t.Helper()
	for _, kind := range []string{"keydown", "keyup"} {
		p.send(wire.Input{Type: kind, Key: key, Code: code, Modifiers: modifiers})
	}
}

// awaitEvent waits for an event of the kind that fits, and forgets all events.
func awaitEvent[T any](p *person, kind event.Kind, what string, fits func(T) bool) T {
	p.t.Helper()
	var found T
	eventually(p.t, what, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, e := range p.events {
			var data T
			if e.Kind == kind && json.Unmarshal(e.Data, &data) == nil && fits(data) {
				found, p.events = data, nil
				return true
			}
		}
		return false
	})
	return found
}

func (p *person) eval(script string) string {
	p.t.Helper()
	_, res, err := p.b.Session("").Evaluate(p.ctx, browser.EvaluateOptions{Script: script})
	if err != nil {
		p.t.Fatal(err)
	}
	return res.Text
}

func (p *person) copied() wire.Clipboard {
	p.t.Helper()
	awaitEvent(p, event.PageCopied, "the page has copied", func(event.NoData) bool { return true })
	return p.b.Copied()
}

func TestPageReportsWhatIsUnderThePointer(t *testing.T) {
	p := newPerson(t, formPage)
	for _, c := range []struct {
		x, y float64
		want event.PagePoint
	}{
		{40, 120, event.PagePoint{Cursor: "pointer", Link: "/next"}},
		{40, 170, event.PagePoint{Cursor: "text", Editable: true}},
		{30, 218, event.PagePoint{Cursor: "text"}},
		{180, 225, event.PagePoint{Cursor: "default"}},
	} {
		p.move(c.x, c.y)
		awaitEvent(p, event.PagePointed, "what is at the pointer", func(p event.PagePoint) bool {
			return p.Cursor == c.want.Cursor && p.Editable == c.want.Editable && strings.HasSuffix(p.Link, c.want.Link)
		})
	}
}

func TestPersonChoosesInListsAndPickers(t *testing.T) {
	p := newPerson(t, formPage)
	p.press(50, 20)
	isList := func(p event.Picker) bool { return p.Type == event.PickerSelect }
	list := awaitEvent(p, event.PickerOpened, "the list", isList)
	if len(list.Options) != 3 || list.Options[1].Group != "Conifers" || !list.Options[2].Disabled || list.Box.Y != 10 {
		t.Errorf("the list is %+v", list)
	}
	if err := p.b.Pick(p.ctx, list.ID, 1, ""); err != nil {
		t.Fatal(err)
	}
	if got := p.eval("log.join() + ' ' + list.value"); got != `"change Fir Fir"` {
		t.Errorf("the page has %s", got)
	}
	p.key(" ", "Space", 0)
	awaitEvent(p, event.PickerOpened, "the list, by a key", func(p event.Picker) bool { return p.Selected == 1 })
	if err := p.b.Pick(p.ctx, list.ID, 0, ""); err == nil {
		t.Error("an earlier list is still open")
	}
	p.press(50, 70) // the digits of a date are typed
	p.press(195, 70)
	isDate := func(p event.Picker) bool { return p.Type == event.PickerDate }
	day := awaitEvent(p, event.PickerOpened, "the date", isDate)
	if day.Value != "2026-11-26" || day.Min != "2026-11-01" {
		t.Errorf("the date is %+v", day)
	}
	if err := p.b.Pick(p.ctx, day.ID, 0, "2026-12-24"); err != nil {
		t.Fatal(err)
	}
	if got := p.eval("day.value"); got != `"2026-12-24"` {
		t.Errorf("the day is %s", got)
	}
	p.press(30, 370)
	isInner := func(p event.Picker) bool { return len(p.Options) == 2 }
	inner := awaitEvent(p, event.PickerOpened, "the list in a frame", isInner)
	if inner.Box.Y < 360 {
		t.Errorf("the list in the frame is at %+v", inner.Box)
	}
}

func TestPersonCopiesAndPastes(t *testing.T) {
	p := newPerson(t, formPage)
	p.press(50, 170)
	p.key("a", "KeyA", 2)
	p.key("c", "KeyC", 2)
	if got := p.copied(); got.Text != "some text" {
		t.Errorf("copied %+v", got)
	}
	if got := p.b.Copied(); !got.IsEmpty() {
		t.Errorf("copied again: %+v", got)
	}
	// The model cannot paste what the person has copied.
	p.press(50, 320)
	if _, err := p.b.Session("").PressKey(p.ctx, "Control+v"); err != nil {
		t.Fatal(err)
	}
	if got := p.eval("edit.textContent"); got != `""` {
		t.Errorf("the model pasted %s", got)
	}
	p.press(50, 270)
	if got := p.copied(); got.Text != "by a button" {
		t.Errorf("the button copied %+v", got)
	}
	p.press(50, 320)
	if err := p.b.Paste(p.ctx, wire.Clipboard{Text: "mine", HTML: "<b>mine</b>"}); err != nil {
		t.Fatal(err)
	}
	if got := p.eval("edit.innerHTML"); !strings.Contains(got, "mine</b>") {
		t.Errorf("pasted %s", got)
	}
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 3, 2))); err != nil {
		t.Fatal(err)
	}
	if err := p.b.Paste(p.ctx, wire.Clipboard{PNG: picture.Bytes()}); err != nil {
		t.Fatal(err)
	}
	if got := p.eval("log.at(-1)"); got != `"paste Files 1"` {
		t.Errorf("the page got %s", got)
	}
	// What was pasted does not stay where another page could get it.
	if _, err := p.b.Session("").PressKey(p.ctx, "Control+v"); err != nil {
		t.Fatal(err)
	}
	if got := p.eval("log.at(-1)"); got != `"paste  0"` {
		t.Errorf("after the paste, the clipboard has %s", got)
	}
}

func TestFindInPage(t *testing.T) {
	page := `<title>Find</title><p>A needle, a nee<b>dle</b> and a N<i>EED</i>LE.<p>nee<p>dle<div style="display:none">needle</div>
<div style="height:3000px"></div><p id=low>The last   needle.<iframe srcdoc="<p>A needle in a frame"></iframe>
<p><input value="a gadget"><input type=password value=gadget><div style="height:3000px"></div><textarea id=area>Gadget, gadget</textarea>`
	p := newPerson(t, page)
	find := func(text string, show int) wire.Found {
		t.Helper()
		found, err := p.b.Find(p.ctx, text, show, true)
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
	if got := p.eval("scrollY > 1000"); got != "true" {
		t.Error("the page did not scroll to the match")
	}
	if got := find("needle", 9); got.Current != 4 {
		t.Errorf("the match in the frame is %+v", got)
	}
	if got := find("gadget", 2); got.Count != 3 || got.Current != 2 || len(got.Boxes) != 2 {
		t.Errorf("in fields: %+v", got)
	}
	if got := p.eval("area.getBoundingClientRect().top < innerHeight"); got != "true" {
		t.Error("the page did not scroll to the field")
	}
	if got := find("no such thing", -1); got.Count != 0 || got.Current != -1 {
		t.Errorf("found %+v", got)
	}
}

func TestZoomChangesTheViewport(t *testing.T) {
	p := newPerson(t, `<title>Zoom</title><p>Text`)
	p.b.SetZoom(150)
	eventually(t, "the page is zoomed", func() bool { return p.eval("innerWidth + ' ' + devicePixelRatio") == `"600 1.5"` })
	p.b.SetZoom(100)
	eventually(t, "the page is not zoomed", func() bool { return p.eval("innerWidth") == "900" })
}
