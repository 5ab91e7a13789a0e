package batch

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"sextant/backend/batch/table"
	"sextant/backend/recipes"
	"sextant/shared/batch"
	"sextant/shared/recipe"
	"sextant/shared/toolspec"
)

// MaxBrowsers limits how many rows of a batch run at once.
const MaxBrowsers = 32

// New is a batch that is to be added.
type New struct {
	Name, Recipe string
	// Table is comma-separated values; see table.Read.
	Table []byte
	// Values are those of parameters that are the same in each row.
	Values            map[string]string
	Browsers, PerHost int
}

// Add stores a batch, which waits until Sign. Each parameter of the recipe gets its value from the column of its name,
// or from Values. The error can be read by a person.
func (b *Batches) Add(ctx context.Context, in New) (batch.Batch, error) {
	one := batch.Batch{
		ID: "b_" + strings.ToLower(rand.Text()), Name: strings.TrimSpace(in.Name), Recipe: in.Recipe,
		Values: in.Values, Browsers: in.Browsers, PerHost: in.PerHost,
		State: batch.StateUnsigned, Created: time.Now().UTC(),
	}
	columns, cells, err := table.Read(in.Table)
	if err != nil {
		return one, err
	}
	one.Columns = columns
	switch {
	case one.Browsers < 1 || one.Browsers > MaxBrowsers:
		return one, fmt.Errorf("it can use 1 to %d browsers", MaxBrowsers)
	case one.PerHost < 0:
		return one, errors.New("the limit per host is negative")
	case one.Name == "":
		one.Name = one.Recipe
	}
	rows := make([]batch.Row, len(cells))
	for i := range cells {
		rows[i] = batch.Row{Number: i + 1, Cells: cells[i], Status: batch.StatusQueued}
	}
	rec, err := b.recipe(one.Recipe)
	if err != nil {
		return one, err
	}
	if err := b.plan(ctx, rec, &one, rows); err != nil {
		return one, err
	}
	if b.isShared() {
		one.Definition = &rec
	}
	if err := b.cfg.Store.AddBatch(ctx, one, rows); err != nil {
		return one, err
	}
	b.mu.Lock()
	b.all = slices.Insert(b.all, 0, one)
	b.mu.Unlock()
	b.cfg.Changed(one)
	return one, nil
}

// plan sets what a batch and its rows need.
func (b *Batches) plan(ctx context.Context, rec recipe.Recipe, one *batch.Batch, rows []batch.Row) (err error) {
	if one.Parameters, err = columnsOf(rec, one); err != nil {
		return err
	}
	one.Digest, one.Outputs, one.Needs = recipes.Digest(rec), outputsOf(rec), toolspec.Card{}
	hosts := map[string]bool{}
	for i := range rows {
		card, err := b.planRow(ctx, *one, rows[i])
		if err != nil {
			return fmt.Errorf("row %d: %w", rows[i].Number, err)
		}
		rows[i].Hosts = card.Hosts
		for _, h := range card.Hosts {
			hosts[h] = true
		}
		acts := max(one.Needs.Acts, card.Acts)
		card.Hosts = nil // collected apart, because each row may have its own
		one.Needs = one.Needs.Plus(card)
		one.Needs.Acts = acts
	}
	one.Needs.Hosts = slices.Sorted(maps.Keys(hosts))
	return nil
}

// planRow returns what a row needs. It refuses one that would type a secret into a field that is not for one.
func (b *Batches) planRow(ctx context.Context, one batch.Batch, r batch.Row) (toolspec.Card, error) {
	prepared, err := b.cfg.Recipes.Prepare(one.Recipe, valuesOf(one, r))
	if err != nil {
		return toolspec.Card{}, err
	}
	for _, p := range prepared.Recipe.Parameters {
		if !p.Secret && recipes.SecretName.MatchString(prepared.Values[p.Name]) {
			return toolspec.Card{}, fmt.Errorf("%s names a secret, but the recipe does not keep this value secret",
				p.Name)
		}
	}
	return prepared.Card(ctx, b.cfg.CardUse)
}

// columnsOf finds the column of each parameter.
func columnsOf(rec recipe.Recipe, one *batch.Batch) (map[string]int, error) {
	columns := map[string]int{}
	for _, p := range rec.Parameters {
		if _, same := one.Values[p.Name]; same {
			continue
		}
		i := slices.IndexFunc(one.Columns, func(name string) bool { return parameterName(name) == p.Name })
		if i >= 0 {
			columns[p.Name] = i
		} else if p.Default == nil {
			return nil, fmt.Errorf("the recipe needs %s, and no column has this name. The table has %s", p.Name,
				strings.Join(one.Columns, ", "))
		}
	}
	if len(columns) == 0 {
		return nil, fmt.Errorf("no column of the table has the name of a parameter of the recipe (%s)",
			strings.Join(parameterNames(rec), ", "))
	}
	return columns, nil
}

func parameterNames(rec recipe.Recipe) []string {
	names := make([]string, len(rec.Parameters))
	for i, p := range rec.Parameters {
		names[i] = p.Name
	}
	return names
}

var notInName = regexp.MustCompile(`[^a-z0-9]+`)

// parameterName returns the parameter that a column is for: "Order no." is for order_no.
func parameterName(column string) string {
	return strings.Trim(notInName.ReplaceAllString(strings.ToLower(column), "_"), "_")
}

// valuesOf returns the values of a row. An empty cell is a missing value, for which a parameter may have a default.
func valuesOf(one batch.Batch, r batch.Row) map[string]string {
	values := maps.Clone(one.Values)
	if values == nil {
		values = map[string]string{}
	}
	for name, i := range one.Parameters {
		if cell := strings.TrimSpace(r.Cells[i]); cell != "" {
			values[name] = cell
		}
	}
	return values
}

func outputsOf(rec recipe.Recipe) []string {
	var names []string
	for _, s := range rec.Steps {
		for _, o := range s.Keep {
			names = append(names, o.Name)
		}
	}
	return names
}
