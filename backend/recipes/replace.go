package recipes

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"sextant/backend/policy/address"
	"sextant/backend/recipes/alike"
	"sextant/shared/annotation"
	"sextant/shared/recipe"
	"sextant/shared/toolspec"
)

// ErrNoReplacements means that the last run of a recipe used the recorded elements.
var ErrNoReplacements = errors.New("the last run used no other elements, or the recipe was changed since")

// SaveReplacements saves the elements that the last run of a recipe used in place of lost ones, and returns what it
// replaced. The run can still go on afterwards.
func (r *Recipes) SaveReplacements(name string) ([]recipe.Replacement, error) {
	rec, err := r.Get(name)
	if err != nil {
		return nil, err
	}
	saved := r.savedRun(name)
	switch {
	case saved == nil || len(saved.Replacements) == 0:
		return nil, ErrNoReplacements
	case saved.Status == recipe.StatusRunning, saved.Status == recipe.StatusInterrupted && r.cfg.Do == nil:
		// A process that cannot run recipes does not know whether another one still does.
		return nil, errors.New("it is running; wait until it has ended")
	}
	replaced := saved.Replacements
	if rec, err = applyReplacements(rec, replaced); err != nil {
		return nil, err
	}
	if err := r.Save(rec); err != nil {
		return nil, err
	}
	saved.Steps, saved.Replacements = digest(rec.Steps), nil
	return replaced, r.saveRun(*saved)
}

// applyReplacements returns the recipe with other elements in its steps.
func applyReplacements(rec recipe.Recipe, all []recipe.Replacement) (recipe.Recipe, error) {
	rec.Steps = slices.Clone(rec.Steps)
	for _, one := range all {
		if one.Step < 1 || one.Step > len(rec.Steps) {
			return rec, fmt.Errorf("there is no step %d", one.Step)
		}
		s, err := withElement(rec.Steps[one.Step-1], one.Element)
		if err != nil {
			return rec, err
		}
		rec.Steps[one.Step-1] = s
	}
	return rec, nil
}

// onlyReference returns the element of a step and its argument. ok is false if the step does not have just one.
func onlyReference(s recipe.Step) (arg string, ref annotation.Reference, ok bool) {
	refs := References(s)
	for arg, ref = range refs {
		ok = len(refs) == 1
	}
	return arg, ref, ok
}

// withElement returns the step with another element. The step must have one.
func withElement(s recipe.Step, is annotation.Reference) (recipe.Step, error) {
	arg, _, ok := onlyReference(s)
	if !ok {
		return s, errors.New("the step does not have just one element")
	}
	args := map[string]json.RawMessage{}
	if err := json.Unmarshal(s.Args, &args); err != nil {
		return s, fmt.Errorf("reading the arguments of %s: %w", s.Tool, err)
	}
	text, err := encode(is)
	if err != nil {
		return s, err
	}
	args[arg] = text
	s.Args, err = encode(args)
	return s, err
}

// replace returns step n with the element of the page that has the number id, and what that replaces. The page must be
// of the site where the run was, and the element in the same frame and the only one that its description fits.
func (r *run) replace(ctx context.Context, n, id int, s recipe.Step) (recipe.Step, *recipe.Replacement, error) {
	_, was, ok := onlyReference(s)
	if !ok {
		return s, nil, errors.New("the step does not have just one element")
	}
	if err := r.look(ctx); err != nil {
		return s, nil, err
	}
	at := slices.IndexFunc(r.page.Elements, func(e annotation.Element) bool { return e.ID == id })
	if at < 0 {
		return s, nil, fmt.Errorf("[%d] is not on the page", id)
	}
	before := was.String()
	for _, earlier := range r.saved.Replacements {
		if earlier.Step == n {
			before = earlier.Before
		}
	}
	is := mapReference(r.page.Elements[at].ReferenceAmong(r.page.Elements), r.withParameters)
	is.InOtherTab = was.InOtherTab
	found, err := Find(mapReference(is, r.fillShown), r.page.Elements)
	switch {
	case r.saved.URL != "" && host(r.saved.URL) != host(r.page.Page.URL):
		return s, nil, fmt.Errorf("the page is not of %s, where the run was", host(r.saved.URL))
	case is.Frame != was.Frame:
		return s, nil, fmt.Errorf("%s is in another frame", is)
	case err != nil:
		return s, nil, err
	case found.ID != id:
		return s, nil, fmt.Errorf("%s is not certainly one element", is)
	}
	s, err = withElement(s, is)
	return s, &recipe.Replacement{Step: n, Element: is, Before: before, After: is.String()}, err
}

// addReplacement adds a replacement to a list, in place of an earlier one for its step.
func addReplacement(all []recipe.Replacement, one recipe.Replacement) []recipe.Replacement {
	all = slices.DeleteFunc(slices.Clone(all), func(other recipe.Replacement) bool { return other.Step == one.Step })
	return append(all, one)
}

func host(pageURL string) string {
	_, host := address.Origin(pageURL)
	return host
}

// withParameters returns a text of the page with placeholders for the values of this run.
func (r *run) withParameters(text string) string {
	var b builder
	for name, value := range r.values {
		if r.shown[name] != HiddenText {
			b.values = append(b.values, parameterValue{name, value})
		}
	}
	slices.SortFunc(b.values, func(a, b parameterValue) int { return cmp.Compare(a.name, b.name) })
	return r.hide(b.withParameters(text))
}

// Candidate is an element of the open page that a step can use.
type Candidate struct {
	// Number is the one that the page shows.
	Number int `json:"number"`
	// Text describes the element: button “Order” in “Fen”.
	Text string `json:"text"`
}

// maxCandidates bounds the list for people.
const maxCandidates = 2000

// Candidates returns the elements of the open page, those that resemble the element of step n first.
func (r *Recipes) Candidates(ctx context.Context, from toolspec.Provenance, name string, n int) ([]Candidate, error) {
	rec, err := r.Get(name)
	if err != nil {
		return nil, err
	}
	if n < 1 || n > len(rec.Steps) {
		return nil, fmt.Errorf("the recipe has %d steps", len(rec.Steps))
	}
	from.InBrowser = true
	looking := run{do: r.cfg.Do, observe: r.cfg.Observe, call: toolspec.Call{From: from}}
	if err := looking.look(ctx); err != nil {
		return nil, err
	}
	_, was, _ := onlyReference(rec.Steps[n-1]) // without one, no element resembles it
	elements := slices.Clone(looking.page.Elements)
	scores := make(map[int]int, len(elements))
	for _, e := range elements {
		scores[e.ID] = resemblance(was, e)
	}
	slices.SortStableFunc(elements, func(a, b annotation.Element) int {
		return cmp.Compare(scores[b.ID], scores[a.ID])
	})
	list := []Candidate{}
	for _, e := range elements[:min(len(elements), maxCandidates)] {
		list = append(list, Candidate{e.ID, e.ReferenceAmong(looking.page.Elements).String()})
	}
	return list, nil
}

// resemblance counts what a and e have in common: the words of their names, and then the role and the group.
func resemblance(a annotation.Reference, e annotation.Element) int {
	const word, kind, group = 4, 3, 1
	score := 0
	words := strings.Fields(alike.Name(e.Name))
	for _, w := range strings.Fields(alike.Name(a.Name)) {
		if slices.Contains(words, w) {
			score += word
		}
	}
	if alike.Roles(a.Role, e.Role) {
		score += kind
	}
	if a.Group != "" && alike.Name(a.Group) == alike.Name(e.Group) {
		score += group
	}
	return score
}
