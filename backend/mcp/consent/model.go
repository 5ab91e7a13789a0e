package consent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sextant/backend/mcp/requests"
	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/excerpt"
)

// AskRoots asks whether a server may know the workspace folder.
func (a *Asker) AskRoots(ctx context.Context, r requests.RootsQuestion) (bool, error) {
	answer, err := a.askIn(ctx, r.Call, event.Approval{
		Question: fmt.Sprintf("May %s know the folder you work in?", r.Server), Target: r.Folder,
		Effect: "Tells it where the folder is, now and later. This opens no file, and does not change what the " +
			"server may open.",
		Reason: fmt.Sprintf("The MCP server %s asks for it in this call. Your answer is remembered; you can change it "+
			"in the MCP servers panel.", r.Server), YesLabel: "Tell it", NoLabel: "Don't tell it",
	})
	return err == nil && answer.Answer == event.AnswerOnce, err
}

// Sample shows the person a server's question to the model and, if they agree, returns the model's answer with
// secrets masked.
func (a *Asker) Sample(ctx context.Context, q requests.SamplingQuestion) (requests.SamplingAnswer, error) {
	model := a.cfg.Model()
	if model == "" {
		return requests.SamplingAnswer{}, errors.New("no language model is connected")
	}
	answer, err := a.askIn(ctx, q.Call, event.Approval{
		Question: fmt.Sprintf("Let %s ask %s?", q.Server, model), Target: model,
		Effect: fmt.Sprintf("Sends the text below to %s, without tools and without your conversation. The server gets "+
			"the answer, at most %d tokens; you pay for it.", model, q.MaxTokens),
		Data: excerpt.EscapeLines(a.cfg.Mask(samplingText(q))),
		Reason: fmt.Sprintf("The MCP server %s asks for it in this call. The text is its own, from outside.",
			q.Server),
		YesLabel: "Ask the model", NoLabel: "Decline",
	})
	if err != nil {
		return requests.SamplingAnswer{}, err
	}
	if answer.Answer != event.AnswerOnce {
		return requests.SamplingAnswer{}, errors.New("the person declined")
	}
	messages := make([]chat.Message, 0, len(q.Messages))
	for _, m := range q.Messages {
		role := chat.RoleUser
		if m.FromAssistant {
			role = chat.RoleAssistant
		}
		messages = append(messages, chat.Message{Role: role, Text: m.Text})
	}
	reply, err := a.cfg.Complete(ctx, model, messages, q)
	if err != nil {
		return requests.SamplingAnswer{}, fmt.Errorf("the model did not answer: %w", err)
	}
	reply.Text = a.cfg.Mask(reply.Text)
	return reply, nil
}

func samplingText(q requests.SamplingQuestion) string {
	var b strings.Builder
	part := func(who, text string) {
		if text != "" {
			_, _ = fmt.Fprintf(&b, "%s:\n%s\n\n", who, text)
		}
	}
	part("System prompt", q.System)
	for _, m := range q.Messages {
		if m.FromAssistant {
			part("As if the model had answered", m.Text)
		} else {
			part("Message", m.Text)
		}
	}
	return strings.TrimSpace(b.String())
}
