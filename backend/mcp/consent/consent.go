// Package consent asks the person the questions of MCP servers: a form, a page to open, a sign-in, a changed tool,
// the workspace folder, the model, a start without a sandbox. It writes the questions; the approval queue shows
// them.
//
// The methods of an Asker are callbacks for mcpclient.Config and launch.Sandbox. Package requests implements the
// protocol.
package consent

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"

	"sextant/backend/mcp/auth"
	"sextant/backend/mcp/mcpclient"
	"sextant/backend/mcp/requests"
	"sextant/backend/pipeline/approval"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

var errNobody = errors.New("no person is at the window to answer")

// Approvals asks the person; approval.Queue implements it.
type Approvals interface {
	Ask(ctx context.Context, a event.Approval) (event.ApprovalAnswer, error)
}

var _ Approvals = (*approval.Queue)(nil)

// Config configures an Asker. All fields are required.
type Config struct {
	Approvals Approvals
	// Mask replaces the values of secrets in a text.
	Mask func(text string) string
	// OpenPage opens an address in the person's own browser. It reports no errors, because the question shows
	// the address too.
	OpenPage func(address string)
	// Model returns the model that answers servers, "" if no language model is connected.
	Model func() string
	// Complete sends messages to a model on behalf of q.Call, with the system prompt and token limit of q.
	Complete func(ctx context.Context, model string, messages []chat.Message, q requests.SamplingQuestion) (
		requests.SamplingAnswer, error)
}

// Asker asks the questions of MCP servers. Its methods may be called concurrently.
type Asker struct{ cfg Config }

// New makes an Asker.
func New(cfg Config) *Asker { return &Asker{cfg} }

func (a *Asker) ask(ctx context.Context, q event.Approval) (event.ApprovalAnswer, error) {
	q.Args, q.Hash = json.RawMessage(`{}`), rand.Text()
	q.Choices = []event.Choice{
		{Answer: event.AnswerOnce, Scope: "This time only."},
		{Answer: event.AnswerDeny, Scope: "It continues without."},
	}
	return a.cfg.Approvals.Ask(ctx, q)
}

// askIn asks a question that a server caused during a call. It returns errNobody if nobody can be asked.
func (a *Asker) askIn(ctx context.Context, call toolspec.Call, q event.Approval) (event.ApprovalAnswer, error) {
	if !call.From.Interactive {
		return event.ApprovalAnswer{}, errNobody
	}
	q.Call, q.RootCall, q.WindowOnly, q.Tool = call.ID, call.From.RootCall, true, call.Tool
	q.Conversation, q.Turn = call.From.Conversation, call.From.Turn
	return a.ask(ctx, q)
}

// confirmed reports whether the person agreed. If they gave a reason for refusing, it is the error.
func confirmed(answer event.ApprovalAnswer, err error) (bool, error) {
	if err == nil && answer.Answer != event.AnswerOnce && answer.Reason != "" {
		err = errors.New(answer.Reason)
	}
	return err == nil && answer.Answer == event.AnswerOnce, err
}

// Elicit asks a server's question: a form to fill in, or a page to open.
func (a *Asker) Elicit(ctx context.Context, q requests.Elicitation) (requests.Answer, error) {
	if !q.Call.From.Interactive {
		return requests.Answer{}, errNobody
	}
	question := event.Approval{
		Effect:  excerpt.EscapeLines(a.cfg.Mask(q.Message)),
		Reason:  fmt.Sprintf("The MCP server %s asks this in the call. The text is its own, from outside.", q.Server),
		NoLabel: "Decline",
	}
	if q.URL != "" {
		u, err := requests.ParseAddress(q.URL)
		if err != nil {
			return requests.Answer{}, err
		}
		question.Question, question.Target = fmt.Sprintf("Open %s for %s?", u.Host, q.Server), q.URL
		question.YesLabel = "Open the page"
	} else {
		var err error
		if question.Form, err = approval.FormFields(q.Form); err != nil {
			return requests.Answer{}, err
		}
		escapeForm(question.Form)
		question.Question, question.Target = fmt.Sprintf("What do you answer %s?", q.Server), q.Server
		question.YesLabel = "Send"
	}
	answer, err := a.askIn(ctx, q.Call, question)
	switch {
	case err != nil:
		return requests.Answer{}, err
	case answer.Answer != event.AnswerOnce:
		return requests.Answer{Action: requests.ActionDecline}, nil
	case q.URL != "":
		a.cfg.OpenPage(q.URL)
		return requests.Answer{Action: requests.ActionAccept}, nil
	}
	return requests.Answer{Action: requests.ActionAccept, Content: answer.FormValues}, nil
}

