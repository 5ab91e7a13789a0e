// Package tasks runs the tasks of schedules as turns of the loop, each in a conversation of its own.
package tasks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/loop"
	"sextant/backend/attachment"
	"sextant/backend/recipes"
	"sextant/backend/schedule"
	"sextant/shared/chat"
	"sextant/shared/excerpt"
	data "sextant/shared/schedule"
	"sextant/shared/toolspec"
)

// folder is the folder of conversations that contains those of runs.
const folder = "Scheduled"

// Config configures Tasks.
type Config struct {
	Loop    *loop.Loop
	Recipes *recipes.Recipes
	// CreatedTools returns the current versions of all created tools.
	CreatedTools func() []toolspec.CreatedTool
	// CardUse returns what a call would use, as far as that is known before it runs.
	CardUse func(ctx context.Context, call toolspec.Call) toolspec.Card
	// Model returns the model of prompts that name none.
	Model func() string
	// CopySignIns makes a session begin with the window's cookies for hosts.
	CopySignIns func(session string, hosts []string)
	// CloseSession closes the tabs of a run and deletes their storage.
	CloseSession func(session string) error
}

// Tasks implements schedule.Tasks.
type Tasks struct{ cfg Config }

// New returns Tasks.
func New(cfg Config) *Tasks { return &Tasks{cfg} }

// Plan says what a task is at the moment. Its error can be read by a person.
func (t *Tasks) Plan(ctx context.Context, task data.Task) (schedule.Plan, error) {
	switch {
	case task.Recipe != "" && task.Prompt == "" && task.Tool == "":
		return t.planRecipe(ctx, task)
	case task.Prompt != "" && task.Recipe == "" && task.Tool == "":
		if strings.TrimSpace(task.Prompt) == "" || len(task.Prompt) > loop.MaxTextBytes {
			return schedule.Plan{}, errors.New("write what the assistant shall do, in at most 200,000 bytes")
		}
		if model := t.model(task); model == "" || model == llm.PilotName {
			return schedule.Plan{}, errors.New("a prompt needs a language model; connect one in the settings")
		}
		return schedule.Plan{Digest: digest(task), Sentence: task.Prompt}, nil
	case task.Tool != "" && task.Recipe == "" && task.Prompt == "":
		return t.planTool(task)
	}
	return schedule.Plan{}, errors.New("say what runs: a recipe, a prompt or a tool")
}

func (t *Tasks) model(task data.Task) string {
	if task.Model != "" {
		return task.Model
	}
	return t.cfg.Model()
}

func digest(parts ...any) string {
	text, err := json.Marshal(parts)
	if err != nil {
		return "" // cannot fail: the parts were read from JSON
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func (t *Tasks) planTool(task data.Task) (schedule.Plan, error) {
	all := t.cfg.CreatedTools()
	i := slices.IndexFunc(all, func(one toolspec.CreatedTool) bool { return one.Name == task.Tool })
	if i < 0 {
		return schedule.Plan{}, fmt.Errorf("there is no tool %s that the assistant made", task.Tool)
	}
	if all[i].AwaitsReview {
		return schedule.Plan{}, fmt.Errorf("the tool %s waits for your review", task.Tool)
	}
	return schedule.Plan{Digest: digest(task, all[i]), Sentence: "Run the tool " + task.Tool}, nil
}

func (t *Tasks) planRecipe(ctx context.Context, task data.Task) (schedule.Plan, error) {
	prepared, err := t.cfg.Recipes.Prepare(task.Recipe, task.Values)
	if err != nil {
		return schedule.Plan{}, err
	}
	card, err := prepared.Card(ctx, t.cfg.CardUse)
	if err != nil {
		return schedule.Plan{}, err
	}
	return schedule.Plan{
		Digest: digest(task, prepared.Recipe.Parameters, prepared.Recipe.Steps), Card: &card,
		Sentence: prepared.Sentence,
	}, nil
}

// Run runs a task in a new conversation.
func (t *Tasks) Run(ctx context.Context, one data.Schedule, run data.Run, began func(string)) schedule.Outcome {
	request := loop.TurnRequest{
		Title: one.Name, Folder: folder, UnattendedRun: run.ID, Interactive: run.Watched, Began: began,
		Text: one.Task.Prompt, Model: t.model(one.Task), Caller: toolspec.CallerModel, Panel: "browser",
	}
	if !run.Watched {
		// Its tabs begin signed out, unless the card says otherwise, and end with the run. A person watches it in the
		// window's tabs.
		request.Session = "run-" + run.ID
		if one.Card != nil && one.Card.SignIns {
			t.cfg.CopySignIns(request.Session, one.Card.Hosts)
		}
		defer func() { _ = t.cfg.CloseSession(request.Session) }() // it logs its error
	}
	if run.File != "" && one.Task.Prompt != "" {
		// Whoever wrote the file chose its name, so that it counts as text from outside.
		request.Attachments = []chat.Attachment{{
			Source: attachment.Source(filepath.Base(run.File)), Title: "The new file", Text: run.File,
		}}
	}
	if one.Task.Prompt == "" {
		call, text, err := t.call(one.Task)
		if err != nil {
			return schedule.Outcome{Status: data.StatusFailed, Reason: excerpt.Sentence(err.Error())}
		}
		request.Call, request.Text, request.Caller = call, text, toolspec.CallerRun
		if one.Card != nil && one.Task.Recipe != "" {
			request.TypedHosts = one.Card.Hosts // no model chooses among them
		}
	}
	done, err := t.cfg.Loop.Run(ctx, request)
	if err != nil {
		return schedule.Outcome{Status: data.StatusFailed, Reason: excerpt.Sentence(err.Error())}
	}
	o := schedule.Outcome{
		Status: data.StatusFailed, Reason: done.Error, Text: done.Text, Result: done.Text, Bill: done.Bill,
	}
	if one.Task.Recipe != "" {
		o.Result = strings.TrimSpace(notResult.ReplaceAllString(done.Text, ""))
	}
	switch done.Status {
	case chat.StatusDone:
		o.Status = data.StatusDone
	case chat.StatusStopped:
		o.Status = data.StatusStopped
	}
	return o
}

// notResult finds the lines of a recipe's text that are not values: its steps, and the page at the end.
var notResult = regexp.MustCompile(`(?m)^(\d+\. .*|Page: .*)$\n?`)

// call returns the call of a task without a prompt, and what it does in words.
func (t *Tasks) call(task data.Task) (*chat.ToolCall, string, error) {
	if task.Tool != "" {
		return &chat.ToolCall{ID: "task", Name: task.Tool, Args: task.Args}, "Run the tool " + task.Tool + ".", nil
	}
	prepared, err := t.cfg.Recipes.Prepare(task.Recipe, task.Values)
	if err != nil {
		return nil, "", err
	}
	args, err := json.Marshal(prepared.Values)
	if err != nil {
		return nil, "", err
	}
	call := &chat.ToolCall{ID: "task", Name: recipes.ToolName(task.Recipe), Args: args}
	return call, prepared.Sentence + ".", nil
}
