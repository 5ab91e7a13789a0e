package page

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	effects "sextant/backend/browser/page/effects"
	"sextant/backend/guard/veil"
	"sextant/backend/surface"
	"sextant/shared/annotator"
)

// The kinds of dialog beyond those of JavaScript (alert, confirm, prompt).
const (
	DialogAuth = "auth"
	dialogFile = "file"
)

// dialog is an open dialog: one of the page's scripts, which stand still while it is open,
// or a site's question for a user name and password, while the page it guards is waited for.
type Dialog struct {
	Kind, Text, Session string
	// preset is what a prompt holds at first.
	Preset string
	// asked names the paused request of an auth dialog, origin who asks.
	RequestID proto.FetchRequestID
	Origin    string
	// behind is the open log-in question that a dialog of a script lies over.
	behind *Dialog
}

// A page may open some dialogs in a row, each of which is answered by who drives. From then
// on they are answered at once, and when that does not end it the page is stopped.
const (
	offeredDialogs   = 4
	dismissedDialogs = 30
)

// dialogOpened takes in a dialog of the page's scripts.
func (t *Tab) dialogOpened(p *cdp.Page, d proto.PageJavascriptDialogOpening, session string) {
	if d.Type == proto.PageDialogTypeBeforeunload {
		p.Post(session, proto.PageHandleJavaScriptDialog{Accept: true})
		t.Locked(func() {
			t.addEffect(effects.KindDialog, "beforeunload: the page asked whether to leave it, accepted", t.ID)
		})
		return
	}
	t.Session.Manager.Lock()
	t.dialogsInRow++
	n := t.dialogsInRow
	if n > offeredDialogs {
		t.dialogsDismissed++
		if n == offeredDialogs+dismissedDialogs {
			t.stopReason = fmt.Sprintf("was stopped: it opened %d dialogs in a row", n)
		}
		t.Session.Manager.Unlock()
		if n >= offeredDialogs+dismissedDialogs {
			p.Post(session, proto.PageCrash{})
			return
		}
		p.Post(session, proto.PageHandleJavaScriptDialog{Accept: d.Type == proto.PageDialogTypeAlert})
		return
	}
	t.dialogShown(&Dialog{Kind: string(d.Type), Text: annotator.Clean(d.Message, 300), Preset: surface.Clip(d.DefaultPrompt, 300), Session: session})
	t.Session.Manager.Unlock()
	t.Session.Manager.events.StateChanged()
}

// opened makes d the tab's dialog and ends the running action. Called under mu.
func (t *Tab) dialogShown(d *Dialog) {
	if old := t.Dialog; old != nil && d.Kind != DialogAuth {
		if d.behind = old.behind; old.Kind == DialogAuth {
			d.behind = old
		}
	}
	t.Dialog = d
	t.addEffect(effects.KindDialog, d.said(), t.ID)
	t.interrupt(errDialog)
}

// said is d in an answer: `prompt "Your name?" (default "Ana")`.
func (d *Dialog) said() string {
	if d.Kind == DialogAuth {
		return "log-in: " + d.Text
	}
	said := d.Kind + " " + surface.QuoteClean(d.Text, 200)
	if d.Preset != "" && !d.Secret() {
		said += " (default " + surface.QuoteClean(d.Preset, 60) + ")"
	}
	return said
}

// secret reports whether what d is answered with is not for showing.
func (d *Dialog) Secret() bool {
	return d.Kind == DialogAuth || d.Kind == string(proto.PageDialogTypePrompt) && veil.Asks(d.Text)
}

// authAsked takes in a site's question for a user name. A page in a frame is not worth
// holding the tab up for: it is told and gets none.
func (t *Tab) authRequired(p *cdp.Page, a proto.FetchAuthRequired, session string) {
	if a.AuthChallenge == nil {
		return
	}
	who := surface.Clip(a.AuthChallenge.Origin, 100)
	if a.AuthChallenge.Realm != "" {
		who += " (" + surface.QuoteClean(a.AuthChallenge.Realm, 80) + ")"
	}
	if string(a.FrameID) != p.MainFrame() {
		p.Post(session, CancelAuthRequest(a.RequestID))
		t.Locked(func() {
			t.addEffect(effects.KindDialog, "a frame asks for a user name and password for "+who+"; it gets none", t.ID)
		})
		return
	}
	t.Locked(func() {
		text := "asks for a user name and password"
		if t.RefusedLoginOrigin == a.AuthChallenge.Origin {
			text = "refused them and asks again for a user name and password"
		}
		t.RefusedLoginOrigin = ""
		t.dialogShown(&Dialog{
			Kind: DialogAuth, Text: who + " " + text, Session: session, RequestID: a.RequestID, Origin: a.AuthChallenge.Origin,
		})
	})
	t.Session.Manager.events.StateChanged()
}

func CancelAuthRequest(id proto.FetchRequestID) proto.FetchContinueWithAuth {
	return proto.FetchContinueWithAuth{
		RequestID:             id,
		AuthChallengeResponse: &proto.FetchAuthChallengeResponse{Response: proto.FetchAuthChallengeResponseResponseCancelAuth},
	}
}

