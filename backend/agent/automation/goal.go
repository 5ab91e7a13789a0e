package automation

import (
	"encoding/json"
	"fmt"
	"strings"

	"sextant/backend/agent/loop"
	"sextant/shared/toolspec"
)

// ToolName is the tool that the model calls when it is done.
const ToolName = toolspec.FinalResponse

var tool = toolspec.Definition{
	Name: ToolName,
	Description: "Say that the task is done and you know the answer. Call it once, after the last other call, " +
		"alone. You are then told in which format to give the answer.",
	Parameters: json.RawMessage(
		`{"type":"object","properties":{"answer":{"type":"string","description":"The answer in words, if that helps you."}}}`,
	),
	Origin: toolspec.OriginBaseline,
	Examples: []json.RawMessage{
		json.RawMessage(`{}`),
		json.RawMessage(`{"answer":"The lamp costs 72 euros."}`),
		json.RawMessage(`{"answer":"No such lamp is sold there."}`),
	},
}

// goal implements loop.Goal: it collects an answer that fits. The loop calls it from one goroutine.
type goal struct {
	format     Format
	maxRepairs int

	reminded    bool
	closed      bool
	repairsSent int
	problems    []string
	answer      json.RawMessage
}

// Tool implements loop.Goal.
func (g *goal) Tool() toolspec.Definition { return tool }

// HandleToolCall implements loop.Goal.
func (g *goal) HandleToolCall(args json.RawMessage, failed []string) loop.Reply {
	switch {
	case g.closed:
		return g.judge(answerArgument(args))
	case len(failed) > 0:
		return loop.Reply{
			Message: "Not taken: " + strings.Join(failed, ", ") +
				" failed in the same answer. Look at the results, go on, " +
				"and call " + ToolName + " when the task is done or cannot be done.",
		}
	}
	return g.close()
}

// answerArgument returns the argument "answer" of final_response. Without one it returns all of args, because the
// model may have sent the value as the arguments.
func answerArgument(args json.RawMessage) string {
	var in struct{ Answer json.RawMessage }
	if json.Unmarshal(args, &in) != nil || len(in.Answer) == 0 {
		return string(args)
	}
	var text string
	if json.Unmarshal(in.Answer, &text) == nil {
		return text
	}
	return string(in.Answer)
}

// HandleAnswer implements loop.Goal.
func (g *goal) HandleAnswer(text string) loop.Reply {
	switch {
	case g.closed:
		return g.judge(text)
	case !g.reminded:
		g.reminded = true
		return loop.Reply{
			Message: "If there is more to do, go on with the tools. When the task is done, or cannot be " +
				"done, call " + ToolName + ".",
		}
	}
	return g.close()
}

func (g *goal) close() loop.Reply {
	g.closed = true
	return loop.Reply{ToolsClosed: true, Message: g.format.prompt()}
}

func (g *goal) judge(text string) loop.Reply {
	value, err := parseAnswer(text)
	if err != nil {
		g.problems = []string{err.Error()}
	} else {
		if g.problems, err = g.format.check(value); err != nil {
			return loop.Reply{
				Failure:    sentence("the answer cannot be checked: " + err.Error()),
				Suggestion: "Give a simpler format.",
			}
		}
		if len(g.problems) == 0 {
			g.answer = value
			return loop.Reply{}
		}
	}
	what := strings.Join(g.problems, "; ")
	if g.repairsSent >= g.maxRepairs {
		return loop.Reply{
			Failure:    "The answer does not fit the format" + afterRepairs(g.repairsSent) + ": " + what + ".",
			Suggestion: "Describe in the schema what is wanted, make it simpler, or choose another model.",
		}
	}
	g.repairsSent++
	return loop.Reply{
		Message: "This does not fit: " + what + ". Send the whole corrected answer again: one JSON value and " +
			"nothing else.",
	}
}

func afterRepairs(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return ", even after it was sent back once"
	}
	return fmt.Sprintf(", even after it was sent back %d times", n)
}
