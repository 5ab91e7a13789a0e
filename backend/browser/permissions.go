package browser

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/surface"
)

// greeting is what our world of every document runs first.
//
//go:embed greet.js
var documentStartScript string

// bindingName is the function by which the greeting speaks to us; only our world has it.
const bindingName = "sextantTell"

// greeted takes in what the greeting tells. It speaks from our own world, but what it says is
// still only one of the sentences here.
func (t *tab) bindingCalled(ev cdp.Event) {
	c, ok := cdp.DecodeEvent[proto.RuntimeBindingCalled](ev)
	if !ok || c.Name != bindingName {
		return
	}
	what, name, _ := strings.Cut(c.Payload, " ")
	if what == "typed" {
		t.typed(ev.SessionID, int(c.ExecutionContextID), name)
		return
	}
	t.set(func() {
		switch what {
		case "secret":
			field, text, _ := strings.Cut(name, " ")
			t.s.secrets.add(fmt.Sprint(ev.SessionID, c.ExecutionContextID, " ", field), text)
		case "print":
			t.note(kindPage, "the page asked to print; nothing was printed, save_pdf makes a PDF", t.id)
		case "fullscreen":
			t.note(kindPage, "the page fills the screen; Escape ends it", t.id)
		case "pointerlock":
			t.note(kindPage, "the page holds the pointer; Escape frees it", t.id)
		case "denied":
			t.note(kindDenied, "the page asked for "+permission(name)+" and was denied", t.id)
		}
	})
}

// typed takes in that text went into a field of the window's active tab: "12 shown a" or
// "12 hidden", where 12 is the field's handle.
func (t *tab) typed(session string, world int, what string) {
	t.s.b.Lock()
	page := t.page
	ours := t.s.owner == "" && t.s.active == t
	t.s.b.Unlock()
	if !ours || page == nil {
		return
	}
	number, how, _ := strings.Cut(what, " ")
	how, text, _ := strings.Cut(how, " ")
	handle, err := strconv.Atoi(number)
	if err != nil {
		return
	}
	s := keystroke{at: time.Now(), handle: handle, text: text, shown: how == "shown"}
	if doc := page.InWorld(session, world); doc != nil {
		s.doc = doc.Seq
	}
	t.s.b.viewer.Typed(s)
}

// keystroke is text that went into a field, as its document reported it at that moment.
type keystroke struct {
	at          time.Time
	doc, handle int
	// text is empty unless shown, which is false for a field that hides what it holds.
	text  string
	shown bool
}

// permission is a permission's name for people.
func permission(name string) string {
	switch name {
	case "geolocation":
		return "the location"
	case "notifications":
		return "leave to notify"
	case "clipboard-read":
		return "the clipboard"
	case "camera", "microphone":
		return "the " + name
	}
	return "the use of " + surface.Clip(name, 40)
}