// settleAuth forgets a log-in question whose page came or will not come. Called under mu.
func (t *Tab) clearAuth() {
	switch {
	case t.Dialog == nil:
	case t.Dialog.Kind == DialogAuth:
		t.Dialog = nil
	default:
		t.Dialog.behind = nil
	}
}

// leaveAuth gives up a log-in question, for who goes elsewhere.
func (t *Tab) cancelAuth() {
	t.Session.Manager.Lock()
	defer t.Session.Manager.Unlock()
	if d := t.Dialog; d != nil && d.Kind == DialogAuth && t.Page != nil {
		t.Page.Post(d.Session, CancelAuthRequest(d.RequestID))
		t.Dialog = nil
	}
}

// filesAsked takes in a file dialog, which is never shown, that no action waits for. The page
// goes on meanwhile.
func (t *Tab) fileChooserIgnored(ev cdp.Event) {
	c, ok := cdp.DecodeEvent[proto.PageFileChooserOpened](ev)
	if !ok {
		return
	}
	t.Locked(func() {
		t.FileChooser = &FileChooser{ev.SessionID, string(c.FrameID), c.BackendNodeID, c.Mode == proto.PageFileChooserOpenedModeSelectMultiple}
		what := "a file"
		if t.FileChooser.Many {
			what = "files"
		}
		t.addEffect(effects.KindChooser, "the page asks for "+what+": give them with upload_file", t.ID)
	})
	t.Session.Manager.events.StateChanged()
}

// asking is the tab that has a dialog, the active one first; nil for none.
func (s *Session) TabWithDialog() *Tab {
	s.Manager.Lock()
	defer s.Manager.Unlock()
	if t := s.Active; t != nil && (t.Dialog != nil || t.FileChooser != nil) {
		return t
	}
	for _, t := range s.tabs {
		if t.Dialog != nil {
			return t
		}
	}
	return nil
}

// answered forgets d, unless another dialog took its place already. A log-in question that lay
// under it is open again and ends the running action, as it did when it came.
func (t *Tab) DialogAnswered(d *Dialog) {
	t.Locked(func() {
		if t.Dialog == d {
			t.Dialog = d.behind
		}
		if d.behind != nil && t.Dialog == d.behind {
			t.interrupt(errDialog)
		}
	})
}

// open is the tab's open dialog, nil for none.
func (t *Tab) OpenDialog() *Dialog {
	t.Session.Manager.Lock()
	defer t.Session.Manager.Unlock()
	return t.Dialog
}

// waitsFor says how the open dialog is answered. Called under mu.
func (t *Tab) dialogNote() string {
	switch {
	case t.Dialog == nil:
		return ""
	case t.Dialog.Kind == DialogAuth:
		return "The page waits for the log-in: answer with handle_dialog and username and password, or with accept: false."
	case t.Dialog.Kind == string(proto.PageDialogTypePrompt):
		return blockedNote + "handle_dialog with text, or accept: false."
	}
	return blockedNote + `press_key "Enter" accepts, "Escape" dismisses.`
}

const blockedNote = "The page stands still until the dialog is answered: "

const inFrontNote = " is in front now; annotate_page lists it."

// Passing reports whether an answer's note holds until the next answer alone: that a dialog waits, that
// a tab is in front and not listed yet.
func IsTransientNote(note string) bool {
	return strings.HasPrefix(note, blockedNote) || strings.HasPrefix(note, "Tab ") && strings.HasSuffix(note, inFrontNote)
}

// AsksSecret reports whether the dialog HandleDialog would answer asks for what is not for showing.
func (s *Session) DialogWantsSecret() bool {
	t := s.TabWithDialog()
	if t == nil {
		return false
	}
	d := t.OpenDialog()
	return d != nil && d.Secret()
}

// Asks tells what dialog HandleDialog would answer, in a sentence, and the address of who opened
// it; "" for none. It starts no browser.
func (s *Session) OpenDialog() (what, address string) {
	t := s.TabWithDialog()
	if t == nil {
		return "", ""
	}
	s.Manager.Lock()
	defer s.Manager.Unlock()
	switch {
	case t.Dialog == nil:
		return "the page asks for a file", t.URL
	case t.Dialog.Kind == DialogAuth:
		return t.Dialog.Text, t.Dialog.Origin
	}
	return t.Dialog.said(), t.URL
}

// chooser is the page's question for files: node is the field, 0 when it asked without one, session
// and frame are where it lives.
type FileChooser struct {
	Session, Frame string
	Node           proto.DOMBackendNodeID
	Many           bool
}

// chooserOpened hands the page's question to the action that waits for it; false when none does.
func (t *Tab) chooserOpened(ev cdp.Event) bool {
	var e proto.PageFileChooserOpened
	if json.Unmarshal(ev.Params, &e) != nil {
		return false
	}
	taken := false
	t.Locked(func() {
		select {
		case t.Choosers <- FileChooser{ev.SessionID, string(e.FrameID), e.BackendNodeID, e.Mode == proto.PageFileChooserOpenedModeSelectMultiple}:
			taken = true
		default:
		}
	})
	return taken
}
