package loop

import (
	"context"
	"errors"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/loop/budget"
	"sextant/shared/chat"
)

// Apart is one question to a model in the middle of a call, beside its conversation: a program that the
// call runs asks it. No tool goes with it, and nothing of the conversation.
type Apart struct {
	// Model is provider/name.
	Model, System string
	Messages      []chat.Message
	MaxTokens     int
	// Conversation and Turn are where the call belongs, "" outside of a conversation.
	Conversation, Turn string
}

// ErrPilot means that the built-in command pilot was to answer, which is no language model.
var ErrPilot = errors.New("the built-in command pilot is no language model; connect one in settings")

// AskApart puts the question and records what it cost. Where ctx is that of a call in a turn, the turn pays,
// within its budgets; a reached one is an error. Safe for concurrent use.
func (l *Loop) AskApart(ctx context.Context, a Apart) (llm.Response, error) {
	if a.Model == "" || a.Model == llm.PilotName {
		return llm.Response{}, ErrPilot
	}
	model, err := l.cfg.Models.Open(a.Model)
	if err != nil {
		return llm.Response{}, err
	}
	t := &turn{
		loop: l, id: a.Turn, ctx: ctx, ask: Ask{Conversation: a.Conversation, Model: a.Model},
		// Its turn warns of what has no price.
		purse: &budget.Account{
			Conversation: a.Conversation,
			Turn:         a.Turn,
			Parent:       budget.FromContext(ctx),
			Warned:       true,
		},
	}
	got, err := meter{
		model,
		t,
	}.Stream(
		ctx,
		llm.Request{System: a.System, Messages: a.Messages, MaxTokens: a.MaxTokens},
		func(llm.Delta) {},
	)
	if events := t.rest("server"); len(events) > 0 {
		err = errors.Join(err, l.publish(ctx, events...))
	}
	return got, err
}
