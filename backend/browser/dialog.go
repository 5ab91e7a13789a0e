package browser

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/cdp"
	"sextant/backend/guard/veil"
	"sextant/backend/surface"
	"sextant/shared/annotator"
)

// The kinds of dialog beyond those of JavaScript (alert, confirm, prompt).
const (
	dialogAuth = "auth"
	dialogFile = "file"
)

// dialog is an open dialog: one of the page's scripts, which stand still while it is open,
// or a site's question for a user name and password, while the page it guards is waited for.
type dialog struct {
	kind, text, session string
	// preset is what a prompt holds at first.
	preset string
	// asked names the paused request of an auth dialog, origin who asks.
	asked  proto.FetchRequestID
	origin string
	// behind is the open log-in question that a dialog of a script lies over.
	behind *dialog
}

// A page may open some dialogs in a row, each of which is answered by who drives. From then
// on they are answered at once, and when that does not end it the page is stopped.
const (
	offeredDialogs   = 4
	dismissedDialogs = 30
)

// dialogOpened takes in a dialog of the page's scripts.
func (t *tab) dialogOpened(p *cdp.Page, d proto.PageJavascriptDialogOpening, session string) {
	if d.Type == proto.PageDialogTypeBeforeunload {
		p.Post(session, proto.PageHandleJavaScriptDialog{Accept: true})
		t.set(func() { t.note(kindDialog, "beforeunload: the page asked whether to leave it, accepted", t.id) })
		return
	}
	t.s.b.Lock()
	t.storm++
	n := t.storm
	if n > offeredDialogs {
		t.muted++
		if n == offeredDialogs+dismissedDialogs {
			t.stopped = fmt.Sprintf("was stopped: it opened %d dialogs in a row", n)
		}
		t.s.b.Unlock()
		if n >= offeredDialogs+dismissedDialogs {
			p.Post(session, proto.PageCrash{})
			return
		}
		p.Post(session, proto.PageHandleJavaScriptDialog{Accept: d.Type == proto.PageDialogTypeAlert})
		return
	}
	t.opened(&dialog{kind: string(d.Type), text: annotator.Clean(d.Message, 300), preset: surface.Clip(d.DefaultPrompt, 300), session: session})
	t.s.b.Unlock()
	t.s.b.events.state()
}

// opened makes d the tab's dialog and ends the running action. Called under mu.
func (t *tab) opened(d *dialog) {
	if old := t.dialog; old != nil && d.kind != dialogAuth {
		if d.behind = old.behind; old.kind == dialogAuth {
			d.behind = old
		}
	}
	t.dialog = d
	t.note(kindDialog, d.said(), t.id)
	t.interrupt(errDialog)
}

// said is d in an answer: `prompt "Your name?" (default "Ana")`.
func (d *dialog) said() string {
	if d.kind == dialogAuth {
		return "log-in: " + d.text
	}
	said := d.kind + " " + surface.QuoteClean(d.text, 200)
	if d.preset != "" && !d.secret() {
		said += " (default " + surface.QuoteClean(d.preset, 60) + ")"
	}
	return said
}

// secret reports whether what d is answered with is not for showing.
func (d *dialog) secret() bool {
	return d.kind == dialogAuth || d.kind == string(proto.PageDialogTypePrompt) && veil.Asks(d.text)
}

// authAsked takes in a site's question for a user name. A page in a frame is not worth
// holding the tab up for: it is told and gets none.
func (t *tab) authAsked(p *cdp.Page, a proto.FetchAuthRequired, session string) {
	if a.AuthChallenge == nil {
		return
	}
	who := surface.Clip(a.AuthChallenge.Origin, 100)
	if a.AuthChallenge.Realm != "" {
		who += " (" + surface.QuoteClean(a.AuthChallenge.Realm, 80) + ")"
	}
	if string(a.FrameID) != p.MainFrame() {
		p.Post(session, cancelAuth(a.RequestID))
		t.set(func() {
			t.note(kindDialog, "a frame asks for a user name and password for "+who+"; it gets none", t.id)
		})
		return
	}
	t.set(func() {
		text := "asks for a user name and password"
		if t.refused == a.AuthChallenge.Origin {
			text = "refused them and asks again for a user name and password"
		}
		t.refused = ""
		t.opened(&dialog{
			kind: dialogAuth, text: who + " " + text, session: session, asked: a.RequestID, origin: a.AuthChallenge.Origin,
		})
	})
	t.s.b.events.state()
}

func cancelAuth(id proto.FetchRequestID) proto.FetchContinueWithAuth {
	return proto.FetchContinueWithAuth{
		RequestID:             id,
		AuthChallengeResponse: &proto.FetchAuthChallengeResponse{Response: proto.FetchAuthChallengeResponseResponseCancelAuth},
	}
}

