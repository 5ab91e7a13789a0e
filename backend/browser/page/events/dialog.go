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

// The first offeredDialogs dialogs in a row are left for the caller to answer. The next ones are answered at once,
// until dialog number offeredDialogs+dismissedDialogs stops the page.
const (
	offeredDialogs   = 4
	dismissedDialogs = 30
)

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
		DefaultText: surface.Truncate(d.DefaultPrompt, 300), SessionID: session,
	})
	t.Session.Manager.Unlock()
	t.Session.Manager.Events.PublishState()
}

// dialogShown is called under the lock.
func dialogShown(t *page.Tab, d *page.Dialog) {
	if old := t.Dialog; old != nil && d.Kind != page.DialogAuth {
		if d.AuthBehind = old.AuthBehind; old.Kind == page.DialogAuth {
			d.AuthBehind = old
		}
	}
	t.Dialog = d
	t.AddEffect(effects.KindDialog, d.Describe(), t.ID)
	t.Interrupt(page.ErrDialog)
}

// authRequired refuses requests of frames, which must not block the tab.
func authRequired(t *page.Tab, p *cdp.Page, a proto.FetchAuthRequired, session string) {
	if a.AuthChallenge == nil {
		return
	}
	who := surface.Truncate(a.AuthChallenge.Origin, 100)
	if a.AuthChallenge.Realm != "" {
		who += " (" + surface.QuoteText(a.AuthChallenge.Realm, 80) + ")"
	}
	if string(a.FrameID) != p.MainFrameID() {
		p.Post(session, page.CancelAuthRequest(a.RequestID))
		t.WithLock(func() {
			t.AddEffect(effects.KindDialog, "a frame asks for a user name and password for "+who+"; it gets none", t.ID)
		})
		return
	}
	t.WithLock(func() {
		text := "asks for a user name and password"
		if t.LoginOrigin == a.AuthChallenge.Origin {
			text = "refused them and asks again for a user name and password"
		}
		t.LoginOrigin = ""
		dialogShown(t, &page.Dialog{
			Kind: page.DialogAuth, Text: who + " " + text, SessionID: session, RequestID: a.RequestID,
			Origin: a.AuthChallenge.Origin,
		})
	})
	t.Session.Manager.Events.PublishState()
}

func fileChooserIgnored(t *page.Tab, ev cdp.Event) {
	c, ok := cdp.DecodeEvent[proto.PageFileChooserOpened](ev)
	if !ok {
		return
	}
	t.WithLock(func() {
		t.FileChooser = &page.FileChooser{
			SessionID: ev.SessionID, FrameID: string(c.FrameID), Node: c.BackendNodeID,
			Multiple: c.Mode == proto.PageFileChooserOpenedModeSelectMultiple,
		}
		what := "a file"
		if t.FileChooser.Multiple {
			what = "files"
		}
		t.AddEffect(effects.KindFileChooser, "the page asks for "+what+": give them with upload_file", t.ID)
	})
	t.Session.Manager.Events.PublishState()
}

func chooserOpened(t *page.Tab, ev cdp.Event) bool {
	var e proto.PageFileChooserOpened
	if json.Unmarshal(ev.Params, &e) != nil {
		return false
	}
	taken := false
	t.WithLock(func() {
		select {
		case t.Choosers <- page.FileChooser{
			SessionID: ev.SessionID, FrameID: string(e.FrameID), Node: e.BackendNodeID,
			Multiple: e.Mode == proto.PageFileChooserOpenedModeSelectMultiple,
		}:
			taken = true
		default:
		}
	})
	return taken
}
