// Package requests answers what an MCP server asks of its client during a call: a question to the person
// (elicitation), a question to their model (sampling), and the folder that they work in (roots).
//
// A question to a person belongs to exactly one call; one without a call, or with several possible ones, is refused.
// A call asks one question at a time and at most inflight.MaxQuestions in all, and its deadline is paused meanwhile.
// Without an answer, nothing is allowed. All that a server sends is text from outside.
package requests

import (
	"context"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/mcp/config"
	"sextant/backend/mcp/inflight"
	"sextant/backend/mcp/tasks"
)

// Handler answers the requests of one server. Without Ask, Folder or Sample, the server is not offered elicitation,
// roots or sampling. AskRoots may be nil: then roots are offered only if the person agreed before. A nil CanSample
// counts as true.
type Handler struct {
	// Server is the person's name for the server.
	Server string
	Log    *slog.Logger
	Calls  *inflight.Registry

	Ask func(ctx context.Context, q Elicitation) (Answer, error)
	// Folder returns the folder that the person works in, "" for none. AskRoots asks whether the server may
	// know it.
	Folder   func() string
	AskRoots func(ctx context.Context, q RootsQuestion) (bool, error)
	// Sample gets an answer from the person's model after the person agreed. CanSample reports whether a model
	// is connected.
	Sample    func(ctx context.Context, q SamplingQuestion) (SamplingAnswer, error)
	CanSample func() bool

	// Consents returns the person's current decisions; SaveConsents stores new ones.
	Consents     func() config.Consents
	SaveConsents func(config.Consents)
	// Mask removes secrets from text.
	Mask func(text string) string
}

// Advertise declares in o the features that the server may use.
func (h *Handler) Advertise(o *sdk.ClientOptions) {
	consents := h.Consents()
	if h.Folder != nil && h.Folder() != "" && !config.DecidedAs(consents.Roots, false) &&
		(config.DecidedAs(consents.Roots, true) || h.AskRoots != nil) {
		o.Capabilities.RootsV2 = &sdk.RootCapabilities{}
	}
	if h.Sample != nil && !config.DecidedAs(consents.Sampling, false) && (h.CanSample == nil || h.CanSample()) {
		o.CreateMessageHandler = h.createMessage
	}
	if h.Ask != nil {
		o.ElicitationHandler = h.Elicit
		o.Capabilities.Elicitation = &sdk.ElicitationCapabilities{
			Form: &sdk.FormElicitationCapabilities{}, URL: &sdk.URLElicitationCapabilities{},
		}
	}
}

// AnswerTask answers the requests of a task, each as if the server had sent it directly. If one fails, it returns
// that error and no responses.
func (h *Handler) AnswerTask(ctx context.Context, requests sdk.InputRequestMap) (sdk.InputResponseMap, error) {
	responses := sdk.InputResponseMap{}
	for name, request := range requests {
		var err error
		switch p := request.(type) {
		case *sdk.ElicitParams:
			responses[name], err = h.Elicit(ctx, &sdk.ElicitRequest{Params: p})
		case *sdk.CreateMessageWithToolsParams:
			responses[name], err = h.createMessageWithTools(ctx, p)
		case *sdk.ListRootsParams:
			var roots []*sdk.Root
			if roots, err = h.roots(ctx, p); err == nil {
				responses[name] = &sdk.ListRootsResult{Roots: roots}
			}
		default:
			err = &tasks.EndedError{Why: "its task asks for something that Sextant does not offer"}
		}
		if err != nil {
			return nil, err
		}
	}
	return responses, nil
}

func refused(why string) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: why}
}