// settleAuth forgets a log-in question whose page came or will not come. Called under mu.
func (t *tab) settleAuth() {
	switch {
	case t.dialog == nil:
	case t.dialog.kind == dialogAuth:
		t.dialog = nil
	default:
		t.dialog.behind = nil
	}
}

// leaveAuth gives up a log-in question, for who goes elsewhere.
func (t *tab) leaveAuth() {
	t.s.b.Lock()
	defer t.s.b.Unlock()
	if d := t.dialog; d != nil && d.kind == dialogAuth && t.page != nil {
		t.page.Post(d.session, cancelAuth(d.asked))
		t.dialog = nil
	}
}

// filesAsked takes in a file dialog, which is never shown, that no action waits for. The page
// goes on meanwhile.
func (t *tab) filesAsked(ev cdp.Event) {
	c, ok := cdp.DecodeEvent[proto.PageFileChooserOpened](ev)
	if !ok {
		return
	}
	t.set(func() {
		t.chooser = &chooser{ev.SessionID, string(c.FrameID), c.BackendNodeID, c.Mode == proto.PageFileChooserOpenedModeSelectMultiple}
		what := "a file"
		if t.chooser.many {
			what = "files"
		}
		t.note(kindChooser, "the page asks for "+what+": give them with upload_file", t.id)
	})
	t.s.b.events.state()
}

// DialogOptions: Accept or dismiss; Text answers a prompt (its preset when nil); User and
// Password answer a log-in.
type DialogOptions struct {
	Accept         bool
	Text           *string
	User, Password string
}

// HandleDialog answers the open dialog of the active tab, or of another one when only that
// has one. The answer tells what the page did then.
func (s *Session) HandleDialog(ctx context.Context, o DialogOptions) (annotator.Answer, error) {
	t := s.asking()
	if t == nil {
		return annotator.Answer{}, &surface.Fault{Kind: surface.FaultDialog, Message: "No dialog is open.", Suggestion: "Call annotate_page to see the page."}
	}
	release, err := t.acquire(ctx)
	if err != nil {
		return annotator.Answer{}, err
	}
	defer release()
	s.b.Lock()
	d, c := t.dialog, t.chooser
	s.b.Unlock()
	switch {
	case d != nil:
		if f := fits(d, o); f != nil {
			return annotator.Answer{}, f
		}
		return t.run(ctx, func(ctx context.Context, a *action) error { return a.reply(ctx, d, o) })
	case c == nil:
		return annotator.Answer{}, &surface.Fault{Kind: surface.FaultDialog, Message: "The dialog was answered meanwhile.", Suggestion: "Call annotate_page."}
	case o.Accept:
		return annotator.Answer{}, &surface.Fault{Kind: surface.FaultDialog, Message: "The page asks for a file.", Suggestion: "Give it with upload_file, or send accept: false."}
	}
	t.set(func() { t.chooser = nil })
	return t.run(ctx, func(_ context.Context, a *action) error {
		a.does("gave the page no file")
		return nil
	})
}

// asking is the tab that has a dialog, the active one first; nil for none.
func (s *Session) asking() *tab {
	s.b.Lock()
	defer s.b.Unlock()
	if t := s.active; t != nil && (t.dialog != nil || t.chooser != nil) {
		return t
	}
	for _, t := range s.tabs {
		if t.dialog != nil {
			return t
		}
	}
	return nil
}

// fits says what is wrong with an answer to d, nil when nothing is.
func fits(d *dialog, o DialogOptions) *surface.Fault {
	switch {
	case d.kind == dialogAuth && o.Accept && o.User == "" && o.Password == "":
		return &surface.Fault{Kind: surface.FaultInvalid, Message: "The site asks for a user name and a password.", Suggestion: "Send username and password, or accept: false."}
	case d.kind != dialogAuth && (o.User != "" || o.Password != ""):
		return &surface.Fault{Kind: surface.FaultInvalid, Message: fmt.Sprintf("The dialog is a %s; it takes no user name.", d.kind), Suggestion: "Send accept, and text for a prompt."}
	case d.kind != string(proto.PageDialogTypePrompt) && o.Text != nil:
		return &surface.Fault{Kind: surface.FaultInvalid, Message: fmt.Sprintf("The dialog is a %s; it takes no text.", d.kind), Suggestion: "Send accept alone."}
	}
	return nil
}

