package page

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	effects "sextant/backend/browser/page/effects"
	"sextant/backend/surface"
)

// greeting is what our world of every document runs first.
//
//go:embed document_start.js
var documentStartScript string

// bindingName is the function by which the greeting speaks to us; only our world has it.
const bindingName = "sextantTell"

// greeted takes in what the greeting tells. It speaks from our own world, but what it says is
// still only one of the sentences here.
func (t *Tab) bindingCalled(ev cdp.Event) {
	c, ok := cdp.DecodeEvent[proto.RuntimeBindingCalled](ev)
	if !ok || c.Name != bindingName {
		return
	}
	what, name, _ := strings.Cut(c.Payload, " ")
	if what == "typed" {
		t.fieldTyped(ev.SessionID, int(c.ExecutionContextID), name)
		return
	}
	t.Locked(func() {
		switch what {
		case "secret":
			field, text, _ := strings.Cut(name, " ")
			t.Session.Secrets.Add(fmt.Sprint(ev.SessionID, c.ExecutionContextID, " ", field), text)
		case "print":
			t.addEffect(effects.KindPage, "the page asked to print; nothing was printed, save_pdf makes a PDF", t.ID)
		case "fullscreen":
			t.addEffect(effects.KindPage, "the page fills the screen; Escape ends it", t.ID)
		case "pointerlock":
			t.addEffect(effects.KindPage, "the page holds the pointer; Escape frees it", t.ID)
		case "denied":
			t.addEffect(effects.KindDenied, "the page asked for "+permission(name)+" and was denied", t.ID)
		}
	})
}

// typed takes in that text went into a field of the window's active tab: "12 shown a" or
// "12 hidden", where 12 is the field's handle.
func (t *Tab) fieldTyped(session string, world int, what string) {
	t.Session.Manager.Lock()
	page := t.Page
	ours := t.Session.Owner == "" && t.Session.Active == t
	t.Session.Manager.Unlock()
	if !ours || page == nil {
		return
	}
	number, how, _ := strings.Cut(what, " ")
	how, text, _ := strings.Cut(how, " ")
	handle, err := strconv.Atoi(number)
	if err != nil {
		return
	}
	s := Keystroke{At: time.Now(), Handle: handle, Text: text, Shown: how == "shown"}
	if doc := page.InWorld(session, world); doc != nil {
		s.Document = doc.Seq
	}
	t.Session.Manager.viewer.Typed(s)
}

// keystroke is text that went into a field, as its document reported it at that moment.
type Keystroke struct {
	At               time.Time
	Document, Handle int
	// text is empty unless shown, which is false for a field that hides what it holds.
	Text  string
	Shown bool
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
