// Package reciperoutes contains the routes of recipes: the list, drafts from conversations, and changes. A recipe
// runs as a tool.
package reciperoutes

import (
	"context"
	"errors"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"sextant/backend/api/route"
	"sextant/backend/recipes"
	"sextant/backend/recipes/export"
	"sextant/shared/recipe"
	"sextant/shared/toolspec"
)

// ListedRecipe is a recipe with what a person reads about it.
type ListedRecipe struct {
	Recipe recipe.Recipe `json:"recipe"`
	// Tool is the name of the tool that runs the recipe.
	Tool string `json:"tool"`
	// Sentences says what each step does.
	Sentences []string `json:"sentences"`
	// Panel is the id of the panel whose folder contains the recipe, "" for the person's own.
	Panel string `json:"panel,omitempty"`
	// LastRun says how far the newest run came, nil if there was none.
	LastRun *recipe.LastRun `json:"last_run,omitempty"`
}

// RecipeList is the answer of the list.
type RecipeList struct {
	Recipes []ListedRecipe `json:"recipes"`
	// Broken are files in the folder of recipes that are no valid recipe.
	Broken []recipes.Broken `json:"broken"`
}

// Routes are the routes with what they call.
type Routes struct {
	API     huma.API
	Recipes *recipes.Recipes
}

// Register adds the routes to the API.
func (r Routes) Register() {
	const path = "/api/recipes"
	route.Add(r.API, http.MethodGet, path, "The recipes", http.StatusOK, r.list)
	route.Add(r.API, http.MethodPost, path+"/draft", "A recipe from the calls of a turn or conversation, not saved yet",
		http.StatusOK, r.draft)
	route.Add(r.API, http.MethodPost, path+"/value", "A step that reads a value of the open page again, not saved yet",
		http.StatusOK, r.value)
	route.Add(r.API, http.MethodPut, path, "Save a recipe, or replace the one of its name", http.StatusOK, r.save)
	route.Add(r.API, http.MethodGet, path+"/{id}/playwright", "A recipe as a test for @playwright/test", http.StatusOK,
		r.playwright)
	route.Add(r.API, http.MethodGet, path+"/{id}/elements", "The elements of the open page that a step could use",
		http.StatusOK, r.elements)
	route.Add(r.API, http.MethodPost, path+"/{id}/replacements", "Save the elements that the last run used in "+
		"place of lost ones", http.StatusOK, r.saveReplacements)
	route.Add(r.API, http.MethodDelete, path+"/{id}/run", "End the newest run, of which the person has done the rest",
		http.StatusOK, r.endRun)
	route.Add(r.API, http.MethodDelete, path+"/{id}", "Delete a recipe", http.StatusOK, r.remove)
}

func listed(rec recipe.Recipe) ListedRecipe {
	l := ListedRecipe{Recipe: rec, Tool: recipes.ToolName(rec.Name), Sentences: make([]string, len(rec.Steps))}
	for i, s := range rec.Steps {
		l.Sentences[i] = recipes.Sentence(s)
	}
	return l
}

func (r Routes) list(context.Context, *route.Empty) (*route.Body[RecipeList], error) {
	all, broken, err := r.Recipes.Reload()
	if err != nil {
		return nil, route.InternalError("The recipes could not be read. Nothing was changed.", err)
	}
	answer := RecipeList{Recipes: []ListedRecipe{}, Broken: broken}
	for _, rec := range all {
		l := listed(rec)
		l.Panel = r.Recipes.Panel(rec.Name)
		l.LastRun = r.Recipes.LastRun(rec.Name)
		answer.Recipes = append(answer.Recipes, l)
	}
	return route.Answer(answer), nil
}

func (r Routes) draft(ctx context.Context, in *struct {
	Body struct {
		Conversation string   `json:"conversation,omitempty" maxLength:"128"`
		Turn         string   `json:"turn,omitempty" maxLength:"128" doc:"Empty for all turns of the conversation"`
		Since        int64    `json:"since,omitempty" minimum:"0" doc:"Without a conversation: what happened after this event"`
		Calls        []string `json:"calls,omitempty" maxItems:"1000" doc:"The ids of the calls after this event; empty for what the person did by hand"`
	}
},
) (*route.Body[ListedRecipe], error) {
	rec, err := r.Recipes.Draft(ctx, recipes.Source{
		Conversation: in.Body.Conversation, Turn: in.Body.Turn, Since: in.Body.Since, Calls: in.Body.Calls,
	})
	switch {
	case errors.Is(err, recipes.ErrNothingToRepeat):
		return nil, route.BadRequest("Nothing here can be kept as a recipe: nothing was done on a page, or what was " +
			"tried failed.")
	case err != nil:
		return nil, route.InternalError("The recipe could not be made. Nothing was changed.", err)
	}
	return route.Answer(listed(rec)), nil
}

