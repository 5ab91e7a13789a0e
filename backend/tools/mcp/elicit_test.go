package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"sextant/shared/toolspec"
)

func order(t *testing.T, ask func(context.Context, Question) (Answer, error)) string {
	t.Helper()
	s, _, _ := startedWith(t, config(`"My Tester": `+stdio(t, "good", "")), Config{Ask: ask})
	reaches(t, s, "My Tester", stateReady)
	c := toolspec.Call{ID: "c7", Tool: "my_tester__order", Args: json.RawMessage(`{}`), From: toolspec.Provenance{Interactive: true}}
	r, err := s.Execute(t.Context(), c, toolspec.Definition{Name: c.Tool, Owner: "My Tester"}, nil)
	if err != nil || !r.Success {
		t.Fatalf("%+v, %v", r, err)
	}
	return r.ModelText()
}

func TestWhatAServerAsksInACallIsAnsweredByThePerson(t *testing.T) {
	var asked Question
	got := order(t, func(_ context.Context, q Question) (Answer, error) {
		asked = q
		return Answer{Action: Accept, Content: map[string]any{"size": "large"}}, nil
	})
	if got != "accept large" || asked.Server != "My Tester" || asked.Message != "Which size?" || asked.Call.ID != "c7" || len(asked.Form) == 0 {
		t.Errorf("got %q, %+v", got, asked)
	}
}

func TestAQuestionThatNobodyAnswersIsNotAYes(t *testing.T) {
	if got := order(t, func(context.Context, Question) (Answer, error) { return Answer{}, errors.New("nobody") }); got != "cancel <nil>" {
		t.Errorf("got %q", got)
	}
	if got := order(t, func(context.Context, Question) (Answer, error) {
		return Answer{Action: Decline, Content: map[string]any{"size": "large"}}, nil
	}); got != "decline <nil>" {
		t.Errorf("got %q", got)
	}
}

func TestOfTwoCallsAtOnceAQuestionWithoutACallBelongsToNeither(t *testing.T) {
	var f flights
	first, land := f.begin(t.Context(), toolspec.Call{ID: "a"})
	if _, call, done, ok := f.of(t.Context()); !ok || call.ID != "a" {
		t.Errorf("got %+v", call)
	} else {
		done()
	}
	_, land2 := f.begin(t.Context(), toolspec.Call{ID: "b"})
	if _, _, _, ok := f.of(t.Context()); ok {
		t.Error("it was given to one of them")
	}
	if _, call, done, ok := f.of(first); !ok || call.ID != "a" {
		t.Errorf("got %+v", call)
	} else {
		done()
	}
	land()
	land2()
}
