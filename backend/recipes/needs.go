package recipes

import (
	"context"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"sextant/backend/policy"
	"sextant/shared/recipe"
	"sextant/shared/toolspec"
)

// Needs is what a run of a recipe without a person needs.
type Needs struct {
	Recipe recipe.Recipe
	// Values has a value for each parameter.
	Values map[string]string
	Card   toolspec.Card
	// Sentence says what runs, without secret values.
	Sentence string
}

// SecretName finds the names of secrets in a text. Its group is the name.
var SecretName = regexp.MustCompile(`\{\{secret:([^{}]+)\}\}`)

// NeedsOf returns what a run of a recipe with these values needs. use returns what a call uses. The error can be read
// by a person.
func (r *Recipes) NeedsOf(
	ctx context.Context, name string, values map[string]string, use func(context.Context, toolspec.Call) toolspec.Card,
) (Needs, error) {
	rec, err := r.Get(name)
	if err != nil {
		return Needs{}, fmt.Errorf("there is no recipe %s", name)
	}
	all, err := complete(rec, values)
	if err != nil {
		return Needs{}, err
	}
	card := toolspec.Card{}
	filled := Fill(rec, all)
	opensTabs := false
	for _, s := range filled.Steps {
		if strings.HasPrefix(s.Tool, toolPrefix) || s.Tool == toolspec.RunSubagent {
			return Needs{}, fmt.Errorf("the recipe runs %s, and what that needs is not known beforehand", s.Tool)
		}
		card = card.Plus(use(ctx, toolspec.Call{
			Tool: s.Tool, Args: s.Args,
			// No session is of this name, so that the card does not depend on the page that is open in the window.
			From: toolspec.Provenance{Caller: toolspec.CallerRun, Session: "unattended", InBrowser: true},
		}))
		if s.Expect != nil {
			// A host with a * stands for several, of which none is listed.
			if host := policy.HostOf(s.Expect.URL); host != "" && !strings.Contains(host, "*") {
				card = card.Plus(toolspec.Card{Hosts: []string{host}})
			}
			opensTabs = opensTabs || s.Expect.Event == "opened_tab"
		}
		for _, m := range SecretName.FindAllSubmatch(s.Args, -1) {
			card = card.Plus(toolspec.Card{Secrets: []string{string(m[1])}})
		}
	}
	if opensTabs {
		// A step may first select the tab of its element.
		card = card.Plus(toolspec.Card{Tools: []string{tabsTool}, Acts: len(filled.Steps)})
	}
	return Needs{Recipe: rec, Values: all, Card: card, Sentence: runSentence(rec, all)}, nil
}

// complete returns values with the defaults of those that are missing.
func complete(rec recipe.Recipe, values map[string]string) (map[string]string, error) {
	left, all := maps.Clone(values), map[string]string{}
	for _, p := range rec.Parameters {
		value, given := values[p.Name]
		switch {
		case given:
			all[p.Name] = value
		case p.Default != nil:
			all[p.Name] = *p.Default
		default:
			return nil, fmt.Errorf("the recipe needs a value for %s", p.Name)
		}
		if p.Secret && !SecretName.MatchString(all[p.Name]) {
			return nil, fmt.Errorf("secrets are not stored with what runs: give %s as {{secret:name}}", p.Name)
		}
		delete(left, p.Name)
	}
	if len(left) > 0 {
		return nil, fmt.Errorf("the recipe has no parameter %s", slices.Sorted(maps.Keys(left))[0])
	}
	return all, nil
}

func runSentence(rec recipe.Recipe, values map[string]string) string {
	text, join := "Run the recipe "+rec.Name, " with "
	for _, p := range rec.Parameters {
		value := values[p.Name]
		if p.Secret {
			value = HiddenText
		}
		text += join + p.Name + " " + value
		join = ", "
	}
	return text
}
