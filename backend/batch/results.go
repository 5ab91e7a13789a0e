package batch

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// textsOf returns what a recipe returned as text: a list of rows as JSON.
func textsOf(values map[string]any) map[string]string {
	if len(values) == 0 {
		return nil
	}
	texts := map[string]string{}
	for name, value := range values {
		if text, ok := value.(string); ok {
			texts[name] = text
		} else if text, err := json.Marshal(value); err == nil {
			texts[name] = string(text)
		}
	}
	return texts
}

// Table returns the columns of a batch with its results, and its rows in their order.
func (b *Batches) Table(ctx context.Context, id string) (columns []string, rows [][]string, err error) {
	one, err := b.Get(id)
	if err != nil {
		return nil, nil, err
	}
	all, err := b.cfg.Store.Rows(ctx, id, 0, maxRows)
	if err != nil {
		return nil, nil, err
	}
	outputs := slices.Clone(one.Outputs)
	for _, r := range all {
		for _, name := range slices.Sorted(maps.Keys(r.Results)) {
			if !slices.Contains(outputs, name) {
				outputs = append(outputs, name) // of an earlier version of the recipe
			}
		}
	}
	columns = slices.Concat(one.Columns, outputs, []string{"status", "reason"})
	for _, r := range all {
		cells := slices.Clone(r.Cells)
		for _, name := range outputs {
			cells = append(cells, r.Results[name])
		}
		rows = append(rows, append(cells, string(r.Status), strings.TrimSpace(r.Reason)))
	}
	return columns, rows, nil
}
