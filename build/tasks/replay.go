package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"sextant/backend/recipes"
	"sextant/shared/recipe"
	"sextant/shared/toolspec"
)

// replayed is the outcome of a task that ran again as a recipe, on a fresh copy of its site and without a model.
type replayed struct {
	OK bool `json:"ok"`
	// Problem is why the recipe ended early, or the difference that the checker found.
	Problem string `json:"wrong,omitempty"`
	Steps   int    `json:"steps"`
	// Proved counts the steps with an effect that came.
	Proved  int     `json:"proved"`
	Seconds float64 `json:"seconds"`
}

// replay saves what a conversation did as a recipe and runs it.
func (env *environment) replay(ctx context.Context, t *task, conversation string) (replayed, error) {
	rec, err := env.sys.Recipes.Draft(ctx, recipes.Source{Conversation: conversation})
	if errors.Is(err, recipes.ErrNothingToRepeat) {
		return replayed{Problem: err.Error()}, nil
	}
	if err == nil {
		rec.Name = t.Name
		err = env.sys.Recipes.Save(rec)
	}
	if err != nil {
		return replayed{}, fmt.Errorf("saving %s: %w", t.Name, err)
	}
	defer func() { _ = env.sys.Recipes.Delete(t.Name) }()
	values, err := hiddenValues(t, rec)
	if err != nil {
		return replayed{}, err
	}
	_ = env.sys.Browser.CloseSession(sessionName(t))
	if err := env.setUp(t); err != nil {
		return replayed{}, err
	}
	asked := env.modelRequests()
	began := time.Now()
	res := env.sys.Pipeline.Do(ctx, toolspec.Call{
		Tool: recipes.ToolName(t.Name), Args: values,
		From: toolspec.Provenance{Caller: toolspec.CallerModel, Interactive: true, Session: sessionName(t)},
	})
	r := replayed{Steps: len(rec.Steps), Seconds: time.Since(began).Seconds()}
	if n := env.modelRequests() - asked; n > 0 {
		r.Problem = fmt.Sprintf("it sent %d requests to the model", n)
		return r, nil
	}
	run, _ := res.Value.(recipe.Run)
	for _, s := range run.Steps {
		if s.Proved {
			r.Proved++
		}
	}
	if !res.Success {
		r.Problem = res.Error
		return r, nil
	}
	r.Problem, err = env.check(ctx, t)
	r.OK = r.Problem == ""
	return r, err
}

// hiddenValues returns arguments with what the script types into fields that hide it: a recipe does not store it.
func hiddenValues(t *task, rec recipe.Recipe) (json.RawMessage, error) {
	typed := regexp.MustCompile(`"text": ?"([^"]+)"`).FindAllStringSubmatch(fmt.Sprint(t.Script), -1)
	typed = slices.DeleteFunc(typed, func(text []string) bool {
		return slices.ContainsFunc(rec.Parameters, func(p recipe.Parameter) bool {
			return p.Default != nil && *p.Default == text[1]
		})
	})
	args := map[string]string{}
	for _, p := range rec.Parameters {
		if p.Secret && len(typed) > 0 {
			args[p.Name] = typed[0][1]
			typed = typed[1:]
		}
	}
	return json.Marshal(args)
}

func (env *environment) modelRequests() int {
	if env.solver == nil {
		return 0
	}
	env.solver.mu.Lock()
	defer env.solver.mu.Unlock()
	return env.solver.requests
}
