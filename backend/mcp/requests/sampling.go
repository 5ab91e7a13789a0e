package requests

import (
	"context"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"sextant/backend/mcp/config"
	"sextant/backend/mcp/inflight"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

const (
	maxSamplingBytes    = 64 << 10
	maxSamplingMessages = 50
	maxSamplingTokens   = 8192
)

// SamplingQuestion is a server's question to the person's model during a call. System and Messages are text from
// outside.
type SamplingQuestion struct {
	Server, System string
	Messages       []SamplingMessage
	// MaxTokens bounds the answer; it is 1 to 8192.
	MaxTokens int
	Call      toolspec.Call
}

// SamplingMessage is one message. FromAssistant is true if the server claims that it is from the model.
type SamplingMessage struct {
	FromAssistant bool
	Text          string
}

// SamplingAnswer is the model's answer. Truncated is true if it reached MaxTokens.
type SamplingAnswer struct {
	Text, Model string
	Truncated   bool
}

func (h *Handler) createMessage(ctx context.Context, req *sdk.CreateMessageRequest) (*sdk.CreateMessageResult, error) {
	q, err := h.samplingQuestion(req.Params)
	if err != nil {
		return nil, err
	}
	if config.DecidedAs(h.Consents().Sampling, false) {
		return nil, refused("the person does not let this server ask their model")
	}
	call := h.Calls.Find(ctx, req.Params.Meta)
	if call == nil {
		h.Log.Warn("MCP server asks the model outside of a call, or during several; the question is not sent")
		return nil, refused("the model can be asked only during a call, and this question belongs to none")
	}
	ctx, resume := call.Pause(ctx)
	defer resume()
	done, ok := call.BeginQuestion(ctx)
	if !ok {
		h.Log.Warn("MCP server asks too much in one call; the question is not sent", "limit", inflight.MaxQuestions)
		return nil, refused(fmt.Sprintf("at most %d questions are allowed in one call", inflight.MaxQuestions))
	}
	defer done()
	q.Call = call.Request
	// The model's work counts for the call: its context carries the call's values, such as the budget.
	answer, err := h.Sample(mergedContext{Context: ctx, values: call.Context}, q)
	if err != nil {
		h.Log.Info("the question of an MCP server to the model was not answered", "err", err)
		return nil, refused(excerpt.TruncateRunes(h.Mask(err.Error()), 300))
	}
	h.Log.Info("the model answered the question of an MCP server", "model", answer.Model, "bytes", len(answer.Text))
	call.Report(answer.Model + " answered " + h.Server + ": " + answer.Text)
	stop := "endTurn"
	if answer.Truncated {
		stop = "maxTokens"
	}
	return &sdk.CreateMessageResult{
		Role: "assistant", Content: &sdk.TextContent{Text: answer.Text}, Model: answer.Model, StopReason: stop,
	}, nil
}

func (h *Handler) samplingQuestion(p *sdk.CreateMessageParams) (SamplingQuestion, error) {
	q := SamplingQuestion{Server: h.Server, System: strings.ToValidUTF8(p.SystemPrompt, "�")}
	size := len(q.System)
	for _, m := range p.Messages {
		var text *sdk.TextContent
		if m != nil {
			text, _ = m.Content.(*sdk.TextContent)
		}
		if text == nil {
			return q, refused("only text can be sent to the model")
		}
		size += len(text.Text)
		q.Messages = append(q.Messages, SamplingMessage{
			FromAssistant: m.Role == "assistant",
			Text:          strings.ToValidUTF8(text.Text, "�"),
		})
	}
	switch {
	case len(q.Messages) == 0:
		return q, refused("there is no message for the model")
	case size > maxSamplingBytes || len(q.Messages) > maxSamplingMessages:
		return q, refused(fmt.Sprintf("at most %d KB in %d messages can be sent to the model",
			maxSamplingBytes>>10, maxSamplingMessages))
	case q.Messages[len(q.Messages)-1].FromAssistant:
		return q, refused("the last message must be the user's")
	}
	q.MaxTokens = int(min(max(p.MaxTokens, 1), maxSamplingTokens))
	return q, nil
}

func (h *Handler) createMessageWithTools(
	ctx context.Context, p *sdk.CreateMessageWithToolsParams,
) (*sdk.CreateMessageResult, error) {
	if h.Sample == nil {
		return nil, refused("there is no model here that a server could ask")
	}
	base := &sdk.CreateMessageParams{Meta: p.Meta, MaxTokens: p.MaxTokens, SystemPrompt: p.SystemPrompt}
	for _, m := range p.Messages {
		for _, c := range m.Content {
			base.Messages = append(base.Messages, &sdk.SamplingMessage{Role: m.Role, Content: c})
		}
	}
	return h.createMessage(ctx, &sdk.CreateMessageRequest{Params: base})
}

type mergedContext struct {
	context.Context //nolint:containedctx // it is one
	values          context.Context
}

// Value looks in the context itself first.
func (c mergedContext) Value(key any) any {
	if found := c.Context.Value(key); found != nil {
		return found
	}
	return c.values.Value(key)
}
