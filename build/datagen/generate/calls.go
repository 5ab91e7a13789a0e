package generate

import (
	"fmt"
	"strings"

	"sextant/shared/chat"
	"sextant/shared/event"
	"sextant/shared/toolspec"
)

const sites = 60

// call is a call of a tool with its result.
type call struct {
	chat.ToolCall
	sentence string
	output   string
	sources  []string
	status   event.CallStatus
}

func (w *writer) call() call {
	word, host := w.words.word(), fmt.Sprintf("%s.example", w.words.words[200+w.random.IntN(sites)])
	c := call{ToolCall: chat.ToolCall{ID: w.id("k")}, status: event.CallDone}
	page := []string{"https://" + host}
	switch w.random.IntN(5) {
	case 0:
		c.Name, c.sentence, c.sources = "navigate", "Opened "+host, page
		c.Args = raw(map[string]string{"url": "https://" + host + "/" + word})
		c.output = w.words.lines(8)
	case 1:
		c.Name, c.sentence = "bash", "Ran grep"
		c.Args = raw(map[string]string{"command": "grep -rn " + word + " ."})
		c.output = w.words.lines(20)
	case 2:
		c.Name, c.sentence = "read_file", "Read "+word+".md"
		c.Args = raw(map[string]string{"path": "/work/" + word + ".md"})
		c.output = w.words.lines(30)
	case 3:
		c.Name, c.sentence = "edit_file", "Changed 1 line in "+word+".md"
		c.Args = raw(map[string]string{
			"path": "/work/" + word + ".md", "old": w.words.sentence(),
			"new": w.words.sentence(),
		})
		c.output = "Changed 1 line."
	default:
		c.Name, c.sentence, c.sources = "read_page", "Read "+host, page
		c.Args = raw(map[string]string{})
		c.output = w.words.lines(40)
	}
	if w.random.IntN(25) == 0 {
		c.status, c.output = event.CallFailed, "not found: "+word
	}
	return c
}

// runCall writes the events of a call and the message with its result.
func (w *writer) runCall(c call) {
	w.add(event.CallStarted, c.ID, event.CallStart{
		CallRequest: event.CallRequest{
			Tool: c.Name, Args: c.Args, Origin: toolspec.OriginBaseline, Caller: toolspec.CallerModel,
			Sentence: c.sentence,
		}, TimeoutMS: 30_000,
	})
	end := event.CallEnd{Tool: c.Name, Status: c.status, Sentence: c.sentence}
	end.DurationMS = int64(5 + w.random.IntN(2000))
	if c.status == event.CallFailed {
		end.Error, end.ErrorType = c.output, toolspec.UserError
	} else {
		end.Output, end.Sources = c.output[:min(len(c.output), 4000)], c.sources
		first, _, _ := strings.Cut(c.output, "\n")
		end.Preview = []string{first}
	}
	w.add(event.CallEnded, c.ID, end)
	m := chat.Message{ID: w.id("m"), Role: chat.RoleTool, Text: c.output, CallID: c.ID, Outside: c.sources}
	if c.status == event.CallFailed {
		m.Status = chat.StatusFailed
	}
	w.message(m, c.ID)
}
