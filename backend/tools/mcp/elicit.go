package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"unicode"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/net/idna"

	"sextant/shared/toolspec"
)

// maxQuestion bounds what a server asks a person, in characters; maxForm the form's schema in bytes.
const (
	maxQuestion = 2000
	maxForm     = 32 << 10
)

// Question is what a server asks the person in the middle of a call. All of it is outside text but
// Server, which is the person's own name for who asks.
type Question struct {
	Server, Message string
	// Call is the call in which it asks.
	Call toolspec.Call
	// Form is the JSON Schema of the answer: an object of plain values. Nil when Page is set.
	Form json.RawMessage
	// Page is an address that the person is asked to open, "" for a form.
	Page string
}

// Answer is what the person said: Action is accept, decline or cancel, Content what they filled in.
type Answer struct {
	Action  string
	Content map[string]any
}

// The actions of an Answer, as the protocol names them.
const (
	Accept  = "accept"
	Decline = "decline"
	Cancel  = "cancel"
)

// Address is an address with its host as it is looked up, in ASCII: in other letters one host can look
// as another does.
func Address(text string) (*url.URL, error) {
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

// elicit puts a server's question to the person. Whoever cannot be asked has not agreed.
func (v *server) elicit(ctx context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	ask := v.owner.cfg.Ask
	if ask == nil {
		return &sdk.ElicitResult{Action: Cancel}, nil
	}
	q := Question{Server: v.name, Message: shorten(req.Params.Message, maxQuestion)}
	if req.Params.Mode == "url" {
		u, err := Address(req.Params.URL)
		if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil {
			v.log.Warn("MCP server asks to open what is no web address", "page", shorten(req.Params.URL, 200))
			return &sdk.ElicitResult{Action: Decline}, nil
		}
		q.Page = u.String()
	} else {
		form, err := json.Marshal(req.Params.RequestedSchema)
		if err != nil || len(form) > maxForm {
			v.log.Warn("MCP server asks for a form that cannot be shown", "bytes", len(form))
			return &sdk.ElicitResult{Action: Decline}, nil
		}
		q.Form = form
	}
	one := v.flying.asker(ctx, req.Params.Meta)
	if one == nil {
		v.log.Warn("MCP server asks the person outside of a call, or in one of several at once; it is not put")
		return &sdk.ElicitResult{Action: Cancel}, nil
	}
	ctx, done := one.join(ctx)
	defer done()
	leave, ok := one.turn(ctx)
	if !ok {
		v.log.Warn("MCP server asks too much in one call; it is not put", "limit", maxQuestions)
		return &sdk.ElicitResult{Action: Cancel}, nil
	}
	defer leave()
	q.Call = one.call
	answer, err := ask(ctx, q)
	if err != nil {
		v.log.Info("MCP server's question was not answered", "error", err)
		return &sdk.ElicitResult{Action: Cancel}, nil
	}
	if answer.Action != Accept || q.Page != "" {
		return &sdk.ElicitResult{Action: answer.Action}, nil
	}
	return &sdk.ElicitResult{Action: Accept, Content: answer.Content}, nil
}
