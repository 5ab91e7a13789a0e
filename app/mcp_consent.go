package app

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/loop"
	"sextant/backend/mcp/requests"
	"sextant/shared/chat"
	"sextant/shared/event"
)

// asksAbout is a question of the kind that servers cause, about call.
func asksAbout(q event.Approval, from requests.SamplingQuestion) event.Approval {
	c := from.Call
	q.Call, q.Root, q.InWindow, q.Tool, q.Conversation, q.Turn = c.ID, c.From.Root, true, c.Tool, c.From.Conversation,
		c.From.Turn
	return q
}

// serverWantsFolder asks whether a server may know the folder the person works in.
func (s *System) serverWantsFolder(ctx context.Context, r requests.RootsQuestion) (bool, error) {
	if !r.Call.From.Interactive {
		return false, errors.New("nobody is here to be asked")
	}
	said, err := s.put(ctx, asksAbout(event.Approval{
		Question: fmt.Sprintf("May %s know the folder you work in?", r.Server), Target: r.Folder,
		Does: "Tells it where the folder is, now and later. It opens no file by this, and what the server may open " +
			"does not change here.",
		Why: fmt.Sprintf("The MCP server %s asks for it in this call. The answer is kept; it can be changed in the "+
			"panel of MCP servers.", r.Server), Yes: "Tell it", No: "Keep it to myself",
	}, requests.SamplingQuestion{Call: r.Call}))
	if err != nil {
		return false, err
	}
	return said.Answer == event.AnswerOnce, nil
}

// modelForServers is the one that answers servers, "" while there is none but the pilot.
func (s *System) modelForServers() string {
	if name := s.Settings.Get("model"); name != llm.PilotName {
		return name
	}
	return ""
}

// serverSamples has the model answer a server's question, once the person has read it and agreed.
func (s *System) serverSamples(ctx context.Context, q requests.SamplingQuestion) (requests.SamplingAnswer, error) {
	model := s.modelForServers()
	switch {
	case model == "":
		return requests.SamplingAnswer{}, errors.New("no language model is connected")
	case !q.Call.From.Interactive:
		return requests.SamplingAnswer{}, errors.New("nobody is here to be asked")
	}
	said, err := s.put(ctx, asksAbout(event.Approval{
		Question: fmt.Sprintf("Let %s ask %s?", q.Server, model), Target: model,
		Does: fmt.Sprintf("Sends the words below to %s, without tools and without your conversation. The server is "+
			"given the answer, %d tokens at most; you pay for it.", model, q.MaxTokens),
		Data: readable(s.Secrets.Mask(wordsOf(q))),
		Why:  fmt.Sprintf("The MCP server %s asks for it in this call. The words are its own, from outside.", q.Server),
		Yes:  "Ask the model", No: "Decline",
	}, q))
	if err != nil {
		return requests.SamplingAnswer{}, err
	}
	if said.Answer != event.AnswerOnce {
		return requests.SamplingAnswer{}, errors.New("the person declined")
	}
	messages := make([]chat.Message, 0, len(q.Messages))
	for _, t := range q.Messages {
		role := chat.RoleUser
		if t.Assistant {
			role = chat.RoleAssistant
		}
		messages = append(messages, chat.Message{Role: role, Text: t.Text})
	}
	got, err := s.Loop.AskSide(ctx, loop.SideQuestion{
		Model: model, System: q.System, Messages: messages, MaxTokens: q.MaxTokens,
		Conversation: q.Call.From.Conversation, Turn: q.Call.From.Turn,
	})
	if err != nil {
		return requests.SamplingAnswer{}, fmt.Errorf("the model did not answer: %w", err)
	}
	by := model
	if got.By != "" {
		by = got.By
	}
	return requests.SamplingAnswer{Text: s.Secrets.Mask(got.Text), Model: by, Truncated: got.Stop == llm.StopLength},
		nil
}

// wordsOf is all that the model would read, as the person reads it before.
func wordsOf(q requests.SamplingQuestion) string {
	var b strings.Builder
	part := func(who, text string) {
		if text != "" {
			_, _ = fmt.Fprintf(&b, "%s:\n%s\n\n", who, text)
		}
	}
	part("System prompt", q.System)
	for _, t := range q.Messages {
		if t.Assistant {
			part("As if the model had said", t.Text)
		} else {
			part("Message", t.Text)
		}
	}
	return strings.TrimSpace(b.String())
}

// newIssuer is how the person agrees to another issuer of a server; without a window nobody does.
func (s *System) newIssuer(purpose Purpose) func(ctx context.Context, server, before, now string) (bool, error) {
	if !purpose.Serve {
		return nil
	}
	return func(ctx context.Context, server, before, now string) (bool, error) {
		// A server is started before there is a Desk.
		select {
		case <-s.deskOpen:
		case <-ctx.Done():
			return false, fmt.Errorf("asking about who signs in: %w", ctx.Err())
		}
		said, err := s.put(ctx, event.Approval{
			Tool: "mcp", Question: fmt.Sprintf("Send your client secret for %s to another issuer?", server),
			Target: readable(now),
			Does: "Signs in there with the secret or key that you wrote into the server's entry. Nothing has been " +
				"sent yet.",
			Data: readable("- " + before + "\n+ " + now), Yes: "Send it there", No: "Stop",
			Why: fmt.Sprintf("The MCP server %s used to name the first of these to sign in, and now names the "+
				"second. Whoever runs that one can sign in as you where the secret holds.", server),
		})
		return err == nil && said.Answer == event.AnswerOnce, err
	}
}
