package app

import (
	"strings"
	"sync"
	"testing"
	"time"

	"sextant/shared/event"
)

func TestProgressOfACallIsItsOwnAndThatOfItsSteps(t *testing.T) {
	sys := openTest(t, Purpose{})
	heard := make(chan string, 10)
	stop := sys.progress("mcp_1", func(text string) { heard <- text })
	defer stop()
	for call, text := range map[string]string{"mcp_10": "another's", "mcp_10.1": "another's step", "mcp_": "nobody's"} {
		sys.publish(event.New(event.CallOutput, event.CallChunk{Text: text}).Of(call))
	}
	sys.publish(event.New(event.CallOutput, event.CallChunk{Text: "own"}).Of("mcp_1"))
	sys.publish(event.New(event.CallOutput, event.CallChunk{Text: "step"}).Of("mcp_1.2"))
	sys.publish(event.New(event.ApprovalAsked, event.Approval{Call: "mcp_1.3", Question: "May it?"}))
	for _, want := range []string{"own", "step", "waits for an answer in the Sextant window: May it?"} {
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

func TestAVerbPrintsTheNewestProgressOfItsCall(t *testing.T) {
	sys := openTest(t, Purpose{})
	var printed safeText
	stop := printProgress(sys, "call_1", &printed)
	sys.publish(event.New(event.CallOutput, event.CallChunk{Stream: "stdout", Text: "what it prints\n"}).Of("call_1"))
	sys.publish(event.New(event.CallOutput, event.CallChunk{Stream: "progress", Text: "another's\n"}).Of("call_10"))
	sys.publish(event.New(event.CallOutput, event.CallChunk{Stream: "progress", Text: "20% · one\n40% · two\n"}).Of("call_1.1"))
	for deadline := time.Now().Add(20 * time.Second); printed.String() == "" && time.Now().Before(deadline); {
		time.Sleep(5 * time.Millisecond)
	}
	stop()
	if got := printed.String(); got != "40% · two\n" {
		t.Errorf("printed %q", got)
	}
}

func TestArgumentsAreTheSameHoweverTheyAreWritten(t *testing.T) {
	for text, want := range map[string]bool{`{ "b": [1], "a": 2 }`: true, `{"a":2}`: false, `no JSON`: false} {
		if sameJSON([]byte(`{"a":2,"b":[1]}`), []byte(text)) != want {
			t.Error(text)
		}
	}
}

// safeText is text that is written and read at once.
type safeText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *safeText) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *safeText) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}
