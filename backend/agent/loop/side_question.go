package loop

import (
	"context"
	"errors"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/loop/budget"
	"sextant/shared/chat"
)

// SideQuestion is one request to a model outside of a turn's rounds, without tools and without the conversation.
type SideQuestion struct {
	// Purpose is that of event.Round: "server" or "title".
	Purpose string
	// Model is provider/name.
	Model, System string
	Messages      []chat.Message
	MaxTokens     int
	// Conversation and Turn are those of the call, "" outside of a conversation.
	Conversation, Turn string
}

// ErrPilot means that the built-in command pilot was asked, which is no language model.
var ErrPilot = errors.New("the built-in command pilot is not a language model; connect one in settings")

// AskSideQuestion sends the question and records its cost. If ctx belongs to a call in a turn, the turn pays within its
// budgets; a budget that is used up is an error. Safe for concurrent use.
func (l *Loop) AskSideQuestion(ctx context.Context, a SideQuestion) (llm.Response, error) {
	if a.Model == "" || a.Model == llm.PilotName {
		return llm.Response{}, ErrPilot
	}
	model, err := l.cfg.Models.Open(a.Model)
	if err != nil {
		return llm.Response{}, err
	}
	t := &turn{
		loop: l, id: a.Turn, ctx: ctx, request: TurnRequest{Conversation: a.Conversation, Model: a.Model},
		// The turn itself warns about missing prices.
		account: &budget.Account{
			Conversation: a.Conversation,
			Turn:         a.Turn,
			Parent:       budget.FromContext(ctx),
			Warned:       true,
		},
	}
	request := llm.Request{System: a.System, Messages: a.Messages, MaxTokens: a.MaxTokens}
	got, err := meteredModel{model, t}.Stream(ctx, request, func(llm.Delta) {})
	if events := t.unreportedRound(a.Purpose); len(events) > 0 {
		err = errors.Join(err, l.publish(ctx, events...))
	}
	return got, err
}