// reply answers d and lets the action wait for what comes of it.
func (a *action) reply(ctx context.Context, d *dialog, o DialogOptions) error {
	verb := "dismissed"
	if o.Accept {
		verb = "accepted"
	}
	client := a.page.ClientOf(ctx, d.session)
	if d.kind == dialogAuth {
		return a.login(client, d, o)
	}
	a.does("%s the %s %s", verb, d.kind, surface.QuoteClean(d.text, 200))
	req := proto.PageHandleJavaScriptDialog{Accept: o.Accept}
	if d.kind == string(proto.PageDialogTypePrompt) && o.Accept {
		req.PromptText = d.preset
		if o.Text != nil {
			req.PromptText = *o.Text
			if d.secret() {
				a.t.hides(*o.Text)
				a.outcome += " with text that is not shown"
			} else {
				a.outcome += " with " + surface.QuoteClean(*o.Text, 80)
			}
		}
	}
	if err := req.Call(client); err != nil && !strings.Contains(err.Error(), "No dialog") {
		return fmt.Errorf("answering the dialog: %w", err)
	}
	a.t.answered(d)
	return nil
}

// login answers a site's question for a user name.
func (a *action) login(client proto.Client, d *dialog, o DialogOptions) error {
	req := cancelAuth(d.asked)
	a.does("gave no user name")
	if o.Accept {
		a.does("logged in as %q", surface.Clip(o.User, 60))
		a.t.set(func() {
			a.t.refused = d.origin
			a.t.s.secrets.add("", o.Password)
		})
		req.AuthChallengeResponse = &proto.FetchAuthChallengeResponse{
			Response: proto.FetchAuthChallengeResponseResponseProvideCredentials, Username: o.User, Password: o.Password,
		}
	}
	err := req.Call(client)
	a.t.answered(d)
	if err != nil {
		return &surface.Fault{Kind: surface.FaultDialog, Message: "The log-in is not asked for any more.", Suggestion: "Open the address again."}
	}
	return nil
}

// answered forgets d, unless another dialog took its place already. A log-in question that lay
// under it is open again and ends the running action, as it did when it came.
func (t *tab) answered(d *dialog) {
	t.set(func() {
		if t.dialog == d {
			t.dialog = d.behind
		}
		if d.behind != nil && t.dialog == d.behind {
			t.interrupt(errDialog)
		}
	})
}

// open is the tab's open dialog, nil for none.
func (t *tab) open() *dialog {
	t.s.b.Lock()
	defer t.s.b.Unlock()
	return t.dialog
}

// waitsFor says how the open dialog is answered. Called under mu.
func (t *tab) waitsFor() string {
	switch {
	case t.dialog == nil:
		return ""
	case t.dialog.kind == dialogAuth:
		return "The page waits for the log-in: answer with handle_dialog and username and password, or with accept: false."
	case t.dialog.kind == string(proto.PageDialogTypePrompt):
		return standsStill + "handle_dialog with text, or accept: false."
	}
	return standsStill + `press_key "Enter" accepts, "Escape" dismisses.`
}

const standsStill = "The page stands still until the dialog is answered: "

const frontNote = " is in front now; annotate_page lists it."

// Passing reports whether an answer's note holds until the next answer alone: that a dialog waits, that
// a tab is in front and not listed yet.
func IsTransientNote(note string) bool {
	return strings.HasPrefix(note, standsStill) || strings.HasPrefix(note, "Tab ") && strings.HasSuffix(note, frontNote)
}

// answerDialog accepts or dismisses the dialog in the tab by a key.
func (s *Session) answerDialog(ctx context.Context, t *tab, key string) (annotator.Answer, error) {
	accept := strings.EqualFold(key, "Enter") || strings.EqualFold(key, "Return")
	d := t.open()
	switch {
	case d == nil:
		return annotator.Answer{}, &surface.Fault{Kind: surface.FaultDialog, Message: "The dialog was answered meanwhile.", Suggestion: "Press the key again."}
	case !accept && !strings.EqualFold(key, "Escape") && !strings.EqualFold(key, "Esc"), d.kind == dialogAuth && accept:
		s.b.Lock()
		defer s.b.Unlock()
		return annotator.Answer{}, t.dialogFault()
	}
	return s.HandleDialog(ctx, DialogOptions{Accept: accept})
}

// AsksSecret reports whether the dialog HandleDialog would answer asks for what is not for showing.
func (s *Session) DialogWantsSecret() bool {
	t := s.asking()
	if t == nil {
		return false
	}
	d := t.open()
	return d != nil && d.secret()
}

// Asks tells what dialog HandleDialog would answer, in a sentence, and the address of who opened
// it; "" for none. It starts no browser.
func (s *Session) OpenDialog() (what, address string) {
	t := s.asking()
	if t == nil {
		return "", ""
	}
	s.b.Lock()
	defer s.b.Unlock()
	switch {
	case t.dialog == nil:
		return "the page asks for a file", t.url
	case t.dialog.kind == dialogAuth:
		return t.dialog.text, t.dialog.origin
	}
	return t.dialog.said(), t.url
}
