package act

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-rod/rod/lib/proto"

	"sextant/backend/browser/page"
	"sextant/backend/surface"
	"sextant/shared/annotation"
)

// DialogOptions says how to answer a dialog. Accept accepts it, otherwise it is dismissed. Text answers a prompt; nil
// keeps its default. User and Password answer an authentication request.
type DialogOptions struct {
	Accept         bool
	Text           *string
	User, Password string
}

// HandleDialog answers the open dialog of the active tab, or that of another tab when the active one has none.
func HandleDialog(ctx context.Context, s *page.Session, o DialogOptions) (annotation.Observation, error) {
	t := s.TabWithDialog()
	if t == nil {
		return annotation.Observation{}, &surface.Fault{
			Kind: surface.FaultDialog, Message: "No dialog is open.",
			Suggestion: "Call annotate_page to see the page.",
		}
	}
	release, err := t.Acquire(ctx)
	if err != nil {
		return annotation.Observation{}, err
	}
	defer release()
	s.Manager.Lock()
	d, c := t.Dialog, t.FileChooser
	s.Manager.Unlock()
	switch {
	case d != nil:
		if f := checkAnswer(d, o); f != nil {
			return annotation.Observation{}, f
		}
		return t.Run(ctx, func(ctx context.Context, a *page.Action) error { return answerDialog(ctx, a, d, o) })
	case c == nil:
		return annotation.Observation{}, &surface.Fault{
			Kind:    surface.FaultDialog,
			Message: "The dialog was answered meanwhile.", Suggestion: "Call annotate_page.",
		}
	case o.Accept:
		return annotation.Observation{}, &surface.Fault{
			Kind: surface.FaultDialog, Message: "The page asks for a file.",
			Suggestion: "Give it with upload_file, or send accept: false.",
		}
	}
	t.WithLock(func() { t.FileChooser = nil })
	return t.Run(ctx, func(_ context.Context, a *page.Action) error {
		a.SetOutcome("gave the page no file")
		return nil
	})
}

func checkAnswer(d *page.Dialog, o DialogOptions) *surface.Fault {
	switch {
	case d.Kind == page.DialogAuth && o.Accept && o.User == "" && o.Password == "":
		return &surface.Fault{
			Kind: surface.FaultInvalid, Message: "The site asks for a user name and a password.",
			Suggestion: "Send username and password, or accept: false.",
		}
	case d.Kind != page.DialogAuth && (o.User != "" || o.Password != ""):
		return &surface.Fault{
			Kind:       surface.FaultInvalid,
			Message:    fmt.Sprintf("The dialog is a %s; it takes no user name.", d.Kind),
			Suggestion: "Send accept, and text for a prompt.",
		}
	case d.Kind != string(proto.PageDialogTypePrompt) && o.Text != nil:
		return &surface.Fault{
			Kind:    surface.FaultInvalid,
			Message: fmt.Sprintf("The dialog is a %s; it takes no text.", d.Kind), Suggestion: "Send accept alone.",
		}
	}
	return nil
}

func answerDialog(ctx context.Context, a *page.Action, d *page.Dialog, o DialogOptions) error {
	verb := "dismissed"
	if o.Accept {
		verb = "accepted"
	}
	client := a.Page.ClientOf(ctx, d.SessionID)
	if d.Kind == page.DialogAuth {
		return answerLogin(a, client, d, o)
	}
	a.SetOutcome("%s the %s %s", verb, d.Kind, surface.QuoteText(d.Text, 200))
	req := proto.PageHandleJavaScriptDialog{Accept: o.Accept}
	if d.Kind == string(proto.PageDialogTypePrompt) && o.Accept {
		req.PromptText = d.DefaultText
		if o.Text != nil {
			req.PromptText = *o.Text
			if d.WantsSecret() {
				a.Tab.HideSecret(*o.Text)
				a.Outcome += " with text that is not shown"
			} else {
				a.Outcome += " with " + surface.QuoteText(*o.Text, 80)
			}
		}
	}
	if err := req.Call(client); err != nil && !strings.Contains(err.Error(), "No dialog") {
		return fmt.Errorf("answering the dialog: %w", err)
	}
	a.Tab.RemoveDialog(d)
	return nil
}

func answerLogin(a *page.Action, client proto.Client, d *page.Dialog, o DialogOptions) error {
	req := page.CancelAuthRequest(d.RequestID)
	a.SetOutcome("gave no user name")
	if o.Accept {
		a.SetOutcome("logged in as %q", surface.Truncate(o.User, 60))
		a.Tab.WithLock(func() {
			a.Tab.LoginOrigin = d.Origin
			a.Tab.Session.Secrets.Add("", o.Password)
		})
		req.AuthChallengeResponse = &proto.FetchAuthChallengeResponse{
			Response: proto.FetchAuthChallengeResponseResponseProvideCredentials, Username: o.User,
			Password: o.Password,
		}
	}
	err := req.Call(client)
	a.Tab.RemoveDialog(d)
	if err != nil {
		return &surface.Fault{
			Kind: surface.FaultDialog, Message: "The log-in is not asked for any more.",
			Suggestion: "Open the address again.",
		}
	}
	return nil
}

func answerDialogByKey(ctx context.Context, s *page.Session, t *page.Tab, key string) (annotation.Observation, error) {
	accept := strings.EqualFold(key, "Enter") || strings.EqualFold(key, "Return")
	d := t.CurrentDialog()
	switch {
	case d == nil:
		return annotation.Observation{}, &surface.Fault{
			Kind:    surface.FaultDialog,
			Message: "The dialog was answered meanwhile.", Suggestion: "Press the key again.",
		}
	case !accept && !strings.EqualFold(key, "Escape") && !strings.EqualFold(key, "Esc"), d.Kind == page.DialogAuth &&
		accept:
		s.Manager.Lock()
		defer s.Manager.Unlock()
		return annotation.Observation{}, t.DialogFault()
	}
	return HandleDialog(ctx, s, DialogOptions{Accept: accept})
}
