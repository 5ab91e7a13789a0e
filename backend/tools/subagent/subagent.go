// Package subagent holds the tool that hands a task on to a turn of its own: run_subagent.
//
// It knows no loop. Who runs such a turn is a Runner, which also holds that the turn may do no more
// than who asked for it; what is here is the shape of the task and of what comes back. What the turn
// read from outside counts as outside text of the result, what it read of files as read by the call,
// and the files it changed as changed by it.
package subagent

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/dustin/go-humanize/english"

	"sextant/backend/tools/room"
	"sextant/shared/chat"
	"sextant/shared/toolspec"
)

//go:embed run_subagent.md
var runSubagentDoc string

// Bounds of a task: its characters, how many calls and rounds may be named, how many tools.
const (
	maxTask   = 20_000
	maxExpect = 2000
	maxCount  = 200
	maxTools  = 100
)

// Task is what run_subagent takes. Zero fields leave what they are about to the Runner.
type Task struct {
	Task      string   `json:"task"`
	Expect    string   `json:"expect"`
	Tools     []string `json:"tools"`
	ReadOnly  bool     `json:"read_only"`
	MaxCalls  int      `json:"max_calls"`
	MaxRounds int      `json:"max_rounds"`
	Model     string   `json:"model"`
}

// Report is how a task ended.
type Report struct {
	Title, Conversation string
	Answer              string
	Status              chat.Status
	// Error and Suggestion say why it is not done.
	Error, Suggestion string
	Calls, Rounds     int
	Usage             chat.Usage
	// Outside and Local are the sources of what it read, from outside and of this machine; Changed
	// are the files it changed in a way that can be undone.
	Outside, Local, Changed []string
}

// Runner runs a task for call until it ends or ctx does. A Result instead says why it did not begin.
// Safe for concurrent use.
type Runner func(ctx context.Context, task Task, call toolspec.Call) (Report, *toolspec.Result)

// Tools are the tools of the room. Safe for concurrent use.
type Tools struct {
	room.List[tool]
	run Runner
}

type tool struct{ def toolspec.Definition }

// Definition implements room.Tool.
func (x tool) Definition() toolspec.Definition { return x.def }

// New makes the tools. The group is that of tools which reach nothing by themselves: each call of a
// task is judged when it is made.
func New(run Runner) *Tools {
	def := room.Define(toolspec.RunSubagent, "workspace", runSubagentDoc, fmt.Sprintf(`{"type":"object","properties":{`+
		`"task":{"type":"string","minLength":1,"maxLength":%d},`+
		`"expect":{"type":"string","maxLength":%d,"description":"The answer you want, in words."},`+
		`"tools":{"type":"array","items":{"type":"string","maxLength":128},"minItems":1,"maxItems":%d,"description":"The only tools it may use; left out: yours."},`+
		`"read_only":{"type":"boolean","default":false,"description":"Only tools that change nothing."},`+
		`"max_calls":{"type":"integer","minimum":1,"maximum":%d},"max_rounds":{"type":"integer","minimum":1,"maximum":%d},`+
		`"model":{"type":"string","maxLength":200,"description":"Another model of the same service."}`+
		`},"required":["task"],"additionalProperties":false}`, maxTask, maxExpect, maxTools, maxCount, maxCount), toolspec.Hints{},
		`{"task":"Read the three newest entries of https://example.com/changes and say what breaks for users of version 2","expect":"A list, one line each","read_only":true}`)
	def.TimeoutMS = toolspec.MaxTimeoutMS
	return &Tools{List: room.List[tool]{{def}}, run: run}
}

// Describe says what call would do. The task may name secrets: its calls put them in, or are refused.
func (t *Tools) Describe(call toolspec.Call) toolspec.Description {
	var p Task
	_ = json.Unmarshal(call.Args, &p)
	return toolspec.Description{Present: "Handing on: " + toolspec.Brief(p.Task, 80), Quotes: true}
}

// outcome is the value of run_subagent. Conversation opens its talk.
type outcome struct {
	Answer       string      `json:"answer"`
	Conversation string      `json:"conversation"`
	Status       chat.Status `json:"status"`
	Calls        int         `json:"calls"`
	Rounds       int         `json:"rounds"`
	InputTokens  int         `json:"input_tokens"`
	OutputTokens int         `json:"output_tokens"`
}

// Execute runs one task; its error is always nil.
func (t *Tools) Execute(ctx context.Context, call toolspec.Call, _ toolspec.Definition, _ func(stream, text string)) (toolspec.Result, error) {
	var p Task
	if bad := room.Decode(call.Args, &p); bad != nil {
		return *bad, nil
	}
	report, bad := t.run(ctx, p, call)
	if bad != nil {
		return *bad, nil
	}
	return told(report), nil
}

// told is the result of a task that began.
func told(done Report) toolspec.Result {
	counts := fmt.Sprintf("%s, %s, %d tokens read and %d written; its talk is %s",
		english.Plural(done.Calls, "call", ""), english.Plural(done.Rounds, "round", ""), done.Usage.Input, done.Usage.Output, done.Conversation)
	r := toolspec.OK(outcome{
		Answer: done.Answer, Conversation: done.Conversation, Status: done.Status, Calls: done.Calls, Rounds: done.Rounds,
		InputTokens: done.Usage.Input, OutputTokens: done.Usage.Output,
	})
	r.Sentence = "Handed on: " + done.Title
	r.Text = done.Answer + "\n\n[" + counts + "]"
	if done.Status != chat.StatusDone {
		r.Success = false
		r.ErrorType, r.Error, r.Suggestion = toolspec.UserError, why(done), done.Suggestion
		if r.Suggestion == "" || done.Status == chat.StatusLimit {
			r.Suggestion = "Go on from what it came to, or hand on a smaller task."
		}
		if done.Answer == "" {
			r.Text = "[" + counts + "]"
		} else {
			r.Text = "It said last:\n" + r.Text
		}
	}
	r.Sources, r.Read, r.Changed = done.Outside, done.Local, done.Changed
	r.Preview = []string{toolspec.Brief(done.Answer, 80)}
	if done.Answer == "" {
		r.Preview = nil
	}
	return r
}

// why is what a failed task's result says.
func why(done Report) string {
	if done.Error == "" {
		return "the subagent was stopped before its task was done; what it did until then stays"
	}
	return "the subagent did not finish: " + done.Error
}
