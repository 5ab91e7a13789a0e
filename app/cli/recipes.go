package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	"sextant/app"
	"sextant/app/cli/verb"
	"sextant/app/config"
	"sextant/app/instance"
	"sextant/backend/recipes"
	"sextant/backend/recipes/export"
	"sextant/backend/recipes/importer"
	"sextant/shared/recipe"
)

type recipesVerb struct {
	List     recipesListVerb     `cmd:"" default:"withargs" help:"List the recipes."`
	Show     recipesShowVerb     `cmd:"" help:"Print a recipe as JSON."`
	Run      recipesRunVerb      `cmd:"" help:"Run a recipe, without a model."`
	Keep     recipesKeepVerb     `cmd:"" help:"Save the elements that the last run used in place of lost ones."`
	Validate recipesValidateVerb `cmd:"" help:"Check a recipe.json."`
	Export   recipesExportVerb   `cmd:"" help:"Print a recipe for another program."`
	Import   recipesImportVerb   `cmd:"" help:"Save a recipe.json, or a recording of Chrome's DevTools or Selenium IDE."`
	Delete   recipesDeleteVerb   `cmd:"" help:"Delete a recipe."`
}

func openRecipes(g *verb.Global) (*recipes.Recipes, error) {
	config, err := config.Load(g.Flags())
	if err != nil {
		return nil, err
	}
	return app.OpenRecipes(config)
}

func openRecipe(g *verb.Global, name string) (*recipes.Recipes, recipe.Recipe, error) {
	store, err := openRecipes(g)
	if err != nil {
		return nil, recipe.Recipe{}, err
	}
	rec, err := store.Get(name)
	if err != nil {
		return nil, recipe.Recipe{}, noRecipe(name)
	}
	return store, rec, nil
}

// refreshRunning makes a running Sextant read the recipes again. It does nothing if none runs.
func refreshRunning(ctx context.Context, g *verb.Global) {
	config, err := config.Load(g.Flags())
	if err != nil {
		return // the verb has loaded it before
	}
	if running, err := instance.Connect(ctx, config.DataDir); err == nil {
		_ = verb.RunningInstance{Client: running}.Call(ctx, http.MethodGet, "/api/recipes", nil, nil)
	}
}

type recipesListVerb struct {
	JSON bool `help:"Print JSON."`
}

// Run prints the recipes.
func (v *recipesListVerb) Run(io verb.Streams, g *verb.Global) error {
	store, err := openRecipes(g)
	if err != nil {
		return err
	}
	all, broken, err := store.Reload()
	if err != nil {
		return err
	}
	for _, b := range broken {
		_, _ = fmt.Fprintf(io.Err, "%s was left out: %s\n", b.Path, b.Why)
	}
	if v.JSON {
		return verb.PrintJSON(io, all)
	}
	for _, rec := range all {
		_, _ = fmt.Fprintf(io.Out, "%s  %d steps%s\n", rec.Name, len(rec.Steps), parameterList(rec))
	}
	if len(all) == 0 {
		_, _ = fmt.Fprintln(io.Err, "No recipes yet. In the window, choose “Keep as recipe” below an answer.")
	}
	return nil
}

func parameterList(rec recipe.Recipe) string {
	var text strings.Builder
	for _, p := range rec.Parameters {
		text.WriteString("  --param " + p.Name + "=")
		if p.Default != nil {
			fmt.Fprintf(&text, "%q", *p.Default)
		}
	}
	return text.String()
}

type recipesShowVerb struct {
	Name string `arg:"" help:"Recipe."`
}

// Run prints a recipe.
func (v *recipesShowVerb) Run(io verb.Streams, g *verb.Global) error {
	_, rec, err := openRecipe(g, v.Name)
	if err != nil {
		return err
	}
	return verb.PrintJSON(io, rec)
}

func noRecipe(name string) error {
	return verb.Failure(verb.ExitFailed, "there is no recipe %q. List them with: sextant recipes", name)
}

type recipesDeleteVerb struct {
	Name string `arg:"" help:"Recipe."`
}

// Run deletes a recipe.
func (v *recipesDeleteVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	store, err := openRecipes(g)
	if err != nil {
		return err
	}
	if err := store.Delete(v.Name); errors.Is(err, recipes.ErrNotFound) {
		return noRecipe(v.Name)
	} else if errors.Is(err, recipes.ErrOfPanel) {
		return verb.Failure(verb.ExitFailed, "%s was not deleted: %v", v.Name, err)
	} else if err != nil {
		return err
	}
	refreshRunning(ctx, g)
	_, err = fmt.Fprintf(io.Out, "Deleted the recipe %s.\n", v.Name)
	return err
}