// ReadStep is a step that reads a value.
type ReadStep struct {
	Step     recipe.Step `json:"step"`
	Sentence string      `json:"sentence"`
	// Value is a text, or rows as texts by column.
	Value any `json:"value"`
}

func (r Routes) value(ctx context.Context, in *struct {
	Body struct {
		recipe.Wanted
		Parameters []recipe.Parameter `json:"parameters,omitempty" doc:"Those of the recipe"`
	}
},
) (*route.Body[ReadStep], error) {
	step, value, err := r.Recipes.FindValue(ctx, toolspec.Provenance{Caller: toolspec.CallerPerson}, in.Body.Parameters,
		in.Body.Wanted)
	if err != nil {
		return nil, route.BadRequest("This value cannot be read again: " + err.Error() + ".")
	}
	return route.Answer(ReadStep{step, recipes.Sentence(step), value}), nil
}

// ExportedRecipe is a recipe as a test of another program.
type ExportedRecipe struct {
	Test string `json:"test"`
	// Omitted names the steps that the test leaves out.
	Omitted []string `json:"omitted,omitempty"`
}

func (r Routes) playwright(_ context.Context, in *route.ByID) (*route.Body[ExportedRecipe], error) {
	rec, err := r.Recipes.Get(in.ID)
	if err != nil {
		return nil, route.NotFound("There is no recipe " + in.ID + ".")
	}
	test, omitted := export.Playwright(rec)
	return route.Answer(ExportedRecipe{test, omitted}), nil
}

// PageElements are the elements of the open page, those that resemble the element of the step first.
type PageElements struct {
	Elements []recipes.Candidate `json:"elements"`
}

func (r Routes) elements(ctx context.Context, in *struct {
	route.ByID
	Step int `query:"step" minimum:"1" required:"true"`
},
) (*route.Body[PageElements], error) {
	list, err := r.Recipes.Candidates(ctx, toolspec.Provenance{Caller: toolspec.CallerPerson}, in.ID, in.Step)
	switch {
	case errors.Is(err, recipes.ErrNotFound):
		return nil, route.NotFound("There is no recipe " + in.ID + ".")
	case err != nil:
		return nil, route.BadRequest("The elements of the page could not be listed: " + err.Error() + ".")
	}
	return route.Answer(PageElements{list}), nil
}

func (r Routes) saveReplacements(_ context.Context, in *route.ByID) (*route.Empty, error) {
	_, err := r.Recipes.SaveReplacements(in.ID)
	switch {
	case errors.Is(err, recipes.ErrNotFound):
		return nil, route.NotFound("There is no recipe " + in.ID + ".")
	case err != nil:
		return nil, route.BadRequest("Nothing was saved: " + err.Error() + ".")
	}
	return &route.Empty{}, nil
}

func (r Routes) endRun(_ context.Context, in *route.ByID) (*route.Empty, error) {
	err := r.Recipes.EndRun(in.ID)
	switch {
	case errors.Is(err, recipes.ErrNotFound):
		return nil, route.NotFound("There is no recipe " + in.ID + ".")
	case err != nil:
		return nil, route.InternalError("The run was not ended. Nothing was changed.", err)
	}
	return &route.Empty{}, nil
}

func (r Routes) save(_ context.Context, in *struct{ Body recipe.Recipe }) (*route.Body[ListedRecipe], error) {
	err := r.Recipes.Save(in.Body)
	var invalid *recipes.InvalidError
	switch {
	case errors.As(err, &invalid):
		return nil, route.BadRequest("The recipe was not saved. " + invalid.Error())
	case err != nil:
		return nil, route.InternalError("The recipe was not saved. Other recipes are as before.", err)
	}
	return route.Answer(listed(in.Body)), nil
}

func (r Routes) remove(_ context.Context, in *route.ByID) (*route.Empty, error) {
	err := r.Recipes.Delete(in.ID)
	switch {
	case errors.Is(err, recipes.ErrNotFound):
		return nil, route.NotFound("There is no recipe " + in.ID + ".")
	case errors.Is(err, recipes.ErrOfPanel):
		return nil, route.BadRequest("The recipe was not deleted: " + err.Error() + ".")
	case err != nil:
		return nil, route.InternalError("The recipe was not deleted.", err)
	}
	return &route.Empty{}, nil
}
