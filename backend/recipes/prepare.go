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

// SecretName finds the names of secrets in a text. Its group is the name.
var SecretName = regexp.MustCompile(`\{\{secret:([^{}]+)\}\}`)

// Prepared is a recipe with a value for each of its parameters.
type Prepared struct {
	Recipe recipe.Recipe
	Values map[string]string
	// Sentence says what runs, without secret values.
	Sentence string
}

// Prepare returns a recipe with values and with the defaults of the others. The error can be read by a person.
func (r *Recipes) Prepare(name string, values map[string]string) (Prepared, error) {
	rec, err := r.Get(name)
	if err != nil {
		return Prepared{}, fmt.Errorf("there is no recipe %s", name)
	}
	all, err := complete(rec, values)
	return Prepared{Recipe: rec, Values: all, Sentence: runSentence(rec, all)}, err
}

// Card returns what a run without a person needs. use returns what a call uses. The error can be read by a person.
func (p Prepared) Card(
	ctx context.Context, use func(context.Context, toolspec.Call) toolspec.Card,
) (card toolspec.Card, err error) {
	filled := Fill(p.Recipe, p.Values)
	opensTabs := false
	for _, s := range filled.Steps {
		if strings.HasPrefix(s.Tool, toolPrefix) || s.Tool == toolspec.RunSubagent {
			return card, fmt.Errorf("the recipe runs %s, and what that needs is not known beforehand", s.Tool)
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
	return card, nil
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