// escapeForm escapes what a form shows, but not the values that it sends.
func escapeForm(form []event.FormField) {
	for i := range form {
		f := &form[i]
		f.Title, f.Description = excerpt.Escape(f.Title), excerpt.EscapeLines(f.Description)
		for n := range f.Options {
			f.Options[n].Title = excerpt.Escape(f.Options[n].Title)
		}
	}
}

// Review asks whether a tool with a changed definition may be called.
func (a *Asker) Review(ctx context.Context, c mcpclient.ToolChange) (bool, error) {
	return confirmed(a.askIn(ctx, c.Call, event.Approval{
		Question: fmt.Sprintf("Continue with %s, which %s has changed?", excerpt.Escape(c.Tool), c.Server),
		Effect:   fmt.Sprintf("Accepts the definition that %s gives of its tool now, and makes the call.", c.Server),
		Target:   c.Server, Data: a.cfg.Mask(c.Diff),
		Reason: "It is not the tool you know: another description can give the assistant other instructions. The " +
			"lines are the server's, from outside.", YesLabel: "Continue", NoLabel: "Stop",
	}))
}

// SignIn asks the person whether to sign in to a server, and if so opens page in their browser. The error is
// auth.ErrDeclined if they decline.
func (a *Asker) SignIn(ctx context.Context, server, page string) error {
	u, err := requests.ParseAddress(page)
	if err != nil {
		return err
	}
	page = u.String()
	answer, err := a.ask(ctx, event.Approval{
		Tool: "mcp", Question: fmt.Sprintf("Sign in to %s at %s?", server, u.Host),
		Effect: fmt.Sprintf("Opens %s in your own browser. The access that it gives Sextant is stored with your "+
			"secrets and sent to this server only.", u.Host),
		Target: page, Reason: fmt.Sprintf("The MCP server %s requires you to sign in.", server),
		YesLabel: "Open the page",
		NoLabel:  "Not now",
	})
	if err != nil {
		return err
	}
	if answer.Answer != event.AnswerOnce {
		return auth.ErrDeclined
	}
	a.cfg.OpenPage(page)
	return nil
}

// RefuseSignIn replaces SignIn in a program without a window.
func RefuseSignIn(context.Context, string, string) error {
	return fmt.Errorf("%w: this Sextant has no window to sign in with. Open Sextant's window and sign in there",
		auth.ErrDeclined)
}

// ConfirmIssuer asks whether the client secret of a server may be sent to another issuer than before.
func (a *Asker) ConfirmIssuer(ctx context.Context, server, before, now string) (bool, error) {
	answer, err := a.ask(ctx, event.Approval{
		Tool: "mcp", Question: fmt.Sprintf("Send your client secret for %s to another issuer?", server),
		Target: excerpt.EscapeLines(now),
		Effect: "Signs in there with the secret or key from the server's entry. Nothing has been " +
			"sent yet.",
		Data: excerpt.EscapeLines("- " + before + "\n+ " + now), YesLabel: "Send it there", NoLabel: "Stop",
		Reason: fmt.Sprintf("The MCP server %s used to name the first of these to sign in, and now names the "+
			"second. Whoever runs that one can sign in as you wherever the secret is valid.", server),
	})
	return err == nil && answer.Answer == event.AnswerOnce, err
}

// ConfirmUnsandboxed asks whether a server may run without a sandbox. line is its command line; why says why there
// is no sandbox.
func (a *Asker) ConfirmUnsandboxed(ctx context.Context, server, line, why string) (bool, error) {
	return confirmed(a.ask(ctx, event.Approval{
		Tool: "mcp", Question: fmt.Sprintf("Start %s without a sandbox?", server),
		Effect: "Runs its program on this machine as you, with access to all your files and your network, until " +
			"Sextant ends.",
		Target: line, Reason: "This machine has no sandbox to enforce the server's access: " + why + ".",
		YesLabel: "Start it", NoLabel: "Don't start it",
	}))
}