type recipesKeepVerb struct {
	Name string `arg:"" help:"Recipe."`
}

// Run saves the replaced elements and prints them.
func (v *recipesKeepVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	store, _, err := openRecipe(g, v.Name)
	if err != nil {
		return err
	}
	replaced, err := store.SaveReplacements(v.Name)
	if err != nil {
		return verb.Failure(verb.ExitFailed, "the recipe %s was not changed: %v", v.Name, err)
	}
	refreshRunning(ctx, g)
	for _, one := range replaced {
		_, _ = fmt.Fprintf(io.Out, "Step %d: %s in place of %s\n", one.Step, one.After, one.Before)
	}
	return nil
}

type recipesValidateVerb struct {
	File string `arg:"" help:"A recipe.json." type:"existingfile"`
}

// Run prints the mistakes of a file with their lines and columns.
func (v *recipesValidateVerb) Run(io verb.Streams) error {
	rec, err := readRecipe(v.File)
	if err != nil {
		return err
	}
	for i, s := range rec.Steps {
		_, _ = fmt.Fprintf(io.Out, "%d. %s\n", i+1, recipes.Sentence(s))
	}
	return nil
}

func readRecipe(path string) (recipe.Recipe, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return recipe.Recipe{}, verb.Failure(verb.ExitFailed, "%v", err)
	}
	rec, err := recipes.Parse(text)
	if invalid := (*recipes.InvalidError)(nil); errors.As(err, &invalid) {
		lines := make([]string, len(invalid.Problems))
		for i, p := range invalid.Problems {
			lines[i] = path + ":" + p.String()
		}
		return rec, verb.Failure(verb.ExitFailed, "%s", strings.Join(lines, "\n"))
	}
	return rec, err
}

type recipesExportVerb struct {
	Name  string            `arg:"" help:"Recipe."`
	As    string            `help:"A test for @playwright/test, or a recording for Chrome's DevTools Recorder." enum:"playwright,recorder" default:"playwright"`
	Param map[string]string `help:"Value of a parameter in a recording; can be repeated." placeholder:"NAME=VALUE" mapsep:"none"`
}

// Run prints the recipe, and what is left out.
func (v *recipesExportVerb) Run(io verb.Streams, g *verb.Global) error {
	_, rec, err := openRecipe(g, v.Name)
	if err != nil {
		return err
	}
	var text string
	var omitted []string
	if v.As == "recorder" {
		if text, omitted, err = export.Recorder(rec, v.Param); err != nil {
			return err
		}
	} else {
		text, omitted = export.Playwright(rec)
	}
	for _, text := range omitted {
		_, _ = fmt.Fprintln(io.Err, "left out:", text)
	}
	_, err = fmt.Fprint(io.Out, text)
	return err
}

type recipesImportVerb struct {
	File string `arg:"" help:"A recipe.json, or a recording." type:"existingfile"`
	Name string `help:"Name of the recipe, in place of that in the file."`
}

// Run saves what a file contains. It replaces no recipe.
func (v *recipesImportVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	all, err := v.read()
	if err != nil {
		return err
	}
	if len(all) > 1 && v.Name != "" {
		return verb.Failure(verb.ExitUsage, "%s has %d recordings, which cannot have one name", v.File, len(all))
	}
	store, err := openRecipes(g)
	if err != nil {
		return err
	}
	for _, one := range all {
		name := cmp.Or(v.Name, one.Recipe.Name)
		if _, err := store.Get(name); err == nil {
			return verb.Failure(verb.ExitFailed, "there is a recipe %q already, so nothing was saved. Use --name, or "+
				"change the name in %s", name, v.File)
		}
	}
	for _, one := range all {
		rec := one.Recipe
		rec.Name = cmp.Or(v.Name, rec.Name)
		if err := store.Add(rec); err != nil {
			return err
		}
		for _, text := range one.Notes {
			_, _ = fmt.Fprintln(io.Err, text)
		}
		_, _ = fmt.Fprintf(io.Out, "Saved the recipe %s. Run it with: sextant recipes run %s\n", rec.Name, rec.Name)
	}
	refreshRunning(ctx, g)
	return nil
}

