package loop_test

import (
	"context"
	"errors"
	"testing"

	"sextant/backend/agent/llm/openaitest"
	"sextant/backend/agent/loop"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

func TestSideQuestionIsBilledToTurn(t *testing.T) {
	apart := openaitest.Answer{Text: "Because."}
	apart.Usage = openaitest.Usage{Input: 40, Output: 2}
	b := newCostHarness(t, lookCosting(90, 10), apart, openaitest.Answer{Text: "Done."})
	b.do = func(ctx context.Context, c toolspec.Call) toolspec.Result {
		got, err := b.AskSideQuestion(ctx, loop.SideQuestion{
			Model: "openai/m", System: "Be brief.", Messages: []chat.Message{{Role: chat.RoleUser, Text: "Why?"}},
			MaxTokens:    7,
			Conversation: c.From.Conversation, Turn: c.From.Turn,
		})
		if err != nil || got.Text != "Because." {
			t.Errorf("got %+v, %v", got, err)
		}
		return toolspec.OK(got.Text)
	}
	if o := b.ask(t, "look"); o.Status != chat.StatusDone {
		t.Fatalf("%+v", o)
	}
	if all := b.bill(t).Conversation; all.Requests != 3 || all.Input < 130 {
		t.Errorf("the bill is %+v", all)
	}
	if _, err := b.AskSideQuestion(t.Context(), loop.SideQuestion{Model: "pilot"}); !errors.Is(err, loop.ErrPilot) {
		t.Errorf("the pilot answered: %v", err)
	}
}
