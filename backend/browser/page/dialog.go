package page

import (
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/policy/redact"
	"sextant/backend/surface"
)

// The kinds of dialogs besides those of JavaScript; dialogFile occurs only in event.Tab.
const (
	DialogAuth = "auth"
	dialogFile = "file"
)

// Dialog is an open dialog: one of the page's scripts, or an HTTP authentication request.
type Dialog struct {
	Kind, Text, SessionID string
	DefaultText           string
	// RequestID and Origin are only set for an authentication request.
	RequestID proto.FetchRequestID
	Origin    string
	// AuthBehind is the open authentication request that this dialog hides, nil for none.
	AuthBehind *Dialog
}

// Describe describes the dialog for an answer: `prompt "Your name?" (default "Ana")`.
func (d *Dialog) Describe() string {
	if d.Kind == DialogAuth {
		return "log-in: " + d.Text
	}
	text := d.Kind + " " + surface.QuoteText(d.Text, 200)
	if d.DefaultText != "" && !d.WantsSecret() {
		text += " (default " + surface.QuoteText(d.DefaultText, 60) + ")"
	}
	return text
}

// WantsSecret reports whether the answer to the dialog is likely a secret.
func (d *Dialog) WantsSecret() bool {
	return d.Kind == DialogAuth || d.Kind == string(proto.PageDialogTypePrompt) && redact.AsksForSecret(d.Text)
}

// CancelAuthRequest returns the protocol request that refuses an authentication challenge.
func CancelAuthRequest(id proto.FetchRequestID) proto.FetchContinueWithAuth {
	return proto.FetchContinueWithAuth{
		RequestID: id,
		AuthChallengeResponse: &proto.FetchAuthChallengeResponse{
			Response: proto.FetchAuthChallengeResponseResponseCancelAuth,
		},
	}
}

// ClearAuth drops an authentication request, also one behind another dialog. Called under the lock.
func (t *Tab) ClearAuth() {
	switch {
	case t.Dialog == nil:
	case t.Dialog.Kind == DialogAuth:
		t.Dialog = nil
	default:
		t.Dialog.AuthBehind = nil
	}
}

// CancelAuth refuses the tab's open dialog if it is an authentication request.
func (t *Tab) CancelAuth() {
	t.Session.Manager.Lock()
	defer t.Session.Manager.Unlock()
	if d := t.Dialog; d != nil && d.Kind == DialogAuth && t.Page != nil {
		t.Page.Post(d.SessionID, CancelAuthRequest(d.RequestID))
		t.Dialog = nil
	}
}

// TabWithDialog returns a tab with an open dialog, preferably the active one; nil for none. On the active tab, a
// page that asks for a file counts too.
func (s *Session) TabWithDialog() *Tab {
	s.Manager.Lock()
	defer s.Manager.Unlock()
	if t := s.Active; t != nil && (t.Dialog != nil || t.FileChooser != nil) {
		return t
	}
	for _, t := range s.Tabs {
		if t.Dialog != nil {
			return t
		}
	}
	return nil
}

// RemoveDialog removes d, unless another dialog has replaced it. If d hid an authentication request, that is open
// again and interrupts the running action.
func (t *Tab) RemoveDialog(d *Dialog) {
	t.WithLock(func() {
		if t.Dialog == d {
			t.Dialog = d.AuthBehind
		}
		if d.AuthBehind != nil && t.Dialog == d.AuthBehind {
			t.Interrupt(ErrDialog)
		}
	})
}

// CurrentDialog returns the tab's open dialog, nil for none.
func (t *Tab) CurrentDialog() *Dialog {
	t.Session.Manager.Lock()
	defer t.Session.Manager.Unlock()
	return t.Dialog
}

// dialogNote is called under the lock.
func (t *Tab) dialogNote() string {
	switch {
	case t.Dialog == nil:
		return ""
	case t.Dialog.Kind == DialogAuth:
		return "The page waits for the log-in: answer with handle_dialog and username and password, or with accept: " +
			"false."
	case t.Dialog.Kind == string(proto.PageDialogTypePrompt):
		return blockedNote + "handle_dialog with text, or accept: false."
	}
	return blockedNote + `press_key "Enter" accepts, "Escape" dismisses.`
}

const blockedNote = "The page is blocked until the dialog is answered: "

const inFrontNote = " is in front now; annotate_page lists it."

// IsTransientNote reports whether a note says that a dialog blocks the page, or that a tab is in front, which are only
// valid until the next answer.
func IsTransientNote(note string) bool {
	return strings.HasPrefix(note, blockedNote) || strings.HasPrefix(note, "Tab ") &&
		strings.HasSuffix(note, inFrontNote)
}

// DialogWantsSecret reports whether the dialog that HandleDialog would answer asks for a secret.
func (s *Session) DialogWantsSecret() bool {
	t := s.TabWithDialog()
	if t == nil {
		return false
	}
	d := t.CurrentDialog()
	return d != nil && d.WantsSecret()
}

// DescribeDialog describes the dialog that HandleDialog would answer, and returns the address of its page or, for an
// authentication request, the origin that asks. Both are "" when no dialog is open.
func (s *Session) DescribeDialog() (what, address string) {
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
	return t.Dialog.Describe(), t.URL
}

// FileChooser is a page's request for files. Node is the file field, 0 when the page opened the chooser without one.
type FileChooser struct {
	SessionID, FrameID string
	Node               proto.DOMBackendNodeID
	Multiple           bool
}
