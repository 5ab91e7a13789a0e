// Package recipes is the backend of the panel "Recipes": the assistant lists the recipes, saves what its conversation
// did as a new one, and prepares a run for each row of a table.
package recipes

import (
	"context"
	"fmt"
	"net/http"

	"sextant/panels/reply"
	"sextant/shared/batch"
	"sextant/shared/recipe"
	"sextant/shared/toolspec"
)

// Services contains the functions that the panel needs from other packages.
type Services struct {
	// List returns the recipes. ToolName and Sentence describe a recipe and a step.
	List     func() ([]recipe.Recipe, error)
	ToolName func(recipe string) string
	Sentence func(recipe.Step) string
	// Draft returns a recipe that repeats the calls of a conversation.
	Draft func(ctx context.Context, conversation string) (recipe.Recipe, error)
	// FindValue returns the step that reads a value of the open page again.
	FindValue func(
		ctx context.Context, from toolspec.Provenance, parameters []recipe.Parameter, want recipe.Wanted,
	) (recipe.Step, any, error)
	// Add saves a recipe. It fails if there is one of its name.
	Add func(recipe.Recipe) error
	// SaveReplacements saves the elements that the last run of a recipe used in place of lost ones.
	SaveReplacements func(recipe string) ([]recipe.Replacement, error)
	// AddBatch adds a batch, which waits until the person signs it. Its error can be read by a person.
	AddBatch func(ctx context.Context, recipe, name, table string, browsers int) (batch.Batch, error)
	// Batches returns the batches, newest first, and Counts how many rows of one have each status.
	Batches func() []batch.Batch
	Counts  func(ctx context.Context, batch string) (batch.Counts, error)
}

// Handler returns the handler of the panel's endpoints.
func Handler(services Services) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/recipes/list", services.list)
	mux.HandleFunc("POST /api/recipes/save", services.save)
	mux.HandleFunc("POST /api/recipes/save-replacements", services.saveReplacements)
	mux.HandleFunc("POST /api/recipes/run-for-rows", services.runForRows)
	return mux
}

func (s Services) summary(rec recipe.Recipe) map[string]any {
	steps := make([]string, len(rec.Steps))
	for i, step := range rec.Steps {
		steps[i] = s.Sentence(step)
	}
	return map[string]any{
		"name": rec.Name, "description": rec.Description, "tool": s.ToolName(rec.Name), "parameters": rec.Parameters,
		"steps": steps,
	}
}

func (s Services) list(w http.ResponseWriter, r *http.Request) {
	all, err := s.List()
	if err != nil {
		reply.Refuse(w, http.StatusInternalServerError, err.Error(), "Nothing was changed.")
		return
	}
	out := []map[string]any{}
	for _, rec := range all {
		out = append(out, s.summary(rec))
	}
	batches := []map[string]any{}
	for _, one := range s.Batches() {
		counts, err := s.Counts(r.Context(), one.ID)
		if err != nil {
			reply.Refuse(w, http.StatusInternalServerError, err.Error(), "Nothing was changed.")
			return
		}
		batches = append(batches, map[string]any{
			"name": one.Name, "recipe": one.Recipe, "state": one.State, "reason": one.Reason, "rows": counts,
		})
	}
	reply.WriteJSON(w, http.StatusOK, map[string]any{"recipes": out, "batches": batches})
}

func (s Services) save(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Name, Description string
		Keep              []recipe.Wanted
	}
	reply.DecodeBody(r, &in)
	conversation := reply.Provenance(r).Conversation
	if conversation == "" {
		reply.Refuse(w, http.StatusConflict, "there is no conversation with calls to repeat",
			"Call it in a conversation that did something on a web page.")
		return
	}
	rec, err := s.Draft(r.Context(), conversation)
	for _, v := range in.Keep {
		if err == nil {
			var step recipe.Step
			if step, _, err = s.FindValue(r.Context(), reply.Provenance(r), rec.Parameters, v); err != nil {
				err = fmt.Errorf("%s: %w", v.Example, err)
			}
			rec.Steps = append(rec.Steps, step)
		}
	}
	if err == nil {
		rec.Name, rec.Description = in.Name, in.Description
		err = s.Add(rec)
	}
	if err != nil {
		reply.Refuse(w, http.StatusConflict, "not saved: "+err.Error(), "No other recipe was changed.")
		return
	}
	reply.WriteJSON(w, http.StatusOK, s.summary(rec))
}

func (s Services) saveReplacements(w http.ResponseWriter, r *http.Request) {
	var in struct{ Name string }
	reply.DecodeBody(r, &in)
	replaced, err := s.SaveReplacements(in.Name)
	if err != nil {
		reply.Refuse(w, http.StatusConflict, "the recipe was not changed: "+err.Error(), "No recipe was changed.")
		return
	}
	reply.WriteJSON(w, http.StatusOK, map[string]any{"replacements": replaced})
}

func (s Services) runForRows(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Recipe, Name, Table string
		Browsers            int
	}
	reply.DecodeBody(r, &in)
	one, err := s.AddBatch(r.Context(), in.Recipe, in.Name, in.Table, in.Browsers)
	if err != nil {
		reply.Refuse(w, http.StatusConflict, err.Error(), "Nothing was added.")
		return
	}
	reply.WriteJSON(w, http.StatusOK, map[string]any{
		"name": one.Name, "needs": one.Needs,
		"state": "waits until the person allows what its rows need, in the panel Recipes",
	})
}
