// Package subagent provides run_subagent, the tool that starts a separate turn for a task.
//
// The package does not depend on the agent loop: a Runner runs the turn, and must ensure that it may do no more than
// its caller. What the turn read and changed counts for the call of run_subagent.
package subagent

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/dustin/go-humanize/english"

	"sextant/backend/toolkit"
	"sextant/shared/chat"
	"sextant/shared/excerpt"
	"sextant/shared/toolspec"
)

//go:embed run_subagent.md
var runSubagentDoc string

// maxTask and maxExpect are in characters. maxCount limits calls and rounds.
const (
	maxTask   = 20_000
	maxExpect = 2000
	maxCount  = 200
	maxTools  = 100
)

// Task contains the parameters of run_subagent. If Model is "", the Runner chooses it. If MaxCalls or MaxRounds is 0,
// only the caller's limits apply. A nil Tools means all tools of the caller.
type Task struct {
	Task           string   `json:"task"`
	ExpectedAnswer string   `json:"expect"`
	Tools          []string `json:"tools"`
	ReadOnly       bool     `json:"read_only"`
	MaxCalls       int      `json:"max_calls"`
	MaxRounds      int      `json:"max_rounds"`
	Model          string   `json:"model"`
}

// Report is the outcome of a task.
type Report struct {
	Title, Conversation string
	Answer              string
	Status              chat.Status
	// Error and Suggestion say why the task did not finish.
	Error, Suggestion string
	Calls, Rounds     int
	Usage             chat.Usage
	// Outside and Private are the sources of what the task read (toolspec.Result).
	Outside, Private, Changed []string
}

// Runner runs a task for call until it ends or ctx is done. A non-nil Result says why the task did not start. A Runner
// must be safe for concurrent use.
type Runner func(ctx context.Context, task Task, call toolspec.Call) (Report, *toolspec.Result)

// Tools provides run_subagent. It is safe for concurrent use.
type Tools struct {
	toolkit.List[tool]
	run Runner
}

type tool struct{ def toolspec.Definition }

func (t tool) Definition() toolspec.Definition { return t.def }

// New returns the tool.
func New(run Runner) *Tools {
	def := toolkit.Define(toolspec.RunSubagent, "workspace", runSubagentDoc,
		fmt.Sprintf(`{"type":"object","properties":{`+
			`"task":{"type":"string","minLength":1,"maxLength":%d},`+
			`"expect":{"type":"string","maxLength":%d,"description":"The answer you want, in words."},`+
			`"tools":{"type":"array","items":{"type":"string","maxLength":128},"minItems":1,"maxItems":%d,"description":"The only tools it may use; default: yours."},`+
			`"read_only":{"type":"boolean","default":false,"description":"Only tools that change nothing."},`+
			`"max_calls":{"type":"integer","minimum":1,"maximum":%d},"max_rounds":{"type":"integer","minimum":1,"maximum":%d},`+
			`"model":{"type":"string","maxLength":200,"description":"Another model of the same service."}`+
			`},"required":["task"],"additionalProperties":false}`, maxTask, maxExpect, maxTools, maxCount, maxCount),
		toolspec.Hints{},
		`{"task":"Read the three newest entries of https://example.com/changes and say what breaks for users of version 2","expect":"A list, one line each","read_only":true}`,
		`{"task":"Find the cheapest lamp on https://example.com/lamps","tools":["navigate_page","get_page_content"]}`,
		`{"task":"Correct the spelling in all files of docs","expect":"The changed files","max_calls":60}`)
	def.TimeoutMS = toolspec.MaxTimeoutMS
	return &Tools{List: toolkit.List[tool]{{def}}, run: run}
}

// Describe returns the effect of call. The task may name secrets, because its calls are judged one by one.
func (t *Tools) Describe(call toolspec.Call) toolspec.Description {
	var p Task
	_ = json.Unmarshal(call.Args, &p)
	return toolspec.Description{Sentence: "Subagent: " + excerpt.Line(p.Task, 80), ForwardsSecrets: true}
}

type outcome struct {
	Answer       string      `json:"answer"`
	Conversation string      `json:"conversation"`
	Status       chat.Status `json:"status"`
	Calls        int         `json:"calls"`
	Rounds       int         `json:"rounds"`
	InputTokens  int         `json:"input_tokens"`
	OutputTokens int         `json:"output_tokens"`
}

// Execute runs one task. The error is always nil.
func (t *Tools) Execute(
	ctx context.Context, call toolspec.Call, _ toolspec.Definition, _ func(stream, text string),
) (toolspec.Result, error) {
	var p Task
	if bad := toolkit.Decode(call.Args, &p); bad != nil {
		return *bad, nil
	}
	report, bad := t.run(ctx, p, call)
	if bad != nil {
		return *bad, nil
	}
	return resultOf(report), nil
}

func resultOf(done Report) toolspec.Result {
	counts := fmt.Sprintf("%s, %s, %d tokens read and %d written; its conversation is %s",
		english.Plural(done.Calls, "call", ""), english.Plural(done.Rounds, "round", ""), done.Usage.Input,
		done.Usage.Output, done.Conversation)
	r := toolspec.OK(outcome{
		Answer: done.Answer, Conversation: done.Conversation, Status: done.Status, Calls: done.Calls,
		Rounds:      done.Rounds,
		InputTokens: done.Usage.Input, OutputTokens: done.Usage.Output,
	})
	r.Sentence = "Subagent: " + done.Title
	r.Text = done.Answer + "\n\n[" + counts + "]"
	if done.Status != chat.StatusDone {
		r.Success = false
		r.ErrorType, r.Error, r.Suggestion = toolspec.UserError, failure(done), done.Suggestion
		if r.Suggestion == "" || done.Status == chat.StatusLimit {
			r.Suggestion = "Continue from what it reached, or give a smaller task to a subagent."
		}
		if done.Answer == "" {
			r.Text = "[" + counts + "]"
		} else {
			r.Text = "Its last message:\n" + r.Text
		}
	}
	r.Sources, r.PrivateSources, r.Changed = done.Outside, done.Private, done.Changed
	r.Preview = []string{excerpt.Line(done.Answer, 80)}
	if done.Answer == "" {
		r.Preview = nil
	}
	return r
}

func failure(done Report) string {
	if done.Error == "" {
		return "the subagent was stopped before it finished; what it did until then is kept"
	}
	return "the subagent did not finish: " + done.Error
}
