package app

import (
	"testing"
	"time"

	"sextant/backend/api/mcpserver"
	"sextant/shared/event"
)

func TestProgressOfACallIncludesItsSteps(t *testing.T) {
	sys := openTest(t, OpenOptions{})
	heard := make(chan string, 10)
	client := sys.Sharing.ClientConfig(t.Context(), mcpserver.JoinRequest{}, "")
	stop := client.FollowProgress("mcp_1", func(text string) { heard <- text })
	defer stop()
	for call, text := range map[string]string{"mcp_10": "another's", "mcp_10.1": "another's step", "mcp_": "nobody's"} {
		sys.publish(event.New(event.CallOutput, event.CallChunk{Text: text}).OfCall(call))
	}
	sys.publish(event.New(event.CallOutput, event.CallChunk{Text: "own"}).OfCall("mcp_1"))
	sys.publish(event.New(event.CallOutput, event.CallChunk{Text: "step"}).OfCall("mcp_1.2"))
	sys.publish(event.New(event.ApprovalAsked, event.Approval{Call: "mcp_1.3", Question: "May it?"}))
	for _, want := range []string{"own", "step", "waiting for an answer in the Sextant window: May it?"} {
		select {
		case got := <-heard:
			if got != want {
				t.Errorf("heard %q, want %q", got, want)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("never heard %q", want)
		}
	}
}
