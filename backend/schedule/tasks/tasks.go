// Package tasks runs the tasks of schedules as turns of the loop, each in a conversation of its own.
package tasks

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"sextant/backend/agent/llm"
	"sextant/backend/agent/loop"
	"sextant/backend/policy"
	"sextant/backend/recipes"
	"sextant/backend/schedule"
	"sextant/shared/chat"
	"sextant/shared/excerpt"
	"sextant/shared/recipe"
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
	CloseSession func(session string)
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

// secretName finds the names of secrets in the texts of a recipe.
var secretName = regexp.MustCompile(`\{\{secret:([^{}]+)\}\}`)

func (t *Tasks) planRecipe(ctx context.Context, task data.Task) (schedule.Plan, error) {
	rec, values, err := t.recipe(task)
	if err != nil {
		return schedule.Plan{}, err
	}
	card := toolspec.Card{}
	filled := recipes.Fill(rec, values)
	opensTabs := false
	for _, s := range filled.Steps {
		if strings.HasPrefix(s.Tool, recipes.ToolName("")) || s.Tool == toolspec.RunSubagent {
			return schedule.Plan{}, fmt.Errorf(
				"the recipe runs %s, and what that needs is not known beforehand", s.Tool)
		}
		card = card.Plus(t.cfg.CardUse(ctx, toolspec.Call{
			Tool: s.Tool, Args: s.Args,
			// No session is of this name, so that the card does not depend on the page that is open in the window.
			From: toolspec.Provenance{Caller: toolspec.CallerRun, Session: "schedule", InBrowser: true},
		}))
		if s.Expect != nil {
			// A host with a * stands for several, of which none is listed.
			if host := policy.HostOf(s.Expect.URL); host != "" && !strings.Contains(host, "*") {
				card = card.Plus(toolspec.Card{Hosts: []string{host}})
			}
			opensTabs = opensTabs || s.Expect.Event == "opened_tab"
		}
		for _, m := range secretName.FindAllSubmatch(s.Args, -1) {
			card = card.Plus(toolspec.Card{Secrets: []string{string(m[1])}})
		}
	}
	if opensTabs {
		// A step may first select the tab of its element.
		card = card.Plus(toolspec.Card{Tools: []string{"browser_tabs"}, Acts: len(filled.Steps)})
	}
	return schedule.Plan{
		Digest: digest(task, rec.Parameters, rec.Steps), Card: &card, Sentence: sentence(rec, values),
	}, nil
}

// recipe returns the recipe of a task with a value for each of its parameters.
func (t *Tasks) recipe(task data.Task) (recipe.Recipe, map[string]string, error) {
	rec, err := t.cfg.Recipes.Get(task.Recipe)
	if err != nil {
		return rec, nil, fmt.Errorf("there is no recipe %s", task.Recipe)
	}
	left, values := maps.Clone(task.Values), map[string]string{}
	for _, p := range rec.Parameters {
		value, given := task.Values[p.Name]
		switch {
		case given:
			values[p.Name] = value
		case p.Default != nil:
			values[p.Name] = *p.Default
		default:
			return rec, nil, fmt.Errorf("the recipe needs a value for %s", p.Name)
		}
		if p.Secret && !secretName.MatchString(values[p.Name]) {
			return rec, nil, fmt.Errorf("a schedule stores no secret: give %s as {{secret:name}}", p.Name)
		}
		delete(left, p.Name)
	}
	if len(left) > 0 {
		return rec, nil, fmt.Errorf("the recipe has no parameter %s", slices.Sorted(maps.Keys(left))[0])
	}
	return rec, values, nil
}

func sentence(rec recipe.Recipe, values map[string]string) string {
	text := "Run the recipe " + rec.Name
	for i, p := range rec.Parameters {
		value := values[p.Name]
		if p.Secret {
			value = "…"
		}
		join := ", "
		if i == 0 {
			join = " with "
		}
		text += join + p.Name + " " + value
	}
	return text
}

// Run runs a task in a new conversation.
func (t *Tasks) Run(ctx context.Context, one data.Schedule, run data.Run, began func(string)) schedule.Outcome {
	request := loop.TurnRequest{
		Title: one.Name, Folder: folder, ScheduledRun: run.ID, Interactive: run.Watched, Began: began,
		Text: one.Task.Prompt, Model: t.model(one.Task), Caller: toolspec.CallerModel, Panel: "browser",
	}
	if !run.Watched {
		// Its tabs begin signed out, unless the card says otherwise, and end with the run. A person watches it in the
		// window's tabs.
		request.Session = "run-" + run.ID
		if one.Card != nil && one.Card.SignIns {
			t.cfg.CopySignIns(request.Session, one.Card.Hosts)
		}
		defer t.cfg.CloseSession(request.Session)
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
	rec, values, err := t.recipe(task)
	if err != nil {
		return nil, "", err
	}
	args, err := json.Marshal(values)
	if err != nil {
		return nil, "", err
	}
	call := &chat.ToolCall{ID: "task", Name: recipes.ToolName(rec.Name), Args: args}
	return call, sentence(rec, values) + ".", nil
}
