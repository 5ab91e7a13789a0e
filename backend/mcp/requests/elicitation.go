package requests

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/net/idna"

	"sextant/backend/mcp/inflight"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

const (
	maxMessage = 2000
	maxForm    = 32 << 10
)

// Elicitation is a server's question to the person during a call. Message, Form and URL are text from outside; Server
// is the person's name for the server.
type Elicitation struct {
	Server, Message string
	Call            toolspec.Call
	// Form is the JSON Schema of the answer. It is nil if URL is set.
	Form json.RawMessage
	// URL is an address that the person is asked to open, "" for a form.
	URL string
}

// Answer is the person's answer. Action is ActionAccept, ActionDecline or ActionCancel; Content holds the values that
// they filled in.
type Answer struct {
	Action  string
	Content map[string]any
}

// The actions of an Answer, as the protocol names them.
const (
	ActionAccept  = "accept"
	ActionDecline = "decline"
	ActionCancel  = "cancel"
)

// ParseAddress parses an address and converts its host to ASCII, because in Unicode one host can look like another.
// It accepts any scheme.
func ParseAddress(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("reading the page's address: %w", err)
	}
	host := u.Hostname()
	if strings.IndexFunc(host, func(c rune) bool { return c > unicode.MaxASCII }) < 0 {
		return u, nil
	}
	ascii, err := idna.Lookup.ToASCII(host)
	if err != nil {
		return nil, fmt.Errorf("reading the host of the page's address: %w", err)
	}
	u.Host = strings.Replace(u.Host, host, ascii, 1)
	return u, nil
}

// Elicit asks the person a server's question. The error is always nil: a question that cannot be asked, or that
// nobody answers, is declined or canceled.
func (h *Handler) Elicit(ctx context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	if h.Ask == nil {
		return &sdk.ElicitResult{Action: ActionCancel}, nil
	}
	q, ok := h.question(req.Params)
	if !ok {
		return &sdk.ElicitResult{Action: ActionDecline}, nil
	}
	call := h.Calls.Find(ctx, req.Params.Meta)
	if call == nil {
		h.Log.Warn("MCP server asks the person outside of a call, or during several; the question is not shown")
		return &sdk.ElicitResult{Action: ActionCancel}, nil
	}
	ctx, resume := call.Pause(ctx)
	defer resume()
	done, ok := call.BeginQuestion(ctx)
	if !ok {
		h.Log.Warn("MCP server asks too much in one call; the question is not shown", "limit", inflight.MaxQuestions)
		return &sdk.ElicitResult{Action: ActionCancel}, nil
	}
	defer done()
	q.Call = call.Request
	answer, err := h.Ask(ctx, q)
	if err != nil {
		h.Log.Info("the question of an MCP server was not answered", "err", err)
		return &sdk.ElicitResult{Action: ActionCancel}, nil
	}
	if answer.Action != ActionAccept || q.URL != "" {
		return &sdk.ElicitResult{Action: answer.Action}, nil
	}
	return &sdk.ElicitResult{Action: ActionAccept, Content: answer.Content}, nil
}

func (h *Handler) question(p *sdk.ElicitParams) (q Elicitation, ok bool) {
	q = Elicitation{Server: h.Server, Message: excerpt.TruncateRunes(p.Message, maxMessage)}
	if p.Mode == "url" {
		u, err := ParseAddress(p.URL)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil {
			h.Log.Warn("MCP server asks to open something that is not a web page", "page",
				excerpt.TruncateRunes(p.URL, 200))
			return q, false
		}
		q.URL = u.String()
		return q, true
	}
	form, err := json.Marshal(p.RequestedSchema)
	if err != nil || len(form) > maxForm {
		h.Log.Warn("MCP server asks for a form that cannot be shown", "bytes", len(form))
		return q, false
	}
	q.Form = form
	return q, true
}
