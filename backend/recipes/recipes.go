// Package recipes stores recipes, finds their elements on a page again, and runs them: calls of tools that were made
// once are made again with other values, without a model.
//
// A step acts only on an element that is certainly the one that was recorded (Find). A step that was recorded with an
// effect must have it again, or the run ends there. Every step is a call in the pipeline: it is judged, asked about and
// recorded like any other call. A recipe has no rights of its own, and what its steps read taints the later ones.
package recipes

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"sextant/shared/annotation"
	"sextant/shared/event"
	"sextant/shared/recipe"
	"sextant/shared/toolspec"
)

// FileName is the name of the file with a recipe, in a folder with the name of the recipe.
const FileName = "recipe.json"

const maxDepth = 4

// ErrNotFound means that there is no recipe of that name.
var ErrNotFound = errors.New("there is no recipe of that name")

// Config configures Recipes.
type Config struct {
	// Folder contains a folder for each recipe. It need not exist.
	Folder string
	// PanelFolders returns the folders of the usable panels. It may be nil.
	PanelFolders func() []PanelFolder
	// Do runs a call through the pipeline.
	Do func(ctx context.Context, call toolspec.Call) toolspec.Result
	// Observe returns the observation in the value of a Result of a page tool.
	Observe func(value any) (annotation.Observation, bool)
	// Events returns the events of a conversation.
	Events func(ctx context.Context, conversation string) ([]event.Event, error)
	// ReportSteps waits until the events contain all that the person did by hand.
	ReportSteps func(ctx context.Context)
	// EventsAfter returns at most limit events after the one with the number seq.
	EventsAfter func(ctx context.Context, seq int64, limit int) ([]event.Event, error)
	// PageURL returns the address of the page in the window's browser, "" for none.
	PageURL func() string
	// OnChange is called after a change of the recipes. It may be nil.
	OnChange func()
	Log      *slog.Logger
}

// Recipes stores and runs recipes. It is safe for concurrent use.
type Recipes struct {
	// MaxWait is how long a run waits for an element or an effect. It must not be changed while a recipe runs.
	MaxWait time.Duration

	cfg Config
	// process identifies this process in the files of runs.
	process string
	writing sync.Mutex
	// reloading is held while the folders are read, so that an older reading does not replace a newer one.
	reloading sync.Mutex

	mu   sync.RWMutex
	list []recipe.Recipe
	// ofPanel contains the id of the panel for each recipe in the folder of a panel.
	ofPanel map[string]string
}

// New returns Recipes with those in the folder.
func New(cfg Config) (*Recipes, error) {
	if cfg.PanelFolders == nil {
		cfg.PanelFolders = func() []PanelFolder { return nil }
	}
	if cfg.OnChange == nil {
		cfg.OnChange = func() {}
	}
	r := &Recipes{MaxWait: maxWait, cfg: cfg, process: rand.Text(), list: []recipe.Recipe{}}
	_, broken, err := r.Reload()
	for _, b := range broken {
		cfg.Log.Warn("a recipe was left out", "path", b.Path, "err", b.Why)
	}
	return r, err
}

// Get returns a recipe, or ErrNotFound.
func (r *Recipes) Get(name string) (recipe.Recipe, error) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	for _, rec := range r.list {
		if rec.Name == name {
			return rec, nil
		}
	}
	return recipe.Recipe{}, ErrNotFound
}

// Save stores a recipe and replaces the person's own of its name; a panel keeps its recipe, which is used again when
// the person's own is deleted. An error is an *InvalidError if the recipe is not valid.
func (r *Recipes) Save(rec recipe.Recipe) error {
	text, err := Format(rec)
	if err != nil {
		return err
	}
	if _, err := Parse(text); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(r.cfg.Folder, rec.Name), 0o700); err != nil {
		return fmt.Errorf("saving recipe %s: %w", rec.Name, err)
	}
	if err := r.write(rec.Name, FileName, text); err != nil {
		return err
	}
	_, _, err = r.Reload()
	return err
}

// ErrOfPanel means that a recipe belongs to a panel.
var ErrOfPanel = errors.New("the recipe belongs to a panel and goes with it")

// ErrExists means that there is a recipe of that name already.
var ErrExists = errors.New("there is a recipe of that name already")

// Add stores a recipe, or returns ErrExists. Other errors are those of Save.
func (r *Recipes) Add(rec recipe.Recipe) error {
	if _, err := r.Get(rec.Name); err == nil {
		return ErrExists
	}
	return r.Save(rec)
}

// Delete removes a recipe of the person's own, or returns ErrNotFound or, for the recipe of a panel, ErrOfPanel.
func (r *Recipes) Delete(name string) error {
	if _, err := r.Get(name); err != nil {
		return err
	}
	if r.Panel(name) != "" {
		return ErrOfPanel
	}
	if err := os.RemoveAll(filepath.Join(r.cfg.Folder, name)); err != nil {
		return fmt.Errorf("deleting recipe %s: %w", name, err)
	}
	_, _, err := r.Reload()
	return err
}

const toolPrefix = "recipe_"

