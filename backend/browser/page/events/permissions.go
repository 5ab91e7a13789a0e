package events

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/page"
	"sextant/backend/browser/page/effects"
	"sextant/backend/surface"
)

// bindingCalled does not trust the message: answers show none of its text but the name of an unknown permission.
func bindingCalled(t *page.Tab, ev cdp.Event) {
	c, ok := cdp.DecodeEvent[proto.RuntimeBindingCalled](ev)
	if !ok || c.Name != page.BindingName {
		return
	}
	what, name, _ := strings.Cut(c.Payload, " ")
	switch what {
	case "typed":
		fieldTyped(t, ev.SessionID, int(c.ExecutionContextID), name)
		return
	case "pointed", "picker", "copied":
		if p := frontPage(t); p != nil {
			doc := p.DocumentInWorld(ev.SessionID, int(c.ExecutionContextID))
			t.Session.Manager.Viewer.HandleReport(t, doc, what, name)
		}
		return
	case "title":
		t.WithLock(func() { t.Title = surface.Truncate(name, 200) })
		t.Session.Manager.Events.PublishState()
		return
	}
	t.WithLock(func() {
		switch what {
		case "secret":
			field, text, _ := strings.Cut(name, " ")
			t.Session.Secrets.Add(fmt.Sprint(ev.SessionID, c.ExecutionContextID, " ", field), text)
		case "print":
			if t.Prints > 0 {
				return // save_pdf prints
			}
			t.AddEffect(effects.KindPage, "the page asked to print; nothing was printed, save_pdf makes a PDF", t.ID)
		case "fullscreen":
			t.AddEffect(effects.KindPage, "the page fills the screen; Escape ends it", t.ID)
		case "pointerlock":
			t.AddEffect(effects.KindPage, "the page has captured the pointer; Escape releases it", t.ID)
		case "denied":
			t.AddEffect(effects.KindPermissionDenied, "the page asked for "+permissionText(name)+" and was denied",
				t.ID)
		}
	})
}

// fieldTyped handles "12 shown a", "12 whole a" if it replaces the field's content, or "12 hidden", where 12 is the
// field's handle.
func fieldTyped(t *page.Tab, session string, world int, what string) {
	current := frontPage(t)
	if current == nil {
		return
	}
	number, how, _ := strings.Cut(what, " ")
	how, text, _ := strings.Cut(how, " ")
	handle, err := strconv.Atoi(number)
	if err != nil {
		return
	}
	s := page.EnteredText{
		At: time.Now(), Handle: handle, Text: text, Shown: how == "shown" || how == "whole",
		ReplacesAll: how == "whole",
	}
	if doc := current.DocumentInWorld(session, world); doc != nil {
		s.Document = doc.Seq
	}
	t.Session.Manager.Viewer.HandleEnteredText(s)
}

// frontPage returns the page of t if t is the window's active tab, else nil.
func frontPage(t *page.Tab) *cdp.Page {
	t.Session.Manager.Lock()
	defer t.Session.Manager.Unlock()
	if t.Session.Owner != "" || t.Session.Active != t {
		return nil
	}
	return t.Page
}

func permissionText(name string) string {
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
	return "the use of " + surface.Truncate(name, 40)
}
