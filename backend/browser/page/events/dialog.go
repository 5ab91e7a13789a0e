package events

import (
	"encoding/json"
	"fmt"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/browser/page"
	"sextant/backend/browser/page/effects"
	"sextant/backend/surface"
	"sextant/shared/annotation"
)

// A page may open some dialogs in a row, each of which is answered by who drives. From then
// on they are answered at once, and when that does not end it the page is stopped.
const (
	offeredDialogs   = 4
	dismissedDialogs = 30
)

// dialogOpened takes in a dialog of the page's scripts.
func dialogOpened(t *page.Tab, p *cdp.Page, d proto.PageJavascriptDialogOpening, session string) {
	if d.Type == proto.PageDialogTypeBeforeunload {
		p.Post(session, proto.PageHandleJavaScriptDialog{Accept: true})
		t.WithLock(func() {
			t.AddEffect(effects.KindDialog, "beforeunload: the page asked whether to leave it, accepted", t.ID)
		})
		return
	}
	t.Session.Manager.Lock()
	t.DialogsInRow++
	n := t.DialogsInRow
	if n > offeredDialogs {
		t.DialogsDismissed++
		if n == offeredDialogs+dismissedDialogs {
			t.StopReason = fmt.Sprintf("was stopped: it opened %d dialogs in a row", n)
		}
		t.Session.Manager.Unlock()
		if n >= offeredDialogs+dismissedDialogs {
			p.Post(session, proto.PageCrash{})
			return
		}
		p.Post(session, proto.PageHandleJavaScriptDialog{Accept: d.Type == proto.PageDialogTypeAlert})
		return
	}
	dialogShown(t, &page.Dialog{
		Kind: string(d.Type), Text: annotation.Clean(d.Message, 300),
		Preset: surface.Clip(d.DefaultPrompt, 300), Session: session,
	})
	t.Session.Manager.Unlock()
	t.Session.Manager.Events.StateChanged()
}

// dialogShown makes d the tab's dialog and ends the running action. Called under the lock.
func dialogShown(t *page.Tab, d *page.Dialog) {
	if old := t.Dialog; old != nil && d.Kind != page.DialogAuth {
		if d.Behind = old.Behind; old.Kind == page.DialogAuth {
			d.Behind = old
		}
	}
	t.Dialog = d
	t.AddEffect(effects.KindDialog, d.Describe(), t.ID)
	t.Interrupt(page.ErrDialog)
}

// authRequired takes in a site's question for a user name. A page in a frame is not worth
// holding the tab up for: the answer reports it and it gets none.
func authRequired(t *page.Tab, p *cdp.Page, a proto.FetchAuthRequired, session string) {
	if a.AuthChallenge == nil {
		return
	}
	who := surface.Clip(a.AuthChallenge.Origin, 100)
	if a.AuthChallenge.Realm != "" {
		who += " (" + surface.QuoteClean(a.AuthChallenge.Realm, 80) + ")"
	}
	if string(a.FrameID) != p.MainFrame() {
		p.Post(session, page.CancelAuthRequest(a.RequestID))
		t.WithLock(func() {
			t.AddEffect(effects.KindDialog, "a frame asks for a user name and password for "+who+"; it gets none", t.ID)
		})
		return
	}
	t.WithLock(func() {
		text := "asks for a user name and password"
		if t.RefusedLoginOrigin == a.AuthChallenge.Origin {
			text = "refused them and asks again for a user name and password"
		}
		t.RefusedLoginOrigin = ""
		dialogShown(t, &page.Dialog{
			Kind: page.DialogAuth, Text: who + " " + text, Session: session, RequestID: a.RequestID,
			Origin: a.AuthChallenge.Origin,
		})
	})
	t.Session.Manager.Events.StateChanged()
}

// fileChooserIgnored takes in a file dialog, which is never shown, that no action waits for. The page
// goes on meanwhile.
func fileChooserIgnored(t *page.Tab, ev cdp.Event) {
	c, ok := cdp.DecodeEvent[proto.PageFileChooserOpened](ev)
	if !ok {
		return
	}
	t.WithLock(func() {
		t.FileChooser = &page.FileChooser{
			Session: ev.SessionID, Frame: string(c.FrameID), Node: c.BackendNodeID,
			Many: c.Mode == proto.PageFileChooserOpenedModeSelectMultiple,
		}
		what := "a file"
		if t.FileChooser.Many {
			what = "files"
		}
		t.AddEffect(effects.KindChooser, "the page asks for "+what+": give them with upload_file", t.ID)
	})
	t.Session.Manager.Events.StateChanged()
}

// chooserOpened gives the page's file chooser to the action that waits for it; false when none does.
func chooserOpened(t *page.Tab, ev cdp.Event) bool {
	var e proto.PageFileChooserOpened
	if json.Unmarshal(ev.Params, &e) != nil {
		return false
	}
	taken := false
	t.WithLock(func() {
		select {
		case t.Choosers <- page.FileChooser{
			Session: ev.SessionID, Frame: string(e.FrameID), Node: e.BackendNodeID,
			Many: e.Mode == proto.PageFileChooserOpenedModeSelectMultiple,
		}:
			taken = true
		default:
		}
	})
	return taken
}