// read returns the recipe in the file, or those of the recording.
func (v *recipesImportVerb) read() ([]importer.Result, error) {
	text, err := os.ReadFile(v.File)
	if err != nil {
		return nil, verb.Failure(verb.ExitFailed, "%v", err)
	}
	all, err := importer.Read(text)
	switch {
	case errors.Is(err, recipes.ErrNothingToRepeat):
		return nil, verb.Failure(verb.ExitFailed, "%s has no steps that a recipe can repeat", v.File)
	case !errors.Is(err, importer.ErrNoRecording):
		return all, err
	}
	rec, err := readRecipe(v.File)
	return []importer.Result{{Recipe: rec}}, err
}

type recipesRunVerb struct {
	Headless bool `help:"Start a separate Sextant and browser, even if one is running."`

	Name    string            `arg:"" help:"Recipe."`
	Param   map[string]string `help:"Value of a parameter; can be repeated." placeholder:"NAME=VALUE" mapsep:"none"`
	Dry     bool              `help:"Only look which elements of the open page the recipe would use." xor:"dry"`
	Step    bool              `help:"Ask before each step." xor:"dry,json"`
	From    int               `help:"Go on with this step, with the values of the last run that --param does not change." placeholder:"N"`
	Element int               `help:"Let the first step use the element of the open page with this number, in place of its own." placeholder:"N"`
	YesTo   string            `help:"What is allowed without asking: read or all." enum:",read,all" default:""`
	JSON    bool              `help:"Print the whole result as JSON." xor:"json"`
}

// Run runs a recipe as the call of its tool.
func (v *recipesRunVerb) Run(ctx context.Context, io verb.Streams, g *verb.Global) error {
	store, rec, err := openRecipe(g, v.Name)
	if err != nil {
		return err
	}
	if v.From < 0 || v.From > len(rec.Steps) {
		return verb.Failure(verb.ExitUsage, "the recipe %s has %d steps", v.Name, len(rec.Steps))
	}
	args := map[string]any{}
	if last := store.LastRun(v.Name); last != nil && v.From > 0 {
		for name, value := range last.Values {
			args[name] = value
		}
	}
	for name, value := range v.Param {
		if !slices.ContainsFunc(rec.Parameters, func(p recipe.Parameter) bool { return p.Name == name }) {
			return verb.Failure(verb.ExitUsage, "the recipe %s has no parameter %q. It takes:%s", v.Name, name,
				cmp.Or(parameterList(rec), " none"))
		}
		args[name] = value
	}
	for _, p := range rec.Parameters {
		if _, ok := args[p.Name]; !ok && p.Default == nil {
			return verb.Failure(verb.ExitUsage, "the recipe %s needs --param %s=VALUE. It takes:%s", v.Name, p.Name,
				parameterList(rec))
		}
	}
	if v.Element > 0 {
		args[recipes.ElementArg] = v.Element
	}
	if v.Dry {
		args[recipes.DryArg] = true
	}
	refreshRunning(ctx, g)
	tool := toolsCallVerb{Headless: v.Headless, Name: recipes.ToolName(v.Name), YesTo: v.YesTo, JSON: v.JSON}
	call, end, err := tool.open(ctx, io, g)
	if err != nil {
		return err
	}
	defer end()
	run := func(first, last int) error {
		args[recipes.FromArg], args[recipes.ToArg] = first, last
		text, err := json.Marshal(args)
		if err != nil {
			return err
		}
		r, err := call(ctx, string(text))
		if err != nil {
			return err
		}
		return tool.print(io, r)
	}
	first := max(v.From, 1)
	if !v.Step {
		return run(first, len(rec.Steps))
	}
	io.In = bufio.NewReader(io.In) // one for all answers, because it reads ahead
	for n := first; n <= len(rec.Steps); n++ {
		yes, err := verb.Confirm(ctx, io, fmt.Sprintf("%d. %s? (y or n) ", n, recipes.SentenceWith(rec, n, args)))
		if err != nil {
			return err
		}
		if !yes {
			return verb.Failure(verb.ExitFailed, "stopped before step %d. Go on with: sextant recipes run %s --from %d",
				n, v.Name, n)
		}
		if err := run(n, n); err != nil {
			return err
		}
		delete(args, recipes.ElementArg)
	}
	return nil
}
