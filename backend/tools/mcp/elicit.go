package mcp

import (
	"context"
	"encoding/json"
	"net/url"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

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

// elicit puts a server's question to the person. Whoever cannot be asked has not agreed.
func (v *server) elicit(ctx context.Context, req *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
	ask := v.owner.cfg.Ask
	if ask == nil {
		return &sdk.ElicitResult{Action: Cancel}, nil
	}
	q := Question{Server: v.name, Message: shorten(req.Params.Message, maxQuestion)}
	if req.Params.Mode == "url" {
		u, err := url.Parse(req.Params.URL)
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
	ctx, call, done, ok := v.flying.of(ctx)
	if !ok {
		v.log.Warn("MCP server asks the person outside of a call, or in one of several at once; it is not put")
		return &sdk.ElicitResult{Action: Cancel}, nil
	}
	defer done()
	q.Call = call
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
