package eventlog

import (
	"strings"
	"testing"

	"sextant/shared/chat"
	"sextant/shared/event"

	"github.com/google/go-cmp/cmp"
)

func TestCompact(t *testing.T) {
	t.Parallel()
	text := func(message, text string) event.Event {
		return event.New(event.TextDelta, event.Delta{Message: message, Text: text})
	}
	thought := func(text string) event.Event {
		return event.New(event.ReasoningDelta, event.Delta{Message: "m", Text: text})
	}
	output := func(call string, stream event.Stream, text string) event.Event {
		return event.New(event.CallOutput, event.CallChunk{Stream: stream, Text: text}).OfCall(call)
	}
	added := func(id, text string) event.Event {
		return event.New(event.MessageAdded, chat.Message{ID: id, Role: chat.RoleAssistant, Text: text})
	}
	ended := func(call, output string) event.Event {
		return event.New(event.CallEnded, event.CallEnd{
			Tool: "bash", CallOutcome: event.CallOutcome{Output: output},
		}).OfCall(call)
	}
	started := event.New(event.CallStarted, event.CallStart{CallRequest: event.CallRequest{Tool: "bash"}}).OfCall("c")
	for _, row := range []struct {
		name     string
		in, want []event.Event
	}{
		{
			"an ended message keeps its place and loses its pieces",
			[]event.Event{text("m", "Hel"), text("m", "lo"), started, text("n", "x"), added("m", "Hello.")},
			[]event.Event{text("m", ""), started, text("n", "x"), added("m", "Hello.")},
		},
		{
			"pieces of a running message are joined",
			[]event.Event{text("m", "Hel"), started, text("m", "lo")},
			[]event.Event{text("m", "Hello"), started},
		},
		{
			"a message that ended without text keeps what was streamed",
			[]event.Event{text("m", "Hel"), text("m", "lo"), added("m", "")},
			[]event.Event{text("m", "Hello"), added("m", "")},
		},
		{
			"reasoning is joined until something else follows",
			[]event.Event{thought("a"), thought("b"), text("m", "x"), thought("c"), started, thought("d")},
			[]event.Event{thought("ab"), text("m", "x"), thought("c"), started, thought("d")},
		},
		{
			"output of a running call is joined by stream",
			[]event.Event{
				started, output("c", "stdout", "1"), output("d", "stdout", "2"), output("c", "stdout", "3"),
				output("c", "stderr", "4"),
			},
			[]event.Event{
				started, output("c", "stdout", "13"), output("d", "stdout", "2"), output("c", "stderr", "4"),
			},
		},
		{
			"output that the end repeats is dropped",
			[]event.Event{output("c", "stdout", "1"), output("d", "stdout", "2"), ended("c", "1"), ended("d", "")},
			[]event.Event{output("d", "stdout", "2"), ended("c", "1"), ended("d", "")},
		},
		{
			"rounds are dropped",
			[]event.Event{event.New(event.RoundEnded, event.Round{}), started},
			[]event.Event{started},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			if diff := cmp.Diff(lines(row.want), lines(Compact(row.in))); diff != "" {
				t.Error("events (-want +got):\n" + diff)
			}
		})
	}
}

func lines(events []event.Event) string {
	var b strings.Builder
	for _, e := range events {
		b.WriteString(string(e.Kind) + " " + e.Call + " " + string(e.Data) + "\n")
	}
	return b.String()
}