// ToolName returns the name of the tool that runs a recipe.
func ToolName(recipeName string) string { return toolPrefix + strings.ReplaceAll(recipeName, "-", "_") }

func (r *Recipes) ofTool(tool string) (recipe.Recipe, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	i := slices.IndexFunc(r.list, func(rec recipe.Recipe) bool { return ToolName(rec.Name) == tool })
	if i < 0 {
		return recipe.Recipe{}, false
	}
	return r.list[i], true
}

// Definitions returns a tool for each recipe. They do not depend on the active panel.
func (r *Recipes) Definitions(string) []toolspec.Definition {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var defs []toolspec.Definition
	for _, rec := range r.list {
		defs = append(defs, definition(rec))
	}
	return defs
}

// The arguments of every recipe's tool beside its parameters: DryArg makes a run look without acting, FromArg and ToArg
// are the numbers of the first and the last step that run, and ElementArg is the number of the element of the page that
// the first of them uses in place of its own.
const (
	DryArg     = "dry_run"
	FromArg    = "from_step"
	ToArg      = "to_step"
	ElementArg = "use_element"
)

func isReserved(name string) bool {
	return name == DryArg || name == FromArg || name == ToArg || name == ElementArg
}

func definition(rec recipe.Recipe) toolspec.Definition {
	step := func(about string) map[string]any {
		return map[string]any{"type": "integer", "minimum": 1, "maximum": len(rec.Steps), "description": about}
	}
	properties := map[string]any{
		DryArg:  map[string]any{"type": "boolean", "description": "only look which elements of the page it would use"},
		FromArg: step("go on with this step, after those before it were done"),
		ToArg:   step("end after this step"),
		ElementArg: map[string]any{
			"type": "integer", "minimum": 1, "description": "number of the element of the open page that the first " +
				"of these steps uses, because the page does not have its own",
		},
	}
	var required []string
	for _, p := range rec.Parameters {
		property := map[string]any{"type": "string"}
		about := p.Description
		if p.Secret {
			about = strings.TrimSpace(about + " (the value, or {{secret:name}})")
		}
		if about != "" {
			property["description"] = about
		}
		if p.Default != nil {
			property["default"] = *p.Default
		} else {
			required = append(required, p.Name)
		}
		properties[p.Name] = property
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	parameters, err := encode(schema)
	if err != nil {
		parameters = json.RawMessage(`{"type":"object"}`)
	}
	about := rec.Description
	if about == "" {
		about = "Run the recipe " + rec.Name + "."
	}
	return toolspec.Definition{
		Name: ToolName(rec.Name), Description: about, Parameters: parameters, Output: outputSchema(rec),
		Origin: toolspec.OriginRecipe,
		Group:  "recipes", TimeoutMS: toolspec.MaxTimeoutMS, Hints: toolspec.Hints{Inert: true},
	}
}

// outputSchema returns the JSON Schema of a recipe.Run with the values of the recipe, nil if it returns none.
func outputSchema(rec recipe.Recipe) json.RawMessage {
	text := map[string]any{"type": "string"}
	values := map[string]any{}
	for _, s := range rec.Steps {
		for _, o := range s.Keep {
			values[o.Name] = text
			if o.Label == "" {
				values[o.Name] = map[string]any{
					"type":  "array",
					"items": map[string]any{"type": "object", "additionalProperties": text},
				}
			}
		}
	}
	if len(values) == 0 {
		return nil
	}
	schema, err := encode(map[string]any{
		"type": "object", "required": []string{"status"},
		"properties": map[string]any{
			"status": text, "values": map[string]any{"type": "object", "properties": values},
		},
	})
	if err != nil {
		return nil
	}
	return schema
}

// Describe says what the recipe does. Each of its steps is described and judged when it runs.
func (r *Recipes) Describe(call toolspec.Call) toolspec.Description {
	d := toolspec.Description{Sentence: "Running " + call.Tool, ForwardsSecrets: true}
	if rec, ok := r.ofTool(call.Tool); ok {
		d.Sentence = fmt.Sprintf("Running the recipe %s, %d steps", rec.Name, len(rec.Steps))
		for _, p := range rec.Parameters {
			if p.Secret {
				d.SecretArgs = append(d.SecretArgs, p.Name)
			}
		}
	}
	return d
}

type depthKey struct{}

// Execute runs a recipe. Its Result contains a recipe.Run, also if the run ended early.
func (r *Recipes) Execute(
	ctx context.Context, call toolspec.Call, _ toolspec.Definition, out func(stream, text string),
) (toolspec.Result, error) {
	rec, ok := r.ofTool(call.Tool)
	if !ok {
		return toolspec.Fail(toolspec.UserError, "the recipe was deleted", "List the recipes."), nil
	}
	depth, _ := ctx.Value(depthKey{}).(int)
	if depth >= maxDepth {
		return toolspec.Fail(toolspec.UserError,
			fmt.Sprintf("%s was not run: recipes run each other more than %d deep", rec.Name, maxDepth),
			"Let it make the calls itself."), nil
	}
	var args map[string]any
	if err := json.Unmarshal(call.Args, &args); err != nil {
		return toolspec.Result{}, fmt.Errorf("reading the arguments of %s: %w", call.Tool, err)
	}
	run := run{
		do: r.cfg.Do, observe: r.cfg.Observe, call: call, dry: args[DryArg] == true,
		progress: func(text string) { out("progress", text) },
		maxWait:  r.MaxWait, first: 1, last: len(rec.Steps), save: r.saveRun,
	}
	if call.From.UnattendedRun != "" && call.From.Session != "" {
		run.save = func(savedRun) error { return nil } // its page closes with it, so it cannot go on
	}
	run.saved.Process, run.saved.Recipe, run.saved.Steps = r.process, rec.Name, digest(rec.Steps)
	run.values, run.shown, run.saved.Values = values(rec, args)
	if to, ok := args[ToArg].(float64); ok {
		run.last = min(int(to), run.last)
	}
	if id, ok := args[ElementArg].(float64); ok {
		run.elementID = int(id)
	}
	if from, ok := args[FromArg].(float64); ok && from > 1 {
		err := fmt.Errorf("the last step is %d", run.last)
		if int(from) <= run.last {
			err = r.goOn(&run, rec, int(from))
		}
		if err == nil {
			rec, err = applyReplacements(rec, run.saved.Replacements)
		}
		if err != nil {
			return toolspec.Fail(toolspec.UserError,
				fmt.Sprintf("%s did not go on with step %d: %v", rec.Name, int(from), err),
				"Nothing was done. Run it from the beginning, or with other steps."), nil
		}
	}
	run.runAll(context.WithValue(ctx, depthKey{}, depth+1), rec)
	return run.result(), nil
}

// values returns the value of each parameter, again with … in place of secret values, and again without them. The
// tool's arguments include the defaults.
func values(rec recipe.Recipe, args map[string]any) (all, shown, public map[string]string) {
	all, shown, public = map[string]string{}, map[string]string{}, map[string]string{}
	for _, p := range rec.Parameters {
		all[p.Name], _ = args[p.Name].(string)
		shown[p.Name] = HiddenText
		if !p.Secret {
			shown[p.Name], public[p.Name] = all[p.Name], all[p.Name]
		}
	}
	return all, shown, public
}

func (r *run) result() toolspec.Result {
	rep := r.report
	var text strings.Builder
	for i, s := range rep.Steps {
		fmt.Fprintf(&text, "%d. %s: %s", rep.First+i, s.Sentence, s.Status)
		if s.Outcome != "" && s.Status != "done" {
			text.WriteString(", " + s.Outcome)
		}
		text.WriteString("\n")
	}
	for _, s := range rep.Steps {
		if s.Kept != "" {
			text.WriteString(s.Kept + "\n")
		}
	}
	for _, one := range rep.Replacements {
		proof := ""
		if !one.Proved {
			proof = " The step has no effect that proves it."
		}
		fmt.Fprintf(&text, "Step %d used %s in place of %s.%s The recipe has its old element until the person "+
			"agrees.\n", one.Step, one.After, one.Before, proof)
	}
	if rep.Status == recipe.StatusDone && rep.URL != "" {
		fmt.Fprintf(&text, "Page: %s %s\n", rep.Title, rep.URL)
	}
	rep.Text = text.String()
	sentence := fmt.Sprintf("Ran the recipe %s", rep.Recipe)
	result := toolspec.OK(rep)
	switch rep.Status {
	case recipe.StatusDone:
	case recipe.StatusPaused:
		sentence = fmt.Sprintf("Ran the recipe %s up to step %d", rep.Recipe, r.last)
	case recipe.StatusDry:
		sentence = fmt.Sprintf("Looked at what the recipe %s would do", rep.Recipe)
	default:
		ended := map[recipe.Status]string{
			recipe.StatusUnmet: "stopped", recipe.StatusFailed: "failed", recipe.StatusStopped: "was stopped",
		}[rep.Status]
		sentence = fmt.Sprintf("The recipe %s %s at step %d", rep.Recipe, ended, rep.Step)
		result = toolspec.Fail(toolspec.UserError, sentence+": "+rep.Reason,
			"The steps before it were done and are not undone; nothing after it ran. "+r.continuation())
		result.Value = rep
	}
	result.Text, result.Sentence, result.Sources = rep.Text, sentence, r.sources
	return result
}

// continuation says with which step the run can go on.
func (r *run) continuation() string {
	next := r.saved.Next
	if r.saved.Uncertain {
		return fmt.Sprintf("Step %d may have been done. Look at the page. To go on, use %s with the step after "+
			"what was done, and the same values.", next, FromArg)
	}
	if r.saved.Lost {
		return fmt.Sprintf("Look at the page. If it has the element under another name, go on with step %d (%s), its "+
			"number (%s) and the same values. Otherwise do what is in its way and go on with the step.", next, FromArg,
			ElementArg)
	}
	return fmt.Sprintf("When what is in its way is gone, go on with step %d (%s) and the same values.", next, FromArg)
}
