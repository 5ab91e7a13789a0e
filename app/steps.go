package app

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"sextant/backend/browser"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

// stepped puts what a person did by hand on the picture into the one log, as the call of
// the tool that would have done the same. It was done already: nothing is decided here.
func (s *System) stepped(step browser.Step) {
	id := "hand_" + strings.ToLower(rand.Text())
	now := time.Now().UTC()
	request := event.CallRequest{
		Tool: step.Tool, Args: step.Args, Origin: toolspec.OriginBaseline, Caller: toolspec.CallerPerson,
		Sentence: step.Sentence,
	}
	err := s.Audit.WriteCall(context.Background(), event.CallIntent{CallRecord: event.CallRecord{
		ID: id, CallRequest: request, Target: step.URL, Decision: "allowed", Reason: "A person did it by hand.",
		Started: now,
	}}, event.CallResult{Status: event.CallDone, Sentence: step.Sentence})
	if err != nil {
		s.Log.Error("a person's step is not in the log", "tool", step.Tool, "error", err)
	}
	s.publish(event.New(event.CallStarted, event.CallStart{CallRequest: request}).Of(id))
	s.publish(event.New(event.CallEnded, event.CallEnd{
		Tool: step.Tool, Status: event.CallDone,
		Sentence: step.Sentence,
	}).Of(id))
}
