package mcpclient

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"sextant/backend/mcp/requests"
	"sextant/shared/toolspec"
)

func callOrder(t *testing.T, ask func(context.Context, requests.Elicitation) (requests.Answer, error)) string {
	t.Helper()
	s, _, _ := startedWith(t, configText(`"My Tester": `+stdio(t, "good", "")), Config{Elicit: ask})
	waitForState(t, s, "My Tester", stateReady)
	c := toolspec.Call{
		ID: "c7", Tool: "my_tester__order", Args: json.RawMessage(`{}`),
		From: toolspec.Provenance{Interactive: true},
	}
	r, err := s.Execute(t.Context(), c, toolspec.Definition{Name: c.Tool, Owner: "My Tester"}, nil)
	if err != nil || !r.Success {
		t.Fatalf("%+v, %v", r, err)
	}
	return r.ModelText()
}

func TestElicitation(t *testing.T) {
	var asked requests.Elicitation
	got := callOrder(t, func(_ context.Context, q requests.Elicitation) (requests.Answer, error) {
		asked = q
		return requests.Answer{Action: requests.ActionAccept, Content: map[string]any{"size": "large"}}, nil
	})
	if got != "accept large" || asked.Server != "My Tester" || asked.Message != "Which size?" ||
		asked.Call.ID != "c7" || len(asked.Form) == 0 {
		t.Errorf("got %q, %+v", got, asked)
	}
}

func TestUnansweredElicitationIsNotAccepted(t *testing.T) {
	if got := callOrder(t, func(context.Context, requests.Elicitation) (requests.Answer, error) {
		return requests.Answer{}, errors.New("nobody")
	}); got != "cancel <nil>" {
		t.Errorf("got %q", got)
	}
	if got := callOrder(t, func(context.Context, requests.Elicitation) (requests.Answer, error) {
		return requests.Answer{Action: requests.ActionDecline, Content: map[string]any{"size": "large"}}, nil
	}); got != "decline <nil>" {
		t.Errorf("got %q", got)
	}
}
