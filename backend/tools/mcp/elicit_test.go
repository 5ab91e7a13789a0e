package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

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

func TestAServerMayAskTenTimesInACallAndOneThingAtATime(t *testing.T) {
	var now, asked atomic.Int32
	s := New(Config{Ask: func(context.Context, Question) (Answer, error) {
		if now.Add(1) > 1 {
			t.Error("two questions of one call stand at once")
		}
		defer now.Add(-1)
		asked.Add(1)
		return Answer{Action: Decline}, nil
	}})
	v := newServer(s, "a", "a", Entry{}, "")
	ctx, land := v.flying.begin(t.Context(), toolspec.Call{})
	defer land()
	var all sync.WaitGroup
	for range 3 * maxQuestions {
		all.Go(func() {
			if _, err := v.elicit(ctx, &sdk.ElicitRequest{Params: &sdk.ElicitParams{Message: "Again?", RequestedSchema: json.RawMessage(`{}`)}}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if asked.Load() != maxQuestions {
		t.Errorf("asked %d times", asked.Load())
	}
}

func TestAnAddressThatLooksLikeAnotherIsWrittenAsItIsLookedUp(t *testing.T) {
	for text, want := range map[string]string{
		"https://\u0430pple.com:8443/x": "xn--pple-43d.com:8443", "https://apple.com/": "apple.com", "http://[::1]:80/": "[::1]:80", "http://my_host/": "my_host",
	} {
		if u, err := Address(text); err != nil || u.Host != want {
			t.Errorf("%s: %v, %v", text, u, err)
		}
	}
}
