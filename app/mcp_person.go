package app

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"

	"sextant/backend/mcp/auth"
	"sextant/backend/mcp/client"
	"sextant/backend/mcp/requests"
	"sextant/backend/panels/acceptance"
	"sextant/backend/pipeline/approval"
	"sextant/backend/sandbox/procgroup"
	"sextant/shared/event"
)

// serverAsks puts a question of an MCP server at the Desk, with the server named. Whoever cannot be
// asked is not: that is an error.
func (s *System) serverAsks(ctx context.Context, q requests.Question) (requests.Answer, error) {
	if !q.Call.From.Interactive {
		return requests.Answer{}, errors.New("nobody is here to be asked")
	}
	a := event.Approval{
		Call: q.Call.ID, Root: q.Call.From.Root, InWindow: true, Tool: q.Call.Tool,
		Conversation: q.Call.From.Conversation, Turn: q.Call.From.Turn,
		Does: readable(s.Secrets.Mask(q.Message)),
		Why:  fmt.Sprintf("The MCP server %s asks for it in this call. The words are its own, from outside.", q.Server),
	}
	if q.Page != "" {
		u, err := requests.ParseAddress(q.Page)
		if err != nil {
			return requests.Answer{}, err
		}
		a.Question, a.Target = fmt.Sprintf("Open %s for %s?", u.Host, q.Server), q.Page
		a.Yes, a.No = "Open the page", "Decline"
	} else {
		var err error
		if a.Form, err = approval.Fields(q.Form); err != nil {
			return requests.Answer{}, err
		}
		readableForm(a.Form)
		a.Question, a.Target = fmt.Sprintf("What do you answer %s?", q.Server), q.Server
		a.Yes, a.No = "Send", "Decline"
	}
	said, err := s.put(ctx, a)
	switch {
	case err != nil:
		return requests.Answer{}, err
	case said.Answer == event.AnswerOnce && q.Page != "":
		s.openPage(q.Page)
		return requests.Answer{Action: requests.Accept}, nil
	case said.Answer == event.AnswerOnce:
		return requests.Answer{Action: requests.Accept, Content: said.Filled}, nil
	}
	return requests.Answer{Action: requests.Decline}, nil
}

// readable is a server's text, line by line, with what cannot be seen written out.
func readable(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = acceptance.Escaped(line)
	}
	return strings.Join(lines, "\n")
}

// readableForm does so with all that is read of a form; the values that are sent stay.
func readableForm(form []event.FormField) {
	for i := range form {
		f := &form[i]
		f.Title, f.About = acceptance.Escaped(f.Title), readable(f.About)
		for n := range f.Options {
			f.Options[n].Title = acceptance.Escaped(f.Options[n].Title)
		}
	}
}

// serverChanged asks whether a tool that its server changed may be called.
func (s *System) serverChanged(ctx context.Context, c mcp.Change) (bool, error) {
	if !c.Call.From.Interactive {
		return false, errors.New("nobody is here to be asked")
	}
	said, err := s.put(ctx, event.Approval{
		Call: c.Call.ID, Root: c.Call.From.Root, InWindow: true, Tool: c.Call.Tool,
		Conversation: c.Call.From.Conversation, Turn: c.Call.From.Turn,
		Question: fmt.Sprintf("Go on with %s, which %s has changed?", c.Tool, c.Server),
		Does:     fmt.Sprintf("Takes over what %s now says of its tool, and makes the call.", c.Server),
		Target:   c.Server, Data: s.Secrets.Mask(c.Diff),
		Why: "It is not the tool you know: another description can give the assistant other orders. The lines are " +
			"the server's, from outside.", Yes: "Go on", No: "Stop",
	})
	if err == nil && said.Answer != event.AnswerOnce && said.Reason != "" {
		err = errors.New(said.Reason)
	}
	return err == nil && said.Answer == event.AnswerOnce, err
}

// signsIn is how the person signs in to servers; without a window nobody does.
func (s *System) signsIn(purpose Purpose) func(ctx context.Context, server, page string) error {
	if !purpose.Serve {
		return func(context.Context, string, string) error {
			return fmt.Errorf("%w: nobody is here to sign in. Open Sextant's window, where it can be done",
				auth.ErrDeclined)
		}
	}
	return s.signInPage
}

// signInPage asks the person whether they want to sign in to a server, and shows them where.
func (s *System) signInPage(ctx context.Context, server, page string) error {
	u, err := requests.ParseAddress(page)
	if err != nil {
		return err
	}
	page = u.String()
	// A server is started before there is a Desk.
	select {
	case <-s.deskOpen:
	case <-ctx.Done():
		return fmt.Errorf("asking to sign in: %w", ctx.Err())
	}
	said, err := s.put(ctx, event.Approval{
		Tool: "mcp", Question: fmt.Sprintf("Sign in to %s at %s?", server, u.Host),
		Does: fmt.Sprintf("Opens %s in your own browser. What it gives Sextant there is kept among your secrets "+
			"and sent to this server only.", u.Host),
		Target: page, Why: fmt.Sprintf("The MCP server %s does not answer without it.", server), Yes: "Open the page",
		No: "Not now",
	})
	if err != nil {
		return err
	}
	if said.Answer != event.AnswerOnce {
		return auth.ErrDeclined
	}
	s.openPage(page)
	return nil
}

// put asks a question that only "once" and "deny" answer.
func (s *System) put(ctx context.Context, a event.Approval) (event.ApprovalAnswer, error) {
	a.Args, a.Hash = json.RawMessage(`{}`), rand.Text()
	a.Choices = []event.Choice{
		{Answer: event.AnswerOnce, Scope: "This time only."},
		{Answer: event.AnswerDeny, Scope: "It goes on without it."},
	}
	return s.Desk.Ask(ctx, a)
}

// openPage opens an address in the person's own browser. Where there is none to be found they open it
// themselves: it stands in the question.
func (s *System) openPage(page string) {
	if err := opens(page, os.Getenv("BROWSER")); err != nil {
		s.Log.Warn("no browser could be opened; the person has to open the page", "error", err)
	}
}

// opens hands an address to a program, "" for the one that the desktop has for it.
func opens(address, program string) error {
	env := desktop()
	switch {
	case program != "":
		env = append(env, "BROWSER="+program)
	case runtime.GOOS == "darwin":
		program = "open"
	default:
		program = "xdg-open"
	}
	cmd := exec.CommandContext(context.Background(), program, address)
	cmd.Env = procgroup.Environment(env...)
	// What starts here goes on when Sextant ends.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting %s: %w", program, err)
	}
	go func() { _ = cmd.Wait() }() // reaps it whenever it ends
	return nil
}

// desktop is what a browser needs to find the screen.
func desktop() (env []string) {
	for _, name := range []string{
		"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR",
		"DBUS_SESSION_BUS_ADDRESS", "XDG_CURRENT_DESKTOP", "XDG_DATA_DIRS", "XDG_CONFIG_DIRS",
	} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}
